"""Decide whether some bytes are a photo that can be shown and scored.

That the end of a JPEG is missing shows in its pixels alone: where a file's end mark comes too
early, decoders fill the rest with grey and say nothing. Grey proves nothing by itself, for a sound
photo may have a grey corner, or a grey frame.
"""

import hashlib
import io
import re
import threading
import warnings
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from PIL import Image, UnidentifiedImageError

from genset.core.errors import BadInput, PhotoRejected
from genset.core.hashes import BITS
from genset.core.pixels import FORMATS, check_decoder, fingerprint, scale_down

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
                with _ONE_LARGE if width * height > _LARGE else nullcontext():
                    scale_down(image)
                    image.load()
                    if found == "JPEG" and is_cut_off(content, image):
                        raise PhotoRejected("broken image", "its end is missing")
                    hashed = f"{fingerprint(image):016x}"
                return Picture(found, width, height, hashed)
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


_FILLING = (128, (128, 128, 128), (127, 127, 127, 127))  # in grey, RGB and CMYK
_ROWS = 8  # the height of the least that a decoder fills
_ABOUT = 16  # how far from its grey a frame may be where the photo begins a few pixels on

# Every marker but those that stand between pieces of the picture's data. Source: ITU-T T.81, B.1.
_MARKER = re.compile(rb"\xff+[^\x00\xd0-\xd7\xff]")
_END = 0xD9
_ARITHMETIC = range(0xC9, 0xD0)

# Data for a few dozen blocks, whichever of the eight restart marks a decoder waits for.
_NOISE = hashlib.shake_128(b"more").digest(1024).replace(b"\xff", b"\0")
_MORE_DATA = _NOISE + b"".join(bytes([0xFF, 0xD0 + mark]) + _NOISE for mark in range(8)) * 2


def is_cut_off(content: bytes, image: Image.Image) -> bool:
    """Whether a part of the photo is grey because it is missing.

    `image` is what `content` holds, decoded by `scale_down`. The last rows may also be grey from
    edge to edge although the file is whole: that is a damaged photo which was encoded anew, unless
    its first row is of the same grey, which makes it a frame.
    """
    return _may_end_in_filling(image) and (
        _takes_more_data(content, image) or _only_its_end_is_grey(content)
    )


def _may_end_in_filling(image: Image.Image) -> bool:
    """Whether the last pixel of an image that was scaled down is about as grey as a filling."""
    last = image.getpixel((image.width - 1, image.height - 1))
    bands = last if isinstance(last, tuple) else (last,)
    return all(abs((band or 0.0) - 127.5) <= 1.5 for band in bands)


def _takes_more_data(content: bytes, image: Image.Image) -> bool:
    """Whether the picture changes when more data stands before its end mark.

    A decoder that has the whole picture passes over what follows.
    """
    end = _end_mark(content)
    if end is None:
        return False
    longer_content = io.BytesIO(content[:end] + _MORE_DATA + content[end:])
    with Image.open(longer_content, formats=("JPEG",)) as longer:
        scale_down(longer)
        return longer.tobytes() != image.tobytes()


def _end_mark(content: bytes) -> int | None:
    """Where the end mark of a JPEG is, None where it cannot be told or says nothing.

    Arithmetic coding leaves out data at the end, which decoders make up, in a whole picture too.
    """
    place = 2
    while found := _MARKER.search(content, place):
        marker = found[0][-1]
        if marker == _END:
            return found.start()
        if marker in _ARITHMETIC:
            return None
        place = found.end() + int.from_bytes(content[found.end() : found.end() + 2])
    return None


def _only_its_end_is_grey(content: bytes) -> bool:
    with Image.open(io.BytesIO(content), formats=("JPEG",)) as image:
        width, height = image.size
        last = image.crop((0, max(0, height - _ROWS), width, height)).getcolors(1)
        if last is None or last[0][1] not in _FILLING:
            return False
        first = np.asarray(image.crop((0, 0, width, 1)).convert("RGB"), int)
        is_frame = np.abs(first - 128).max() <= _ABOUT
        return not is_frame or image.getcolors(1) is not None  # all of it is grey
