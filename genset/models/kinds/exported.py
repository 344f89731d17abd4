"""Networks that come as one file: torch.export's, TorchScript's, ONNX's and OpenVINO's."""

import json
import logging
import os
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from genset.core.errors import BadInput, ModelError, first_line, needs_extra
from genset.core.files import sha256_of
from genset.models.load import LoadedModel, Loading
from genset.models.preprocessing import Preprocessing
from genset.models.spec import ModelSpec

# What a formula over the sizes of tensors is made of, as in Symbol('s77', integer=True) + 1. torch
# hands it to sympy, which evaluates anything: so only sympy's own functions, which are capitalized.
_HARMLESS = re.compile(
    r"(?!.*__)(?!.*\b[a-z_]\w*\s*\()(?:[\w\s+\-*/%(),<>=&|~]|'\w*'|\.\d)*", re.DOTALL
)
_PICKLED = ("custom_obj", "opaque_obj")
_COLOURS = 3
_IR = ".xml"  # of OpenVINO's own files

# The kinds of numbers that a file may take, as ONNX Runtime and OpenVINO name them.
_KINDS: dict[str, type] = {
    **dict.fromkeys(("tensor(float)", "f32"), np.float32),
    **dict.fromkeys(("tensor(float16)", "f16"), np.float16),
    **dict.fromkeys(("tensor(double)", "f64"), np.float64),
    **dict.fromkeys(("tensor(uint8)", "u8"), np.uint8),
}

_MANY = 256  # photos at once, as many as are given to any network

_WHOLE = "It takes whole numbers from 0 to 255: photos are not normalized."


@dataclass(frozen=True, slots=True)
class Program:
    """A network from a file.

    Attributes:
        network: N x 3 x H x W float32 in, N x classes logits out (a softmax at its end changes no
            rank, but makes its probabilities too flat).
        side: H and W, where the file fixes them.
        batch: N, where the file fixes it, or has a largest one.
        is_uint8: it takes values from 0 to 255, which are then those of `network` from 0 to 1.
    """

    network: nn.Module
    side: int | None = None
    batch: int | None = None
    is_uint8: bool = False


def exported(spec: ModelSpec, order: tuple[str, ...], how: Loading) -> LoadedModel:
    """Load ``export:``, ``onnx:`` and ``torchscript:``.

    Raises:
        BadInput: there is no such file, or it is TorchScript and not allowed.
        ModelError: it is not what the spec says.
        MissingExtra: it is ONNX, and onnxruntime is not installed.
    """
    program, path = _program(spec, how.allow_code), Path(spec.target)
    usual = Preprocessing.usual(program.side or 224)
    if program.is_uint8:
        usual = replace(usual, mean=(0.0,) * _COLOURS, std=(1.0,) * _COLOURS)
    preprocessing = usual.changed(spec.preprocessing)
    if program.is_uint8 and (preprocessing.mean, preprocessing.std) != (usual.mean, usual.std):
        raise BadInput("it takes whole numbers from 0 to 255: leave out mean= and std=")
    notes = [_WHOLE] if program.is_uint8 else []
    if isinstance(program.network, OnnxNetwork):
        notes += program.network.choose_output(len(order), spec.output)
    crop = preprocessing.geometry.crop
    if program.side not in (None, crop):
        raise BadInput(f"it takes {program.side} pixels, not {crop}")
    batch = program.batch
    if spec.kind == "torchscript" and batch is None and not _takes_two(program.network, crop):
        batch = 1
    found = sha256_of(path)
    if path.suffix == _IR:  # its weights lie beside it
        found = sha256(f"{found} {sha256_of(path.with_suffix('.bin'))}".encode()).hexdigest()
    return LoadedModel(
        spec=spec,
        network=program.network,
        preprocessing=preprocessing,
        weights_hash=f"sha256:{found}",
        order=order,
        batch=batch,
        notes=notes,
        is_program=True,
        onnx=path if isinstance(program.network, OnnxNetwork) else None,
        exports_to_onnx=spec.kind != "torchscript",
        # A quantized network's weights are packed, and cannot be moved to a GPU.
        device="" if isinstance(program.network, ExportedNetwork) else "cpu",
    )


def _takes_two(network: nn.Module, side: int) -> bool:
    """Whether a traced network takes more photos than the one that it was traced with."""
    try:
        with torch.inference_mode():
            return len(network(torch.zeros(2, 3, side, side))) == 2
    except Exception:  # noqa: BLE001 - TorchScript raises what it likes
        return False


def _program(spec: ModelSpec, allow_code: bool) -> Program:
    """What the spec names, whose file is of its kind."""
    path = Path(spec.target)
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    if spec.kind == "torchscript" and not allow_code:
        raise BadInput(
            "a TorchScript file is code, which runs with your rights; if you "
            "trust where it comes from, add --allow-code"
        )
    is_ir = spec.kind == "export" and path.suffix == _IR
    load, what = (_onnx, "OpenVINO's") if is_ir else _READERS[spec.kind]
    if is_ir and not path.with_suffix(".bin").is_file():
        raise BadInput(f"{path} has its weights in {path.stem}.bin: copy that beside it")
    try:
        return load(path)
    except (BadInput, ModelError):
        raise
    except Exception as error:  # noqa: BLE001 - each loader raises what it likes on a bad file
        reason = first_line(error)
        if "warnings above" in str(error):  # which are a traceback
            reason = "PyTorch cannot read it"
        raise ModelError(f"{path} is no file of {what} ({reason})") from None


def _export(path: Path) -> Program:
    _refuse_code(path)
    # Whatever torch.export unpickles must be tensors alone.
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)  # tracebacks
    try:
        with patch.dict(os.environ, TORCH_FORCE_WEIGHTS_ONLY_LOAD="1"):
            program = torch.export.load(path)
    finally:
        logging.disable(level)
    inputs = [
        node.meta["val"]
        for node in program.graph.nodes
        if node.op == "placeholder" and node.name in program.graph_signature.user_inputs
    ]
    if len(inputs) != 1 or inputs[0].ndim != 4:
        raise ModelError(f"{path} takes other than one batch of photos")
    batch, _, height, _ = inputs[0].shape
    is_uint8 = inputs[0].dtype == torch.uint8
    network = ExportedNetwork(program.module(), is_uint8)
    limits = {} if _fixed(batch) else program.range_constraints
    largest = [limits[size].upper for size in limits if size == batch.node.expr]
    most = next((int(photos) for photos in largest if photos < _MANY), None)
    return Program(network, _fixed(height), _fixed(batch) or most, is_uint8)


class ExportedNetwork(nn.Module):
    """A network of torch.export's, which alone refuses ``train()``: exporters call that."""

    def __init__(self, network: nn.Module, is_uint8: bool) -> None:
        super().__init__()
        self.network, self.is_uint8 = network, is_uint8

    def train(self, mode: bool = True) -> "ExportedNetwork":
        """Do nothing: it is as it was exported."""
        return self

    def forward(self, pixels: Tensor) -> Any:
        """N x 3 x H x W float32 in, what the network answers out."""
        return self.network(whole_numbers(pixels) if self.is_uint8 else pixels)


def whole_numbers(pixels: Tensor) -> Tensor:
    """Values from 0 to 1 as whole numbers from 0 to 255."""
    return pixels.mul(255).round().to(torch.uint8)


def _refuse_code(path: Path) -> None:
    """A .pt2 file may hold pickled objects, and formulas that are evaluated: refuse both."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if Path(name).name.startswith(_PICKLED):
                raise ModelError(f"{path} holds an object of somebody's own code ({name})")
            if name.endswith(".json"):
                for formula in _formulas(json.loads(archive.read(name))):
                    if not _HARMLESS.fullmatch(formula):
                        raise ModelError(f"{path} holds a formula that is none: {formula[:40]!r}")


def _formulas(content: Any) -> Iterator[str]:
    if isinstance(content, dict):
        if isinstance(text := content.get("expr_str"), str):
            yield text
        content = content.values()
    if isinstance(content, list) or not isinstance(content, (str, int, float, type(None))):
        for part in content:
            yield from _formulas(part)


def _torchscript(path: Path) -> Program:
    # x86's own kernels add up 8-bit products in 16 bits and overflow, unless a network was
    # quantized for them; qnnpack's are right for all.
    if "qnnpack" in torch.backends.quantized.supported_engines:
        torch.backends.quantized.engine = "qnnpack"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # that TorchScript is to go away
        network: Any = torch.jit.load(path, map_location="cpu")  # type: ignore[no-untyped-call]
    # Its kernels read past their memory where a traced batch of one is not what they get.
    quantized = "quantized::" in str(network.eval().inlined_graph)
    return Program(network, None, 1 if quantized else None)


def _onnx(path: Path) -> Program:
    network = OnnxNetwork(path)
    inputs = network.session().get_inputs()
    if len(inputs) != 1 or len(inputs[0].shape) != 4:
        named = ", ".join(map(_input_in_words, inputs))
        raise ModelError(f"{path} takes other than one batch of photos: {named}")
    batch, *sizes = inputs[0].shape
    *sides, channels = sizes if network.channels_last else [*sizes[1:], sizes[0]]
    if len(set(filter(_fixed, sides))) > 1 or _fixed(channels) not in (None, _COLOURS):
        raise ModelError(f"{path}: its {network.takes}; it must be N x 3 x S x S or N x S x S x 3")
    if inputs[0].type not in _KINDS:
        raise ModelError(f"{path} takes {inputs[0].type}; it must take float numbers or uint8")
    is_uint8 = _KINDS[inputs[0].type] is np.uint8
    network.close()
    # Such a file scales each layer's numbers by all photos that it gets at once.
    dynamic = b"DynamicQuantizeLinear" in path.read_bytes()
    return Program(network, _fixed(sides[0]), _fixed(batch) or (1 if dynamic else None), is_uint8)


# How the file of each kind is read, and whose it is, for errors.
_READERS = {
    "export": (_export, "torch.export's"),
    "torchscript": (_torchscript, "TorchScript"),
    "onnx": (_onnx, "ONNX"),
}


class OnnxNetwork(nn.Module):
    """An ONNX file as a network, run by ONNX Runtime on one core, or on so many `threads`.

    Its session is opened where it is first used, so a process that is split off has its own.
    """

    def __init__(self, path: Path, threads: int = 1, session: Any = None) -> None:
        super().__init__()
        self.path = path
        self.threads = threads
        self.output = 0
        self._session = session

    def choose_output(self, classes: int, named: str = "") -> list[str]:
        """Take the output of that name, or the first of N x `classes`; a note of several.

        Raises:
            BadInput: there is none of the name.
        """
        shapes = {node.name: node.shape for node in self.session().get_outputs()}
        names = [*shapes]
        if named and named not in names:
            raise BadInput(f"it has no output {named!r}: it has {', '.join(names)}")
        fits = (name for name in names if shapes[name][1:] == [classes])
        used = named or next(fits, names[0])
        self.output = names.index(used)
        self.close()
        return [used_output(names, used)] * (len(names) > 1)

    def session(self) -> Any:
        """The open session.

        Raises:
            MissingExtra: onnxruntime is not installed.
        """
        if self._session is None:
            of_file = IrSession if self.path.suffix == _IR else _open_session
            self._session = of_file(self.path, self.threads)
        return self._session

    @property
    def channels_last(self) -> bool:
        """Whether the file takes N x H x W x 3, as TensorFlow's do, by the sizes that it fixes."""
        shape = self.session().get_inputs()[0].shape
        return bool(shape[3] == _COLOURS and shape[1] != _COLOURS)

    @property
    def takes(self) -> str:
        """What it takes, in words: "input x is N x 3 x 224 x 224"."""
        return f"input {_input_in_words(self.session().get_inputs()[0])}"

    def close(self) -> None:
        """Let the session go."""
        self._session = None

    def forward(self, pixels: Tensor) -> Tensor:
        """N x 3 x H x W in, N x classes out."""
        session = self.session()
        expected = session.get_inputs()[0]
        if self.channels_last:
            pixels = pixels.permute(0, 2, 3, 1)
        kind = _KINDS[expected.type]
        values = whole_numbers(pixels) if kind == np.uint8 else pixels
        array: NDArray[Any] = np.ascontiguousarray(values.cpu().numpy(), dtype=kind)
        return torch.from_numpy(session.run(None, {expected.name: array})[self.output]).float()


class IrSession:
    """A file that OpenVINO runs, its own or ONNX, with the methods of ONNX Runtime's sessions.

    It is compiled where it is first run: that starts threads, which cannot be split off.

    Raises:
        MissingExtra: openvino is not installed.
    """

    def __init__(self, path: Path, threads: int, precision: str = "f32") -> None:
        with needs_extra("running OpenVINO", "engines"):
            import openvino
        self._core: Any = openvino.Core()
        self._compiled: Any = None
        self.network = self._core.read_model(path)
        self._properties = {
            "INFERENCE_PRECISION_HINT": precision,
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,  # the system says on which core each worker is
        }

    def get_inputs(self) -> list[SimpleNamespace]:
        return [_node(port) for port in self.network.inputs]

    def get_outputs(self) -> list[SimpleNamespace]:
        return [_node(port) for port in self.network.outputs]

    def compiled(self) -> Any:
        """The network, ready to run."""
        if self._compiled is None:
            self._compiled = self._core.compile_model(self.network, "CPU", self._properties)
        return self._compiled

    def run(self, _: None, values: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """All its outputs for one input."""
        return [*self.compiled()([*values.values()]).values()]


def _node(port: Any) -> SimpleNamespace:
    sizes = [axis.get_length() if axis.is_static else "N" for axis in port.partial_shape]
    name = min(port.names, default="pixels")
    return SimpleNamespace(name=name, type=port.element_type.get_type_name(), shape=sizes)


def used_output(names: Sequence[str], used: str) -> str:
    """Which of a network's outputs is used, as a note."""
    others = ", ".join(name for name in names if name != used)
    more = f"; it also has {others} (output=NAME)" * bool(others)
    return f"Scored by its output {used}{more}."


def _open_session(path: Path, threads: int) -> Any:
    """An ONNX Runtime session on so many cores.

    Raises:
        MissingExtra: onnxruntime is not installed.
    """
    with needs_extra("running ONNX files", "engines"):
        import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4  # what goes wrong is raised too, and said once
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _input_in_words(node: Any) -> str:
    sizes = (str(size) if size is not None else "any" for size in node.shape)
    return f"{node.name} is {' x '.join(sizes)}"


def _fixed(size: object) -> int | None:
    return size if isinstance(size, int) else None
