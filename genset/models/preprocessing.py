"""How a photo becomes what a network was trained on: sizes, interpolation, normalization."""

import hashlib
import pickle
import pickletools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import BadInput

_IMAGENET_MEAN = (0.485, 0.456, 0.406)
_IMAGENET_STD = (0.229, 0.224, 0.225)

# The share of the resized photo that most models were evaluated on.
_USUAL_SHARE = 0.875

# Whose classes do the same wherever they have the same settings.
_KNOWN_PACKAGES = {
    *("torch", "torchvision", "timm", "PIL", "numpy"),
    *("__builtin__", "builtins", "collections", "copy_reg", "copyreg", "enum", "functools", "math"),
}


@dataclass(frozen=True, slots=True)
class Geometry:
    """What is done to a photo's pixels before they are normalized.

    Attributes:
        resize: pixels that the photo is resized to.
        crop: side of the square that is cut from its middle.
        interpolation: one of Pillow's filters, by its name in lower case.
        fit: which side `resize` is the length of: the "shorter" one; the "longer" one, with what is
            missing filled up; or "both", which gives up the photo's proportions.
        fill: the colour to fill up with.
        floored: where a side is an odd number of pixels too long, whether the smaller half is cut
            off before the square, as transformers does; else half a pixel is rounded to even, as
            torchvision and timm do.
    """

    resize: int
    crop: int
    interpolation: str = "bilinear"
    fit: str = "shorter"
    fill: tuple[int, int, int] = (0, 0, 0)
    floored: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one photo's pixels, which are uint8: height, width, channels."""
        return self.crop, self.crop, 3

    @property
    def dtype(self) -> str:
        """Of one photo's pixels."""
        return "uint8"


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomTransform(Geometry):
    """A caller's own function, from a photo to what a network takes: no sizes of ours apply.

    Attributes:
        function: takes an RGB image of Pillow's, gives `shape` numbers, normalized already.
        shape: channels, height, width.
        identity: a hash over all that the function does; "" where that cannot be known.
    """

    function: Callable[[Any], Any]
    shape: tuple[int, ...]
    identity: str

    @property
    def dtype(self) -> str:
        """Of one photo's numbers."""
        return "float32"

    def __call__(self, image: Any) -> NDArray[np.float32]:
        """Transform one photo.

        Raises:
            BadInput: the function gives something else than for the first photo.
        """
        return numbers_of(self.function(image), self.shape)


def identity_of(function: Callable[[Any], Any]) -> str:
    """A sha256 over a transform, if packages' own classes and plain values say all of it.

    "" for any other: nobody can tell whether a function of the caller's is that of an earlier run.
    What an object prints is not enough, since many print only a part of their settings.
    """
    try:
        content = pickle.dumps(function, protocol=2)  # which names each class in one word
    except Exception:  # noqa: BLE001 - an object may raise what it likes
        return ""
    names = (word for code, word, _ in pickletools.genops(content) if code.name == "GLOBAL")
    if any(str(name).partition(" ")[0].partition(".")[0] not in _KNOWN_PACKAGES for name in names):
        return ""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def numbers_of(given: Any, shape: tuple[int, ...] | None = None) -> NDArray[np.float32]:
    """What a caller's transform gives for one photo, as C x H x W float32.

    Raises:
        BadInput: it is not that, or not of this shape.
    """
    try:
        if hasattr(given, "detach"):  # a tensor, of whatever precision, wherever it is
            given = given.detach().float().cpu()
        numbers: NDArray[np.float32] = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError, RuntimeError):
        raise BadInput(f"the transform gives a {type(given).__name__}, not a tensor") from None
    if numbers.ndim != 3 or numbers.shape[0] not in (1, 3):
        raise BadInput(f"the transform gives {list(numbers.shape)}, not channels x height x width")
    if shape is not None and numbers.shape != shape:
        raise BadInput(
            f"the transform gives {list(numbers.shape)}, and {list(shape)} for the first photo"
        )
    return numbers


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """A geometry; then each value from 0 to 1, less `mean`, by `std`, for red, green and blue."""

    geometry: Geometry
    mean: tuple[float, ...] = _IMAGENET_MEAN
    std: tuple[float, ...] = _IMAGENET_STD

    @classmethod
    def usual(cls, crop: int = 224) -> "Preprocessing":
        """What most models of ImageNet want, where a file of weights says nothing of it."""
        return cls(Geometry(resize=round(crop / _USUAL_SHARE), crop=crop))

    @classmethod
    def of_torchvision(cls, preset: Any) -> "Preprocessing":
        """What torchvision's weights bring as their `transforms`."""
        geometry = Geometry(
            resize=preset.resize_size[0],
            crop=preset.crop_size[0],
            interpolation=preset.interpolation.value,
        )
        return cls(geometry, tuple(preset.mean), tuple(preset.std))

    @classmethod
    def of_timm(cls, config: dict[str, Any]) -> "Preprocessing":
        """What timm's data config says, as its ``create_transform`` understands it.

        Raises:
            BadInput: the model does not take square colour photos.
        """
        channels, height, width = config["input_size"]
        if channels != 3 or height != width:
            raise BadInput(f"it takes {channels} x {height} x {width}, not square colour photos")
        fits = {"squash": "both", "border": "longer"}
        mean, std = tuple(map(float, config["mean"])), tuple(map(float, config["std"]))
        geometry = Geometry(
            resize=floor(height / (config["crop_pct"] or _USUAL_SHARE)),
            crop=height,
            interpolation=config["interpolation"],
            fit=fits.get(config.get("crop_mode", ""), "shorter"),
        )
        if geometry.fit == "longer":
            red, green, blue = (round(255 * value) for value in mean)
            geometry = replace(geometry, fill=(red, green, blue))
        return cls(geometry, mean, std)

    def changed(self, overrides: dict[str, Any]) -> "Preprocessing":
        """With what a spec says in its place: any of resize, crop, interpolation, mean, std.

        Raises:
            BadInput: the crop would be larger than the photo is resized to.
        """
        sizes = {
            name: overrides[name]
            for name in ("resize", "crop", "interpolation")
            if name in overrides
        }
        if overrides and isinstance(self.geometry, CustomTransform):
            raise BadInput(f"its own transform is used as it is: leave out {', '.join(overrides)}")
        geometry = replace(self.geometry, **sizes)
        if geometry.crop > geometry.resize and geometry.fit != "longer":  # would fill up with black
            raise BadInput(
                f"a crop of {geometry.crop} is larger than a resize of {geometry.resize}"
            )
        return Preprocessing(
            geometry,
            tuple(overrides.get("mean", self.mean)),
            tuple(overrides.get("std", self.std)),
        )

    def described(self) -> dict[str, Any]:
        """The same as plain values, kept with every result."""
        if isinstance(self.geometry, CustomTransform):
            shown = re.sub(r" at 0x[0-9a-f]+", "", repr(self.geometry.function))
            return {"transform": shown, "identity": self.geometry.identity}
        words: dict[str, Any] = {
            "resize": self.geometry.resize,
            "crop": self.geometry.crop,
            "interpolation": self.geometry.interpolation,
            "mean": list(self.mean),
            "std": list(self.std),
        }
        if self.geometry.fit != "shorter":
            words["fit"] = self.geometry.fit
        if self.geometry.floored:
            words["floored"] = True
        return words
