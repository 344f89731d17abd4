"""How Commons describes a file, with the shapes of its recorded replies.

    {"pageid": 7605486142, "ns": 6, "title": "File:A tench (7605486142).jpg", "index": 1,
     "imagerepository": "local", "imageinfo": [
        {"timestamp": "2012-07-19T13:25:02Z", "user": "ann", "size": 48211, "width": 1024, ...,
         "extmetadata": {"License": {"value": "cc-by-2.0", "source": "commons-templates",
                                     "hidden": ""}, ...}}]}

`imageinfo` has a file's versions, the newest first.
"""

from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha1
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from genset.sandbox.collection.photos import Photo
from genset.sandbox.collection.pictures import MIME
from genset.sandbox.commons.files import license_of, path_of, title_of
from genset.sandbox.messages import Params

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
    wanted = set(params.get("iiprop", "timestamp|user").split("|"))
    width, height = photo.picture.upright or (0, 0)
    about: Answer = {}
    if "timestamp" in wanted:
        about["timestamp"] = timestamp(uploaded)
    if "user" in wanted:
        about["user"] = photo.owner_name
    if "size" in wanted or "dimensions" in wanted:
        about |= {"size": _content(photo.picture.path)[0], "width": width, "height": height}
    if "url" in wanted:
        about |= _addresses(photo, params.get("iiurlwidth", ""), base)
    if "sha1" in wanted:
        about["sha1"] = _content(photo.picture.path)[1]
    if "mime" in wanted:
        about["mime"] = MIME[photo.picture.extension]
    if "mediatype" in wanted:
        about["mediatype"] = "BITMAP"
    if "extmetadata" in wanted:
        about["extmetadata"] = metadata(photo, uploaded)
    return about


def _addresses(photo: Photo, asked: str, base: str) -> Answer:
    width, height = photo.picture.upright or (0, 0)
    title = quote(title_of(photo).replace(" ", "_"), safe="():!,")
    whole = base + path_of(photo)
    addresses: Answer = {}
    if asked and int(asked) >= width:  # there is nothing to make smaller
        addresses = {"thumburl": whole, "thumbwidth": width, "thumbheight": height}
    elif asked:
        addresses = {
            "thumburl": base + path_of(photo, int(asked)),
            "thumbwidth": int(asked),
            "thumbheight": round(height * int(asked) / width),
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
    said: dict[str, str | None] = {
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
    } | dict(photo.commons.said)
    fields: Answer = {
        key: {"value": value, "source": _SOURCES.get(key, "commons-desc-page")}
        | ({} if key in _SHOWN else {"hidden": ""})
        for key, value in said.items()
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
