"""Photos on the page: small copies that travel inside it, with their credit lines."""

import base64
import io
import warnings

from markupsafe import Markup
from PIL import Image, ImageOps

from genset.core.pixels import eight_bit
from genset.core.safe import clean
from genset.licenses import License, may_be_passed_on
from genset.release.reader import ReleasePhoto
from genset.reporting.html import link
from genset.sets.formats import BROKEN, image_of
from genset.sets.photos import HasBytes

_LONGEST = 320


def picture(photo: HasBytes, record: ReleasePhoto | None, of: str, *, restricted: bool) -> Markup:
    """The photo as it stands on the page, or why it does not.

    Args:
        photo: its bytes.
        record: what a release knows of it.
        of: its class.
        restricted: show it even where no licence lets others hand it on.
    """
    license = License(record.license, record.license_url) if record else None
    if license and not restricted and not may_be_passed_on(license):
        words = "No licence lets others hand this photo on: see its page"
    elif source := thumbnail(photo):
        return Markup('<img src="{}" alt="Photo of the class {}">').format(source, clean(of))
    else:
        words = "This photo cannot be shown"
    return Markup('<div class="missing">{}</div>').format(words)


def credit(record: ReleasePhoto | None, source: str, image: str) -> Markup:
    """Whose photo it is, and under which licence; of other photos where it lies in the set.

    Args:
        record: what a release knows of it.
        source: the title of the source that it is from.
        image: its path in the set.
    """
    if record is None:
        return Markup('<p class="credit">{}</p>').format(clean(image))
    title = link(record.page_url, clean(record.title, 100) or "Untitled")
    owner = clean(record.owner_name, 60) or clean(record.owner, 60)
    license = link(record.license_url, clean(record.license, 60))
    return Markup('<p class="credit">{} by <bdi>{}</bdi>, <bdi>{}</bdi>, {}</p>').format(
        title, owner, source, license
    )


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
