"""A photo's file without what it says beside its pixels."""

import struct
from collections.abc import Iterator
from io import BytesIO

from PIL import Image

from genset.core.errors import GensetError
from genset.core.pixels import FORMATS_OF_USERS

_ORIENTATION = 0x0112


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
