"""How Commons describes a file, with the shapes of its recorded replies.

    {"pageid": 7605486142, "ns": 6, "title": "File:A tench (7605486142).jpg", "index": 1,
     "imagerepository": "local", "imageinfo": [
        {"timestamp": "2012-07-19T13:25:02Z", "user": "ann", "size": 48211, "width": 1024, ...,
         "extmetadata": {"License": {"value": "cc-by-2.0", "source": "commons-templates",
                                     "hidden": ""}, ...}}]}

`imageinfo` has a file's versions, the newest first. A photo's title and addresses:

    File:A tench (7605486142).jpg
    /wikipedia/commons/5/5a/A_tench_(7605486142).jpg
    /wikipedia/commons/thumb/5/5a/A_tench_(7605486142).jpg/960px-A_tench_(7605486142).jpg
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import md5, sha1
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from genset.sandbox.messages import Params
from genset.sandbox.photos import MIME, Photo

WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
"""The thumbnails that there are; who asks for others is told to wait, however often."""

IMAGE_PATH = re.compile(
    r"/wikipedia/commons/(?:(?P<thumb>thumb)/)?[0-9a-f]/[0-9a-f]{2}/(?P<name>[^/]+)"
    r"(?(thumb)/(?P<width>[0-9]+)px-[^/]+)"
)
"""What `path_of` makes, but for its percent signs."""

_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f#<>\[\]|{}/:?%\\_\s]+")
_LONGEST = 120
_KEPT_PATHS = 4_096


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
    title = _NOT_IN_NAMES.sub(" ", photo.title).strip()[:_LONGEST].strip()
    title = title[:1].upper() + title[1:]
    return f"{title} ({photo.id}).{photo.picture.extension}".strip().replace(" ", "_")


@lru_cache(maxsize=_KEPT_PATHS)
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


Answer = dict[str, Any]

_WIKI = "https://commons.wikimedia.org"
_KEPT = 4_096


def versions(photo: Photo) -> list[int]:
    """When each of a file's versions was uploaded, in Unix seconds, the newest first."""
    first = photo.commons.first_upload
    return [photo.posted] if first is None else [photo.posted, first]


def page(photo: Photo, index: int | None) -> Answer:
    """A file's page, with its place among the results of a search."""
    found: Answer = {"pageid": int(photo.id), "ns": 6, "title": title_of(photo)}
    return found if index is None else found | {"index": index}


def image_info(photo: Photo, uploaded: int, params: Params, base: str) -> Answer:
    """One version of a file: what `iiprop` asks for, a thumbnail of `iiurlwidth` pixels as well."""
    properties = set(params.get("iiprop", "timestamp|user").split("|"))
    width, height = photo.picture.upright or (0, 0)
    about: Answer = {}
    if "timestamp" in properties:
        about["timestamp"] = timestamp(uploaded)
    if "user" in properties:
        about["user"] = photo.owner_name
    if "size" in properties or "dimensions" in properties:
        about |= {"size": _content(photo.picture.path)[0], "width": width, "height": height}
    if "url" in properties:
        about |= _addresses(photo, params.get("iiurlwidth", ""), base)
    if "sha1" in properties:
        about["sha1"] = _content(photo.picture.path)[1]
    if "mime" in properties:
        about["mime"] = MIME[photo.picture.extension]
    if "mediatype" in properties:
        about["mediatype"] = "BITMAP"
    if "extmetadata" in properties:
        about["extmetadata"] = metadata(photo, uploaded)
    return about


def _addresses(photo: Photo, requested: str, base: str) -> Answer:
    width, height = photo.picture.upright or (0, 0)
    title = quote(title_of(photo).replace(" ", "_"), safe="():!,")
    whole = base + path_of(photo)
    addresses: Answer = {}
    if requested and int(requested) >= width:  # there is nothing to make smaller
        addresses = {"thumburl": whole, "thumbwidth": width, "thumbheight": height}
    elif requested:
        addresses = {
            "thumburl": base + path_of(photo, int(requested)),
            "thumbwidth": int(requested),
            "thumbheight": round(height * int(requested) / width),
        }
    return addresses | {
        "url": whole,
        "descriptionurl": f"{_WIKI}/wiki/{title}",
        "descriptionshorturl": f"{_WIKI}/w/index.php?curid={photo.id}",
    }


def metadata(photo: Photo, uploaded: int) -> Answer:
    """What a file's page says in words, as HTML: by whom, when taken, under which licence."""
    license = license_of(photo)
    name = escape(photo.owner_name)
    user = f"User:{quote(photo.owner_name.replace(' ', '_'))}"
    values: dict[str, str | None] = {
        "DateTime": datetime.fromtimestamp(uploaded, UTC).strftime("%Y-%m-%d %H:%M:%S"),
        "ObjectName": escape(title_of(photo).removeprefix("File:").rpartition(".")[0]),
        "Categories": "|".join(escape(tag) for tag in photo.tags.split()),
        "ImageDescription": escape(photo.title),
        "DateTimeOriginal": photo.taken,
        "Credit": '<span class="int-own-work" lang="en">Own work</span>',
        "Artist": f'<a href="//commons.wikimedia.org/wiki/{user}" title="User:{name}">{name}</a>',
        "LicenseShortName": license.short,
        "UsageTerms": license.terms,
        "AttributionRequired": "true" if license.copyrighted else "false",
        "LicenseUrl": license.url or None,
        "Copyrighted": "True" if license.copyrighted else "False",
        "Restrictions": "",
        "License": license.code or None,
    } | dict(photo.commons.page_fields)
    fields: Answer = {
        key: {"value": value, "source": _SOURCES.get(key, "commons-desc-page")}
        | ({} if key in _SHOWN else {"hidden": ""})
        for key, value in values.items()
        if value is not None
    }
    version = {"value": 1.2, "source": "extension", "hidden": ""}
    return fields | {"CommonsMetadataExtension": version}


_SOURCES = {
    "DateTime": "mediawiki-metadata",
    "ObjectName": "mediawiki-metadata",
    "Categories": "commons-categories",
    "License": "commons-templates",
}
_SHOWN = {"Artist", "DateTimeOriginal", "ImageDescription"}


def timestamp(when: int) -> str:
    """A time as MediaWiki writes it: `2012-07-19T13:25:02Z`."""
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@lru_cache(maxsize=_KEPT)
def _content(path: Path) -> tuple[int, str]:
    """A file's length and its SHA-1, as they were when they were first asked for."""
    content = path.read_bytes()
    return len(content), sha1(content, usedforsecurity=False).hexdigest()
