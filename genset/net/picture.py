"""Decide whether some bytes are a photo that can be shown and scored.

Where the end mark of a JPEG comes too early, decoders fill the rest with grey and say nothing: that
is for labelers to see, who call such a photo broken.
"""

import hashlib
import io
import warnings
from typing import NamedTuple

from PIL import Image, UnidentifiedImageError

from genset.core.errors import BadInput, PhotoRejected
from genset.core.hashes import BITS
from genset.core.pixels import FORMATS, check_decoder, fingerprint, scale_down

MIN_SIZE = 64  # pixels of the shorter side: what is smaller is an icon, which no network can tell
MAX_PIXELS = 100_000_000


class Picture(NamedTuple):
    """What the bytes hold. `format` is Pillow's name; sizes are pixels.

    `fingerprint` is the perceptual hash of `genset.core.pixels`, in hexadecimal.
    """

    format: str
    width: int
    height: int
    fingerprint: str


def check_picture(content: bytes, formats: tuple[str, ...] = FORMATS) -> Picture:
    """Decode a whole file to its last byte: half of a photo has a sound header too.

    Raises:
        PhotoRejected: it is no photo of these formats, is broken, animated, or a bomb.
    """
    try:
        if formats != FORMATS:
            check_decoder(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's warnings on sizes and odd metadata
            with Image.open(io.BytesIO(content), formats=formats) as image:
                # Some cameras put previews behind the photo, and Pillow calls that JPEG an MPO.
                found = "JPEG" if image.format == "MPO" else str(image.format)
                if found != "JPEG" and getattr(image, "n_frames", 1) > 1:
                    raise PhotoRejected("animated")
                width, height = image.size
                if width * height > MAX_PIXELS:
                    raise PhotoRejected("too many pixels", f"{width} x {height}")
                scale_down(image)
                image.load()
                return Picture(found, width, height, f"{fingerprint(image):016x}")
    except PhotoRejected:
        raise
    except BadInput as error:
        raise PhotoRejected("not readable here", str(error)) from None
    except UnidentifiedImageError:
        raise PhotoRejected("not an image", "no JPEG, PNG or WebP") from None
    except Image.DecompressionBombError:
        raise PhotoRejected("too many pixels") from None
    except Exception as error:  # what decoders raise on hostile bytes is not bounded
        raise PhotoRejected("broken image", " ".join(str(error).split())) from error


def compare(content: bytes, sha256: str, fingerprint: str | None) -> str:
    """How a photo's bytes are to those that were stored of it: "same", "rerendered", "changed".

    A host that renders its pictures anew sends other bytes of the same picture, which its
    fingerprint shows: at most 8 of 64 bits differ (`genset.core.hashes.BITS`).

    Raises:
        PhotoRejected: they are no photo.
    """
    if hashlib.sha256(content).hexdigest() == sha256:
        return "same"
    found = int(check_picture(content).fingerprint, 16)
    if fingerprint and (found ^ int(fingerprint, 16)).bit_count() <= BITS:
        return "rerendered"
    return "changed"
