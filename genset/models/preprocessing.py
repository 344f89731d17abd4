"""How a photo becomes what a network was trained on: sizes, interpolation, normalization."""

import hashlib
import pickle
import pickletools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from genset.core.errors import BadInput, ModelError, PhotoRejected, first_line

_IMAGENET_MEAN = (0.485, 0.456, 0.406)
_IMAGENET_STD = (0.229, 0.224, 0.225)

_SIZED = ("resize", "crop", "fit", "interpolation")

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


def numbers_of(output: Any, shape: tuple[int, ...] | None = None) -> NDArray[np.float32]:
    """What a caller's transform gives for one photo, as C x H x W float32.

    Raises:
        BadInput: it is not that, or not of this shape.
    """
    try:
        if hasattr(output, "detach"):  # a tensor, of whatever precision, wherever it is
            output = output.detach().cpu()
            output = output.float() if output.is_floating_point() else output
        values = np.asarray(output)
        numbers: NDArray[np.float32] = values.astype(np.float32)
    except (TypeError, ValueError, RuntimeError):
        raise BadInput(f"the transform gives a {type(output).__name__}, not a tensor") from None
    if numbers.ndim != 3 or numbers.shape[0] not in (1, 3):
        raise BadInput(f"the transform gives {list(numbers.shape)}, not channels x height x width")
    if values.dtype.kind in "biu":
        raise BadInput(
            f"the transform gives whole numbers ({values.dtype}), not normalized ones: end it "
            "with transforms.ToTensor() or v2.ToDtype(torch.float32, scale=True), and Normalize"
        )
    if shape is not None and numbers.shape != shape:
        raise BadInput(
            f"the transform gives {list(numbers.shape)}, and {list(shape)} for the first photo: "
            "resize and crop all to one size"
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
        """With what a spec says in its place: resize, crop, fit, interpolation, mean, std.

        Raises:
            BadInput: the crop would be larger than the photo is resized to.
        """
        sizes = {name: overrides[name] for name in _SIZED if name in overrides}
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


# crop x crop x 3 uint8; of a caller's own transform, channels x height x width float32. Of several
# photos, N x that.
Pixels = NDArray[Any]


def cut(image: Image.Image, geometry: Geometry) -> Pixels:
    """An RGB image, resized by Pillow as the geometry says, and cut.

    Raises:
        PhotoRejected: a caller's own transform fails on it.
        ModelError: it gives something else than for the first photo.
    """
    if isinstance(geometry, CustomTransform):
        try:
            output = geometry.function(image)
        except Exception as error:  # noqa: BLE001 - it is the caller's own code
            raise PhotoRejected("unreadable", f"the transform fails: {first_line(error)}") from None
        try:
            return numbers_of(output, geometry.shape)
        except BadInput as error:  # of no photo alone
            raise ModelError(str(error)) from None
    width, height = resized_to(image.width, image.height, geometry)
    resized = image.resize((width, height), Image.Resampling[geometry.interpolation.upper()])
    side = geometry.crop
    x, y = corner(width, geometry), corner(height, geometry)
    if width >= side and height >= side:
        return np.asarray(resized.crop((x, y, x + side, y + side)))
    filled = Image.new("RGB", (side, side), geometry.fill)
    filled.paste(resized, (_before(side, width), _before(side, height)))
    return np.asarray(filled)


def corner(size: int, geometry: Geometry) -> int:
    """Where the square in the middle of a resized side begins, in pixels."""
    over = size - geometry.crop
    return over // 2 if geometry.floored else round(over / 2)


def _before(side: int, size: int) -> int:
    """Where a photo begins on a square; where it is larger than that, to the left of it."""
    return (side - size) // 2 if size < side else -round((size - side) / 2)


def resized_to(width: int, height: int, geometry: Geometry) -> tuple[int, int]:
    """The sides that the photo is resized to, rounded as torchvision and timm do."""
    size = geometry.resize
    if geometry.fit == "both":
        return size, size
    if geometry.fit == "longer":
        ratio = max(width / size, height / size)
        return round(width / ratio), round(height / ratio)
    if width <= height:
        return size, int(size * height / width)
    return int(size * width / height), size


# Of drawn photos: lying, standing, long, high, and smaller than any crop.
_SIZES = ((301, 208), (208, 301), (640, 97), (98, 500), (41, 30))

# Normalized values of one pixel and the next are some 0.015 apart, and rounding makes 0.000001.
_SAME_VALUES = 1e-4


def as_geometry(
    function: Callable[[Image.Image], Any], identity: str, candidates: Iterable[Preprocessing]
) -> Preprocessing:
    """What a transform does, as the first candidate that does the same; else the transform itself.

    Args:
        function: takes an RGB image of Pillow's, gives 3 x S x S normalized numbers.
        identity: a hash over all that it does.
        candidates: what its settings may mean.

    Raises:
        BadInput: it fails, or gives no square of a fixed size.
    """
    photos = [_drawn(*size) for size in _SIZES]
    try:
        expected = [numbers_of(function(photo)) for photo in photos]
    except Exception as error:  # noqa: BLE001 - it is another library's code
        raise BadInput(f"its processor fails on a photo: {first_line(error)}") from None
    shapes = sorted({array.shape for array in expected})
    shape = shapes[0]
    if len(shapes) > 1 or shape[0] != 3 or shape[1] != shape[2]:
        named = " and ".join(" x ".join(map(str, shape)) for shape in shapes[:2])
        raise BadInput(f"it takes {named}, not square colour photos of one size")
    for candidate in candidates:
        if all(map(_gives, [candidate] * len(photos), photos, expected)):
            return candidate
    geometry = CustomTransform(
        resize=shape[1], crop=shape[2], function=function, shape=shape, identity=identity
    )
    return Preprocessing(geometry)


def _gives(candidate: Preprocessing, photo: Image.Image, expected: NDArray[np.float32]) -> bool:
    if candidate.geometry.crop != expected.shape[1]:
        return False
    mean, std = (np.array(values, np.float32) for values in (candidate.mean, candidate.std))
    pixels = cut(photo, candidate.geometry).astype(np.float32)
    normalized = ((pixels / 255 - mean) / std).transpose(2, 0, 1)
    return bool(np.abs(normalized - expected).max() < _SAME_VALUES)


def _drawn(width: int, height: int) -> Image.Image:
    """A photo of noise, the same each time: every pixel's place and value count."""
    values = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    return Image.fromarray(values)
