"""What an engine is, and how one is opened.

An engine is made in the process that uses it, and runs on the GPU, or on a CPU: on one core, unless
it is given more. PyTorch's threads are the whole process's, set by `torch.set_num_threads`.
"""

import platform
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import PIL
import torch
import torchvision
from numpy.typing import NDArray
from torch import Tensor

from genset import __version__
from genset.core.errors import BadInput, first_line
from genset.models.kinds.exported import OnnxNetwork
from genset.models.load import LoadedModel
from genset.models.preprocessing import CustomTransform, Pixels, Preprocessing
from genset.score.engines import ENGINES

Logits = NDArray[np.float32]

# Waits for the logits of a batch that an engine has begun, and returns them.
PendingLogits = Callable[[], Logits]

# Photos for ONNX Runtime and OpenVINO at once: so few that a core's cache holds their layers.
_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How an engine runs a network.

    Attributes:
        precision: of the arithmetic: "float32", "bf16" or "fp16".
        onnx: the model as an ONNX file, for engines that read one.
        threads: of the CPU; PyTorch's are the whole process's.
        at_once: the batch size of an engine that is opened for a fixed one, unless the model has
            its own.
        channels_last: whether PyTorch keeps numbers in that order; None: what is faster.
    """

    precision: str = "float32"
    onnx: Path | None = None
    threads: int = 1
    at_once: int = _AT_ONCE
    channels_last: bool | None = None


class Engine(ABC):
    """Runs a network.

    Attributes:
        preprocessing: of the model; pixels are normalized here.
        size: how many photos it must be given at once; None for any number.
        device: "cpu" or "cuda".
        note: what to say of the answers; "" for nothing.
    """

    note = ""

    def __init__(self, preprocessing: Preprocessing, size: int | None, device: str = "cpu") -> None:
        """Set the attributes.

        Args:
            preprocessing: of the model.
            size: how many photos it must be given at once; None for any number.
            device: "cpu" or "cuda".
        """
        self.preprocessing = preprocessing
        self.size = size
        self.device = device

    def __call__(self, pixels: Pixels) -> Logits:
        """N x S x S x 3 uint8 of red, green and blue to N x outputs float32 logits.

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

    def launch(self, pixels: Pixels) -> PendingLogits:
        """Begin a batch: a GPU then works on it while this process does something else.

        Args:
            pixels: N x S x S x 3 uint8; they may be overwritten as soon as this returns.

        Raises:
            Exception: whatever the network or its engine raises, here or in what is returned.
        """
        logits = self(pixels)
        return lambda: logits

    @abstractmethod
    def _run(self, pixels: Pixels) -> Logits:
        """Run the network once."""


def open_engine(name: str, model: LoadedModel, options: EngineOptions) -> Engine:
    """An engine for a model.

    Args:
        name: of the engine.
        model: what it runs.
        options: how.

    Raises:
        BadInput: the engine has no such precision.
        MissingExtra: it is not installed.
    """
    kind = ENGINES[name]
    kind.check_precision(options.precision)
    if kind.reads and options.onnx is None:
        raise BadInput(f"engine {name} needs the model as ONNX")
    module, _, made = kind.opens.partition(":")
    engine: Engine = getattr(import_module(module), made)(model, options)
    return engine


def normalized(pixels: Tensor, preprocessing: Preprocessing) -> Tensor:
    """N x S x S x 3 uint8 to N x 3 x S x S float32, channels last in memory.

    Value by value what torchvision's and timm's transforms give. What a caller's own transform
    gave is float32 already, and stays as it is.
    """
    if pixels.dtype == torch.float32:
        return pixels
    # Whole rows, since three values at a time take a processor five times as long.
    width = pixels.shape[2]
    mean = torch.tensor(preprocessing.mean, device=pixels.device).repeat(width)
    std = torch.tensor(preprocessing.std, device=pixels.device).repeat(width)
    rows = pixels.to(torch.float32).flatten(2).div_(255).sub_(mean).div_(std)
    return rows.view(pixels.shape).permute(0, 3, 1, 2)


# Where in its own code an engine was, which helps nobody with a network.
_PLACES = re.compile(
    r"\[ONNXRuntimeError\] : \d+ : \w+ : |Non-zero status code .*?Status Message: "
    r"|Exception from \S+|Check '.*' failed at \S+|While validating node .*"
)

_OF_SIZES = re.compile(r"shape|size|dimension|channel", re.IGNORECASE)


def why_it_fails(error: Exception, model: LoadedModel, pixels: Pixels) -> str:
    """What an engine says, and what shapes it was given and takes.

    Args:
        error: what it raised.
        model: what it ran.
        pixels: N x S x S x 3, or of a caller's own transform N x C x H x W, what it was given.
    """
    custom = isinstance(model.preprocessing.geometry, CustomTransform)
    count, side, width, channels = np.moveaxis(pixels, 1, -1).shape if custom else pixels.shape
    network = model.network
    # The first line that says what is wrong, and not where in the engine.
    lines = (_PLACES.sub("", line).strip(" :") for line in str(error).splitlines())
    reason = next(filter(None, lines), first_line(error))
    is_of_sizes = bool(_OF_SIZES.search(reason))
    if custom and channels == 1 and is_of_sizes:
        return (
            "it takes colours, and the transform gives 1 channel: use Grayscale(3), or leave it out"
        )
    if not isinstance(network, OnnxNetwork):
        return reason + f" (given {count} x {channels} x {side} x {width})" * is_of_sizes
    shape = (side, width, channels) if network.channels_last else (channels, side, width)
    input_shape = " x ".join(map(str, (count, *shape)))
    return f"{reason} (given {input_shape}; {network.takes}; &crop= gives it another size)"


def this_device() -> str:
    """The name of this process's GPU; "cpu" where there is none."""
    return torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"


def device_of(engine: str) -> str:
    """What an engine runs on here: "cpu", or a GPU's name."""
    return this_device() if engine == "torch" else "cpu"


Flags = list[tuple[Any, str, object]]
"""Whose, by which name, and what."""


def float32_flags() -> Flags:
    """What says how PyTorch multiplies float32 on a GPU, to be put back by `put_back`.

    These are flags, and since 2.9 words; where somebody set words, flags may not be readable.
    """
    backends: Any = torch.backends
    cudnn = backends.cudnn
    found: Flags = []
    for owner, name in (
        *((backends.cuda.matmul, "allow_tf32"), (cudnn, "allow_tf32")),
        *((backends.cuda.matmul, "fp32_precision"), (getattr(cudnn, "conv", 0), "fp32_precision")),
        (getattr(cudnn, "rnn", 0), "fp32_precision"),
    ):
        with suppress(AttributeError, RuntimeError):
            found.append((owner, name, getattr(owner, name)))
    return found


def put_back(flags: Flags) -> None:
    """Set flags and words as they were."""
    for owner, name, value in flags:
        setattr(owner, name, value)


def multiply_exactly() -> None:
    """Have a GPU multiply float32 as it is: else it rounds factors to 10 bits (TF32)."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    put_back([(owner, name, "ieee") for owner, name, value in float32_flags() if value == "tf32"])


def settings_of(engine: str) -> dict[str, object]:
    """What an engine's answers depend on in this process, beside its version."""
    threads = torch.get_num_threads() if engine == "torch" else EngineOptions().threads
    tf32, quantized = (
        not {True, "tf32"}.isdisjoint(float32_flags()),
        torch.backends.quantized.engine,
    )
    return {"threads": threads, "tf32": tf32, "quantized_engine": quantized}


def versions(engine: str) -> dict[str, str]:
    """The versions of what an engine's answers depend on."""
    found = {
        "genset": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "torchvision": torchvision.__version__,
        "pillow": PIL.__version__,
    }
    if engine != "torch":
        found[ENGINES[engine].package] = ENGINES[engine].version
    return found
