"""Wikimedia Commons' API: its errors, answers that come in parts, and what is said of a file.

An answer to ``action=query`` (the fields that matter here)::

    {"batchcomplete": true,
     "continue": {"gsroffset": 50, "continue": "gsroffset||"},
     "query": {"pages": [
       {"pageid": 81754323, "ns": 6, "title": "File:Lone tree.jpg", "index": 1,
        "imageinfo": [{"timestamp": "2019-09-01T00:38:47Z", "user": "Ann", ...}]},
       ...]}}

As long as ``batchcomplete`` is missing, the pages are not whole: the same call with what stands in
``continue`` brings the rest of them. From then on ``continue`` leads to the next pages.

What is said of a file is strangers' words. What stands on its page comes as `extmetadata`, a field
each ``{"value": "<a href=...>Ann</a>", "source": "commons-desc-page", "hidden": ""}``, whose value
is mostly HTML, now and then a number, a list or an object by language, and an empty list in place
of all fields where there are none.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from genset.core.dates import certain_date
from genset.core.errors import BadInput, SourceError, SourceRefused, SourceUnavailable
from genset.core.photo import PhotoOrigin
from genset.core.safe import clean, web_link
from genset.core.validation import check
from genset.licenses import FLICKR, License, creative_commons, spdx_id
from genset.sources.html import plain_text
from genset.sources.replies import Reply, parse_json, read, read_entry, stored

NAME, TITLE = "commons", "Wikimedia Commons"

Ask = Callable[[Mapping[str, object]], dict[str, Any]]
"""Makes a call with these parameters, when its turn comes, and returns its parsed answer."""

# Codes of errors that pass by themselves: replicas that lag, a wiki that is being mended, a search
# that is overloaded.
_PASSING = re.compile(
    r"maxlag|ratelimited|readonly|internal_api_error_\w+|cirrussearch-(?:backend|too-busy)-error"
)
_LONGEST_MESSAGE = 200

# How parameters are named that say where to go on, and how much they say together.
_Continuation = Annotated[
    dict[Annotated[str, Meta(pattern="^[a-z]{0,16}(continue|offset|start)$")], str | int],
    Meta(max_length=10),
]
_LONGEST_CONTINUATION = 2000


@dataclass(frozen=True, slots=True)
class Batch:
    """Pages, each whole, by their page ids, and what to add to the call for the next ones.

    `following` is empty at the end. `total` is how many results there are, where it is said.
    """

    pages: dict[int, dict[str, Any]]
    following: dict[str, str]
    total: int | None = None


def ask_whole(ask: Ask, parameters: Mapping[str, object]) -> Batch:
    """Ask until the pages of an answer are whole.

    Raises:
        SourceRefused, SourceUnavailable: Commons' error, by whether it may pass.
        SourceUnavailable: the answer is in an unknown form, or leads nowhere.
    """
    pages: dict[int, dict[str, Any]] = {}
    following: dict[str, str] = {}
    while True:
        reply = ask({**parameters, **following})
        query = _query(reply)
        _merge(pages, query)
        before, following = following, _following(reply)
        # In format version 1 it is "", in version 2 it is true.
        if reply.get("batchcomplete", False) is not False or not following:
            return Batch(pages, following, query.searchinfo.totalhits)
        if following == before:
            raise SourceUnavailable("Wikimedia Commons' answer goes on where it began")


class Failed(Reply, frozen=True):
    """What Commons says is wrong: ``{"code": "maxlag", "info": "Waiting for a database"}``."""

    code: str = ""
    info: str = ""


def parse_reply(body: bytes) -> dict[str, Any]:
    """The JSON document of an answer.

    An error comes as HTTP 200: ``{"error": {"code": "maxlag", "info": "Waiting for ..."}}``.

    Raises:
        SourceRefused, SourceUnavailable: Commons' error, by whether it may pass.
    """
    reply: dict[str, Any] = read(parse_json(body, TITLE), dict[str, Any], TITLE)
    if "error" in reply:
        raise _error(read_entry(reply["error"], Failed) or Failed())
    return reply


def _error(failed: Failed) -> SourceError:
    """What Commons says is wrong, in its own words, and whether it may pass."""
    code, info = (clean(text, _LONGEST_MESSAGE) for text in (failed.code, failed.info))
    kind = SourceUnavailable if _PASSING.fullmatch(code) else SourceRefused
    return kind(f"{TITLE}: {info or 'an error'} (code {code or 'none'})")


def checked_continuation(value: object) -> dict[str, str] | None:
    """Parameters that say where to go on, as text; None where these are none."""
    try:
        found = check(value, _Continuation, "continue")
    except BadInput:
        return None
    texts = {name: str(item)[:_LONGEST_CONTINUATION] for name, item in found.items()}
    is_short = len(json.dumps(texts, ensure_ascii=False)) <= _LONGEST_CONTINUATION
    return texts if is_short and all(map(str.isprintable, texts.values())) else None


def _following(reply: Mapping[str, Any]) -> dict[str, str]:
    if (continuation := reply.get("continue")) is None:
        return {}
    if (following := checked_continuation(continuation)) is None:
        raise SourceUnavailable(f"{TITLE} answered in an unknown form: continue leads nowhere")
    return following


PageId = Annotated[int, Meta(gt=0, lt=10**15)]


class SearchInfo(Reply, frozen=True):
    """How many results there are, which a search in this form seldom says."""

    totalhits: Annotated[int, Meta(ge=0, lt=10**9)] | None = None


class Query(Reply, frozen=True):
    """The pages of an answer: a list of `FilePage`, in format version 1 an object of them."""

    pages: list[Any] | dict[str, Any]
    searchinfo: SearchInfo = SearchInfo()


class Numbered(Reply, frozen=True):
    """A page, as far as it is asked which one it is; its parts are put together by that."""

    pageid: PageId


def _query(reply: Mapping[str, Any]) -> Query:
    return read({"pages": [], **read(reply.get("query", {}), dict[str, Any], TITLE)}, Query, TITLE)


def _merge(pages: dict[int, dict[str, Any]], query: Query) -> None:
    """Add what an answer says of pages to what is known of them. What is no page is left out."""
    listed = query.pages
    for page in listed.values() if isinstance(listed, dict) else listed:
        if (numbered := read_entry(page, Numbered)) is None:
            continue
        known = pages.setdefault(numbered.pageid, {})
        versions = [*_list(known.get("imageinfo")), *_list(page.get("imageinfo"))]
        known |= page
        if versions:
            known["imageinfo"] = versions


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


LICENSE_FIELDS = ("LicenseShortName", "License", "LicenseUrl")
FIELDS = (*LICENSE_FIELDS, "Artist", "Attribution", "DateTimeOriginal")
"""The fields of `extmetadata` that are read."""

WIDTH = 960  # pixels: four times what classifiers look at, and a width that there are thumbnails of

_LONGEST_NAME = 300
_LONGEST_VALUE = 1000

_PAGE = re.compile(r"https://commons\.wikimedia\.org/wiki/[!-~]+")
_COUNTED = re.compile(r"\?utm_[!-~]*")  # tells who asked the API for the address
_NO_RESTRICTIONS = ("no restrictions", "no known copyright restrictions")

PUBLIC_DOMAIN = "Public domain"


Moment = Annotated[datetime, Meta(tz=True)]


class Version(Reply, frozen=True):
    """A version of a file, with what stands on its page, in HTML: see the module's head."""

    timestamp: Moment | None = None
    user: str = ""
    width: int = 0
    url: str = ""
    thumburl: str = ""
    descriptionurl: str = ""
    extmetadata: dict[str, Any] = msgspec.field(default_factory=dict)


class FilePage(Reply, frozen=True):
    """A page of a file.

    ::

        {"pageid": 81754323, "ns": 6, "title": "File:Lone tree.jpg", "index": 1,
         "imageinfo": [{"timestamp": "2019-09-01T00:38:47Z", "user": "Ann", "width": 4000,
                        "url": "https://upload.wikimedia.org/...", "thumburl": "...",
                        "descriptionurl": "https://commons.wikimedia.org/wiki/File:Lone_tree.jpg",
                        "extmetadata": {"LicenseShortName": {"value": "CC BY-SA 4.0"}, ...}}]}
    """

    pageid: int = 0
    title: str = ""
    index: int | None = None
    imageinfo: tuple[Version, ...] = ()


def file_page(page: Mapping[str, Any]) -> FilePage:
    """What an answer says of a page; of what does not fit, nothing."""
    return read_entry(page, FilePage) or FilePage()


def versions(page: Mapping[str, Any]) -> list[datetime]:
    """When the versions of a file were uploaded, as far as this answer says; in no order."""
    return [info.timestamp for info in file_page(page).imageinfo if info.timestamp is not None]


def latest(page: Mapping[str, Any]) -> datetime | None:
    """When the latest version was uploaded, of a page with nothing but that."""
    return max(versions(page), default=None)


def photo_of(page: Mapping[str, Any], posted_at: datetime) -> PhotoOrigin | None:
    """The photo on a page that has a page id, uploaded first at `posted_at`.

    None for a page without a file, a file that names neither uploader nor author, and a file
    without a licence: there is nothing that lets anybody use it.
    """
    found = file_page(page)
    if not found.imageinfo:
        return None
    info = found.imageinfo[0]  # of the latest version
    license = license_in(info.extmetadata)
    user = clean(_string(info.user), _LONGEST_NAME)
    # Who asks to be credited in words of their own is.
    name = _words(info.extmetadata, "Attribution") or _words(info.extmetadata, "Artist") or user
    if license is None or not name:
        return None
    address = _address(info.descriptionurl)
    named = _PAGE.fullmatch(address) is not None
    thumbnail = _address(info.thumburl) if info.width > WIDTH else ""
    return PhotoOrigin(
        source=NAME,
        source_id=str(found.pageid),
        owner=user or name,
        owner_name=name,
        title=_title(found.title),
        license=license.name,
        license_url=license.url,
        page_url=address if named else f"https://commons.wikimedia.org/?curid={found.pageid}",
        image_url=thumbnail or _address(info.url),
        posted_at=posted_at,
        taken_at=certain_date(_words(info.extmetadata, "DateTimeOriginal")),
    )


def license_of_file(page: Mapping[str, Any]) -> License | None:
    """The licence of the file on a page; None where there is no file, or no licence."""
    infos = file_page(page).imageinfo
    return license_in(infos[0].extmetadata) if infos else None


def has_file(page: Mapping[str, Any]) -> bool:
    """Whether a file lies on the page."""
    return bool(file_page(page).imageinfo)


def license_in(fields: Mapping[str, Any]) -> License | None:
    """The licence that these fields of `extmetadata` name; None where they name none.

    ``LicenseShortName`` is what people read ("CC BY-SA 4.0"), ``License`` what programs read
    ("cc-by-sa-4.0"); either may be missing, and so may the address.
    """
    short, code, address = (_words(fields, name) for name in LICENSE_FIELDS)
    url = web_link(f"https:{address}" if address.startswith("//") else address) or ""
    for license in (License(short, url), License(code, "")):
        if found := creative_commons(license):
            return found
    name = short or code.upper()
    if name.lower() in _NO_RESTRICTIONS or url == FLICKR[7].url:
        return FLICKR[7]
    if not name:
        return None
    is_free = spdx_id(License(name, "")) == spdx_id(License(PUBLIC_DOMAIN, ""))
    return License(PUBLIC_DOMAIN if is_free else name, url)


def _words(fields: Mapping[str, Any], name: str) -> str:
    """A field as text, "" where there is none."""
    field = fields.get(name)
    return _plain(field.get("value") if isinstance(field, dict) else field)


def _plain(value: object, deep: int = 3) -> str:
    """A value as text: that of an object in English, or in the first language that it has."""
    if isinstance(value, str):
        return plain_text(value, _LONGEST_NAME)
    if type(value) in (int, float):
        return clean(repr(value)[:_LONGEST_VALUE], _LONGEST_NAME)
    if not deep:
        return ""
    if isinstance(value, dict):
        languages = [value.get("en"), *(v for k, v in value.items() if not k.startswith("_"))]
        return next(
            (text for language in languages[:9] if (text := _plain(language, deep - 1))), ""
        )
    if isinstance(value, list):
        parts = (_plain(item, deep - 1) for item in value[:9])
        return clean(", ".join(filter(None, parts)), _LONGEST_NAME)
    return ""


def _address(text: str) -> str:
    """An address as it is stored, without what counts who came; "" for none."""
    return _COUNTED.sub("", web_link(_string(text)) or "")


def _title(text: str) -> str:
    """``File:Lone tree.jpg`` without what stands around the title."""
    name = clean(_string(text), _LONGEST_NAME)
    return re.sub(r"\.\w{1,5}$", "", name.removeprefix("File:")).strip()


def _string(text: str) -> str:
    return stored(text, 2 * _LONGEST_VALUE)
