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
from genset.evaluation.data.transforms import Pixels
from genset.evaluation.engines.engines import Engine, TorchEngine, export, open_engine
from genset.evaluation.models.exported import OnnxNetwork
from genset.evaluation.models.load import LoadedModel
from genset.evaluation.run.options import ENGINES

# Logits may differ by this share of the largest.
_TOLERANCE = {"float32": 1e-3, "bf16": 0.1, "fp16": 0.02}
_TRIALS = 3

_MEND = "; use --engine torch"

# To write a model as ONNX and try engines takes seconds, which fewer photos do not win back.
WORTH_A_TRIAL = 500


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine, and the file that it opens (None: PyTorch has the network itself).

    `notes` say which engines were passed over because they fail or answer otherwise.
    """

    engine: str
    exported: Path | None = None
    notes: tuple[str, ...] = ()


def candidates(
    model: LoadedModel, asked: str, worth: bool, precision: str = "float32"
) -> list[str]:
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
    able = [name for name in ENGINES if name != "onnxruntime" or precision == "float32"]
    if is_onnx:
        able.remove("torch")
        return [name for name in able if installed(name)] if worth else able[:1]
    if model.spec.kind == "torchscript" or torch.cuda.is_available() or not worth:
        return ["torch"]
    return [name for name in able if name == "torch" or installed(name)]


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

    The model is written as ONNX to `exported`, unless it is there. Where engines fail or answer
    otherwise, the choice has a note that says so.

    Raises:
        ModelError: the model cannot be written, or no engine gives PyTorch's answers.
        GensetError: none has such a precision, or none is installed.
    """
    if len(names) == 1:
        write_export(model, exported)
        return Choice(names[0], exported)
    seconds: dict[str, float] = {}
    problems: dict[str, GensetError] = {}
    try:
        write_export(model, exported)
    except ModelError as error:
        problems = {name: error for name in names if name != "torch"}
    for name in names:
        if name in problems:
            continue
        try:
            engine = open_engine(name, model, precision, exported)
            check(name, engine, model, precision, probe)
            seconds[name] = _timed(engine, probe)
        except GensetError as error:
            problems[name] = error
        except Exception as error:  # noqa: BLE001 - each engine raises what it likes
            problems[name] = ModelError(f"{_what(model)} cannot be run: {first_line(error)}")
    if not seconds:
        raise problems.get("torch", next(iter(problems.values())))
    engine_name = min(seconds, key=lambda name: seconds[name])
    return Choice(
        engine_name, None if engine_name == "torch" else exported, _passed_over(model, problems)
    )


def _passed_over(model: LoadedModel, problems: dict[str, GensetError]) -> tuple[str, ...]:
    """A sentence for each thing that is wrong with engines."""
    engines: dict[str, list[str]] = {}
    for name, error in problems.items():
        why = str(error).removeprefix(f"{_what(model)}: ").removesuffix(_MEND)
        engines.setdefault(why, []).append(name)
    return tuple(
        f"Not scored by {' or '.join(names)}, which failed a trial: {why}."
        for why, names in engines.items()
    )


def _what(model: LoadedModel) -> str:
    return f"model {model.spec.text!r}"


def check(name: str, engine: Engine, model: LoadedModel, precision: str, probe: Pixels) -> None:
    """See that an engine gives PyTorch's own answers to some photos' pixels.

    All numbers must nearly be the same; in float32 each photo's best class as well, where there
    are classes: features have none.

    Raises:
        ModelError: it does not, or does not run.
    """
    if name == "torch":
        return
    try:
        answer = engine(probe)
    except Exception as error:  # noqa: BLE001 - each engine raises what it likes
        raise ModelError(
            f"{_what(model)}: engine {name} cannot run it: {first_line(error)}"
        ) from None
    reference = TorchEngine(model, "float32")(probe)
    has_classes = any(model.order)
    apart = allowed = np.inf
    if answer.shape == reference.shape:
        apart = float(np.abs(answer - reference).max())
        largest = float(np.abs(reference).max())
        allowed = _TOLERANCE[precision] * (max(1.0, largest) if has_classes else largest)
    exact = has_classes and precision == "float32"
    same = not exact or bool((answer.argmax(-1) == reference.argmax(-1)).all())
    if not (apart <= allowed < np.inf and same):
        raise ModelError(
            f"{_what(model)}: engine {name} does not give PyTorch's answers (logits are up to "
            f"{apart:.3g} apart){_MEND}"
        )


def write_export(model: LoadedModel, path: Path) -> None:
    """Write a model as ONNX, whole or not at all, unless it is there.

    Raises:
        ModelError: PyTorch cannot write it so.
    """
    if path.is_file():
        return
    temporary = path.with_name(f".partial-{uuid4().hex}.onnx")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            export(model, temporary)
        temporary.replace(path)
    except OSError as error:
        raise ModelError(f"{_what(model)} cannot be written as ONNX: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)


def _timed(engine: Engine, given: Pixels) -> float:
    taken = []
    for _ in range(_TRIALS):
        started = time.perf_counter()
        engine(given)
        taken.append(time.perf_counter() - started)
    return min(taken)
