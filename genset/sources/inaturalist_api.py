"""What iNaturalist's answers say: observations, their photos, and under which licence those are.

An answer to ``GET /observations``, and to ``GET /observations/ID``::

    {"total_results": 2, "page": 1, "per_page": 1, "results": [
      {"id": 57754375, "uuid": "c075c500-...",
       "created_at": "2020-08-27T18:00:51+00:00", "observed_on": "2020-08-27",
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

import re
from collections.abc import Collection
from datetime import UTC, date, datetime
from typing import Annotated, Any

from msgspec import Meta

from genset.core.errors import PhotoRejected
from genset.core.photo import PhotoOrigin
from genset.core.safe import clean
from genset.licenses import FLICKR, License
from genset.sources.replies import Reply, read, read_entry, stored, usable_entry

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

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# Of an observation, a photo or a user.
Number = Annotated[int, Meta(gt=0, lt=2**53)]


class Page(Reply, frozen=True):
    """A page of a search: how many observations it found in all, and those of this page."""

    total_results: Annotated[int, Meta(ge=0, lt=2**53)]
    results: list[dict[str, Any]]


class Numbered(Reply, frozen=True):
    """What has a number."""

    id: Number


class User(Numbered, frozen=True):
    """Who uploaded an observation; they may choose another login, and the number stays."""

    login: str = ""
    name: str = ""


class Taxon(Reply, frozen=True):
    """What was observed."""

    name: str = ""


class Picture(Numbered, frozen=True):
    """A photo of an observation. A moderator may hide it."""

    license_code: Any = None
    url: str = ""
    hidden: Any = None

    @property
    def code(self) -> str:
        """Its licence's, "" for none."""
        code = self.license_code
        return code.strip().lower()[:32] if isinstance(code, str) else ""


class Photos(Numbered, frozen=True):
    """An observation, as far as it is asked for its photos."""

    photos: tuple[Picture, ...] = ()

    @property
    def visible(self) -> list[Picture]:
        """The photos that anybody may see."""
        return [photo for photo in self.photos if not photo.hidden]


class Observation(Photos, frozen=True, kw_only=True):
    """An observation."""

    uuid: Annotated[str, Meta(pattern=f"^{UUID}$")]
    created_at: Annotated[datetime, Meta(tz=True)]
    user: User
    taxon: Taxon = Taxon()
    observed_on: str = ""
    quality_grade: Any = "research"


def parse_results(reply: object) -> tuple[int, list[dict[str, Any]]]:
    """How many observations a search found in all, and those of this page that are objects.

    Raises:
        SourceUnavailable: the answer is no search's.
    """
    page = read(reply, Page, "iNaturalist's search")
    return page.total_results, page.results


def found_photo(entry: object, codes: Collection[str]) -> PhotoOrigin:
    """An observation's first photo under one of these licences; PhotoRejected where none is."""
    found = usable_entry(entry, Observation)
    if found.quality_grade != "research":  # asked for; the data card says so
        raise PhotoRejected("not of research grade")
    photo = next((photo for photo in found.visible if photo.code in codes), None)
    if photo is None:
        raise PhotoRejected("under another licence")
    license = LICENSES[photo.code]
    try:
        posted_at = found.created_at.astimezone(UTC)
    except OverflowError:
        raise PhotoRejected("without a valid created_at") from None
    return PhotoOrigin(
        source=NAME,
        source_id=f"{found.uuid}-{photo.id}",
        owner=str(found.user.id),
        owner_name=_text(found.user.name) or _text(found.user.login),
        title=_text(found.taxon.name),
        license=license.name,
        license_url=license.url,
        page_url=f"https://www.inaturalist.org/observations/{found.id}",
        image_url=large(_text(photo.url)),
        posted_at=posted_at,
        taken_at=day_of(found.observed_on),
    )


def license_in(entry: object, number: str) -> License | None:
    """The licence of an observation's photo with this number; None where it is not there."""
    found = read_entry(entry, Photos)
    photo = (
        next((photo for photo in found.visible if str(photo.id) == number), None) if found else None
    )
    if photo is None:
        return None
    if photo.license_code is None:
        return RESERVED
    return LICENSES.get(photo.code) or License(
        clean(f"iNaturalist licence {photo.code or 'unknown'}"), ""
    )


def large(url: str) -> str:
    """The address of a picture of 1,024 pixels, where `url` is that of its small square."""
    if "flickr.com/" in url:  # 500 pixels: the largest size that every photo there has
        return url.replace("_s.jpg", ".jpg")
    return url.replace("/square.", "/large.")


def _text(text: str) -> str:
    return stored(text).strip()


def day_of(text: str) -> str | None:
    """A day such as 2020-08-27; None for what is none."""
    try:
        return date.fromisoformat(text).isoformat() if _DAY.fullmatch(text) else None
    except ValueError:
        return None
