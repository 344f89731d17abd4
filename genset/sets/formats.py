"""From a photo's bytes to red, green and blue, whatever it is encoded in, by Pillow.

Of a file with several pictures (GIF, TIFF) it is the first. Transparency and EXIF's orientation are
passed over, as torchvision's ImageFolder does it; 16 bits and more are scaled to 8. HEIC needs
pi-heif, the extra ``heif``.
"""

import errno
import io
import os
import warnings

from PIL import Image, UnidentifiedImageError

from genset.core.errors import BadInput, first_line
from genset.core.pixels import check_decoder, eight_bit

# What Pillow and the system raise on a photo that cannot be read.
BROKEN = (OSError, SyntaxError, ValueError, Image.DecompressionBombError, BadInput)

_OF_SYSTEM = frozenset(map(os.strerror, errno.errorcode))

# Drawings, for which Pillow starts other programs.
_DRAWINGS = ("EPS", "WMF")


def image_of(content: bytes) -> Image.Image:
    """The photo, opened but not decoded yet; close it.

    Raises:
        OSError, SyntaxError, ValueError, Image.DecompressionBombError, BadInput: see `BROKEN`.
    """
    if not content:
        raise ValueError("the file is empty")
    check_decoder(content)
    image = Image.open(io.BytesIO(content))
    if image.format in _DRAWINGS:
        image.close()
        raise ValueError(f"it is a drawing ({image.format}), not a photo")
    return image


def decoded(content: bytes) -> Image.Image:
    """The whole photo in RGB.

    Raises:
        OSError, SyntaxError, ValueError, Image.DecompressionBombError, BadInput: see `BROKEN`.
    """
    with warnings.catch_warnings(), image_of(content) as image:
        warnings.simplefilter("ignore")  # on odd metadata and sizes, and that transparency is lost
        return eight_bit(image).convert("RGB")


def why_not(error: Exception, photo: object) -> str:
    """Why a photo cannot be read, in a few words that are the same on every machine.

    Args:
        error: what was raised.
        photo: it, as text its path.
    """
    if isinstance(error, UnidentifiedImageError):  # it names an address in memory
        return f"cannot identify image file {str(photo)!r}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return first_line(error)


def may_come_back(why: str) -> bool:
    """Whether a reason of `why_not` is the system's, on a file, and not what its bytes are."""
    return why in _OF_SYSTEM


# What fine-tuning takes, too.
SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".ppm", ".tif", ".tiff"}

_ENDINGS = SUFFIXES | {".gif", ".avif", ".heic", ".heif", ".hif", ".jfif", ".jpe", ".pgm", ".pbm"}


def is_photo_name(name: str) -> bool:
    """Whether a file is a photo by its ending."""
    stem, dot, ending = name.rpartition(".")
    return bool(stem) and (dot + ending).lower() in _ENDINGS


def has_no_ending(name: str) -> bool:
    """Whether only its content can say whether a file is a photo; hidden files are none."""
    return "." not in name


def is_photo(content: bytes) -> bool:
    """Whether it is one by its first bytes; also a damaged one."""
    try:
        image_of(content).close()
    except UnidentifiedImageError:
        return False
    except BROKEN:
        return bool(content)
    return True
