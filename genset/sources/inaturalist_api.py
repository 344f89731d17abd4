"""What iNaturalist's answers say: observations, their photos, and under which licence those are.

An answer to ``GET /observations``, and to ``GET /observations/ID``::

    {"total_results": 2, "page": 1, "per_page": 1, "results": [
      {"id": 57754375, "created_at": "2020-08-27T18:00:51+00:00", "observed_on": "2020-08-27",
       "license_code": "cc-by-nc", "quality_grade": "research", "captive": false,
       "user": {"id": 2852555, "login": "samroom", "name": null, ...},
       "taxon": {"id": 48662, "name": "Danaus plexippus", "rank": "species", ...},
       "photos": [
         {"id": 92152429, "license_code": "cc-by-nc", "attribution": "(c) samroom, ...",
          "url": "https://static.inaturalist.org/photos/92152429/square.jpg?1598551272", ...}],
       ...}]}

All of it may be of any type: what is not as it should be makes an observation none, and the others
of its page are read.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

from genset.core.errors import SourceUnavailable
from genset.core.photo import PhotoOrigin
from genset.core.safe import clean
from genset.licenses import FLICKR, License

NAME = "inaturalist"

# By the codes of iNaturalist, which means the 4.0 versions. No code: all rights are reserved.
LICENSES: dict[str, License] = {
    "cc0": FLICKR[9],
    "cc-by": FLICKR[11],
    "cc-by-nc": FLICKR[14],
    "cc-by-nd": FLICKR[13],
    "cc-by-sa": FLICKR[12],
    "cc-by-nc-nd": FLICKR[16],
    "cc-by-nc-sa": FLICKR[15],
}
RESERVED = License("All Rights Reserved", "")

_LONGEST_TEXT = 2000
_MOST_PHOTOS = 100  # of an observation; iNaturalist allows 20
_HIGHEST_ID = 2**53

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

# Sizes of a picture differ in this part of its address alone; Flickr's have no part for 500 pixels,
# the largest that every photo there has.
_SQUARE = re.compile(r"(?P<head>\S+/)square(?P<tail>\.\w{1,5}(?:\?\S*)?)")
_FLICKRS_SQUARE = re.compile(
    r"(?P<head>https?://[a-z0-9.-]+\.(?:staticflickr\.com|static\.flickr\.com)/\S+)_s"
    r"(?P<tail>\.jpg)"
)


def parse_json(body: bytes) -> object:
    """An answer's JSON.

    Raises:
        SourceUnavailable: it is none.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise SourceUnavailable("iNaturalist answered with something that is no JSON") from None


def parse_results(reply: object) -> tuple[int, list[dict[str, Any]]]:
    """How many observations a search found in all, and those of this page that are objects.

    Raises:
        SourceUnavailable: the answer is no search's.
    """
    if isinstance(reply, dict):
        total, results = reply.get("total_results"), reply.get("results")
        if type(total) is int and 0 <= total < _HIGHEST_ID and isinstance(results, list):
            return total, [result for result in results if isinstance(result, dict)]
    raise SourceUnavailable("iNaturalist's search answered in an unknown form")


def id_of(entry: Mapping[str, Any]) -> int | None:
    """The number of an observation, a photo or a user."""
    number = entry.get("id")
    return number if type(number) is int and 0 < number < _HIGHEST_ID else None


def found_photo(entry: Mapping[str, Any], codes: Collection[str]) -> PhotoOrigin | None:
    """An observation's first photo under one of these licences; None where there is none.

    Its owner is the user by number: a user may choose another login, and the number stays.
    """
    number, created = id_of(entry), _moment(entry.get("created_at"))
    user, taxon = _object(entry.get("user")), _object(entry.get("taxon"))
    owner = id_of(user)
    photo = next((photo for photo in _photos(entry) if _code(photo) in codes), None)
    if number is None or owner is None or created is None or photo is None:
        return None
    if entry.get("quality_grade", "research") != "research":  # asked for; the data card says so
        return None
    license = LICENSES[_code(photo)]
    return PhotoOrigin(
        source=NAME,
        source_id=f"{number}-{id_of(photo)}",
        owner=str(owner),
        owner_name=_text(user.get("name")) or _text(user.get("login")),
        title=_text(taxon.get("name")),
        license=license.name,
        license_url=license.url,
        page_url=f"https://www.inaturalist.org/observations/{number}",
        image_url=original(_text(photo.get("url"))),
        posted_at=created,
        taken_at=_day(entry.get("observed_on")),
    )


def license_in(entry: Mapping[str, Any], number: int) -> License | None:
    """The licence of an observation's photo with this number; None where it is not there."""
    photo = next((photo for photo in _photos(entry) if id_of(photo) == number), None)
    if photo is None:
        return None
    code = _code(photo)
    if photo.get("license_code") is None:
        return RESERVED
    return LICENSES.get(code) or License(clean(f"iNaturalist licence {code or 'unknown'}"), "")


def original(url: str) -> str:
    """The address of a picture in its full size, where `url` is that of its small square."""
    found = _FLICKRS_SQUARE.fullmatch(url)
    if found:
        return found["head"] + found["tail"]
    found = _SQUARE.fullmatch(url)
    return f"{found['head']}original{found['tail']}" if found else url


def refusal_in(body: bytes) -> str:
    """What an error's answer says, in one line; "" where it says nothing.

    ``{"error": "Unprocessable Entity", "status": 422}``
    """
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    words = reply.get("error") or reply.get("message") if isinstance(reply, dict) else ""
    return clean(words) if isinstance(words, str) else ""


def _photos(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The photos of an observation that anybody may see."""
    photos = entry.get("photos")
    for photo in photos[:_MOST_PHOTOS] if isinstance(photos, list) else ():
        if isinstance(photo, dict) and id_of(photo) is not None and not photo.get("hidden"):
            yield photo


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _code(photo: Mapping[str, Any]) -> str:
    code = photo.get("license_code")
    return code.strip().lower()[:32] if isinstance(code, str) else ""


def _text(value: object) -> str:
    """A field that holds text, cut, and without what a database does not take."""
    text = value[:_LONGEST_TEXT] if isinstance(value, str) else ""
    return text.replace("\0", "").encode(errors="replace").decode().strip()


def _moment(value: object) -> datetime | None:
    """A time with its zone, in UTC."""
    try:
        moment = datetime.fromisoformat(value[:64]) if isinstance(value, str) else None
        return moment.astimezone(UTC) if moment is not None and moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _day(value: object) -> str | None:
    try:
        if isinstance(value, str) and _DAY.fullmatch(value):
            date.fromisoformat(value)
            return value
    except ValueError:
        pass
    return None
