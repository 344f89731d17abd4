"""A photo with its faces blurred, and otherwise as little changed as its format allows."""

import io
from collections.abc import Sequence
from typing import Any

from PIL import Image, ImageDraw

from genset.core.pixels import FORMATS, eight_bit
from genset.release.faces.centerface import Face

BLOCKS = 6
"""What is left of a face: so many blocks a side, smoothed. Nobody is known by these."""
GROWN = 1.3
"""How much larger than its box a face is taken to be: hair, chin and ears are beside it."""

_ORIENTATION = 0x0112
_QUALITY = 95  # of formats whose own quality nobody can read from the file

# What turns an upright picture into one as it is stored, by the Exif orientation.
_AS_STORED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}

# Turns that swap width and height.
_SWAPPING = (
    Image.Transpose.TRANSPOSE,
    Image.Transpose.TRANSVERSE,
    Image.Transpose.ROTATE_90,
    Image.Transpose.ROTATE_270,
)


def blurred(content: bytes, faces: Sequence[Face]) -> bytes:
    """A photo's bytes with these faces blurred, in the photo's own format and size.

    A JPEG keeps its tables, so that what is no face hardly changes. Of metadata only orientation
    and colour profile stay: what else they say (a place, a thumbnail with the face) does not.

    Raises:
        OSError: it cannot be decoded.
    """
    with Image.open(io.BytesIO(content), formats=FORMATS) as image:
        image.load()
        orientation = image.getexif().get(_ORIENTATION, 1)
        kept = {name: image.info[name] for name in ("icc_profile",) if name in image.info}
        kind, is_jpeg = str(image.format), image.format == "JPEG"
        pixels: Image.Image = image if is_jpeg else _in_colour(image)
        for face in faces:
            _blur(pixels, face, _AS_STORED.get(orientation))
        exif = Image.Exif()
        if orientation in _AS_STORED:
            exif[_ORIENTATION] = orientation
        how: dict[str, Any] = {"quality": "keep" if is_jpeg else _QUALITY, **kept}
        pixels.info = {}
        written = io.BytesIO()
        pixels.save(written, kind, exif=exif.tobytes() if len(exif) else b"", **how)
        return written.getvalue()


def _in_colour(image: Image.Image) -> Image.Image:
    """A copy whose pixels can be mixed: palettes and more than 8 bits cannot."""
    has_alpha = image.mode in ("LA", "PA", "RGBA") or "transparency" in image.info
    return eight_bit(image).convert("RGBA" if has_alpha else "RGB")


def _blur(pixels: Image.Image, face: Face, as_stored: Image.Transpose | None) -> None:
    """Blur one face in place: an ellipse around it becomes a few smooth blocks."""
    upright = pixels.size[::-1] if as_stored in _SWAPPING else pixels.size
    mask = Image.new("L", upright)
    across, down = (face.right - face.left) * GROWN / 2, (face.bottom - face.top) * GROWN / 2
    x, y = (face.left + face.right) / 2, (face.top + face.bottom) / 2
    ImageDraw.Draw(mask).ellipse((x - across, y - down, x + across, y + down), fill=255)
    if as_stored is not None:
        mask = mask.transpose(as_stored)
    box = mask.getbbox()
    if box is None:
        return
    region = pixels.crop(box)
    few = region.resize((BLOCKS, BLOCKS), Image.Resampling.BOX)
    pixels.paste(few.resize(region.size, Image.Resampling.BICUBIC), box[:2], mask.crop(box))
