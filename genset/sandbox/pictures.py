"""Image files, and the ladder of sizes in which Flickr offers each of them."""

import io
import struct
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageOps

from genset.pixels import eight_bit

Pixels = tuple[int, int]
"""Width and height."""

MIME = {"jpg": "image/jpeg", "png": "image/png", "gif": "image/gif"}
SUFFIXES = {".jpg": "jpg", ".jpeg": "jpg", ".png": "png", ".gif": "gif"}

_UNREADABLE = (OSError, SyntaxError, ValueError, struct.error, Image.DecompressionBombError)
_ORIENTATION = 0x0112
_TURNED = {5, 6, 7, 8}  # orientations that lie on their side


@dataclass(frozen=True)
class Picture:
    """An image file; `pixels` is None when Pillow cannot read it.

    Flickr turns the sizes it makes as the camera's EXIF mark says, but not the original, so
    `turned` pictures have a `width_o` that is the height of their other sizes.
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


@dataclass(frozen=True)
class Size:
    """One rung of Flickr's ladder: `url_l` ends in `_b.jpg` and is at most 1,024 pixels long."""

    key: str
    suffix: str
    label: str
    side: int
    square: bool = False

    def fit(self, pixels: Pixels) -> Pixels:
        """Width and height of a picture of these pixels in this size."""
        if self.square:
            return self.side, self.side
        width, height = (max(1, int(long * self.side / max(pixels) + 0.5)) for long in pixels)
        return width, height

    def spell(self, pixels: Pixels) -> tuple[int | str, int | str]:
        """Width and height with the types that Flickr gives them, which differ from size to size.

        What Flickr computes when asked is a number, what it has stored is a string.
        """
        width, height = pixels
        if self.key == "sq":
            return width, height
        if self.key in {"n", "c", "h", "k"}:
            return (str(width), height) if width >= height else (width, str(height))
        return str(width), str(height)


SIZES = {
    size.key: size
    for size in (
        Size("sq", "s", "Square", 75, square=True),
        Size("q", "q", "Large Square", 150, square=True),
        Size("t", "t", "Thumbnail", 100),
        Size("s", "m", "Small", 240),
        Size("n", "n", "Small 320", 320),
        Size("m", "", "Medium", 500),
        Size("z", "z", "Medium 640", 640),
        Size("c", "c", "Medium 800", 800),
        Size("l", "b", "Large", 1024),
        Size("h", "h", "Large 1600", 1600),
        Size("k", "k", "Large 2048", 2048),
        Size("o", "o", "Original", 0),
    )
}
"""By the key that `url_<key>` carries, smallest first. The original is as long as it is."""


def shrink(path: Path, size: Size) -> bytes:
    """The picture in one of the smaller sizes, as JPEG; a damaged file's own bytes."""
    try:
        with Image.open(path) as opened:
            image = eight_bit(ImageOps.exif_transpose(opened)).convert("RGB")
    except _UNREADABLE:
        return path.read_bytes()
    pixels = size.fit(image.size)
    shrunk = ImageOps.fit(image, pixels) if size.square else image.resize(pixels)
    out = io.BytesIO()
    shrunk.save(out, "JPEG", quality=85)
    return out.getvalue()


def placeholder() -> bytes:
    """The grey PNG that stands where a photo was removed."""
    out = io.BytesIO()
    Image.new("RGB", (500, 374), (243, 245, 246)).save(out, "PNG")
    return out.getvalue()
