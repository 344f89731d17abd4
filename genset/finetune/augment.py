"""See a photo differently each time: a random part of it, as large as usual, perhaps mirrored.

Source: Szegedy et al., "Going deeper with convolutions", 2014, section 6; the numbers and the order
of draws are those of torchvision's ``RandomResizedCrop`` and ``RandomHorizontalFlip``.
"""

from math import exp, log, sqrt

import numpy as np
from PIL import Image

from genset.evaluation.data.transforms import Pixels
from genset.evaluation.models.preprocessing import Geometry

_AREA = (0.08, 1.0)  # of the photo
_SHAPE = (3 / 4, 4 / 3)  # width by height
_TRIES = 10


def random_part(image: Image.Image, geometry: Geometry, rng: np.random.Generator) -> Pixels:
    """A part of an RGB image, resized to the network's own size; mirrored every other time."""
    side = geometry.crop
    part = image.crop(_box(image.width, image.height, rng))
    pixels = np.asarray(part.resize((side, side), Image.Resampling[geometry.interpolation.upper()]))
    return np.ascontiguousarray(pixels[:, ::-1]) if rng.random() < 0.5 else pixels


def _box(width: int, height: int, rng: np.random.Generator) -> tuple[int, int, int, int]:
    for _ in range(_TRIES):
        area = width * height * rng.uniform(*_AREA)
        shape = exp(rng.uniform(log(_SHAPE[0]), log(_SHAPE[1])))
        wide, high = round(sqrt(area * shape)), round(sqrt(area / shape))
        if 0 < wide <= width and 0 < high <= height:
            top = int(rng.integers(height - high + 1))
            left = int(rng.integers(width - wide + 1))
            return left, top, left + wide, top + high
    # A long and narrow photo: the largest part of a usual shape, from its middle.
    wide, high = min(width, round(height * _SHAPE[1])), min(height, round(width / _SHAPE[0]))
    left, top = (width - wide) // 2, (height - high) // 2
    return left, top, left + wide, top + high
