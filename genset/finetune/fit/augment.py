"""Augmentation: a random part of a photo, resized to the network's input, mirrored half the time.

Source: Szegedy et al., "Going deeper with convolutions", 2014, section 6; the parameters and the
order of draws are those of torchvision's ``RandomResizedCrop`` and ``RandomHorizontalFlip``.
"""

from math import exp, log, sqrt

import numpy as np
from PIL import Image

from genset.models.preprocessing import Geometry
from genset.score.transforms import Pixels

_AREA = (0.08, 1.0)  # share of the photo
_ASPECT = (3 / 4, 4 / 3)  # width / height
_TRIES = 10


def random_part(image: Image.Image, geometry: Geometry, rng: np.random.Generator) -> Pixels:
    """Crop a random part of an image, resize it, and mirror it with a chance of one half.

    Args:
        image: an RGB image.
        geometry: the size of the network's input, and the interpolation.
        rng: draws the part and the mirroring.

    Returns:
        The pixels, shape (crop, crop, 3), uint8.
    """
    side = geometry.crop
    part = image.crop(_box(image.width, image.height, rng))
    pixels = np.asarray(part.resize((side, side), Image.Resampling[geometry.interpolation.upper()]))
    return np.ascontiguousarray(pixels[:, ::-1]) if rng.random() < 0.5 else pixels


def _box(width: int, height: int, rng: np.random.Generator) -> tuple[int, int, int, int]:
    for _ in range(_TRIES):
        area = width * height * rng.uniform(*_AREA)
        aspect = exp(rng.uniform(log(_ASPECT[0]), log(_ASPECT[1])))
        w, h = round(sqrt(area * aspect)), round(sqrt(area / aspect))
        if 0 < w <= width and 0 < h <= height:
            top = int(rng.integers(height - h + 1))
            left = int(rng.integers(width - w + 1))
            return left, top, left + w, top + h
    # The photo is long and narrow: take the largest part with an allowed aspect, from the middle.
    w, h = min(width, round(height * _ASPECT[1])), min(height, round(width / _ASPECT[0]))
    left, top = (width - w) // 2, (height - h) // 2
    return left, top, left + w, top + h
