"""What a photo's file says beside its pixels: places and names found, and all of it removed."""

import re
import struct
from collections.abc import Iterator
from io import BytesIO
from typing import IO

from PIL import Image, IptcImagePlugin

from genset.core.errors import GensetError
from genset.core.pixels import FORMATS_OF_USERS

_ORIENTATION, _GPS, _EXIF = 0x0112, 0x8825, 0x8769
_NAMES = (0x013B, 0x8298, 0x9C9D, 0xA430)  # artist, copyright, author, owner of the camera
_IPTC_PLACES, _IPTC_NAMES = (26, 27, 90, 92, 95, 100, 101), (80, 85, 116, 118, 122)
_XMP_PLACES = re.compile(rb"GPSL(at|ong)itude|:(City|Location|State|Country|LocationShown)\b")
_XMP_NAMES = re.compile(rb"dc:creator|dc:rights|PersonInImage|PersonDisplayName|:OwnerName")


def identities_in(file: IO[bytes]) -> set[str]:
    """Which of "place" and "name" a photo's EXIF, IPTC or XMP holds.

    Raises:
        OSError: it is no photo.
    """
    with Image.open(file, formats=FORMATS_OF_USERS) as image:
        exif = image.getexif()
        details = {**exif, **exif.get_ifd(_EXIF)}
        iptc = IptcImagePlugin.getiptcinfo(image) or {}
        xmp = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or b""
        text = xmp.encode() if isinstance(xmp, str) else xmp
        has_place = {2, 4} & set(exif.get_ifd(_GPS)) or _XMP_PLACES.search(text)
        has_name = any(details.get(tag) for tag in _NAMES) or _XMP_NAMES.search(text)
    found = {"place"} if has_place or any((2, n) in iptc for n in _IPTC_PLACES) else set[str]()
    return found | ({"name"} if has_name or any((2, n) in iptc for n in _IPTC_NAMES) else set())


def stripped(content: bytes) -> bytes:
    """A photo's file without metadata but orientation and colour profile; its pixels stay as coded.

    Raises:
        GensetError: its format is none whose parts are known here, or it is broken.
    """
    try:
        with Image.open(BytesIO(content), formats=FORMATS_OF_USERS) as image:
            kind, exif = image.format, Image.Exif()
            if (turn := image.getexif().get(_ORIENTATION, 1)) in range(2, 9):
                exif[_ORIENTATION] = turn
        strip = {"JPEG": _jpeg, "PNG": _png, "WEBP": _webp}[str(kind)]
        return b"".join(strip(content, exif.tobytes() if len(exif) else b""))
    except (OSError, KeyError, IndexError, ValueError, struct.error) as error:
        raise GensetError(f"its metadata cannot be removed: {error!r}") from None


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


def _png(content: bytes, exif: bytes) -> Iterator[bytes]:
    import zlib

    yield content[:8]
    at, kind = 8, b""
    while kind != b"IEND":
        size, kind = struct.unpack(">I4s", content[at : at + 8])
        if kind == b"IDAT" and exif:
            chunk = b"eXIf" + exif.removeprefix(b"Exif\0\0")
            yield struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
            exif = b""
        if kind not in (b"eXIf", b"tEXt", b"iTXt", b"zTXt", b"tIME"):
            yield content[at : at + 12 + size]
        at += 12 + size


def _webp(content: bytes, exif: bytes) -> Iterator[bytes]:
    """Source: RFC 9649. Bits 2 and 3 of VP8X say that there is XMP and EXIF."""
    chunks, at = [], 12
    while at < len(content):
        kind, size = struct.unpack("<4sI", content[at : at + 8])
        chunk = bytearray(content[at : at + 8 + size + size % 2])
        if kind == b"VP8X":
            chunk[8] = chunk[8] & 0b11110011 | (8 if exif else 0)
        if kind not in (b"EXIF", b"XMP "):
            chunks.append(bytes(chunk))
        at += 8 + size + size % 2
    if exif:
        chunks.append(struct.pack("<4sI", b"EXIF", len(exif)) + exif + b"\0" * (len(exif) % 2))
    body = b"".join(chunks)
    yield struct.pack("<4sI4s", b"RIFF", len(body) + 4, b"WEBP") + body
