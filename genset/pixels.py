"""Pictures with more than 8 bits a value, in the 8 bits that hashes, screens and networks take.

Pillow's own `convert` cuts such values off at 255: a 16-bit photo becomes white. (16-bit colours it
reads with 8 bits, the upper ones; so does this.)
"""

import numpy as np
from PIL import Image

FORMATS = ("JPEG", "PNG", "WEBP")
"""Pillow's names of the formats that photos are in. A stranger's file is opened as no other one:
some of Pillow's decoders start programs."""

_RANGES = {"I": (2**8, 2**16), "F": (1, 2**8, 2**16)}


def eight_bit(image: Image.Image) -> Image.Image:
    """A grey image of 16 bits, or of whole or fractional numbers, in 8 bits; others as they are.

    Numbers of 32 bits do not say how bright they can be: they are taken for the smallest usual
    range that has room for the brightest, 0 to 1 (fractions only), 0 to 255 or 0 to 65,535.

    Raises:
        OSError: the image is open and not read yet, and broken.
    """
    if image.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if image.mode not in _RANGES:
        return image
    values = np.nan_to_num(np.asarray(image, np.float32))
    brightest = values.max(initial=0)
    # Whole numbers end below their range's end, fractions at it: 1.0 is white.
    ends = _RANGES[image.mode]
    end = next((end for end in ends if brightest < end or brightest == end == 1), 2**16)
    scaled = values * 255 if end == 1 else values // (end // 2**8)
    return Image.fromarray(scaled.clip(0, 255).astype(np.uint8))
