"""What a run says of its weights: their name, their architecture, the size of the image."""

from dataclasses import dataclass

from genset.core.errors import BadInput
from genset.models.spec import ModelSpec, parse_spec
from genset.score.results.runs import Run

_LIBRARIES = ("timm", "torchvision")
_HUB = "hf-hub:timm/"  # timm's own organisation on the hub, whose names are timm's


@dataclass(frozen=True, slots=True)
class Weights:
    """What tells a run's weights from others.

    Attributes:
        names: what they may be called in a table, the likeliest first.
        full: the name with its library where the spec says it ("timm:resnet50.a1_in1k", or
            "timm:resnet50" for the default ones); "" where it does not.
        architecture: of a checkpoint ("timm:resnet50"); "" where a library does not know it.
        pixels: the side of the image; None where it is not known.
        changed: what the spec changes of the preprocessing, beside that size.
        said: the accuracy on ImageNet that people said, 0 to 1; None where nobody did.
    """

    names: tuple[str, ...]
    full: str
    architecture: str
    pixels: int | None
    changed: tuple[str, ...]
    said: float | None


def weights_of(run: Run) -> Weights:
    """What a run says of its weights."""
    spec = _spec(run)
    target = run.spec.partition("?")[0]
    full = f"{spec.kind}:{spec.target.removeprefix(_HUB)}" if spec else ""
    if not spec or spec.kind not in _LIBRARIES:
        # Of answers that were computed elsewhere, the name is all that says whose they are.
        full = run.model if run.model.partition(":")[0] in _LIBRARIES else ""
    is_checkpoint = spec is not None and spec.arch.partition(":")[0] in _LIBRARIES
    crop = run.preprocessing.get("crop")
    return Weights(
        names=tuple(dict.fromkeys([full or target, target, run.model, target.partition(":")[2]])),
        full=full,
        architecture=spec.arch if spec and is_checkpoint else "",
        pixels=crop if isinstance(crop, int) else None,
        changed=tuple(name for name in spec.preprocessing if name != "crop") if spec else (),
        said=run.reference_top1,
    )


def _spec(run: Run) -> ModelSpec | None:
    """The run's spec; None of a network or an array that was handed over in Python."""
    try:
        return parse_spec(run.spec)
    except BadInput:
        return None
