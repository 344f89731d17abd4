"""Decide whether some bytes are a photo that can be shown and scored."""

import io
import threading
import warnings
from contextlib import nullcontext
from typing import NamedTuple

from PIL import Image, UnidentifiedImageError

from genset.core.errors import PhotoRefused
from genset.core.pixels import FORMATS, fingerprint, scale_down
from genset.net.jpeg import lacks_its_end

MIN_SIZE = 64  # pixels of the shorter side: what is smaller is an icon, which no network can tell
MAX_PIXELS = 100_000_000
_LARGE = 20_000_000  # pixels
_ONE_LARGE = threading.Lock()  # for a hundred million pixels take half a gigabyte


class Picture(NamedTuple):
    """What the bytes hold. `format` is Pillow's name; sizes are pixels.

    `fingerprint` is the perceptual hash of `genset.core.pixels`, in hexadecimal.
    """

    format: str
    width: int
    height: int
    fingerprint: str


def check_picture(content: bytes) -> Picture:
    """Decode a whole file to its last byte: half of a photo has a sound header too.

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
                width, height = image.size
                if width * height > MAX_PIXELS:
                    raise PhotoRefused("too many pixels", f"{width} x {height}")
                with _ONE_LARGE if width * height > _LARGE else nullcontext():
                    scale_down(image)
                    image.load()
                    if found == "JPEG" and lacks_its_end(content, image):
                        raise PhotoRefused("broken image", "its end is missing")
                    hashed = f"{fingerprint(image):016x}"
                return Picture(found, width, height, hashed)
    except PhotoRefused:
        raise
    except UnidentifiedImageError:
        raise PhotoRefused("not an image", "no JPEG, PNG or WebP") from None
    except Image.DecompressionBombError:
        raise PhotoRefused("too many pixels") from None
    except Exception as error:  # what decoders raise on hostile bytes is not bounded
        raise PhotoRefused("broken image", " ".join(str(error).split())) from error
