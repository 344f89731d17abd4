"""Another library's transform, as a geometry that does the same.

Its settings become a geometry of ours, so that a photo is decoded once for many models. Some
transforms do more than their settings say, so each geometry is first held against the transform
itself on drawn photos, pixel by pixel. One that no geometry follows is called for each photo.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from genset.core.errors import BadInput, first_line
from genset.models.preprocessing import CustomTransform, Preprocessing, numbers_of
from genset.models.transforms.cutting import cut

# Of drawn photos: lying, standing, long, high, and smaller than any crop.
_SIZES = ((301, 208), (208, 301), (640, 97), (98, 500), (41, 30))

# Normalized values of one pixel and the next are some 0.015 apart, and rounding makes 0.000001.
_SAME = 1e-4


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
    shapes = sorted({each.shape for each in expected})
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
    mean, std = (np.array(each, np.float32) for each in (candidate.mean, candidate.std))
    pixels = cut(photo, candidate.geometry).astype(np.float32)
    given = ((pixels / 255 - mean) / std).transpose(2, 0, 1)
    return bool(np.abs(given - expected).max() < _SAME)


def _drawn(width: int, height: int) -> Image.Image:
    """A photo of noise, the same each time: every pixel's place and value count."""
    values = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    return Image.fromarray(values)
