"""iNaturalist: its calls, its images, its failures.

A search answers, and an observation's address does in the same way:

    {"total_results": 2, "page": 1, "per_page": 30, "results": [
      {"id": 107605486142, "uri": "https://www.inaturalist.org/observations/107605486142",
       "created_at": "2012-07-19T15:25:02+02:00", "observed_on": "2012-07-18",
       "license_code": "cc-by-nc", "quality_grade": "research",
       "user": {"id": ..., "login": "ann", ...}, "taxon": {"id": ..., "name": "Tinca tinca", ...},
       "photos": [{"id": 7605486142, "license_code": "cc-by",
                   "url": "http://127.0.0.1:8750/photos/7605486142/square.jpg", ...}]}, ...]}

An observation's licence is not that of its photo. Times are in its place's zone.

Unlike iNaturalist: an observation has one photo and is of research grade; a search is narrowed by
nothing that genset does not send, and ordered by ids or the newest first; every original is the
file's bytes, however large; and no limit is set on calls.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from genset.sandbox.photos import Photo, number, unix
from genset.sandbox.service import Params, Reply, Request, Service, json_reply, web_page, whole

MOST_RESULTS = 10_000
"""How far into a search's results one can go."""

MOST_AT_A_TIME = 200

OBSERVATIONS = 100_000_000_000
"""What is added to a photo's id for the id of its observation."""

_PER_PAGE = 30
_TOO_LARGE = "Result window is too large, page * per_page must be less than or equal to"
_HOURS = (0, 2, -6)  # ahead of UTC
_SIDES = {"square": 75, "thumb": 100, "small": 240, "medium": 500, "large": 1_024}
_SEARCH = "/v1/observations"
_OBSERVATION = re.compile(r"/v1/observations/([0-9]{1,15})")

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

    def purpose(self, request: Request) -> tuple[str, str | None]:
        """ "search" or "observation" (one or several), or else the path."""
        if request.path == _SEARCH:
            return "observation" if "id" in request.params else "search", None
        if named := _OBSERVATION.fullmatch(request.path):
            return "observation", str(int(named[1]) - OBSERVATIONS)
        return request.path, None

    def call(self, request: Request) -> Reply:
        """Observations, or an error with its HTTP status."""
        if request.path == _SEARCH:
            return self._search(request.params)
        if photo_id := self.purpose(request)[1]:
            photo = self.collection.find(photo_id)
            return self._page([photo] if photo and photo.taxon else [], 1, _PER_PAGE)
        return _failure(404, "Not Found")

    def _search(self, params: Params) -> Reply:
        per_page = min(whole(params, "per_page", _PER_PAGE), MOST_AT_A_TIME)
        page = max(whole(params, "page", 1), 1)
        if page * per_page > MOST_RESULTS:
            return _failure(403, f"{_TOO_LARGE} {MOST_RESULTS}")
        tests = list(_tests(params))
        found = self.collection.search(
            "", lambda photo: bool(photo.taxon) and all(test(photo) for test in tests)
        )
        if "id" in params:  # a search lists photos that are gone, a look-up does not
            found = [photo for photo in found if self.collection.find(photo.id)]
        by_id = params.get("order_by") == "id"
        found.sort(key=lambda photo: (0 if by_id else photo.posted, int(photo.id)))
        return self._page(found if params.get("order") == "asc" else found[::-1], page, per_page)

    def _page(self, found: list[Photo], page: int, per_page: int) -> Reply:
        shown = found[(page - 1) * per_page : page * per_page]
        results = [_observation(photo, self.base) for photo in shown]
        return json_reply(
            {"total_results": len(found), "page": page, "per_page": per_page, "results": results}
        )

    def sizes(self, photo: Photo) -> dict[str, tuple[int | None, str]]:
        """All that there are, with the extension of the file, which the largest are."""
        extension, longest = photo.picture.extension, max(photo.picture.pixels)
        return {
            f"/photos/{photo.id}/{name}.{extension}": (side if side < longest else None, extension)
            for name, side in {**_SIDES, "original": longest}.items()
        }

    def missing(self, path: str) -> Reply:
        """What the bucket of photos says of one that it does not have."""
        error = f"<Error><Code>NoSuchKey</Code><Key>{path.lstrip('/')}</Key></Error>\n"
        return Reply(404, "application/xml", f'<?xml version="1.0"?>\n{error}'.encode())


def _tests(params: Params) -> Iterator[Callable[[Photo], bool]]:
    """What a photo must be to be found; a value that cannot be read narrows nothing."""
    if ids := set(_several(params, "id")):
        yield lambda photo: str(_id(photo)) in ids
    if taxa := _several(params, "taxon_name"):
        yield lambda photo: any(f"{photo.taxon.lower()} ".startswith(f"{taxon} ") for taxon in taxa)
    if codes := _several(params, "photo_license"):
        yield lambda photo: (_CODES[photo.record.license] or "none") in codes
    if above := whole(params, "id_above", 0):
        yield lambda photo: _id(photo) > above
    if below := whole(params, "id_below", 0):
        yield lambda photo: _id(photo) < below
    if since := params.get("created_d1"):
        yield lambda photo: photo.posted >= unix(datetime.fromisoformat(since))
    if until := params.get("created_d2"):
        # A day, or a second, that ends a window belongs to it.
        length = timedelta(days=1) if len(until) == len("2015-01-02") else timedelta(seconds=1)
        yield lambda photo: photo.posted < unix(datetime.fromisoformat(until) + length)


def _several(params: Params, name: str) -> list[str]:
    return [word.strip().lower() for word in params.get(name, "").split(",") if word.strip()]


def _id(photo: Photo) -> int:
    return OBSERVATIONS + int(photo.id)


def _observation(photo: Photo, base: str) -> dict[str, Any]:
    """A photo's observation."""
    mark, place = number(f"user {photo.owner}"), number(f"zone {photo.owner}")
    zone = timezone(timedelta(hours=_HOURS[place % len(_HOURS)]))
    created = datetime.fromtimestamp(photo.posted, UTC).astimezone(zone)
    code, taken = _CODES[photo.record.license], photo.record.date_taken
    # The addresses of unlicensed photos say when they changed.
    changed = "" if code else f"?{photo.posted}"
    square = f"{base}/photos/{photo.id}/square.{photo.picture.extension}{changed}"
    return {
        "id": _id(photo),
        "quality_grade": "research",
        "license_code": (None, "cc-by-nc", code)[number(f"of {_id(photo)}") % 3],
        "created_at": created.isoformat(),
        "observed_on": taken.date().isoformat() if taken else None,
        "user": {
            "id": mark % 9_000_000 + 1,
            "login": photo.owner_name,
            "name": photo.owner_name.title() if mark % 2 else None,  # many give none
        },
        "taxon": {"name": photo.taxon},
        "photos": [{"id": int(photo.id), "license_code": code, "url": square}],
    }
