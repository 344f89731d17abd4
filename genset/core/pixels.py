"""Pictures with more than 8 bits a value, in the 8 bits that hashes, screens and networks take.

Pillow's own `convert` cuts such values off at 255: a 16-bit photo becomes white. (16-bit colours it
reads with 8 bits, the upper ones; so does this.)
"""

from contextlib import suppress

import numpy as np
from PIL import Image, ImageOps, features

from genset.core.errors import BadInput, MissingExtra

with suppress(ImportError):  # the extra `heif`
    from pi_heif import register_heif_opener

    register_heif_opener()

FORMATS = ("JPEG", "PNG", "WEBP")
"""Pillow's names of the formats that photos are in. A stranger's file is opened as no other one:
some of Pillow's decoders start programs."""

FORMATS_OF_USERS = (*FORMATS, "AVIF", *(["HEIF"] if "HEIF" in Image.OPEN else []))
"""Those of a user's photos."""

# The brands of ISO media files, from byte 8 on after "ftyp", that are HEIC's and AVIF's.
_HEIC = {b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1"}
_AVIF = (b"avif", b"avis")


def check_decoder(content: bytes) -> None:
    """Check that Pillow can read a file here, if it is HEIC or AVIF.

    Raises:
        BadInput: it cannot. The message says what to install.
    """
    brands = content[8:64] if content[4:8] == b"ftyp" else b""
    is_avif = any(brand in brands for brand in _AVIF)
    if not is_avif and any(brand in brands for brand in _HEIC) and "HEIF" not in Image.OPEN:
        raise MissingExtra("HEIC", "heif")
    if is_avif and not features.check("avif"):
        raise BadInput("this Pillow cannot read AVIF: pip install -U pillow")


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


_SIDE, _KEPT = 32, 8
_ENOUGH = (64, 64)  # pixels, at least
_FREQUENCIES = np.cos(np.pi * np.arange(_KEPT)[:, None] * (2 * np.arange(_SIDE) + 1) / (2 * _SIDE))


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
    # Of a plain area they are 0 on every machine, and not what its arithmetic leaves.
    low = np.round(_FREQUENCIES @ np.asarray(grey, np.float64) @ _FREQUENCIES.T, 6)
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
