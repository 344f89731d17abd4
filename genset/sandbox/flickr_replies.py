"""How Flickr describes a photo, with the types of its recorded replies.

Numbers come as strings or as numbers, each field in its own way, and fields may be missing.
Addresses of images start with `base`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from genset.sandbox.photos import Photo, Pixels, fit

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
    largest, upright = photo.picture.pixels, photo.picture.upright
    if largest is None or upright is None:
        return {"o": None}
    found: dict[str, Pixels | None] = {}
    for key, size in SIZES.items():
        if key == photo.largest:
            break
        if size.side <= max(upright):
            found[key] = size.fit(upright)
    return found | {photo.largest: largest}


def largest_size(photo: Photo) -> str:
    """Key of the size that is the file itself, unchanged."""
    return list(sizes_of(photo))[-1]


def secret_of(photo: Photo, key: str = "m") -> str:
    """Part of an address: nobody can guess the largest sizes' from a smaller one's."""
    return sha256(f"{photo.id} {key if key in 'hko' else ''}".encode()).hexdigest()[:10]


def path_of(photo: Photo, key: str) -> str:
    """Where the image host has a size: `/65535/7605486142_0d7b1b830e_b.jpg`."""
    suffix = f"_{SIZES[key].suffix}" if SIZES[key].suffix else ""
    extension = photo.picture.extension if key == largest_size(photo) else "jpg"
    return f"/{SERVER}/{photo.id}_{secret_of(photo, key)}{suffix}.{extension}"


Answer = dict[str, Any]

_LICENSES = (
    (
        0,
        "All Rights Reserved",
        "https://www.flickrhelp.com/hc/en-us/articles/"
        "10710266545556-Using-Flickr-images-shared-by-other-members",
    ),
    (4, "CC BY 2.0", "https://creativecommons.org/licenses/by/2.0/"),
    (6, "CC BY-ND 2.0", "https://creativecommons.org/licenses/by-nd/2.0/"),
    (3, "CC BY-NC-ND 2.0", "https://creativecommons.org/licenses/by-nc-nd/2.0/"),
    (2, "CC BY-NC 2.0", "https://creativecommons.org/licenses/by-nc/2.0/"),
    (1, "CC BY-NC-SA 2.0", "https://creativecommons.org/licenses/by-nc-sa/2.0/"),
    (5, "CC BY-SA 2.0", "https://creativecommons.org/licenses/by-sa/2.0/"),
    (7, "No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
    (8, "United States Government Work", "https://www.usa.gov/government-copyright"),
    (9, "Public Domain Dedication (CC0)", "https://creativecommons.org/publicdomain/zero/1.0/"),
    (10, "Public Domain Mark", "https://creativecommons.org/publicdomain/mark/1.0/"),
    (11, "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"),
    (12, "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
    (13, "CC BY-ND 4.0", "https://creativecommons.org/licenses/by-nd/4.0/"),
    (14, "CC BY-NC 4.0", "https://creativecommons.org/licenses/by-nc/4.0/"),
    (15, "CC BY-NC-SA 4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/"),
    (16, "CC BY-NC-ND 4.0", "https://creativecommons.org/licenses/by-nc-nd/4.0/"),
)


def listed(photo: Photo, extras: set[str], base: str) -> Answer:
    """A photo as a search lists it: what `extras` does not ask for is not there."""
    pixels = photo.picture.pixels if largest_size(photo) == "o" else None
    optional: dict[str, Answer] = {
        "description": {"description": {"_content": ""}},
        "license": {"license": str(photo.license)},
        "date_upload": {"dateupload": str(photo.posted)},
        "date_taken": _taken(photo),
        "owner_name": {"ownername": photo.owner_name},
        "original_format": _original(photo),
        "tags": {"tags": photo.tags},
        "o_dims": {"o_width": str(pixels[0]), "o_height": str(pixels[1])} if pixels else {},
        "views": {"views": "0"},
        "media": {"media": "photo", "media_status": "ready"},
        "path_alias": {"pathalias": None},
    }
    answer: Answer = {
        "id": photo.id,
        "owner": photo.owner,
        "secret": secret_of(photo),
        "server": SERVER,
        "farm": 66,
        "title": photo.title,
        "ispublic": 1,
        "isfriend": 0,
        "isfamily": 0,
    }
    for extra, fields in optional.items():
        if extra in extras:
            answer |= fields
    for key, pixels in sizes_of(photo).items():
        if f"url_{key}" in extras:
            answer[f"url_{key}"] = base + path_of(photo, key)
            if pixels:
                width, height = SIZES[key].spell(pixels)
                answer |= {f"height_{key}": height, f"width_{key}": width}
    return answer


def info(photo: Photo) -> Answer:
    """Everything about a photo, as getInfo gives it."""
    taken = {key.removeprefix("date"): value for key, value in _taken(photo).items()}
    tags = [
        {
            "id": f"{photo.id}-{place}",
            "author": photo.owner,
            "raw": tag,
            "_content": tag,
            "machine_tag": 0,
        }
        for place, tag in enumerate(photo.tags.split(), start=1)
    ]
    return {
        "photo": {
            "id": photo.id,
            "secret": secret_of(photo),
            "server": SERVER,
            "farm": 66,
            "dateuploaded": str(photo.posted),
            "isfavorite": 0,
            "license": str(photo.license),
            "safety_level": "0",
            "rotation": 0,
            **_original(photo),
            "owner": {
                "nsid": photo.owner,
                "username": photo.owner_name,
                "realname": "",
                "location": "",
                "iconserver": "0",
                "iconfarm": 0,
                "path_alias": None,
            },
            "title": {"_content": photo.title},
            "description": {"_content": ""},
            "visibility": {"ispublic": 1, "isfriend": 0, "isfamily": 0},
            "dates": {"posted": str(photo.posted), **taken, "lastupdate": str(photo.posted)},
            "views": "0",
            "editability": {"cancomment": 0, "canaddmeta": 0},
            "publiceditability": {"cancomment": 1, "canaddmeta": 0},
            "usage": {"candownload": 1, "canblog": 0, "canprint": 0, "canshare": 1},
            "comments": {"_content": "0"},
            "notes": {"note": []},
            "people": {"haspeople": 0},
            "tags": {"tag": tags},
            "urls": {"url": [{"type": "photopage", "_content": _photo_page(photo)}]},
            "media": "photo",
        }
    }


def sizes(photo: Photo, base: str) -> Answer:
    """A photo's sizes, smallest first, as getSizes gives them."""
    rows: list[Answer] = []
    for key, pixels in sizes_of(photo).items():
        known = zip(("width", "height"), SIZES[key].spell(pixels), strict=True) if pixels else ()
        rows.append(
            {
                "label": SIZES[key].label,
                **dict(known),
                "source": base + path_of(photo, key),
                "url": f"{_photo_page(photo)}sizes/{key}/",
                "media": "photo",
            }
        )
    return {"sizes": {"canblog": 0, "canprint": 0, "candownload": 1, "size": rows}}


def licenses() -> Answer:
    """The licences that a photo may have, as licenses.getInfo gives them."""
    rows = [{"id": str(number), "name": name, "url": url} for number, name, url in _LICENSES]
    return {"licenses": {"license": rows}}


def _taken(photo: Photo) -> Answer:
    """When a photo was taken; Flickr puts the posting's time where that is unknown, and says so."""
    return {
        "datetaken": photo.taken or photo.posted_text,
        "datetakengranularity": "0",
        "datetakenunknown": "0" if photo.taken else "1",
    }


def _original(photo: Photo) -> Answer:
    """The key to the original, for photos whose owner gives it away."""
    if largest_size(photo) != "o":
        return {}
    return {"originalsecret": secret_of(photo, "o"), "originalformat": photo.picture.extension}


def _photo_page(photo: Photo) -> str:
    return f"https://www.flickr.com/photos/{photo.owner}/{photo.id}/"
