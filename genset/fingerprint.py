"""A perceptual hash: photos that look alike have hashes that differ in few bits."""

import numpy as np
from PIL import Image, ImageOps

from genset.pixels import eight_bit

_SIDE, _KEPT = 32, 8
_ENOUGH = (64, 64)  # pixels, at least
_FREQUENCIES = np.cos(
    np.pi * np.arange(_KEPT)[:, None] * (2 * np.arange(_SIDE) + 1) / (2 * _SIDE)
).astype(np.float32)


def scale_down(image: Image.Image) -> None:
    """Let an image that is open and not read yet be decoded grey, and no larger than it takes.

    A JPEG's decoder reads all of its data all the same, in less than half of the time. Other
    formats stay as they are.
    """
    image.draft("L", _ENOUGH)


def fingerprint(image: Image.Image) -> int:
    """The 64-bit hash of an image as it is shown.

    Grey, 32 x 32 pixels, the 8 x 8 lowest frequencies of its cosine transform; each bit says
    whether one is over their median. Source: Zauner, "Implementation and Benchmarking of
    Perceptual Image Hash Functions", 2010 (pHash).
    """
    grey = _shown_grey(image).resize((_SIDE, _SIDE), Image.Resampling.BOX)
    low = _FREQUENCIES @ np.asarray(grey, np.float32) @ _FREQUENCIES.T
    ordered = np.sort(low, axis=None)
    bits = (low > (ordered[31] + ordered[32]) / 2).ravel()
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def variants(image: Image.Image) -> tuple[int, ...]:
    """The hashes that a copy of the image may have: its own first, mirrored, slightly cropped."""
    shown = _shown_grey(image)
    width, height = shown.size
    looks = [shown]
    for part in (0.05, 0.1):
        dx, dy = round(width * part), round(height * part)
        looks += [
            shown.crop((dx // 2, dy // 2, width - dx + dx // 2, height - dy + dy // 2)),
            shown.crop((dx, 0, width, height)),
            shown.crop((0, 0, width - dx, height)),
            shown.crop((0, dy, width, height)),
            shown.crop((0, 0, width, height - dy)),
        ]
    looks += [ImageOps.mirror(look) for look in looks]
    return tuple(fingerprint(look) for look in looks)


def _shown_grey(image: Image.Image) -> Image.Image:
    return eight_bit(ImageOps.exif_transpose(image)).convert("L")
