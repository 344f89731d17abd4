"""Cut a photo for a network: Pillow resizes it, and a square is cut from its middle."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from genset.core.errors import PhotoRefused, first_line
from genset.models.preprocessing import CustomTransform, Geometry

# crop x crop x 3 uint8; of a caller's own transform, channels x height x width float32. Of several
# photos, N x that.
Pixels = NDArray[Any]


def cut(image: Image.Image, geometry: Geometry) -> Pixels:
    """An RGB image, resized by Pillow as the geometry says, and cut.

    Raises:
        PhotoRefused: a caller's own transform fails on it.
    """
    if isinstance(geometry, CustomTransform):
        try:
            return geometry(image)
        except Exception as error:  # noqa: BLE001 - it is the caller's own code
            raise PhotoRefused("unreadable", f"the transform fails: {first_line(error)}") from None
    width, height = resized_to(image.width, image.height, geometry)
    resized = image.resize((width, height), Image.Resampling[geometry.interpolation.upper()])
    side = geometry.crop
    left, top = corner(width, geometry), corner(height, geometry)
    if width >= side and height >= side:
        return np.asarray(resized.crop((left, top, left + side, top + side)))
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
