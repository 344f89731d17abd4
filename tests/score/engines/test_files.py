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
from genset.core.errors import GensetError
from genset.score.results.runs import RunRecord
from tests.score.colours import Colours, formed, hundred_photos
from tests.score.scoring import counts

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
