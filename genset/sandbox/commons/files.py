"""A photo as a file on Wikimedia Commons: its name, its licence, where its images are.

File:A tench (7605486142).jpg
/wikipedia/commons/5/5a/A_tench_(7605486142).jpg
/wikipedia/commons/thumb/5/5a/A_tench_(7605486142).jpg/960px-A_tench_(7605486142).jpg
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import md5
from urllib.parse import quote

from genset.sandbox.collection.photos import Photo

WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
"""The thumbnails that there are; who asks for others is told to wait, however often."""

IMAGE_PATH = re.compile(
    r"/wikipedia/commons/(?:(?P<thumb>thumb)/)?[0-9a-f]/[0-9a-f]{2}/(?P<name>[^/]+)"
    r"(?(thumb)/(?P<width>[0-9]+)px-[^/]+)"
)
"""What `path_of` makes, but for its percent signs."""

_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f#<>\[\]|{}/:?%\\_\s]+")
_LONGEST = 120
_KEPT = 4_096


@dataclass(frozen=True)
class FreeLicense:
    """What Commons says of a licence: its code and its names; an address where it has one."""

    code: str
    short: str
    terms: str
    url: str = ""
    copyrighted: bool = True


def title_of(photo: Photo) -> str:
    """The title of the file's page: no two are the same."""
    return f"File:{_name(photo).replace('_', ' ')}"


def _name(photo: Photo) -> str:
    said = _NOT_IN_NAMES.sub(" ", photo.title).strip()[:_LONGEST].strip()
    said = said[:1].upper() + said[1:]
    return f"{said} ({photo.id}).{photo.picture.extension}".strip().replace(" ", "_")


@lru_cache(maxsize=_KEPT)
def path_of(photo: Photo, width: int | None = None) -> str:
    """Where the image host has a thumbnail of this width, or the file itself."""
    name = _name(photo)
    mark = md5(name.encode(), usedforsecurity=False).hexdigest()
    place = f"{mark[0]}/{mark[:2]}/{quote(name, safe='()!,')}"
    if width is None:
        return f"/wikipedia/commons/{place}"
    return f"/wikipedia/commons/thumb/{place}/{width}px-{quote(name, safe='()!,')}"


def license_of(photo: Photo) -> FreeLicense:
    """The licence on Commons, which takes none that is not free."""
    return free_license(photo.commons.license or _CODES.get(photo.license, "cc-by-sa-4.0"))


# By Flickr's numbers. Commons says of works that are in the public domain for whatever reason "pd".
_CODES = {
    4: "cc-by-2.0",
    5: "cc-by-sa-2.0",
    7: "flickr",
    8: "pd",
    9: "cc0",
    10: "pd",
    11: "cc-by-4.0",
    12: "cc-by-sa-4.0",
}

_CREATIVE_COMMONS = re.compile(r"cc-(by(?:-sa)?)-([0-9.]+)(?:-([a-z]+))?")
_PLAIN = {
    "cc0": FreeLicense(
        "cc0",
        "CC0",
        "Creative Commons Zero, Public Domain Dedication",
        "http://creativecommons.org/publicdomain/zero/1.0/deed.en",
    ),
    "pd": FreeLicense("pd", "Public domain", "Public domain", copyrighted=False),
    "flickr": FreeLicense(
        "",
        "No restrictions",
        "No known copyright restrictions",
        "https://www.flickr.com/commons/usage/",
        copyrighted=False,
    ),
}


def free_license(code: str) -> FreeLicense:
    """What Commons says of a licence with this code; of one that it has no code for, the words."""
    if code in _PLAIN:
        return _PLAIN[code]
    found = _CREATIVE_COMMONS.fullmatch(code)
    if not found:
        return FreeLicense("", code[:1].upper() + code[1:], code[:1].upper() + code[1:])
    kind, version, port = found.groups()
    words = "Attribution-Share Alike" if kind == "by-sa" else "Attribution"
    end = f" {port}" if port else ""
    return FreeLicense(
        code,
        f"CC {kind.upper()} {version}{end}",
        f"Creative Commons {words} {version}{end}",
        f"https://creativecommons.org/licenses/{kind}/{version}"
        + (f"/{port}/deed.en" if port else ""),
    )
