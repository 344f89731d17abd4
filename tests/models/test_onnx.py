"""ONNX files as other tools write them: channels last, other sizes, other numbers."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from genset.core.errors import BadInput, ModelError
from genset.score.options import ScoringOptions
from genset.score.results.runs import find_runs, load_predictions
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from tests.score.colours import colours, painted_set
from tests.score.scoring import evaluate, load_model

pytest.importorskip("onnxruntime")

SIDE = 32


class Small(nn.Module):
    """Rows, columns and colours all matter to it, so that no other order gives its answers."""

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.features = nn.Conv2d(3, 6, (5, 3), stride=4)
        self.scores = nn.Linear(6 * 7 * 8, classes)

    def forward(self, pixels: Tensor) -> Tensor:
        scores: Tensor = self.scores(self.features(pixels).relu().flatten(1))
        return scores


class ChannelsLast(nn.Module):
    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, pixels: Tensor) -> Tensor:
        scores: Tensor = self.network(pixels.permute(0, 3, 1, 2))
        return scores


@pytest.fixture
def photos(tmp_path: Path) -> PhotoSet:
    return open_set(str(painted_set(tmp_path / "photos")))


def write(
    network: nn.Module,
    path: Path,
    *shape: int,
    free: tuple[int, ...] = (0,),
    kind: torch.dtype | None = None,
) -> str:
    """Write a network as ONNX with an input of this shape, free in some places; return the spec."""
    torch.manual_seed(0)
    torch.onnx.export(
        network.eval(),
        (torch.zeros(shape, dtype=kind),),
        path,
        dynamo=False,
        input_names=["pixels"],
        dynamic_axes={"pixels": {place: "nabc"[place] for place in free}} if free else None,
    )
    return f"onnx:{path}?resize={SIDE}&crop={SIDE}"


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino"])
@pytest.mark.parametrize("free", [(0,), (), (0, 1, 2)], ids=["any batch", "fixed", "any size"])
def test_channels_last_gives_the_logits_of_channels_first(
    tmp_path: Path, photos: PhotoSet, engine: str, free: tuple[int, ...]
) -> None:
    pytest.importorskip(engine)
    torch.manual_seed(0)
    network = Small()
    first = write(network, tmp_path / "first.onnx", 2, 3, SIDE, SIDE)
    last = write(ChannelsLast(network), tmp_path / "last.onnx", 2, SIDE, SIDE, 3, free=free)
    runs = evaluate(photos, [first, last], tmp_path / "runs", ScoringOptions(engine=engine))
    assert [run.engine for run in runs] == [engine] * 2
    weights = sum(weight.numel() for weight in network.parameters())
    assert [run.cost["parameters"] for run in runs] == [weights] * 2
    one, other = (load_predictions(folder) for folder, _ in find_runs(tmp_path / "runs", "photos"))
    assert [each.top for each in one] == [each.top for each in other]
    assert len({each.top for each in one}) > 1
    for mine, theirs in zip(one, other, strict=True):
        assert mine.probabilities == pytest.approx(theirs.probabilities, rel=1e-4)
    pixels = torch.rand(3 if free else 2, 3, SIDE, SIDE)
    expected = network(pixels).detach()
    for spec in (first, last):
        assert torch.allclose(load_model(spec).network(pixels), expected, atol=1e-5)


def test_exported_programs_of_one_size_of_batches_answer_alike(
    tmp_path: Path, photos: PhotoSet
) -> None:
    specs = [write(network := Small(), tmp_path / "any.onnx", 2, 3, SIDE, SIDE)]
    for batch in (1, 3):
        program = torch.export.export(network.eval(), (torch.zeros(batch, 3, SIDE, SIDE),))
        torch.export.save(program, tmp_path / f"{batch}.pt2")
        specs.append(f"export:{tmp_path}/{batch}.pt2?resize={SIDE}&crop={SIDE}")
    evaluate(photos, specs, tmp_path / "runs")
    folders = [folder for folder, _ in find_runs(tmp_path / "runs", "photos")]
    any_size, one, three = ([each.top for each in load_predictions(at)] for at in folders)
    assert any_size == one == three


@pytest.mark.parametrize(
    ("shape", "kind", "said"),
    [
        ((2, 1, SIDE, SIDE), None, r"input pixels is n x 1 x 32 x 32; it must be N x 3 x S x S or"),
        ((2, 3, SIDE, 48), None, r"input pixels is n x 3 x 32 x 48; it must be N x 3 x S x S or"),
        ((2, SIDE, 48, 3), None, r"input pixels is n x 32 x 48 x 3; it must be"),
        ((2, 3, SIDE), None, r"takes other than one batch of photos: pixels is n x 3 x 32"),
        ((1, 3, SIDE, SIDE), torch.int32, r"takes tensor\(int32\); it must take float numbers"),
    ],
)
def test_an_input_that_is_no_square_photo_is_refused_and_costs_no_other_model(
    tmp_path: Path, photos: PhotoSet, shape: tuple[int, ...], kind: torch.dtype | None, said: str
) -> None:
    spec = write(nn.Flatten(), tmp_path / "net.onnx", *shape, kind=kind)
    with pytest.raises(ModelError, match=said) as refused:
        evaluate(photos, [spec, colours(tmp_path)], tmp_path / "runs")
    assert "\n" not in str(refused.value)
    assert [run.model for _, run in find_runs(tmp_path / "runs", "photos")] == ["colours"]
    assert refused.value.lines == ["1 of 2 models failed"]


@pytest.mark.parametrize("engine", ["torch", "onnxruntime", "openvino"])
def test_an_engines_own_error_names_the_shapes(
    tmp_path: Path, photos: PhotoSet, engine: str, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(engine)
    said = "x 3 x 48 x 48; input pixels is n x 3 x b x c; &crop= gives it another size)"
    spec = write(Small(), tmp_path / "net.onnx", 2, 3, SIDE, SIDE, free=(0, 2, 3))
    if engine == "torch":
        torch.save(Small().state_dict(), tmp_path / "small.pth")
        spec = f"file:{tmp_path}/small.pth?arch={__name__}:Small&resize={SIDE}&crop={SIDE}"
        said = "(given 4 x 3 x 48 x 48)"
    spec = spec.replace(f"={SIDE}", "=48")
    capfd.readouterr()
    with pytest.raises(ModelError) as refused:
        evaluate(photos, [spec], tmp_path / "runs", ScoringOptions(engine=engine))
    assert said in str(refused.value)
    raw = ("\n", "ONNXRuntimeError", "src/", "Exception from")
    assert not any(each in str(refused.value) for each in raw)
    assert capfd.readouterr().err == ""


def test_openvinos_own_file_is_scored_by_openvino(tmp_path: Path, photos: PhotoSet) -> None:
    openvino = pytest.importorskip("openvino")
    spec = write(Small(), tmp_path / "net.onnx", 2, 3, SIDE, SIDE, free=(0,))
    openvino.save_model(openvino.Core().read_model(tmp_path / "net.onnx"), tmp_path / "net.xml")
    of_openvino = spec.replace("onnx:", "export:").replace(".onnx", ".xml")
    runs = evaluate(photos, [spec, of_openvino], tmp_path / "runs", ScoringOptions(workers=2))
    assert [run.engine for run in runs] == ["onnxruntime", "openvino"]
    one, other = (load_predictions(folder) for folder, _ in find_runs(tmp_path / "runs", "photos"))
    assert [each.top for each in one] == [each.top for each in other]
    weights = tmp_path / "net.bin"
    weights.write_bytes(weights.read_bytes() + b"\0")
    assert load_model(of_openvino).weights_hash != runs[1].weights_hash
    with pytest.raises(BadInput, match="OpenVINO's own file is run by --engine openvino"):
        evaluate(photos, [of_openvino], tmp_path / "runs", ScoringOptions(engine="torch"))
    weights.unlink()
    with pytest.raises(BadInput, match=r"net.xml has its weights in net.bin: copy that beside it"):
        evaluate(photos, [of_openvino], tmp_path / "runs")
