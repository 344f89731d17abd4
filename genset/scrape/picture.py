"""Decide whether some bytes are a photo that can be shown and scored."""

import io
import warnings
from typing import NamedTuple

from PIL import Image, UnidentifiedImageError

from genset.errors import PhotoRefused

FORMATS = ("JPEG", "PNG", "WEBP")
MAX_PIXELS = 100_000_000


class Picture(NamedTuple):
    """What the bytes hold. `format` is Pillow's name; sizes are pixels."""

    format: str
    width: int
    height: int


def check_picture(content: bytes) -> Picture:
    """Decode a whole file, pixel by pixel: half of a photo has a sound header too.

    Raises:
        PhotoRefused: it is not a JPEG, PNG or WebP photo, is broken, animated, or a bomb.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's warnings on sizes and odd metadata
            with Image.open(io.BytesIO(content), formats=FORMATS) as image:
                # Some cameras put previews behind the photo, and Pillow calls that JPEG an MPO.
                found = "JPEG" if image.format == "MPO" else str(image.format)
                if found != "JPEG" and getattr(image, "n_frames", 1) > 1:
                    raise PhotoRefused("animated")
                if image.width * image.height > MAX_PIXELS:
                    raise PhotoRefused("too many pixels", f"{image.width} x {image.height}")
                image.load()
                return Picture(found, image.width, image.height)
    except PhotoRefused:
        raise
    except UnidentifiedImageError:
        raise PhotoRefused("not an image", "no JPEG, PNG or WebP") from None
    except Image.DecompressionBombError:
        raise PhotoRefused("too many pixels") from None
    except Exception as error:  # what decoders raise on hostile bytes is not bounded
        raise PhotoRefused("broken image", " ".join(str(error).split())) from error
