"""genset in Python: the public names, and what they do with networks, arrays and specs."""

import json
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from PIL import Image
from torch import Tensor, nn
from torchvision.transforms import v2

import genset
from genset.cli import cli
from genset.core.errors import BadInput, GensetError, ModelError
from genset.sets.photos import PhotoSet
from tests.conftest import ROOT
from tests.score.colours import BLUE, GREEN, RED, WNIDS, Colours, colours, paint, painted_set
from tests.score.listed import write_list

AS_TRAINED = v2.Compose(
    [
        v2.Resize(32),
        v2.CenterCrop(32),
        v2.PILToTensor(),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize([0.5] * 3, [0.5] * 3),
    ]
)

# A package that is imported must not take a function's place.
TWICE = """
import importlib, json, sys
import genset
loaded = [name for name in sys.modules if name.startswith("genset.")]
first = {name: getattr(genset, name) for name in genset.__all__}
for package in ("score", "score.evaluate", "comparison.pairs", "reporting", "release", "api",
                "cli.models.report", "cli.models.score"):
    importlib.import_module(f"genset.{package}")
changed = [name for name, value in first.items() if getattr(genset, name) is not value]
print(json.dumps([loaded, changed, sorted(set(genset.__all__) - set(dir(genset)))]))
"""


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PhotoSet:
    monkeypatch.chdir(tmp_path)
    return genset.open_set(painted_set(tmp_path / "photos"))


class Counting(Colours):
    """Counts the photos that it is given; not the one input by whose answer other code shows."""

    seen = 0

    def forward(self, pixels: Tensor) -> Tensor:
        self.seen += len(pixels) if len(pixels) > 1 else 0
        return super().forward(pixels)


def test_public_names_stay_when_their_packages_are_imported() -> None:
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[], [], []]


def test_a_network_in_memory_answers_as_its_checkpoint(photos: PhotoSet, tmp_path: Path) -> None:
    run = genset.evaluate(photos, Colours(), transform=AS_TRAINED, name="mine")
    from_file = genset.evaluate(photos, colours(tmp_path))
    assert run.model == "mine"
    assert (run.top1.correct, run.top1.photos) == (2, 4)
    assert run.top1.low < run.top1.value == 0.5 < run.top1.high
    assert run.top5 == from_file.top5
    for one, other in zip(run.predictions, from_file.predictions, strict=True):
        assert (one.image, one.wnid, one.top) == (other.image, other.wnid, other.top)
        assert one.probabilities == pytest.approx(other.probabilities, rel=1e-4)
    assert run.record.weights_hash == from_file.record.weights_hash
    assert run.record.preprocessing["transform"].startswith("Compose(")


def test_it_is_left_as_it_was(photos: PhotoSet) -> None:
    network = nn.Sequential(nn.BatchNorm2d(3), nn.Dropout(), Colours())
    network[1].eval()
    before = {name: value.clone() for name, value in network.state_dict().items()}
    torch.backends.cudnn.allow_tf32 = True
    random = torch.get_rng_state()
    genset.evaluate(photos, network, transform=AS_TRAINED)
    assert torch.equal(random, torch.get_rng_state())
    assert [network[0].training, network[1].training, network[2].training] == [True, False, True]
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())
    assert torch.backends.cudnn.allow_tf32
    assert network[2].scores.weight.requires_grad


def test_a_run_is_found_again_by_its_name_weights_and_code(
    photos: PhotoSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = Counting()
    first = genset.evaluate(photos, network, transform=AS_TRAINED, name="mine")
    seen = network.seen
    assert first.folder is not None
    again = genset.evaluate(photos, network, transform=AS_TRAINED, name="mine")
    assert network.seen == seen
    assert again == first
    assert again.predictions[0] == first.predictions[0]

    genset.evaluate(photos, network, transform=AS_TRAINED, name="with another forward")
    assert network.seen > seen
    seen = network.seen
    network.scores.bias.data += 1
    genset.evaluate(photos, network, transform=AS_TRAINED, name="mine")
    assert network.seen > seen
    seen = network.seen
    genset.evaluate(photos, network, transform=v2.Compose(AS_TRAINED.transforms), name="mine")
    assert network.seen == seen
    other = v2.Compose([v2.Resize(40), *AS_TRAINED.transforms[1:]])
    genset.evaluate(photos, network, transform=other, name="mine")
    assert network.seen > seen
    real = Colours.forward
    monkeypatch.setattr(Colours, "forward", lambda self, pixels: real(self, -pixels))
    other_code = genset.evaluate(photos, Counting(), transform=AS_TRAINED, name="mine")
    assert (first.top1.correct, other_code.top1.correct) == (2, 1)


def negative(image: Image.Image) -> Tensor:
    return -AS_TRAINED(image)


def test_models_that_nobody_can_tell_apart_are_not_mixed_up(photos: PhotoSet) -> None:
    for name in ("", "mine"):
        one = genset.evaluate(photos, Colours(), transform=lambda im: AS_TRAINED(im), name=name)
        other = genset.evaluate(photos, Colours(), transform=negative, name=name)
        assert (one.top1.correct, other.top1.correct) == (2, 1)
        assert genset.compare(one, other).difference.value == 0.25
        data = genset.report([one, other], "both.html")
        assert [model.top1.accuracy.correct for model in data.models] == [2, 1]
        assert (one.folder != other.folder) is bool(name)  # without a name nothing is kept
        assert one.predictions[0].top == (WNIDS[0], *WNIDS[3:7])
        assert Path("runs").exists() is bool(name)


class Scale(nn.Module):
    """A transform that prints nothing of its setting."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, pixels: Tensor) -> Tensor:
        return pixels * self.factor


def test_settings_of_a_transform_and_buffers_that_are_not_saved_belong_to_a_run(
    photos: PhotoSet,
) -> None:
    steps = [v2.Resize(32), v2.CenterCrop(32), v2.PILToTensor(), v2.ToDtype(torch.float32)]
    scaled = v2.ToDtype(torch.float32, scale=True), v2.ToDtype(torch.float32, scale=False)
    runs = [
        genset.evaluate(photos, Colours(), transform=v2.Compose([*steps, each]), name="mine")
        for each in (Scale(1.0), Scale(-1.0), *scaled)
    ]
    for sign in (1.0, -1.0):
        network = Colours()
        network.register_buffer("sign", torch.tensor(sign), persistent=False)
        runs.append(genset.evaluate(photos, network, transform=AS_TRAINED, name="mine"))
    assert len({run.folder for run in runs}) == len({run.record.key for run in runs}) == 6


def test_torchvisions_own_transform_gives_what_a_spec_gives(photos: PhotoSet) -> None:
    from torchvision.models import SqueezeNet1_0_Weights

    transform = SqueezeNet1_0_Weights.DEFAULT.transforms()
    run = genset.evaluate(photos, Colours(), transform=transform)
    assert run.record.preprocessing == {
        "resize": 256,
        "crop": 224,
        "interpolation": "bilinear",
        "mean": [0.485, 0.456, 0.406],
        "std": [0.229, 0.224, 0.225],
    }
    slow = genset.evaluate(photos, Colours(), transform=lambda image: transform(image))
    for one, other in zip(run.predictions, slow.predictions, strict=True):
        assert one.top == other.top
        assert one.probabilities == pytest.approx(other.probabilities, rel=1e-4)


def test_a_model_of_timms_brings_its_transform(photos: PhotoSet) -> None:
    timm = pytest.importorskip("timm")
    network = timm.create_model("resnet10t", num_classes=1000)
    run = genset.evaluate(photos, network)
    assert run.record.preprocessing["crop"] == 224  # as timm tests it, not the 176 of training
    assert run.record.preprocessing["interpolation"] == "bicubic"


def test_half_precision_and_photos_left_out_are_said_beside_the_numbers(photos: PhotoSet) -> None:
    whole = v2.Compose([v2.Resize((32, 32)), v2.ToImage(), v2.ToDtype(torch.float32)])
    run = genset.evaluate(photos, Colours(), transform=whole)
    assert "The transform gives values up to 25" in run.notes[0]
    half = genset.evaluate(photos, Colours().bfloat16(), transform=AS_TRAINED)
    assert half.record.precision == "bf16"
    assert "scored in bf16" in half.notes
    double = genset.evaluate(photos, Colours().double(), transform=AS_TRAINED)
    assert double.notes == ["The network runs in float64."]
    assert half.top1.correct == double.top1.correct == 2
    few = genset.evaluate(photos, predictions=[[0]] * 4, classes=[WNIDS[0]])
    assert few.top1.photos == 2
    assert any("2 photos of other classes not counted" in note for note in few.notes)


def test_pixels_are_cached_where_they_are_genset_s_own(photos: PhotoSet, tmp_path: Path) -> None:
    spec = colours(tmp_path)
    first = genset.evaluate(photos, spec, cache="pixels", runs="one")
    assert list((tmp_path / "pixels").glob("*.pixels"))
    assert genset.evaluate(photos, spec, cache="pixels", runs="two").top1 == first.top1
    run = genset.evaluate(photos, Colours(), transform=AS_TRAINED, cache=tmp_path / "pixels")
    assert run.top1 == first.top1


def test_a_quantized_network_is_scored(photos: PhotoSet) -> None:
    quantized = torch.ao.quantization.quantize_dynamic(Colours().eval(), {nn.Linear})
    run = genset.evaluate(photos, quantized, transform=AS_TRAINED, name="int8")
    assert run.top1.correct == 2


def test_rows_of_a_table_are_matched_by_the_photos_ids(photos: PhotoSet) -> None:
    import pandas

    table = pandas.DataFrame({"top1": [0, 0, 2, 3]}, index=photos.ids)
    assert genset.evaluate(photos, predictions=table[::-1]).top1.correct == 4
    assert genset.evaluate(photos, predictions=table.reset_index(drop=True)).top1.correct == 4
    scores = pandas.DataFrame(np.eye(4, 1000), index=photos.ids, columns=WNIDS).iloc[::-1]
    turned = genset.evaluate(photos, predictions=scores[WNIDS[::-1]])
    numbered = scores.set_axis(range(1000), axis=1)[[*range(999, -1, -1)]]
    assert turned.top1 == genset.evaluate(photos, predictions=scores).top1
    assert turned.top1 == genset.evaluate(photos, predictions=numbered).top1
    wnids = [WNIDS[0], WNIDS[0], WNIDS[2], WNIDS[3]]
    by_id = dict(zip(photos.ids, wnids, strict=True))
    for given in (wnids, np.array(wnids), by_id, pandas.Series(by_id)[::-1]):
        assert genset.evaluate(photos, predictions=given).top1.correct == 4
    for wrong, problem in (
        ({**by_id, photos.ids[0]: "cat"}, "'cat' is none of the classes' wnids"),
        (table.rename({photos.ids[0]: "other.jpg"}), "the table's index has 'other.jpg'"),
        (table.iloc[[0, 1, 2, 2]], f"the table's index lacks '{photos.ids[3]}'"),
        (scores.rename(columns={WNIDS[0]: "tench"}), "the table's header has 'tench'"),
    ):
        with pytest.raises(BadInput, match=problem):
            genset.evaluate(photos, predictions=wrong)


def uneven(image: Image.Image) -> Tensor:
    return torch.zeros(3, 8, next(SIDES))


SIDES = count(8)


def test_classes_of_the_callers_own(tmp_path: Path) -> None:
    for number, (name, colour) in enumerate({"cherry": RED, "lime": GREEN, "plum": BLUE}.items()):
        path = paint(tmp_path / "fruit", number, "a.png", colour)
        path.parent.rename(tmp_path / "fruit" / name)
    fruit = ["cherry", "lime", "plum"]
    photos = genset.open_set(tmp_path / "fruit", classes=fruit)
    run = genset.evaluate(photos, Colours(3), transform=AS_TRAINED, classes=fruit)
    assert run.top1.correct == run.top1.photos == 3
    logits = np.eye(3)[[0, 2, 1]]
    assert genset.evaluate(photos, predictions=logits, classes=fruit).top1.correct == 1


def test_predictions_are_indices_logits_or_probabilities(photos: PhotoSet) -> None:
    logits = torch.randn(4, 1000, generator=torch.Generator().manual_seed(0))
    logits[range(4), [0, 1, 2, 3]] = 20
    found = [
        genset.evaluate(photos, predictions=given)
        for given in (logits, logits.double().numpy(), logits.softmax(1), logits.topk(5).indices)
    ]
    assert {run.top1.correct for run in found} == {3}
    assert len({tuple(each.top for each in run.predictions) for run in found}) == 1
    shares = [run.predictions[0].probabilities for run in found]
    assert shares[0] == pytest.approx(shares[2], rel=1e-3)
    assert shares[3] == ()
    one = genset.evaluate(photos, predictions=[0, 1, 2, 3], name="mine")
    assert (one.top1.correct, one.top5) == (3, None)
    assert genset.evaluate(photos, predictions=[[0], [1], [2], [3]], name="mine") == one
    other = genset.evaluate(photos, predictions=[0, 0, 0, 0], name="mine")
    assert one.folder != other.folder
    assert one.predictions[3].top != other.predictions[3].top


def test_a_table_of_predictions_counts_as_the_model_that_gave_it(photos: PhotoSet) -> None:
    run = genset.evaluate(photos, Colours(), transform=AS_TRAINED)
    table = run.predictions.to_pandas()
    assert list(table.columns)[:3] == ["image", "wnid", "top1"]
    assert table.image.tolist() == photos.ids
    assert (table.wnid == table.top1).sum() == run.top1.correct
    assert len(run.predictions[1:]) == 3
    assert "4 photos" in repr(run.predictions)
    again = genset.evaluate(photos, predictions=table[::-1])
    assert (again.top1, again.top5) == (run.top1, run.top5)
    strange = table.assign(top1=table["top1"].replace(WNIDS[0], "cat"))
    shifted = table.assign(wnid=[*table["wnid"].tolist()[1:], WNIDS[9]])
    for wrong, problem in (
        (table[1:], "the table's index lacks"),
        (strange, "'cat' is none of"),
        (shifted, "the table's wnids are not those of the set's photos"),
    ):
        with pytest.raises(BadInput, match=problem):
            genset.evaluate(photos, predictions=wrong)
    page = run._repr_html_()
    assert page.startswith("<table>") and str(run.top1) in page
    assert page.count("<table>") == 1


def test_a_comparison_prints_what_its_numbers_and_the_command_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    photos = genset.open_set(write_list(tmp_path / "photos.csv", range(40)))
    low = genset.evaluate(photos, predictions=[[n] for n in (*range(20), *[50] * 20)], name="low")
    high = genset.evaluate(photos, predictions=[[n] for n in range(40)], name="high")
    for one, other, said in ((low, high, "-50.0"), (high, low, "+50.0")):
        found = genset.compare(one, other)
        assert f"{100 * found.difference.value:+.1f}" == said
        assert (found.first, found.second) == (one.model, other.model)
        assert {found.only_first, found.only_second} == {0, 20}
        back = genset.compare(other, one).difference
        ends = (found.difference.low, found.difference.high)
        assert ends == pytest.approx((-back.high, -back.low))
        assert f"Difference: {said} points" in str(found).replace("−", "-")
        words = ["compare", one.model, other.model, "--on", "photos.csv"]
        done = CliRunner().invoke(cli, words)
        assert done.output.strip() == str(found), done.output


def test_a_photo_on_which_the_transform_fails_is_left_out_and_named(photos: PhotoSet) -> None:
    seen: list[int] = []

    def fails_once(image: Image.Image) -> Any:
        seen.append(1)
        if len(seen) == len(photos) * 2:  # the first, then all for a trial, then all again
            raise ValueError("odd photo")
        return AS_TRAINED(image)

    run = genset.evaluate(photos, Colours(), transform=fails_once)
    assert run.top1.photos == 3
    assert list(run.record.excluded.values()) == ["the transform fails: odd photo"]


class Broken(nn.Module):
    def forward(self, pixels: Tensor) -> Tensor:
        raise RuntimeError("shapes do not match\nat all")


@pytest.mark.parametrize(
    ("model", "how", "kind", "named"),
    [
        (None, {}, BadInput, "needs a model, or predictions="),
        (Colours(), {"predictions": [[0]] * 4}, BadInput, "not both"),
        (Colours(), {}, BadInput, "needs the model's transform="),
        (Colours(), {"transform": lambda _: 1 / 0}, BadInput, "transform fails on .*/.*: div"),
        (Colours(), {"transform": lambda image: image}, BadInput, "gives .*, not channels x"),
        (Colours(), {"transform": lambda _: "no"}, BadInput, "gives a str, not a tensor"),
        (Colours(), {"transform": uneven}, GensetError, r"and \[3, .* for the first photo: resize"),
        (
            Colours(),
            {"transform": v2.PILToTensor()},
            BadInput,
            r"gives whole numbers \(uint8\), not",
        ),
        (Colours(), {"transform": AS_TRAINED, "speed": 2}, BadInput, "argument 'speed'"),
        (Colours(), {"transform": AS_TRAINED, "engine": "openvino"}, BadInput, "run by PyTorch"),
        (Colours(7), {"transform": AS_TRAINED}, ModelError, "each of ImageNet's 1000 classes"),
        (Broken(), {"transform": AS_TRAINED, "name": "x"}, ModelError, "'x' cannot be run: shapes"),
        ("torchvision:resnet50", {"transform": AS_TRAINED}, BadInput, "a spec says itself"),
        ("torchvision", {}, BadInput, "a spec is torchvision:NAME"),
        (None, {"predictions": [[0]] * 3}, BadInput, "predictions= has 3 rows"),
        (None, {"predictions": np.zeros((4, 7))}, BadInput, "7 columns .* 1,000 classes"),
        (None, {"predictions": np.full((4, 1000), np.nan)}, BadInput, "NaN or infinity"),
        (None, {"predictions": [[1000]] * 4}, BadInput, "class index 1000: they are 0 to 999"),
        (None, {"predictions": [[1, 1]] * 4}, BadInput, "has a class twice"),
        (None, {"predictions": [[0]] * 4, "workers": 2}, BadInput, "leave out what is for a model"),
        (None, {"predictions": [[0], [1, 2], [3], [4]]}, BadInput, "predictions= is no array"),
        (Colours(1001), {"transform": AS_TRAINED}, ModelError, "name them with classes="),
    ],
)
def test_what_cannot_be_scored_is_named_in_one_line(
    photos: PhotoSet, model: Any, how: dict[str, Any], kind: type[GensetError], named: str
) -> None:
    with pytest.raises(kind, match=named) as refused:
        genset.evaluate(photos, model, **how)
    assert "\n" not in str(refused.value)
    assert not list(Path("runs").glob("*/*"))


def test_a_report_is_written_on_what_was_given_and_sets_are_not_mixed(
    photos: PhotoSet, tmp_path: Path
) -> None:
    one = genset.evaluate(photos, predictions=[[0], [0], [2], [3]], name="kept")
    genset.evaluate(photos, predictions=[[9]] * 4, name="not asked for")
    loose = genset.evaluate(photos, Colours(), transform=AS_TRAINED)
    data = genset.report([loose, one], tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text()
    assert [model.label for model in data.models] == ["kept", "Colours"]
    assert "not asked for" not in page and "100.0" in page

    paint(tmp_path / "more", 0, "a.jpg", RED)
    other = genset.evaluate("more", predictions=[[0]])
    for use in (lambda: genset.compare(one, other), lambda: genset.report([one, other], "a.html")):
        with pytest.raises(BadInput, match="different sets: more and photos"):
            use()
    with pytest.raises(BadInput, match="at least one model"):
        genset.report([], "a.html")
    with pytest.raises(BadInput, match="is a folder: name"):
        genset.report([one], tmp_path)
    with pytest.raises(BadInput, match="report: got an unexpected keyword argument 'refrence'"):
        genset.report([one], "a.html", refrence="none")
    for use in (lambda: genset.compare("a", "b"), lambda: genset.report(["a"], "a.html")):
        with pytest.raises(BadInput, match=r"what genset\.evaluate gave .* not a str"):
            use()
    with pytest.raises(BadInput, match=r"old\.json cannot be read"):
        genset.report([one], "a.html", compare="old.json")
    assert genset.report((each for each in [one]), "a.html").models
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        genset.nothing  # noqa: B018 - it is the access that fails


@pytest.mark.soak
def test_the_documents_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "python.md").read_text("utf-8")
    blocks = [part.partition("```")[0] for part in text.split("```python\n")[1:]]
    assert len(blocks) >= 5
    painted_set(tmp_path / "photos")
    (tmp_path / "my_models.py").write_text(
        "from torch import nn\n\n"
        "def net():\n"
        "    return nn.Sequential(\n"
        "        nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 1000)\n"
        "    )\n"
    )
    (tmp_path / "all.py").write_text("\n".join(blocks))
    command = [sys.executable, "all.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert (tmp_path / "runs" / "photos").is_dir()


def test_a_disk_that_cannot_be_written_is_one_line(photos: PhotoSet, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("no folder")
    for given in ({"model": Colours(), "transform": AS_TRAINED}, {"predictions": [[0]] * 4}):
        with pytest.raises(GensetError) as refused:
            genset.evaluate(photos, **given, name="mine")  # type: ignore[arg-type]
        assert "\n" not in str(refused.value)
        assert "runs" in str(refused.value) or "not a directory" in str(refused.value).lower()
