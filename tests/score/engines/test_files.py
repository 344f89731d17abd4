"""Networks as files, and whatever they answer: each engine gives the same classes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torchvision.transforms import v2

import genset
from genset.core.errors import BadInput, GensetError, ModelError
from genset.score import plan
from genset.score.engines.engine import EngineOptions, open_engine
from genset.score.engines.onnx import write_onnx
from genset.score.engines.openvino import OpenvinoEngine
from genset.score.options import ScoringOptions
from genset.score.results.count import remarks
from genset.score.results.runs import Run, RunRecord, find_runs
from genset.sets.open import open_set
from tests.score.colours import (
    BLUE,
    GREEN,
    RED,
    Colours,
    colours,
    formed,
    hundred_photos,
    paint,
    painted_set,
)
from tests.score.scoring import counts, evaluate, load_model

ALL_RIGHT = (33, 99)  # what Colours gets right of a hundred photos, one of them broken
ONNX = ["onnxruntime", "openvino"]


class Wholes(Colours):
    """Takes whole numbers from 0 to 255."""

    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels.float() / 127.5 - 1)


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return hundred_photos(tmp_path / "photos")


def write(network: nn.Module, kind: torch.dtype, names: list[str], most: int | None = None) -> None:
    """Write net.pt2, of up to `most` photos at once, and net.onnx with outputs of these names."""
    example = torch.zeros(2, 3, 32, 32, dtype=kind)
    how = {"dynamo": False, "input_names": ["pixels"], "output_names": names}
    sizes = {name: {0: "n"} for name in ("pixels", *names)}
    torch.onnx.export(network.eval(), (example,), "net.onnx", dynamic_axes=sizes, **how)
    shapes = ({0: torch.export.Dim("photos", max=most)},)
    torch.export.save(torch.export.export(network, (example,), dynamic_shapes=shapes), "net.pt2")


@pytest.mark.parametrize("engine", ["torch", *ONNX])
def test_a_program_runs_on_every_engine_whatever_it_takes(photos: Path, engine: str) -> None:
    pytest.importorskip(engine)
    normal = "mean=0.5&std=0.5&resize=32&crop=32"
    for network, most, how in ((Colours(), 8, normal), (Wholes(), None, "resize=32&crop=32")):
        write(network, torch.float32 if most else torch.uint8, ["scores"], most)
        for kind in ["export:net.pt2", "onnx:net.onnx"][: 2 if engine in ONNX else 1]:
            run = genset.evaluate(photos, f"{kind}?{how}", engine=engine)
            assert counts(run.top1) == ALL_RIGHT
    with pytest.raises(GensetError, match="whole numbers from 0 to 255: leave out mean="):
        genset.evaluate(photos, f"export:net.pt2?{normal}")


@pytest.mark.parametrize("engine", ONNX)
def test_of_several_outputs_of_a_file_the_scores_are_used(photos: Path, engine: str) -> None:
    pytest.importorskip(engine)
    write(formed(lambda scores: (scores[:, :7], scores))(), torch.float32, ["few", "scores"])
    run = genset.evaluate(photos, "onnx:net.onnx?mean=0.5&std=0.5&resize=32&crop=32", engine=engine)
    assert (counts(run.top1), run.record.notes) == (
        ALL_RIGHT,
        ["Scored by its output scores; it also has few (output=NAME)."],
    )
    spec = "onnx:net.onnx?mean=0.5&std=0.5&resize=32&crop=32&output="
    assert genset.evaluate(photos, f"{spec}scores", engine=engine).top1 == run.top1
    for name, problem in (("best", "no output 'best': it has few, scores"), ("few", r"answers \[")):
        with pytest.raises(GensetError, match=problem):
            genset.evaluate(photos, f"{spec}{name}", engine=engine)


def test_a_dynamic_int8_file_scores_each_photo_alone(photos: Path) -> None:
    quantization = pytest.importorskip("onnxruntime.quantization")
    write(Colours(), torch.float32, ["scores"])
    quantization.quantize_dynamic("net.onnx", "int8.onnx")
    spec = "onnx:int8.onnx?mean=0.5&std=0.5&resize=32&crop=32"
    assert counts(genset.evaluate(photos, spec, engine="onnxruntime").top1) == ALL_RIGHT


def in_memory(photos: Path, form: Callable[[Tensor], Any]) -> RunRecord:
    def pixels_of(photo: Any) -> Tensor:
        values = np.asarray(photo.resize((32, 32)), dtype=np.float32)
        return torch.from_numpy(values).permute(2, 0, 1) / 127.5 - 1

    return genset.evaluate(photos, formed(form)(), transform=pixels_of).record


def with_nan(scores: Tensor) -> Tensor:
    scores[3] = torch.nan
    return scores


def test_the_output_that_is_used_is_named_and_the_photo_that_gets_nan(photos: Path) -> None:
    for form, note in (
        (lambda scores: (scores, scores), "Scored by its output 1; it also has 2 (output=NAME)."),
        (
            lambda scores: {"aux": -scores, "logits": scores},
            "Scored by its output logits; it also has aux (output=NAME).",
        ),
        (lambda scores: {"out": scores}, "Scored by its output out."),
    ):
        run = in_memory(photos, form)
        assert (counts(run.top1), run.notes[-1]) == (ALL_RIGHT, note)
    with pytest.raises(GensetError, match=r"answers dict \(features: \[\d+, 7\]\)"):
        in_memory(photos, lambda scores: {"features": scores[:, :7]})
    with pytest.raises(GensetError, match=r"NaN or infinity to n01440764/009\.png: a broken photo"):
        in_memory(photos, with_nan)
    grey = v2.Compose([v2.Resize((32, 32)), v2.Grayscale(1), v2.ToTensor()])
    with pytest.raises(GensetError, match="the transform gives 1 channel: use Grayscale"):
        genset.evaluate(photos, Colours(), transform=grey)


def test_settings_of_pytorch_stay_as_they_were(photos: Path, realdata: Path) -> None:
    backends = torch.backends
    before = backends.quantized.engine, backends.cuda.matmul.allow_tf32
    backends.quantized.engine, backends.cuda.matmul.allow_tf32 = "fbgemm", True
    threads = torch.get_num_threads()
    try:
        spec = f"torchscript:{realdata}/checkpoints/mobilenet_v2_int8_torchscript.pt"
        genset.evaluate(photos, spec, allow_code=True)
        in_memory(photos, lambda scores: scores)
        assert (backends.quantized.engine, backends.cuda.matmul.allow_tf32) == ("fbgemm", True)
        assert torch.get_num_threads() == threads
    finally:
        backends.quantized.engine, backends.cuda.matmul.allow_tf32 = before


# An engine that `auto` passes over is named, and why.

OTHERS = ["onnxruntime", "openvino"]


class Liar(Colours):
    """Answers otherwise where it is traced, as code that looks at its input may."""

    def forward(self, pixels: Tensor) -> Tensor:
        scores = super().forward(pixels)
        return scores.flip(1) if torch.onnx.is_in_onnx_export() else scores


class Untraceable(Colours):
    """Cannot be written as ONNX."""

    def forward(self, pixels: Tensor) -> Tensor:
        if torch.onnx.is_in_onnx_export():
            raise ValueError("not to be traced")
        return super().forward(pixels)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """40 photos, three shards, for which a trial is worth its time."""
    for engine in OTHERS:
        pytest.importorskip(engine)
    monkeypatch.setattr(plan, "WORTH_A_TRIAL", 1)
    for number in range(40):
        paint(tmp_path / "photos", number % 3, f"{number:02}.png", (RED, GREEN, BLUE)[number % 3])
    return tmp_path


def run_of(folder: Path, network: str, **how: Any) -> Run:
    spec = colours(folder, network=f"{__name__}:{network}")
    (run,) = evaluate(
        open_set(str(folder / "photos")), [spec], folder / "runs", ScoringOptions(**how)
    )
    return run


def test_engines_that_answer_otherwise_are_named_beside_the_numbers(folder: Path) -> None:
    run = run_of(folder, "Liar")
    assert run.engine == "torch"
    assert run.top1.share == 1
    assert len(run.notes) == len(OTHERS)
    for engine, note in zip(OTHERS, remarks(run), strict=True):
        assert note.startswith(f"Not scored by {engine}, which failed a trial: ")
        assert f"engine {engine} does not give PyTorch's answers (logits are up to" in note
        assert "use --engine" not in note


def test_a_model_that_cannot_be_written_as_onnx_is_told_once(folder: Path) -> None:
    (note,) = run_of(folder, "Untraceable").notes
    assert note.startswith("Not scored by onnxruntime or openvino, which failed a trial: model ")
    assert note.endswith(" cannot be written as ONNX: not to be traced.")


@pytest.mark.parametrize(
    ("engine", "workers"), [("openvino", 1), ("openvino", 2), ("onnxruntime", 1)]
)
def test_no_other_answers_of_engines_are_kept(folder: Path, engine: str, workers: int) -> None:
    with pytest.raises(ModelError, match=f"engine {engine} does not give PyTorch's answers"):
        run_of(folder, "Liar", engine=engine, workers=workers)
    assert list(folder.rglob("*.npz")) == []


def test_openvino_runs_in_the_precision_that_is_asked_or_says_so(folder: Path) -> None:
    model = load_model(colours(folder))
    write_onnx(model, folder / "model.onnx")
    for precision, its_name in (("float32", "f32"), ("bf16", "bf16"), ("fp16", "f16")):
        try:
            engine = open_engine("openvino", model, EngineOptions(precision, folder / "model.onnx"))
        except BadInput as error:
            assert precision != "float32"
            assert f"engine openvino has no {precision} on this processor" in str(error)
            continue
        assert isinstance(engine, OpenvinoEngine)
        compiled = engine.network.session().compiled()
        assert compiled.get_property("INFERENCE_PRECISION_HINT").to_string() == its_name


def test_each_engine_makes_its_own_run(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    first = run_of(folder, "Colours", engine="onnxruntime")
    assert run_of(folder, "Colours") == first
    own = run_of(folder, "Colours", engine="torch")
    assert "colours: onnxruntime has a run; torch makes one beside it" in capfd.readouterr().err
    assert (own.engine, own.top1) == ("torch", first.top1)
    assert own.key != first.key
    assert run_of(folder, "Colours", engine="torch") == own
    assert run_of(folder, "Colours", engine="onnxruntime") == first
    assert run_of(folder, "Colours") == first
    assert len(find_runs(folder / "runs", "photos")) == 2


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_another_precision_is_named_and_is_another_run(tmp_path: Path, precision: str) -> None:
    photos = open_set(str(painted_set(tmp_path / "photos")))
    spec = colours(tmp_path)
    (full,) = evaluate(photos, [spec], tmp_path / "runs")
    (half,) = evaluate(photos, [spec], tmp_path / "runs", ScoringOptions(precision=precision))
    assert (half.precision, half.top1.correct) == (precision, full.top1.correct)
    assert half.key != full.key
    lacks = precision == "bf16" and "_bf16" not in Path("/proc/cpuinfo").read_text("utf-8")
    assert ("This processor has no bf16: float32 is faster." in half.notes) == lacks


@pytest.mark.parametrize(
    ("how", "named"),
    [
        ({"decoding": "quick"}, "decoding is one of exact, fast"),
        ({"engine": "onnxruntime", "precision": "bf16"}, "engine onnxruntime has no bf16"),
        ({"workers": -1}, "0 to 1024 workers can score, not -1"),
        ({"keep": 4}, "5 to 1000 classes of each photo can be kept, not 4"),
    ],
)
def test_what_is_not_possible_is_named(how: dict[str, object], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        ScoringOptions(**how)  # type: ignore[arg-type]
