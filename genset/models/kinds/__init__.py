"""The kinds of models, by the word that a spec begins with.

::

    KINDS           genset's own, by name: a command that only reads a spec need not load PyTorch
    model_kind      the decorator of a function that loads another kind
    kind_of         a kind of genset's or of an installed package
    architectures   torchvision:, timm:, file:
    exported        export:, onnx:, torchscript:
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TypeVar

from genset.core.errors import BadInput, first_line

SAID = ("trained_until", "reference_top1", "tags")
OF_ALL = ("name", "classes", "background", *SAID)
PREPROCESSING = ("size", "resize", "crop", "fit", "interpolation", "mean", "std")
OF_FILES = ("arch", "ema", "prefix")
ZERO_SHOT = ("prompts", "names", "tokenizer")
OF_NETWORKS = (*OF_ALL, *PREPROCESSING, "output")
OF_ARCHITECTURES = (*OF_NETWORKS, "model_kwargs")


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A kind of models.

    Attributes:
        target: what follows the kind in a spec, as an error shows it.
        options: those that a spec of it may have.
        loads: MODULE:FUNCTION, a `load.Loader`; "" where it names answers that are there, and no
            network.
    """

    target: str
    options: tuple[str, ...]
    loads: str = ""


_PRETRAINED = "genset.models.kinds.architectures:pretrained_model"
_CHECKPOINT = "genset.models.kinds.architectures:checkpoint"
_EXPORTED = "genset.models.kinds.exported:exported"
_HUGGING_FACE = "genset.models.huggingface.load:hugging_face"

KINDS = {
    "torchvision": ModelKind("NAME", OF_ARCHITECTURES, _PRETRAINED),
    "timm": ModelKind("NAME", OF_ARCHITECTURES, _PRETRAINED),
    "file": ModelKind(
        "CHECKPOINT?arch=torchvision:NAME", (*OF_FILES, *OF_ARCHITECTURES), _CHECKPOINT
    ),
    "export": ModelKind("PATH", OF_NETWORKS, _EXPORTED),
    "onnx": ModelKind("PATH", OF_NETWORKS, _EXPORTED),
    "torchscript": ModelKind("PATH", OF_NETWORKS, _EXPORTED),
    "hf": ModelKind("FOLDER", (*OF_NETWORKS, *ZERO_SHOT), _HUGGING_FACE),
    "openclip": ModelKind(
        "NAME?weights=FILE",
        ("weights", *ZERO_SHOT, "name", "classes", *SAID, *PREPROCESSING),
        "genset.models.zeroshot.openclip:open_clip_model",
    ),
    "predictions": ModelKind("PATH", OF_ALL),
}

_GROUP = "genset.model_kinds"
Function = TypeVar("Function", bound=Callable[..., object])


def model_kind(
    name: str, target: str, options: tuple[str, ...] = OF_NETWORKS
) -> Callable[[Function], Function]:
    """Make a function, a `load.Loader`, the one that loads specs ``NAME:...``.

    An installed package names its module as an entry point ``NAME`` of the group
    "genset.model_kinds"; genset imports it where a spec begins with NAME.

    Args:
        name: what specs of it begin with.
        target: what follows the name in a spec, as an error shows it.
        options: those that a spec of it may have.
    """

    def register(function: Function) -> Function:
        loads = f"{function.__module__}:{function.__name__}"
        KINDS.setdefault(name, ModelKind(target, options, loads))
        return function

    return register


def kind_of(name: str) -> ModelKind | None:
    """The kind of this name; None where neither genset nor an installed package has one.

    Raises:
        BadInput: the package cannot be loaded, or makes no kind of this name.
    """
    for entry in () if name in KINDS else entry_points(group=_GROUP, name=name):
        words = f"the kind {name} ({entry.value})"
        try:
            entry.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it is somebody else's code
            reason = f"{type(error).__name__}: {first_line(error)}"
            raise BadInput(f"{words} cannot be loaded: {reason}") from None
        if name not in KINDS:
            raise BadInput(f'{words} has no function with @model_kind("{name}", ...)')
    return KINDS.get(name)


def forms() -> list[str]:
    """What specs look like, one of each kind."""
    others = entry_points(group=_GROUP).names - KINDS.keys()
    targets = {name: kind.target for name, kind in KINDS.items()} | dict.fromkeys(others, "...")
    return [f"{name}:{target}" for name, target in targets.items()]
