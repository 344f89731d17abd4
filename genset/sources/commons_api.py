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
from typing import Any

from genset.core.dates import certain_date
from genset.core.errors import SourceError, SourceRefused, SourceUnavailable
from genset.core.html import plain_text
from genset.core.links import web_link
from genset.core.photo import PhotoOrigin
from genset.core.safe import clean
from genset.licenses import FLICKR, License, creative_commons, spdx_id

NAME = "commons"

Ask = Callable[[Mapping[str, object]], dict[str, Any]]
"""Makes a call with these parameters, when its turn comes, and returns its parsed answer."""

# Codes of errors that pass by themselves: replicas that lag, a wiki that is being mended, a search
# that is overloaded.
_PASSING = re.compile(
    r"maxlag|ratelimited|readonly|internal_api_error_\w+|cirrussearch-(?:backend|too-busy)-error"
)
_LONGEST_MESSAGE = 200

# Signs of a value in JSON. A page of search results has about 5,000 of them. A reply of 32 MB can
# hold ten million values, which are a gigabyte when they are parsed.
_SIGNS = (b",", b"[", b"{")
_MOST_VALUES = 1_000_000

# How parameters are named that say where to go on, and how much they say together.
_CONTINUES = re.compile(r"[a-z]{0,16}(?:continue|offset|start)")
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
        _merge(pages, reply)
        before, following = following, _following(reply)
        # In format version 1 it is "", in version 2 it is true.
        if reply.get("batchcomplete", False) is not False or not following:
            return Batch(pages, following, _total(reply))
        if following == before:
            raise SourceUnavailable("Wikimedia Commons' answer goes on where it began")


def parse_reply(body: bytes) -> dict[str, Any]:
    """The JSON document of an answer.

    An error comes as HTTP 200: ``{"error": {"code": "maxlag", "info": "Waiting for ..."}}``.

    Raises:
        SourceRefused, SourceUnavailable: Commons' error, by whether it may pass.
    """
    if sum(map(body.count, _SIGNS)) > _MOST_VALUES:
        raise SourceUnavailable("Wikimedia Commons' answer holds more values than any search has")
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        raise SourceUnavailable(
            "Wikimedia Commons' API answered with something else than JSON (a captive portal?)"
        ) from None
    if not isinstance(reply, dict):
        raise _unknown_form("it is no object")
    if "error" in reply:
        raise _error(reply["error"])
    return reply


def checked_continuation(value: object) -> dict[str, str] | None:
    """Parameters that say where to go on, as text; None where these are none."""
    if not isinstance(value, dict) or len(value) > 10:
        return None
    found: dict[str, str] = {}
    for name, item in value.items():
        if type(item) not in (str, int) or not _CONTINUES.fullmatch(str(name)):
            return None
        found[name] = item if isinstance(item, str) else f"{item:d}"[:20]
    is_short = len(json.dumps(found, ensure_ascii=False)) <= _LONGEST_CONTINUATION
    return found if is_short and all(map(str.isprintable, found.values())) else None


def _following(reply: Mapping[str, Any]) -> dict[str, str]:
    if (continuation := reply.get("continue")) is None:
        return {}
    following = checked_continuation(continuation)
    if following is None:
        raise _unknown_form("nobody can go on from it")
    return following


def _merge(pages: dict[int, dict[str, Any]], reply: Mapping[str, Any]) -> None:
    """Add what an answer says of pages to what is known of them. What is no page is left out."""
    query = reply.get("query", {})
    listed = query.get("pages", []) if isinstance(query, dict) else None
    if isinstance(listed, dict):  # as in format version 1
        listed = list(listed.values())
    if not isinstance(listed, list):
        raise _unknown_form("it has no pages")
    for page in listed:
        if not isinstance(page, dict) or not is_page_id(page.get("pageid")):
            continue
        known = pages.setdefault(page["pageid"], {})
        versions = [*_list(known.get("imageinfo")), *_list(page.get("imageinfo"))]
        known |= page
        if versions:
            known["imageinfo"] = versions


def is_page_id(value: object) -> bool:
    """Whether it can be a page's number: whole, from 1, at most 15 digits."""
    return type(value) is int and 0 < value < 10**15


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _total(reply: Mapping[str, Any]) -> int | None:
    """The number of results, which a search in this form seldom says."""
    info = reply.get("query", {}).get("searchinfo")
    total = info.get("totalhits") if isinstance(info, dict) else None
    return total if type(total) is int and 0 <= total < 10**9 else None


def _error(error: object) -> SourceError:
    """What Commons says is wrong, in its own words, and whether it may pass."""
    fields = error if isinstance(error, dict) else {}
    code, info = (clean(str(fields.get(name, "")), _LONGEST_MESSAGE) for name in ("code", "info"))
    kind = SourceUnavailable if _PASSING.fullmatch(code) else SourceRefused
    return kind(f"Wikimedia Commons: {info or 'an error'} (code {code or 'none'})")


def _unknown_form(why: str) -> SourceUnavailable:
    return SourceUnavailable(f"Wikimedia Commons answered in an unknown form: {why}")


LICENSE_FIELDS = ("LicenseShortName", "License", "LicenseUrl")
FIELDS = (*LICENSE_FIELDS, "Artist", "Attribution", "DateTimeOriginal")
"""The fields of `extmetadata` that are read."""

WIDTH = 960  # pixels: four times what classifiers look at, and a width that there are thumbnails of

_LONGEST_NAME = 300
_LONGEST_VALUE = 1000

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_PAGE = re.compile(r"https://commons\.wikimedia\.org/wiki/[!-~]+")
_COUNTED = re.compile(r"\?utm_[!-~]*")  # tells who asked the API for the address
_NO_RESTRICTIONS = ("no restrictions", "no known copyright restrictions")

PUBLIC_DOMAIN = "Public domain"


def versions(page: Mapping[str, Any]) -> list[datetime]:
    """When the versions of a file were uploaded, as far as this answer says; in no order."""
    found = (_moment(info.get("timestamp")) for info in _infos(page))
    return [moment for moment in found if moment is not None]


def latest(page: Mapping[str, Any]) -> datetime | None:
    """When the latest version was uploaded, of a page with nothing but that."""
    return max(versions(page), default=None)


def photo_of(page: Mapping[str, Any], posted_at: datetime) -> PhotoOrigin | None:
    """The photo on a page that has a page id, uploaded first at `posted_at`.

    None for a page without a file, a file that names neither uploader nor author, and a file
    without a licence: there is nothing that lets anybody use it.
    """
    info = next(iter(_infos(page)), None)
    if info is None:
        return None
    fields = _fields(info)
    license = license_in(fields)
    user = clean(_string(info.get("user")), _LONGEST_NAME)
    # Who asks to be credited in words of their own is.
    name = _words(fields, "Attribution") or _words(fields, "Artist") or user
    if license is None or not name:
        return None
    number = page["pageid"]
    address = _address(info.get("descriptionurl"))
    named = _PAGE.fullmatch(address) is not None
    return PhotoOrigin(
        source=NAME,
        source_id=str(number),
        owner=user or name,
        owner_name=name,
        title=_title(page.get("title")),
        license=license.name,
        license_url=license.url,
        page_url=address if named else f"https://commons.wikimedia.org/?curid={number}",
        image_url=_picture(info),
        posted_at=posted_at,
        taken_at=certain_date(_words(fields, "DateTimeOriginal")),
    )


def license_of_file(page: Mapping[str, Any]) -> License | None:
    """The licence of the file on a page; None where there is no file, or no licence."""
    info = next(iter(_infos(page)), None)
    return None if info is None else license_in(_fields(info))


def has_file(page: Mapping[str, Any]) -> bool:
    """Whether a file lies on the page."""
    return next(iter(_infos(page)), None) is not None


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


def _infos(page: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is said of the versions of a file, the latest first."""
    infos = page.get("imageinfo")
    return [info for info in infos if isinstance(info, dict)] if isinstance(infos, list) else []


def _fields(info: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = info.get("extmetadata")
    return fields if isinstance(fields, dict) else {}


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


def _picture(info: Mapping[str, Any]) -> str:
    """Where the picture is to be had, "" where nothing is said of it."""
    width, thumbnail = info.get("width"), _address(info.get("thumburl"))
    is_wide = type(width) is int and width > WIDTH
    return thumbnail if is_wide and thumbnail else _address(info.get("url"))


def _address(value: object) -> str:
    """An address as it is stored, without what counts who came; "" for none."""
    return _COUNTED.sub("", web_link(_string(value)) or "")


def _title(value: object) -> str:
    """``File:Lone tree.jpg`` without what stands around the title."""
    name = clean(_string(value), _LONGEST_NAME)
    return re.sub(r"\.\w{1,5}$", "", name.removeprefix("File:")).strip()


def _string(value: object) -> str:
    """A text of which a database takes every character; "" for what is none."""
    text = value[: 2 * _LONGEST_VALUE] if isinstance(value, str) else ""
    return text.replace("\0", "").encode(errors="replace").decode()


def _moment(value: object) -> datetime | None:
    """A time such as ``2019-09-01T00:38:47Z``; None for what is none."""
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None
