"""Which engine runs a model: the fastest of those that give PyTorch's own answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from timeit import repeat

import numpy as np

from genset.core.errors import BadInput, GensetError, ModelError
from genset.models.load import LoadedModel
from genset.models.preprocessing import Pixels
from genset.score.engines import ENGINES
from genset.score.engines.engine import Engine, EngineOptions, Logits, open_engine, why_it_fails
from genset.score.engines.onnx import write_onnx
from genset.score.engines.pytorch import TorchEngine

# Logits may differ by this share of the largest.
_TOLERANCE = {"float32": 1e-3, "bf16": 0.1, "fp16": 0.02}
_TRIALS = 2  # after one to get warm

_FORMS = {".onnx": "ONNX", ".xml": "OpenVINO's own file"}
_MEND = "; use --engine "


@dataclass(frozen=True, slots=True)
class SelectedEngine:
    """An engine's name, and the ONNX file that it opens (None: PyTorch has the network itself).

    `notes` say which engines were passed over because they fail or answer otherwise. It is
    `checked` where it gave PyTorch's answers on this machine just now.
    """

    name: str
    onnx: Path | None = None
    notes: tuple[str, ...] = ()
    checked: bool = False


def candidates(
    model: LoadedModel, requested: str, worth_a_trial: bool, precision: str = "float32"
) -> list[str]:
    """The engines that may run a model.

    Args:
        model: what is run.
        requested: an engine's name, which is then the only one; or "auto".
        worth_a_trial: whether several may be tried; if not, "auto" means PyTorch, or, for an ONNX
            file, the first engine that reads one.
        precision: of the arithmetic.

    Raises:
        BadInput: the engine cannot run such a model.
    """
    if not (model.exports_to_onnx or requested in ("auto", "torch")):
        kind = "TorchScript" if model.spec.kind == "torchscript" else "a network in memory"
        raise BadInput(f"model {model.spec.text!r}: {kind} is run by --engine torch alone")
    form = model.onnx.suffix if model.onnx else ""
    readers = [kind.name for kind in ENGINES.values() if not form or form in kind.reads]
    if requested not in ("auto", *readers):
        raise BadInput(
            f"model {model.spec.text!r}: {_FORMS[form]} is run by --engine {' or '.join(readers)}"
        )
    if requested != "auto":
        return [requested]
    able = [name for name in readers if precision in ENGINES[name].precisions]
    if model.onnx:
        return [name for name in able if ENGINES[name].is_installed] if worth_a_trial else able[:1]
    if not (model.exports_to_onnx and worth_a_trial):
        return ["torch"]
    return [name for name in able if ENGINES[name].is_installed]


def select(
    model: LoadedModel, names: Sequence[str], precision: str, probe: Pixels, onnx: Path
) -> SelectedEngine:
    """The engine if there is one name; else the fastest that gives PyTorch's answers to a probe.

    Where engines fail or answer otherwise, a note says so.

    Args:
        model: what is run.
        names: the engines to try.
        precision: of the arithmetic.
        probe: N x S x S x 3 uint8, the pixels of a few photos.
        onnx: where the model is written as ONNX, unless it is there.

    Raises:
        ModelError: the model cannot be written, or no engine gives PyTorch's answers.
        GensetError: none has such a precision, or none is installed.
    """
    if len(names) == 1:
        write_onnx(model, onnx)
        return SelectedEngine(names[0], onnx)
    seconds: dict[str, float] = {}
    problems: dict[str, GensetError] = {}
    try:
        write_onnx(model, onnx)
    except ModelError as error:
        problems = {name: error for name in names if ENGINES[name].reads}
    expected = cache(lambda: TorchEngine(model)(probe))
    for name in names:
        if name in problems:
            continue
        try:
            engine = open_engine(name, model, EngineOptions(precision, onnx))
            check_engine(name, engine, model, precision, probe, expected)
            seconds[name] = min(repeat(partial(engine, probe), number=1, repeat=_TRIALS))
        except GensetError as error:
            problems[name] = error
        except Exception as error:  # noqa: BLE001 - each engine raises what it likes
            why = why_it_fails(error, model, probe)
            problems[name] = ModelError(f"{_what(model)} cannot be run: {why}")
    if not seconds:
        raise problems.get("torch", next(iter(problems.values())))
    fastest = min(seconds, key=lambda name: seconds[name])
    opened = onnx if ENGINES[fastest].reads else None
    return SelectedEngine(fastest, opened, _passed_over(model, problems), checked=True)


def _passed_over(model: LoadedModel, problems: Mapping[str, GensetError]) -> tuple[str, ...]:
    """A sentence for each thing that is wrong with engines."""
    engines: dict[str, list[str]] = {}
    for name, error in problems.items():
        why = str(error).removeprefix(f"{_what(model)}: ").partition(_MEND)[0]
        engines.setdefault(why, []).append(name)
    return tuple(
        f"Not scored by {' or '.join(names)}, which failed a trial: {why}."
        for why, names in engines.items()
    )


def _what(model: LoadedModel) -> str:
    return f"model {model.spec.text!r}"


def check_engine(
    name: str,
    engine: Engine,
    model: LoadedModel,
    precision: str,
    probe: Pixels,
    expected: Callable[[], Logits] | None = None,
) -> None:
    """See that an engine gives PyTorch's own answers to some photos' pixels.

    All numbers must nearly be the same; in float32 each photo's best class as well, where there
    are classes: features have none.

    Args:
        name: of the engine; PyTorch itself need not be checked.
        engine: what runs the model.
        model: what is run.
        precision: of the engine's arithmetic.
        probe: N x S x S x 3 uint8, the pixels of a few photos.
        expected: PyTorch's answers to them; None: they are computed here.

    Raises:
        ModelError: it does not, or does not run.
    """
    if name == "torch":
        return
    try:
        answer = engine(probe)
    except Exception as error:  # noqa: BLE001 - each engine raises what it likes
        why = why_it_fails(error, model, probe)
        raise ModelError(f"{_what(model)}: engine {name} cannot run it: {why}") from None
    reference = expected() if expected else TorchEngine(model)(probe)
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
            f"{apart:.3g} apart){_MEND}{'onnxruntime' if model.onnx else 'torch'}"
        )
