"""The ladder of sizes in which Flickr offers a photo, and where its image host has each.

{"sq": (75, 75), "q": (150, 150), ..., "o": (2560, 1600)}
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from genset.sandbox.collection.photos import Photo
from genset.sandbox.collection.pictures import Pixels, fit

SERVER = "65535"
"""Where Flickr has kept new photos for years."""

IMAGE_PATH = re.compile(r"/\d+/(\d+)_[0-9a-f]+(?:_([a-z]))?\.(?:jpg|png|gif)")
"""What `path_of` makes: the photo's id and the size's suffix are its groups."""

_KEPT = 4_096


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
        return (self.side, self.side) if self.square else fit(pixels, self.side)

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

KEYS = {size.suffix: size.key for size in SIZES.values()}
"""Of the sizes, by the suffix that their addresses have."""


@lru_cache(maxsize=_KEPT)
def sizes_of(photo: Photo) -> dict[str, Pixels | None]:
    """The sizes there are of a photo, smallest first; the last one is the file's own bytes.

    None stands for the unknown pixels of an unreadable file.
    """
    own, upright = photo.picture.pixels, photo.picture.upright
    if own is None or upright is None:
        return {"o": None}
    found: dict[str, Pixels | None] = {}
    for key, size in SIZES.items():
        if key == photo.largest:
            break
        if size.side <= max(upright):
            found[key] = size.fit(upright)
    return found | {photo.largest: own}


def own_size(photo: Photo) -> str:
    """Key of the size that is the file itself, unchanged."""
    return list(sizes_of(photo))[-1]


def secret_of(photo: Photo, key: str = "m") -> str:
    """Part of an address: nobody can guess the largest sizes' from a smaller one's."""
    return sha256(f"{photo.id} {key if key in 'hko' else ''}".encode()).hexdigest()[:10]


def path_of(photo: Photo, key: str) -> str:
    """Where the image host has a size: `/65535/7605486142_0d7b1b830e_b.jpg`."""
    suffix = f"_{SIZES[key].suffix}" if SIZES[key].suffix else ""
    extension = photo.picture.extension if key == own_size(photo) else "jpg"
    return f"/{SERVER}/{photo.id}_{secret_of(photo, key)}{suffix}.{extension}"
