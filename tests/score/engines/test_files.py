"""Networks as files, and whatever they answer: each engine gives the same classes."""

from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import genset
from genset.core.errors import GensetError, ModelError
from genset.score.options import ScoringOptions
from genset.score.results.runs import Accuracy, Run
from genset.sets.open import open_set
from tests.score.colours import Colours, hundred_photos
from tests.score.scoring import evaluate

ALL_RIGHT = Accuracy.of(33, 99)  # what Colours gets right of a hundred photos, one of them broken


class Wholes(Colours):
    """Takes whole numbers from 0 to 255."""

    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels.float() / 127.5 - 1)


class TwoOutputs(Colours):
    def forward(self, pixels: Tensor) -> Any:
        return pixels.mean(dim=(2, 3)), super().forward(pixels)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return hundred_photos(tmp_path / "photos")


def run_of(photos: Path, spec: str, engine: str, normalized: bool = True) -> Run:
    values = "&mean=0.5&std=0.5" * normalized
    photo_set, options = open_set(str(photos)), ScoringOptions(engine=engine)
    (run,) = evaluate(photo_set, [f"{spec}{values}"], photos.parent / engine, options)
    return run


def write_export(network: nn.Module, path: Path, kind: torch.dtype, most: int | None) -> None:
    sizes = ({0: torch.export.Dim("photos", max=most)},)
    example = torch.zeros(2, 3, 32, 32, dtype=kind)
    torch.export.save(torch.export.export(network.eval(), (example,), dynamic_shapes=sizes), path)


@pytest.mark.parametrize("engine", ["torch", "onnxruntime", "openvino"])
@pytest.mark.parametrize(
    ("network", "kind", "most"),
    [(Colours, torch.float32, None), (Colours, torch.float32, 8), (Wholes, torch.uint8, None)],
    ids=["any batch", "a largest batch", "whole numbers"],
)
def test_an_exported_network_runs_on_every_engine(
    photos: Path, network: type[Colours], kind: torch.dtype, most: int | None, engine: str
) -> None:
    pytest.importorskip(engine)
    write_export(network(), photos.parent / "net.pt2", kind, most)
    spec = f"export:{photos.parent}/net.pt2?name={engine}"
    assert run_of(photos, spec, engine, kind != torch.uint8).top1 == ALL_RIGHT


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino"])
@pytest.mark.parametrize(("network", "kind"), [(Wholes, torch.uint8), (TwoOutputs, torch.float32)])
def test_an_onnx_file_may_take_whole_numbers_and_have_several_outputs(
    photos: Path, network: type[Colours], kind: torch.dtype, engine: str
) -> None:
    pytest.importorskip(engine)
    path, example = photos.parent / "net.onnx", torch.zeros(2, 3, 32, 32, dtype=kind)
    names = ["features", "scores"] if network is TwoOutputs else ["scores"]
    sizes = {name: {0: "n"} for name in ("pixels", *names)}
    how = {"input_names": ["pixels"], "output_names": names, "dynamic_axes": sizes}
    torch.onnx.export(network().eval(), (example,), path, dynamo=False, **how)
    spec = f"onnx:{path}?resize=32&crop=32&name={engine}"
    run = run_of(photos, spec, engine, kind != torch.uint8)
    assert run.top1 == ALL_RIGHT
    (note,) = run.notes
    assert ("Scored by its output scores; it also has features." in note) == (len(names) > 1)
    if kind == torch.uint8:
        with pytest.raises(GensetError, match="takes whole numbers from 0 to 255: leave out mean="):
            run_of(photos, spec, engine)


def test_a_dynamic_int8_file_scores_a_photo_alone(photos: Path) -> None:
    quantization = pytest.importorskip("onnxruntime.quantization")
    pytest.importorskip("onnx")
    path, small = photos.parent / "net.onnx", photos.parent / "int8.onnx"
    torch.onnx.export(
        Colours().eval(),
        (torch.zeros(2, 3, 32, 32),),
        path,
        dynamo=False,
        input_names=["pixels"],
        dynamic_axes={"pixels": {0: "n"}},
    )
    quantization.quantize_dynamic(path, small)
    assert run_of(photos, f"onnx:{small}?resize=32&crop=32", "onnxruntime").top1 == ALL_RIGHT


def pixels_of(photo: Any) -> Tensor:
    values = np.asarray(photo.resize((32, 32)), dtype=np.float32)
    return torch.from_numpy(values).permute(2, 0, 1) / 127.5 - 1


Pair = namedtuple("Pair", ["features", "scores"])


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (lambda scores: (scores, scores), "Scored by its output 1; it also has 2."),
        (lambda scores: {"aux": -scores, "logits": scores}, "output logits; it also has aux."),
        (lambda scores: {"out": scores}, "Scored by its output out."),
        (lambda scores: Pair(scores[:, :3], scores), "Scored by its output 2; it also has 1."),
    ],
)
def test_the_output_that_is_used_is_named(
    photos: Path, answer: Callable[[Tensor], Any], note: str
) -> None:
    class Wrapped(Colours):
        def forward(self, pixels: Tensor) -> Any:
            return answer(super().forward(pixels))

    run = genset.evaluate(str(photos), Wrapped(), transform=pixels_of).record
    assert run.top1 == ALL_RIGHT
    assert any(note in found for found in run.notes)


def test_a_network_without_scores_says_what_it_answers(photos: Path) -> None:
    class Wrapped(Colours):
        def forward(self, pixels: Tensor) -> Any:
            return {"features": super().forward(pixels)[:, :7]}

    with pytest.raises(ModelError, match=r"answers dict \(features: \[\d+, 7\]\)"):
        genset.evaluate(str(photos), Wrapped(), transform=pixels_of)


def test_a_photo_that_gets_nan_is_named(photos: Path) -> None:
    class Broken(Colours):
        def forward(self, pixels: Tensor) -> Tensor:
            scores = super().forward(pixels)
            scores[3] = torch.nan
            return scores

    with pytest.raises(ModelError, match=r"NaN or infinity to n01440764/009\.png: a broken photo"):
        genset.evaluate(str(photos), Broken(), transform=pixels_of)


def test_settings_of_pytorch_stay_as_they_were(photos: Path, realdata: Path) -> None:
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = "fbgemm"
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
    threads = torch.get_num_threads()
    try:
        spec = f"torchscript:{realdata}/checkpoints/mobilenet_v2_int8_torchscript.pt"
        genset.evaluate(str(photos), spec, allow_code=True, runs=photos.parent / "runs")
        genset.evaluate(str(photos), Colours(), transform=pixels_of)
        assert torch.backends.quantized.engine == "fbgemm"
        assert torch.backends.cudnn.allow_tf32
        assert torch.backends.cuda.matmul.allow_tf32
        assert torch.get_num_threads() == threads
    finally:
        torch.backends.quantized.engine = before
        torch.backends.cuda.matmul.allow_tf32 = False
