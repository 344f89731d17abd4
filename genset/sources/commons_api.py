"""Wikimedia Commons' API: its errors, answers that come in parts, and what is said of a file.

A search answers (the fields that matter here)::

    {"batchcomplete": true,
     "continue": {"gsroffset": 50, "continue": "gsroffset||"},
     "query": {"pages": [
       {"pageid": 81754323, "ns": 6, "title": "File:Lone tree.jpg", "index": 1,
        "imageinfo": [{"timestamp": "2019-09-01T00:38:47Z", "user": "Ann", "width": 4000,
                       "url": "https://upload.wikimedia.org/...", "thumburl": "...",
                       "descriptionurl": "https://commons.wikimedia.org/wiki/File:Lone_tree.jpg",
                       "extmetadata": {"LicenseShortName": {"value": "CC BY-SA 4.0"}, ...}}]},
       ...]}}

As long as ``batchcomplete`` is missing, the pages are not whole: the same call with what stands in
``continue`` brings the rest of them. From then on ``continue`` leads to the next pages.

`extmetadata` is what strangers wrote on the file's page: a value is HTML, now and then a number,
and an empty list stands in place of no fields.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, field, structs
from selectolax.lexbor import LexborHTMLParser

from genset.core.dates import certain_date
from genset.core.errors import (
    PhotoRejected,
    SourceError,
    SourceRefused,
    SourceUnavailable,
)
from genset.core.photo import PhotoOrigin
from genset.core.safe import clean, web_link
from genset.licenses import FLICKR, License, creative_commons, spdx_id
from genset.sources.replies import Reply, parse_json, read, read_entry, stored

NAME, TITLE = "commons", "Wikimedia Commons"
WIDTH = 960  # pixels: four times what classifiers look at

# Fields of `extmetadata`. The first two name the licence: "CC BY-SA 4.0", "cc-by-sa-4.0".
LICENSE_FIELDS = ("LicenseShortName", "License", "LicenseUrl")
FIELDS = (*LICENSE_FIELDS, "Artist", "Attribution", "DateTimeOriginal")

_LONGEST_NAME = 300
_LONGEST_ADDRESS = 2000
_PAGE = re.compile(r"https://commons\.wikimedia\.org/wiki/[!-~]+")
_COUNTED = re.compile(r"\?utm_[!-~]*")  # tells who asked the API for the address
_ACCOUNT = re.compile(r'title="(?:[a-z-]+:)*User:([^"]+?)(?: \(page does not exist\))?"')

# Of what an author's name consists where nobody is named: "AnonymousUnknown author".
_NOBODY = {
    *("anonymous", "anonymousunknown", "unknown", "unidentified", "various", "author", "authors"),
    *("photographer", "artist", "user", "not", "stated", "provided", "none", "see", "below"),
    *("description", "source", "n", "a"),
}

Ask = Callable[[Mapping[str, object]], dict[str, Any]]
"""Makes a call with these parameters, when its turn comes, and returns its parsed answer."""

# Codes of errors that pass by themselves: replicas that lag, a wiki that is being mended, a search
# that is overloaded.
_PASSING = re.compile(
    r"maxlag|ratelimited|readonly|internal_api_error_\w+|cirrussearch-(?:backend|too-busy)-error"
)
_LONGEST_MESSAGE = 200
_MOST_CALLS = 10  # for an answer in parts


class Failure(Reply, frozen=True):
    """What is wrong: ``{"code": "maxlag", "info": "Waiting for a database"}``."""

    code: str = ""
    info: str = ""


class Field(Reply, frozen=True):
    """A field of `extmetadata`."""

    value: str | int | float = ""


class Version(Reply, frozen=True):
    """A version of a file, the latest one with what stands on its page."""

    timestamp: Annotated[datetime, Meta(tz=True)] | None = None
    user: str = ""
    width: int = 0
    url: str = ""
    thumburl: str = ""
    descriptionurl: str = ""
    extmetadata: dict[str, Field] = field(default_factory=dict)


class Page(Reply, frozen=True):
    """A page of a file. One that was deleted is `missing`, or its file lies in repository ""."""

    pageid: Annotated[int, Meta(gt=0)]
    title: str = ""
    index: float = float("inf")
    imageinfo: tuple[Version, ...] = ()
    missing: Any = None
    imagerepository: Any = None


class Query(Reply, frozen=True):
    """The pages of an answer."""

    pages: list[Any] = field(default_factory=list)


class Answer(Reply, frozen=True):
    """An answer, or a part of one."""

    query: Query = Query()
    following: dict[str, str | int] = field(name="continue", default_factory=dict)
    batchcomplete: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """Pages, each whole, by their page ids, and what to add to the call for the next ones."""

    pages: dict[str, Page]
    following: dict[str, str | int]


def parse_reply(body: bytes) -> dict[str, Any]:
    """The JSON document of an answer.

    An error comes as HTTP 200: ``{"error": {"code": "maxlag", "info": "Waiting for ..."}}``.

    Raises:
        SourceRefused, SourceUnavailable: the wiki's error, by whether it may pass.
    """
    reply: dict[str, Any] = read(parse_json(body, TITLE), dict[str, Any], TITLE)
    if "error" in reply:
        failure = read_entry(reply["error"], Failure) or Failure()
        code, info = (clean(text, _LONGEST_MESSAGE) for text in (failure.code, failure.info))
        kind = SourceUnavailable if _PASSING.fullmatch(code) else SourceRefused
        raise kind(f"{TITLE}: {info or 'an error'} (code {code or 'none'})")
    return reply


def ask_whole(ask: Ask, parameters: Mapping[str, object]) -> Batch:
    """Ask until the pages of an answer are whole. What is no page is left out.

    Raises:
        SourceRefused, SourceUnavailable: the wiki's error, by whether it may pass.
        SourceUnavailable: the answer is in an unknown form, or comes in too many parts.
    """
    pages: dict[str, Page] = {}
    following: dict[str, str | int] = {}
    for _ in range(_MOST_CALLS):
        answer = read(ask({**parameters, **following}), Answer, TITLE)
        for part in answer.query.pages:
            if (page := read_entry(part, Page)) is not None:
                known = pages.setdefault(str(page.pageid), page)
                if known is not page:
                    versions = known.imageinfo + page.imageinfo
                    pages[str(page.pageid)] = structs.replace(known, imageinfo=versions)
        following = answer.following
        if answer.batchcomplete or not following:
            return Batch(pages, following)
    raise SourceUnavailable(f"{TITLE}' answer comes in too many parts", scope="query")


def photo_of(found: Page) -> PhotoOrigin:
    """The photo on a page, posted with its latest version; PhotoRejected where there is none.

    Its owner is its author, whom the file's page names; bots upload for many. Where nobody is
    named, it is the uploader.
    """
    if not found.imageinfo:
        raise PhotoRejected("no file")
    info = found.imageinfo[0]
    if info.timestamp is None:
        raise PhotoRejected("no upload date")
    if (license := license_in(info.extmetadata)) is None:
        raise PhotoRejected("no licence")
    user = _text(info.user)
    author = _words(info.extmetadata, "Artist")
    # Who asks to be credited in words of their own is.
    name = _words(info.extmetadata, "Attribution") or author or user
    if not name:
        raise PhotoRejected("no author")
    address = _address(info.descriptionurl)
    named = _PAGE.fullmatch(address) is not None
    thumbnail = _address(info.thumburl) if info.width > WIDTH else ""
    return PhotoOrigin(
        source=NAME,
        source_id=str(found.pageid),
        owner=_account(info.extmetadata, author) or user or name,
        owner_name=name,
        title=re.sub(r"\.\w{1,5}$", "", _text(found.title).removeprefix("File:")).strip(),
        license=license.name,
        license_url=license.url,
        page_url=address if named else f"https://commons.wikimedia.org/?curid={found.pageid}",
        image_url=thumbnail or _address(info.url),
        posted_at=info.timestamp,
        taken_at=certain_date(_words(info.extmetadata, "DateTimeOriginal")),
    )


def _account(fields: Mapping[str, Field], author: str) -> str:
    """Who an author is: the one account that the name leads to, or the name; "" for nobody."""
    accounts = set(_ACCOUNT.findall(_value(fields, "Artist")))
    if len(accounts) == 1 and (account := plain_text(accounts.pop(), _LONGEST_NAME)):
        return account
    return "" if set(re.findall(r"\w+", author.lower())) <= _NOBODY else author


def license_in_answer(batch: Batch, source_id: str) -> License | SourceError | None:
    """The licence of the file with this id; None where it was deleted.

    Where the answer says neither, that is an error.
    """
    page = batch.pages.get(source_id)
    if page is not None and page.imageinfo:
        return license_in(page.imageinfo[0].extmetadata) or License("No licence", "")
    if page is not None and (page.missing is not None or page.imagerepository == ""):
        return None
    return SourceUnavailable(f"{TITLE} says nothing of the file {source_id}", scope="photo")


def license_in(fields: Mapping[str, Field]) -> License | None:
    """The licence that these fields of `extmetadata` name; None where they name none.

    Any of the fields may be missing.
    """
    short, code, address = (_words(fields, name) for name in LICENSE_FIELDS)
    url = web_link(f"https:{address}" if address.startswith("//") else address) or ""
    for license in (License(short, url), License(code, "")):
        if found := creative_commons(license):
            return found
    name = short or code.upper()
    no_restrictions = ("no restrictions", "no known copyright restrictions")
    if name.lower() in no_restrictions or url == FLICKR[7].url:
        return FLICKR[7]
    if not name:
        return None
    free = "Public domain"
    return License(free if spdx_id(License(name, "")) == spdx_id(License(free, "")) else name, url)


def _value(fields: Mapping[str, Field], name: str) -> str:
    return str(fields[name].value) if name in fields else ""


def _words(fields: Mapping[str, Field], name: str) -> str:
    """A field as text, "" where there is none."""
    return plain_text(_value(fields, name), _LONGEST_NAME)


def _text(text: str) -> str:
    return clean(stored(text), _LONGEST_NAME)


def _address(text: str) -> str:
    """An address as it is stored, without what counts who came; "" for none."""
    return _COUNTED.sub("", web_link(stored(text, _LONGEST_ADDRESS)) or "")


_LONGEST = 10_000  # characters that are read: nobody's name or date is so long

# Of strangers' HTML nothing is ever rendered, so nothing needs to be allowed: what a browser would
# show as text is kept, and all markup is dropped.
_UNSEEN = """
    body :is(script, style, template, title, textarea, noscript, iframe, [hidden],
    [style*='display:none' i], [style*='display: none' i],
    [style*='visibility:hidden' i], [style*='visibility: hidden' i])
"""

# Elements between which words do not run together.
_BLOCKS = """
    address, article, aside, blockquote, br, caption, center, dd, div, dl, dt, fieldset, figure,
    footer, form, h1, h2, h3, h4, h5, h6, header, hr, li, main, nav, ol, option, p, pre, section,
    table, tbody, td, tfoot, th, thead, tr, ul
"""


def plain_text(markup: str, longest: int = 120) -> str:
    """The words that a browser would show, on one line, of characters that print.

    Scripts, styles and what is hidden are no words. No more than the first 10,000 characters of
    `markup` are read, and no more than `longest` of the words returned.

    >>> plain_text('<p>Ann &amp; <b>Bo</b><script>alert(1)</script></p><p>2014</p>')
    'Ann & Bo 2014'
    """
    body = LexborHTMLParser(markup[:_LONGEST]).body
    if body is None:
        return ""
    while unseen := body.css_first(_UNSEEN):  # with what lies in it
        unseen.decompose()
    for block in body.css(_BLOCKS):
        block.insert_before(" ")
        block.insert_after(" ")
    return clean(body.text(), longest)
