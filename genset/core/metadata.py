"""What a photo's file says beside its pixels: whether it tells too much; the file without it."""

import re
import struct
import warnings
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import ExifTags, Image, IptcImagePlugin

from genset.core.errors import GensetError

_ORIENTATION = 0x0112


# What tells a place and what names a person. IPTC's numbers are of its record 2: city, sublocation,
# province, country; by-line, caption writer.
_PLACES, _PERSONS = {90, 92, 95, 101}, {80, 122}
_PLACE_WORDS = rb"GPSL(?:at|ong)itude|photoshop:(?:City|State|Country)|:Location\b"
_PERSON_WORDS = rb"dc:creator|PersonInImage|PersonDisplayName|OwnerName|CaptionWriter"
_ARTIST, _AUTHOR, _OWNER = 0x013B, 0x9C9D, 0xA430


def place_and_person(path: Path) -> tuple[bool, bool]:
    """Whether a file's EXIF, IPTC or XMP tells where it was taken, and whether it names a person.

    A file that cannot be read tells nothing.
    """
    try:
        with warnings.catch_warnings(), Image.open(path) as image:
            warnings.simplefilter("ignore")  # on odd metadata
            exif, xmp = image.getexif(), image.info.get("xmp", b"")
            iptc = IptcImagePlugin.getiptcinfo(image) or {}
            gps, camera = exif.get_ifd(ExifTags.IFD.GPSInfo), exif.get_ifd(ExifTags.IFD.Exif)
    except Exception:  # noqa: BLE001 - a stranger's bytes, in which Pillow trips over many things
        return False, False
    persons = [exif.get(_ARTIST), exif.get(_AUTHOR), camera.get(_OWNER)]
    named = "".join([str(value or "") for value in persons]).strip("\0 ")
    recorded = {number for record, number in iptc if record == 2}
    place = {2, 4} & gps.keys() or recorded & _PLACES or re.search(_PLACE_WORDS, xmp)
    person = named or recorded & _PERSONS or re.search(_PERSON_WORDS, xmp)
    return bool(place), bool(person)


def stripped(content: bytes, name: str) -> bytes:
    """A JPEG's or PNG's bytes without metadata but orientation and colour profile; same pixels.

    Errors call it by its `name`.

    Raises:
        GensetError: it has another format, or is broken.
    """
    try:
        with Image.open(BytesIO(content), formats=("JPEG", "PNG")) as image:
            exif, written = Image.Exif(), BytesIO()
            if (turn := image.getexif().get(_ORIENTATION, 1)) in range(2, 9):
                exif[_ORIENTATION] = turn
            if image.format == "JPEG":
                return b"".join(_jpeg(content, exif.tobytes() if len(exif) else b""))
            for key in image.info.keys() - {"icc_profile", "transparency"}:
                del image.info[key]
            image.save(written, "PNG", exif=exif)
            return written.getvalue()
    except (OSError, IndexError, ValueError):
        why = "metadata can be removed from JPEG and PNG alone: release without it, by --exclude"
        raise GensetError(f"{name}: {why}") from None


def _jpeg(content: bytes, exif: bytes) -> Iterator[bytes]:
    """Source: ITU T.81, Annex B. What follows the image's end, such as previews, is left out."""
    yield content[:2]
    at, is_first = 2, True
    while (marker := content[at + 1]) != 0xD9:
        if marker == 0xFF:  # filling
            at += 1
            continue
        end = at + 2 + int.from_bytes(content[at + 2 : at + 4], "big")
        if is_first and marker != 0xE0 and exif:
            yield b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif
        is_first = is_first and marker == 0xE0
        data = content[at + 4 : end]
        is_profile = marker == 0xE2 and data.startswith(b"ICC_PROFILE\0")
        if marker == 0xDA:  # a scan: its data lasts to the next marker
            while content[end] != 0xFF or content[end + 1] in (0, *range(0xD0, 0xD8)):
                end = content.index(b"\xff", end + 1)
        if not (marker == 0xFE or 0xE0 <= marker <= 0xEF) or marker in (0xE0, 0xEE) or is_profile:
            yield content[at:end]
        at = end
    yield b"\xff\xd9"
