"""Model specs: the strings that name a model.

::

    torchvision:resnet50                                    torchvision's default weights
    torchvision:resnet50@IMAGENET1K_V1                      ... or those named
    file:resnet.pth?arch=torchvision:resnet50               a checkpoint of a torchvision model
    file:lite0.pth?arch=my_models:lite0&mean=0.5&std=0.5    ... or of your own: MODULE:CALLABLE

Options of both: `name` (as shown in tables), and the preprocessing
where it differs from the model's own: `resize` and `crop` (pixels), `interpolation` (bilinear or
bicubic), `mean` and `std` (one number, or three as in 0.485,0.456,0.406).
"""

from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from urllib.parse import parse_qsl

from genset.errors import BadInput

KINDS = ("torchvision", "file")
INTERPOLATIONS = ("bilinear", "bicubic")
_OPTIONS = ("arch", "name", "resize", "crop", "interpolation", "mean", "std")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A spec, taken apart.

    Attributes:
        text: the spec as it was given.
        kind: one of `KINDS`.
        target: what follows the kind: an architecture or a path.
        arch: of a file: ``torchvision:NAME`` or ``MODULE:CALLABLE``; otherwise "".
        name: how the model is called in tables.
        preprocessing: overrides; any of resize, crop, interpolation, mean, std.
    """

    text: str
    kind: str
    target: str
    arch: str
    name: str
    preprocessing: dict[str, object] = field(default_factory=dict)


def parse_spec(text: str) -> ModelSpec:
    """Take a spec apart.

    Raises:
        BadInput: naming the part that is wrong.
    """
    kind, colon, rest = text.partition(":")
    target, _, query = rest.partition("?")
    if not colon or kind not in KINDS or not target:
        raise BadInput(
            f"model {text!r}: a spec is torchvision:NAME or file:CHECKPOINT?arch=torchvision:NAME"
        )
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name in options:
        if name not in _OPTIONS:
            raise BadInput(f"model {text!r}: no option {name}; there are {', '.join(_OPTIONS)}")
    arch = options.pop("arch", "")
    if kind == "torchvision" and arch:
        raise BadInput(f"model {text!r}: arch is an option of file:CHECKPOINT")
    module, _, callable_name = arch.partition(":")
    if kind == "file" and not (module and callable_name):
        raise BadInput(f"model {text!r}: say what it is with ?arch=torchvision:NAME")
    shown = options.pop("name", "") or (Path(target).stem if kind == "file" else target)
    preprocessing = {name: _value(text, name, value) for name, value in options.items()}
    return ModelSpec(text, kind, target, arch, shown, preprocessing)


def _value(text: str, name: str, value: str) -> object:
    try:
        if name in ("resize", "crop"):
            pixels = int(value)
            if not 1 <= pixels <= 4096:
                raise ValueError(value)
            return pixels
        if name in ("mean", "std"):
            numbers = [float(part) for part in value.split(",")]
            usable = all(isfinite(number) and (name == "mean" or number > 0) for number in numbers)
            if len(numbers) not in (1, 3) or not usable:
                raise ValueError(value)
            return numbers * 3 if len(numbers) == 1 else numbers
    except ValueError:
        raise BadInput(f"model {text!r}: {name} cannot be {value!r}") from None
    if value not in INTERPOLATIONS:
        raise BadInput(f"model {text!r}: interpolation is {' or '.join(INTERPOLATIONS)}")
    return value
