"""Which engine runs a model: the fastest of those that give PyTorch's own answers."""

import hashlib
import importlib.util
import logging
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import numpy as np
import torch

from genset.errors import BadInput, GensetError, ModelError, first_line
from genset.evaluate.artifacts import OnnxNetwork
from genset.evaluate.engines import Engine, Logits, TorchEngine, export, open_engine
from genset.evaluate.models import LoadedModel
from genset.evaluate.options import ENGINES
from genset.evaluate.pixels import Pixels

# Logits may differ by this share of the largest.
_TOLERANCE = {"float32": 1e-3, "bf16": 0.1, "fp16": 0.02}
_TRIALS = 3

# To write a model as ONNX and try engines takes seconds, which fewer photos do not win back.
WORTH_A_TRIAL = 500


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine, and the file that it opens (None: PyTorch has the network itself)."""

    engine: str
    exported: Path | None = None


def candidates(model: LoadedModel, asked: str, worth: bool) -> list[str]:
    """The engines that may run a model: those installed for "auto", else the one asked for.

    "auto" means PyTorch where a trial is not `worth` its time, or a GPU is there.

    Raises:
        BadInput: the engine cannot run such a model.
    """
    is_onnx = isinstance(model.network, OnnxNetwork)
    if model.spec.kind == "torchscript" and asked not in ("auto", "torch"):
        raise BadInput(f"model {model.spec.text!r}: TorchScript is run by --engine torch alone")
    if is_onnx and asked == "torch":
        raise BadInput(
            f"model {model.spec.text!r}: ONNX is run by --engine onnxruntime or openvino"
        )
    if asked != "auto":
        return [asked]
    if is_onnx:
        names = ["onnxruntime", "openvino"]
        return [name for name in names if installed(name)] if worth else names[:1]
    if model.spec.kind == "torchscript" or torch.cuda.is_available() or not worth:
        return ["torch"]
    return [name for name in ENGINES if name == "torch" or installed(name)]


def installed(engine: str) -> bool:
    """Whether an engine's package is there."""
    return importlib.util.find_spec(engine) is not None


def exported_file(model: LoadedModel, folder: Path) -> Path:
    """Where a model lies as ONNX, or will; another version of PyTorch writes another file."""
    if isinstance(model.network, OnnxNetwork):
        return model.network.path
    says = (
        model.weights_hash,
        model.spec.kind,
        model.spec.arch or model.spec.target,
        model.preprocessing.geometry.crop,
        torch.__version__,
    )
    return folder / f"{hashlib.sha256(repr(says).encode()).hexdigest()[:16]}.onnx"


def choose(
    model: LoadedModel, names: list[str], precision: str, probe: Pixels, exported: Path
) -> Choice:
    """The engine if there is one name; else the fastest that gives PyTorch's answers to a probe.

    The model is written as ONNX to `exported`, unless it is there.

    Raises:
        ModelError: the model cannot be written, or no engine gives PyTorch's answers.
        GensetError: none has such a precision, or none is installed.
    """
    if len(names) == 1:
        write_export(model, exported)
        return Choice(names[0], exported)
    seconds: dict[str, float] = {}
    problems: list[GensetError] = []
    for name in names:
        try:
            if name != "torch":
                write_export(model, exported)
            engine = open_engine(name, model, precision, exported)
            check(name, engine, model, precision, probe)
            seconds[name] = _timed(engine, filled(probe, model.batch))
        except GensetError as error:
            problems.append(error)
        except Exception as error:  # noqa: BLE001 - each engine raises what it likes
            problems.append(
                ModelError(f"model {model.spec.text!r} cannot be run: {first_line(error)}")
            )
    if not seconds:
        raise problems[0]
    engine_name = min(seconds, key=lambda name: seconds[name])
    return Choice(engine_name, None if engine_name == "torch" else exported)


def check(name: str, engine: Engine, model: LoadedModel, precision: str, probe: Pixels) -> None:
    """See that an engine gives PyTorch's own answers to some photos' pixels.

    In float32 each photo's best class must be the same, and all logits nearly so.

    Raises:
        ModelError: it does not, or does not run.
    """
    if name == "torch":
        return
    given = filled(probe, model.batch)
    answer: Logits
    try:
        answer = engine(given)
    except Exception as error:  # noqa: BLE001 - each engine raises what it likes
        raise ModelError(
            f"model {model.spec.text!r}: engine {name} cannot run it: {first_line(error)}"
        ) from None
    reference = TorchEngine(model, "float32")(given)
    apart = allowed = np.inf
    if answer.shape == reference.shape:
        apart = float(np.abs(answer - reference).max())
        allowed = _TOLERANCE[precision] * max(1.0, float(np.abs(reference).max()))
    same = precision != "float32" or bool((answer.argmax(-1) == reference.argmax(-1)).all())
    if not (apart <= allowed < np.inf and same):
        raise ModelError(
            f"model {model.spec.text!r}: engine {name} does not give PyTorch's answers (logits are "
            f"up to {apart:.3g} apart); use --engine torch"
        )


def filled(pixels: Pixels, batch: int | None) -> Pixels:
    """As many photos as a model wants, where it wants a fixed number: again from the first."""
    return pixels if batch is None else np.resize(pixels, (batch, *pixels.shape[1:]))


def write_export(model: LoadedModel, path: Path) -> None:
    """Write a model as ONNX, whole or not at all, unless it is there.

    Raises:
        ModelError: PyTorch cannot write it so.
    """
    if path.is_file():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".partial-{uuid4().hex}.onnx")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            export(model, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _timed(engine: Engine, given: Pixels) -> float:
    taken = []
    for _ in range(_TRIALS):
        started = time.perf_counter()
        engine(given)
        taken.append(time.perf_counter() - started)
    return min(taken)
