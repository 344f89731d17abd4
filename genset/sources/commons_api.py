"""Wikimedia Commons' API: answers that are errors, and answers that come in parts.

An answer to ``action=query`` (the fields that matter here)::

    {"batchcomplete": true,
     "continue": {"gsroffset": 50, "continue": "gsroffset||"},
     "query": {"pages": [
       {"pageid": 81754323, "ns": 6, "title": "File:Lone tree.jpg", "index": 1,
        "imageinfo": [{"timestamp": "2019-09-01T00:38:47Z", "user": "Ann", ...}]},
       ...]}}

As long as ``batchcomplete`` is missing, the pages are not whole: the same call with what stands in
``continue`` brings the rest of them. From then on ``continue`` leads to the next pages.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from genset.core.errors import SourceError, SourceRefused, SourceUnavailable
from genset.core.safe import clean

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


def ask_whole(ask: Ask, asked: Mapping[str, object]) -> Batch:
    """Ask until the pages of an answer are whole.

    Raises:
        SourceRefused, SourceUnavailable: Commons' error, by whether it may pass.
        SourceUnavailable: the answer is in an unknown form, or leads nowhere.
    """
    pages: dict[int, dict[str, Any]] = {}
    following: dict[str, str] = {}
    while True:
        reply = ask({**asked, **following})
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


def checked_continuation(given: object) -> dict[str, str] | None:
    """Parameters that say where to go on, as text; None where these are none."""
    if not isinstance(given, dict) or len(given) > 10:
        return None
    found: dict[str, str] = {}
    for name, value in given.items():
        if type(value) not in (str, int) or not _CONTINUES.fullmatch(str(name)):
            return None
        found[name] = value if isinstance(value, str) else f"{value:d}"[:20]
    is_short = len(json.dumps(found, ensure_ascii=False)) <= _LONGEST_CONTINUATION
    return found if is_short and all(map(str.isprintable, found.values())) else None


def _following(reply: Mapping[str, Any]) -> dict[str, str]:
    if (given := reply.get("continue")) is None:
        return {}
    following = checked_continuation(given)
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


def _error(said: object) -> SourceError:
    """What Commons says is wrong, in its own words, and whether it may pass."""
    fields = said if isinstance(said, dict) else {}
    code, info = (clean(str(fields.get(name, "")), _LONGEST_MESSAGE) for name in ("code", "info"))
    kind = SourceUnavailable if _PASSING.fullmatch(code) else SourceRefused
    return kind(f"Wikimedia Commons: {info or 'an error'} (code {code or 'none'})")


def _unknown_form(why: str) -> SourceUnavailable:
    return SourceUnavailable(f"Wikimedia Commons answered in an unknown form: {why}")
