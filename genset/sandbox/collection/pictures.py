"""Image files, and smaller pictures made of them."""

import io
import struct
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageOps

from genset.core.pixels import eight_bit

Pixels = tuple[int, int]
"""Width and height."""

MIME = {"jpg": "image/jpeg", "png": "image/png", "gif": "image/gif"}
SUFFIXES = {".jpg": "jpg", ".jpeg": "jpg", ".png": "png", ".gif": "gif"}

_FORMATS = {"jpg": "JPEG", "png": "PNG", "gif": "GIF"}
_UNREADABLE = (OSError, SyntaxError, ValueError, struct.error, Image.DecompressionBombError)
_ORIENTATION = 0x0112
_TURNED = {5, 6, 7, 8}  # orientations that lie on their side


@dataclass(frozen=True)
class Picture:
    """An image file; `pixels` is None when Pillow cannot read it.

    Sources turn the sizes they make as the camera's EXIF mark says, but not the original, so
    a `turned` picture's width in pixels is the height of its other sizes.
    """

    path: Path
    extension: str
    pixels: Pixels | None
    turned: bool = False

    @classmethod
    def look(cls, path: Path) -> "Picture":
        """Read the header of a file; its extension is its real format's, whatever its name."""
        named = SUFFIXES[path.suffix.lower()]
        try:
            with Image.open(path) as image:
                extension = {"JPEG": "jpg", "PNG": "png", "GIF": "gif"}.get(image.format or "")
                turned = image.getexif().get(_ORIENTATION) in _TURNED
                return cls(path, extension or named, image.size, turned)
        except _UNREADABLE:
            return cls(path, named, None)

    @property
    def upright(self) -> Pixels | None:
        """Width and height as people see it."""
        if self.pixels is None or not self.turned:
            return self.pixels
        return self.pixels[1], self.pixels[0]


def fit(pixels: Pixels, side: int) -> Pixels:
    """Width and height of a picture of these pixels whose longer side has so many."""
    width, height = (max(1, int(long * side / max(pixels) + 0.5)) for long in pixels)
    return width, height


def shrink(path: Path, side: int, square: bool = False, extension: str = "jpg") -> bytes:
    """The picture upright, its longer side so many pixels; a damaged file's own bytes.

    A `square` one is cut to it. Its format is that of the `extension`.
    """
    try:
        with Image.open(path) as opened:
            image = eight_bit(ImageOps.exif_transpose(opened)).convert("RGB")
    except _UNREADABLE:
        return path.read_bytes()
    shrunk = ImageOps.fit(image, (side, side)) if square else image.resize(fit(image.size, side))
    out = io.BytesIO()
    shrunk.save(out, _FORMATS[extension], quality=85)
    return out.getvalue()


def placeholder() -> bytes:
    """The grey PNG that stands where a photo was removed."""
    out = io.BytesIO()
    Image.new("RGB", (500, 374), (243, 245, 246)).save(out, "PNG")
    return out.getvalue()
