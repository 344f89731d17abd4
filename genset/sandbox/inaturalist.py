"""iNaturalist: its calls, its images, its failures.

A search answers, also one for the observations with some UUIDs:

    {"total_results": 2, "page": 1, "per_page": 30, "results": [
      {"id": 107605486142, "uuid": "00000000-0000-...", "uri": "https://www.inaturalist.org/observations/107605486142",
       "created_at": "2012-07-19T15:25:02+02:00", "observed_on": "2012-07-18",
       "license_code": "cc-by-nc", "quality_grade": "research",
       "user": {"id": ..., "login": "ann", ...}, "taxon": {"id": ..., "name": "Tinca tinca", ...},
       "photos": [{"id": 7605486142, "license_code": "cc-by",
                   "url": "http://127.0.0.1:8750/photos/7605486142/square.jpg", ...}]}, ...]}

An observation's licence is not that of its photo.

Unlike iNaturalist: an observation has one photo and is of research grade; a search is narrowed by
nothing that genset does not send, and ordered by ids; a photo has one size, of at most 1,024
pixels; and no limit is set on calls.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from genset.sandbox.photos import Photo, number, unix
from genset.sandbox.service import Params, Reply, Request, Service, json_reply, web_page

MOST_RESULTS = 10_000
"""How far into a search's results one can go."""

OBSERVATIONS = 100_000_000_000
"""What is added to a photo's id for the id of its observation, of which its UUID is made."""

_TOO_LARGE = "Result window is too large, page * per_page must be less than or equal to"
_SEARCH = "/v1/observations"
_LARGE = 1024

# By Flickr's numbers. iNaturalist's licences have no version; None reserves all rights.
_CODES = [
    None,
    *("cc-by-nc-sa", "cc-by-nc", "cc-by-nc-nd", "cc-by", "cc-by-sa", "cc-by-nd"),
    *("pd", "pd", "cc0", "pd"),
    *("cc-by", "cc-by-sa", "cc-by-nd", "cc-by-nc", "cc-by-nc-sa", "cc-by-nc-nd"),
]


def _failure(status: int, message: str) -> Reply:
    return json_reply({"error": message, "status": status}, status)


class INaturalist(Service):
    """iNaturalist's API, version 1, and its image host."""

    api_path = "/v1"
    image_path = re.compile(r"/photos/(?P<id>[0-9]+)/[a-z]+\.[a-z]+")
    query = "taxon_name"
    unavailable = (_failure(500, "Error"), _failure(503, "Service Unavailable"))
    wrong_format = (
        web_page(200, "iNaturalist is down for maintenance"),
        Reply(200, "application/json; charset=utf-8", b""),
    )

    def purpose(self, request: Request) -> tuple[str, Sequence[str]]:
        """ "search" or "observation" (one or several), or else the path."""
        if uuids := _several(request.params, "uuid"):
            return "observation", [str(UUID(uuid).int - OBSERVATIONS) for uuid in uuids]
        return "search" if request.path == _SEARCH else request.path, []

    def call(self, request: Request) -> Reply:
        """Observations, or an error with its HTTP status."""
        if request.path == _SEARCH:
            return self._search(request.params)
        return _failure(404, "Not Found")

    def _search(self, params: Params) -> Reply:
        page, per_page = int(params.get("page", 1)), min(int(params.get("per_page", 30)), 200)
        if page * per_page > MOST_RESULTS:
            return _failure(403, f"{_TOO_LARGE} {MOST_RESULTS}")
        tests = list(_tests(params))
        found = self.collection.search(
            "", lambda photo: bool(photo.taxon) and all(test(photo) for test in tests)
        )
        if "uuid" in params:  # a search lists photos that are gone, a look-up does not
            found = [photo for photo in found if self.collection.find(photo.id)]
        found.sort(key=_id, reverse=params.get("order") != "asc")
        shown = found[(page - 1) * per_page : page * per_page]
        results = [_observation(photo, self.base) for photo in shown]
        counts = {"total_results": len(found), "page": page, "per_page": per_page}
        return json_reply(counts | {"results": results})

    def sizes(self, photo: Photo) -> dict[str, int | None]:
        """The large one alone: the file itself where that is no larger."""
        side = _LARGE if max(photo.picture.pixels) > _LARGE else None
        return {f"/photos/{photo.id}/large.{photo.picture.extension}": side}


def _tests(params: Params) -> Iterator[Callable[[Photo], bool]]:
    """What a photo must be to be found; a value that cannot be read narrows nothing."""
    if uuids := set(_several(params, "uuid")):
        yield lambda photo: uuid_of(photo) in uuids
    if taxa := _several(params, "taxon_name"):
        yield lambda photo: any(f"{photo.taxon.lower()} ".startswith(f"{taxon} ") for taxon in taxa)
    if codes := _several(params, "photo_license"):
        yield lambda photo: _CODES[photo.record.license] in codes
    if above := params.get("id_above"):
        yield lambda photo: _id(photo) > int(above)
    if below := params.get("id_below"):
        yield lambda photo: _id(photo) < int(below)
    if since := params.get("created_d1"):
        yield lambda photo: photo.posted >= unix(datetime.fromisoformat(since))
    if until := params.get("created_d2"):
        yield lambda photo: photo.posted <= unix(datetime.fromisoformat(until))


def _several(params: Params, name: str) -> list[str]:
    return [word.strip().lower() for word in params.get(name, "").split(",") if word.strip()]


def _id(photo: Photo) -> int:
    return OBSERVATIONS + int(photo.id)


def uuid_of(photo: Photo) -> str:
    """That of a photo's observation."""
    return str(UUID(int=_id(photo)))


def _observation(photo: Photo, base: str) -> dict[str, Any]:
    """A photo's observation."""
    code, taken = _CODES[photo.record.license], photo.record.date_taken
    square = f"{base}/photos/{photo.id}/square.{photo.picture.extension}"
    return {
        "id": _id(photo),
        "uuid": uuid_of(photo),
        "quality_grade": "research",
        "license_code": "cc-by-nc",
        "created_at": datetime.fromtimestamp(photo.posted, UTC).isoformat(),
        "observed_on": taken.date().isoformat() if taken else None,
        "user": {
            "id": number(f"user {photo.owner}") % 9_000_000 + 1,
            "login": photo.owner_name,
            "name": None,  # many give none
        },
        "taxon": {"name": photo.taxon},
        "photos": [{"id": int(photo.id), "license_code": code, "url": square}],
    }
