"""What runs a network: PyTorch, ONNX Runtime or OpenVINO. Pixels in, logits out.

An engine is made in the process that uses it, and runs on the GPU, or on a CPU: on one core, unless
it is given more. PyTorch's threads are the whole process's, set by `torch.set_num_threads`.
"""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from genset.errors import BadInput, MissingExtra, ModelError, first_line
from genset.evaluation.data.transforms import Pixels
from genset.evaluation.models.exported import OnnxNetwork, open_session
from genset.evaluation.models.load import LoadedModel
from genset.evaluation.models.preprocessing import Preprocessing

_PRECISIONS = {"float32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
Logits = NDArray[np.float32]

# Photos for ONNX Runtime and OpenVINO at once: so few that a core's cache holds their layers.
_AT_ONCE = 2


class Engine(ABC):
    """Runs a network. `size` is how many photos it must be given at once, None for any number."""

    def __init__(self, preprocessing: Preprocessing, size: int | None) -> None:
        self.preprocessing = preprocessing
        self.size = size

    def __call__(self, pixels: Pixels) -> Logits:
        """N x S x S x 3 of red, green and blue, 0 to 255, to N x outputs logits.

        Raises:
            Exception: whatever the network or its engine raises.
        """
        if self.size is None:
            return self._run(pixels)
        answers = []
        for start in range(0, len(pixels), self.size):
            part = pixels[start : start + self.size]
            filled_up = np.resize(part, (self.size, *part.shape[1:]))  # again from the first
            answers.append(self._run(filled_up)[: len(part)])
        return np.concatenate(answers)

    @abstractmethod
    def _run(self, pixels: Pixels) -> Logits:
        """Run the network once."""


def open_engine(
    name: str,
    model: LoadedModel,
    precision: str,
    exported: Path | None,
    *,
    threads: int = 1,
    at_once: int = _AT_ONCE,
) -> Engine:
    """An engine by its name. `exported` is the model as ONNX, for those that need it.

    These are given so many photos `at_once`, unless the model wants another number.

    Raises:
        BadInput: the engine has no such precision.
        MissingExtra: it is not installed.
    """
    if name == "torch":
        return TorchEngine(model, precision)
    if exported is None:
        raise BadInput(f"engine {name} needs the model as ONNX")
    made = OnnxRuntimeEngine if name == "onnxruntime" else OpenvinoEngine
    return made(exported, model.preprocessing, precision, threads, model.batch or at_once)


class TorchEngine(Engine):
    """PyTorch, eager: on the GPU if there is one."""

    def __init__(self, model: LoadedModel, precision: str) -> None:
        super().__init__(model.preprocessing, model.batch)
        self.precision = _PRECISIONS[precision]
        on_cpu = isinstance(model.network, OnnxNetwork) or model.spec.kind == "torchscript"
        self.device = torch.device("cpu" if on_cpu or not torch.cuda.is_available() else "cuda")
        # Not of TorchScript: a quantized network's weights are packed, and cannot be moved.
        self.network = model.network
        if not on_cpu:
            self.network = self.network.to(self.device).to(memory_format=torch.channels_last)
        # The GPU would round factors to 10 bits, which float32 does not promise.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    def _run(self, pixels: Pixels) -> Logits:
        given = torch.from_numpy(pixels)
        if self.device.type == "cuda":
            given = given.pin_memory().to(self.device, non_blocking=True)
        reduced = self.precision != torch.float32
        with (
            torch.inference_mode(),
            torch.autocast(self.device.type, self.precision, enabled=reduced),
        ):
            logits = self.network(normalized(given, self.preprocessing))
        if not isinstance(logits, Tensor):
            raise ModelError(f"answers {type(logits).__name__} to a batch of {len(pixels)}")
        answer: Logits = logits.float().cpu().numpy()
        return answer


class OnnxRuntimeEngine(Engine):
    """ONNX Runtime on the CPU, in float32."""

    def __init__(
        self, exported: Path, preprocessing: Preprocessing, precision: str, threads: int, size: int
    ) -> None:
        super().__init__(preprocessing, size)
        if precision != "float32":
            raise BadInput(f"engine onnxruntime has no {precision}: use openvino or torch")
        self.network = OnnxNetwork(exported)
        self.network._session = open_session(exported, threads)

    def _run(self, pixels: Pixels) -> Logits:
        answer: Logits = self.network(
            normalized(torch.from_numpy(pixels), self.preprocessing)
        ).numpy()
        return answer


class OpenvinoEngine(Engine):
    """OpenVINO on the CPU."""

    def __init__(
        self, exported: Path, preprocessing: Preprocessing, precision: str, threads: int, size: int
    ) -> None:
        super().__init__(preprocessing, size)
        try:
            import openvino
        except ModuleNotFoundError:
            raise MissingExtra("the engine openvino", "engines") from None
        names = {"float32": "f32", "bf16": "bf16", "fp16": "f16"}
        options: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": names[precision],
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            # Each process is one stream; the system, and no engine, says on which core it is.
            "ENABLE_CPU_PINNING": False,
        }
        core = openvino.Core()
        network = core.read_model(exported)
        side = preprocessing.geometry.crop
        network.reshape([size, 3, side, side])  # whose sizes it knows takes it a tenth less
        compiled = core.compile_model(network, "CPU", options)
        # A processor that cannot do what is asked does something near it, without a word.
        found = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
        if found != names[precision]:
            raise BadInput(f"engine openvino has no {precision} on this processor: use torch")
        self.request = compiled.create_infer_request()

    def _run(self, pixels: Pixels) -> Logits:
        given = normalized(torch.from_numpy(pixels), self.preprocessing)
        results = self.request.infer([given.contiguous().numpy()], share_inputs=True)
        return np.array(results[0], dtype=np.float32)


def normalized(pixels: Tensor, preprocessing: Preprocessing) -> Tensor:
    """N x S x S x 3 of 0 to 255 to N x 3 x S x S float32, channels last in memory.

    Value by value what torchvision's and timm's transforms give.
    """
    # Whole rows, since three values at a time take a processor five times as long.
    width = pixels.shape[2]
    mean = torch.tensor(preprocessing.mean, device=pixels.device).repeat(width)
    std = torch.tensor(preprocessing.std, device=pixels.device).repeat(width)
    rows = pixels.to(torch.float32).flatten(2).div_(255).sub_(mean).div_(std)
    return rows.view(pixels.shape).permute(0, 3, 1, 2)


def export(model: LoadedModel, path: Path) -> None:
    """Write the network as ONNX for any number of photos.

    Raises:
        ModelError: PyTorch cannot write it so.
    """
    side = model.preprocessing.geometry.crop
    example = torch.zeros(2, 3, side, side)
    # A network that was saved as a program holds the batch that it was saved with, if any.
    any_batch = None if model.batch else {"pixels": {0: "n"}, "logits": {0: "n"}}
    try:
        torch.onnx.export(
            model.network.to("cpu"),
            (example[: model.batch or 2],),
            path,
            input_names=["pixels"],
            output_names=["logits"],
            dynamic_axes=any_batch,
            dynamo=False,  # the newer exporter takes ten times as long
            verbose=False,
        )
    except Exception as error:  # noqa: BLE001 - the exporter raises what it likes
        raise ModelError(
            f"model {model.spec.text!r} cannot be written as ONNX: {first_line(error)}"
        ) from None
