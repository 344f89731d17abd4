"""An engine that `auto` passes over is named, and why."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from genset.core.errors import BadInput, GensetError, ModelError
from genset.score import job, plan, shards
from genset.score.engines.engine import EngineOptions, open_engine
from genset.score.engines.onnx import write_onnx
from genset.score.engines.openvino import OpenvinoEngine
from genset.score.options import ScoringOptions
from genset.score.results.count import remarks
from genset.score.results.runs import Run, find_runs
from genset.sets.open import open_set
from tests.score.colours import BLUE, GREEN, RED, Colours, colours, paint, painted_set
from tests.score.scoring import evaluate, load_model

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


def run_until_the_disk_is_full(
    folder: Path, monkeypatch: pytest.MonkeyPatch, network: str, **how: Any
) -> None:
    """Score, and keep the first of three shards."""
    whole = shards.save_shard

    def full(path: Path, *rest: Any) -> None:
        if path.name > "00000.npz":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        whole(path, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(job, "save_shard", full)
        with pytest.raises(GensetError, match="No space left on device"):
            run_of(folder, network, **how)


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


def test_auto_settles_once_on_an_engine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_until_the_disk_is_full(folder, monkeypatch, "Colours", engine="openvino")
    assert run_of(folder, "Colours").engine == "openvino"  # whichever is the fastest now


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
