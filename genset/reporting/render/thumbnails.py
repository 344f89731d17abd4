"""Small pictures that travel inside the page."""

import base64
import io
import warnings

from PIL import Image, ImageOps

from genset.core.pixels import eight_bit
from genset.licenses import License, may_be_passed_on
from genset.release.reader import ReleasePhoto
from genset.sets.formats import BROKEN, image_of
from genset.sets.photos import HasBytes

_LONGEST = 320


def is_restricted(record: ReleasePhoto | None) -> bool:
    """Whether no licence lets others hand a release's photo on, and so the page with it."""
    return record is not None and not may_be_passed_on(License(record.license, record.license_url))


def thumbnail(photo: HasBytes) -> str | None:
    """The photo as a small JPEG in a data: URI, upright; None where it cannot be read.

    The file's metadata stays behind: it may say where its owner lives.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on odd metadata and sizes
            with image_of(photo.read_bytes()) as image:
                image.draft("RGB", (2 * _LONGEST, 2 * _LONGEST))
                small = _on_white(eight_bit(ImageOps.exif_transpose(image)))
                small.thumbnail((_LONGEST, _LONGEST))
    except BROKEN:
        return None
    small.info.clear()
    file = io.BytesIO()
    small.save(file, "JPEG", quality=80, optimize=True)
    return f"data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}"


def _on_white(image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image.convert("RGB")
    opaque = Image.new("RGB", image.size, "white")
    layer = image.convert("RGBA")
    opaque.paste(layer, mask=layer)
    return opaque
