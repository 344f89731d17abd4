"""iNaturalist: its calls, its images, its failures.

A search answers, and an observation's address does in the same way:

    {"total_results": 2, "page": 1, "per_page": 30, "results": [{"id": ..., ...}, ...]}

Unlike iNaturalist: searches narrow by what stands in `observations.py` alone, every original is the
file's own bytes, however large, and no limit is set on calls.
"""

import json
import re
from functools import cached_property
from typing import Any

from genset.sandbox.dialect import Dialect, Pick, Unsettle
from genset.sandbox.inaturalist_replies import (
    SIDES,
    Observation,
    described,
    observations_of,
    search,
)
from genset.sandbox.messages import Params, Reply, Request, web_page
from genset.sandbox.photos import Photo

MOST_RESULTS = 10_000
"""How far into a search's results one can go."""

MOST_AT_A_TIME = 200

_PER_PAGE = 30
_SEARCH = "/v1/observations"
_OBSERVATION = re.compile(r"/v1/observations/([0-9]{1,15}(?:,[0-9]{1,15})*)")
_IMAGE = re.compile(r"/photos/([0-9]+)/(square|thumb|small|medium|large|original)\.([a-z]+)")


class INaturalist(Dialect):
    """iNaturalist's API, version 1, and its image host."""

    api_path = "/v1"
    environment = "GENSET_INATURALIST_ENDPOINT"

    @cached_property
    def _observations(self) -> dict[int, Observation]:
        return observations_of(self.collection.photos.values())

    def what(self, request: Request) -> str:
        """Of calls: "search", "observation", or else the path."""
        if request.path == _SEARCH:
            return "search"
        return "observation" if _OBSERVATION.fullmatch(request.path) else request.path

    def photo_id(self, request: Request) -> str | None:
        """The only one of an observation, or the one that an image's address names."""
        if found := _OBSERVATION.fullmatch(request.path):
            named = [self._observations.get(int(part)) for part in found[1].split(",")]
            photos = [
                photo.id for observation in named if observation for photo in observation.photos
            ]
            return photos[0] if len(photos) == 1 else None
        image = _IMAGE.fullmatch(request.path)
        return image[1] if image else None

    def reply(self, request: Request, unsettle: Unsettle | None) -> Reply:
        """Observations, or an error with its HTTP status."""
        if request.path == _SEARCH:
            return self._search(request.params, unsettle)
        if found := _OBSERVATION.fullmatch(request.path):
            named = [self._observations.get(int(part)) for part in found[1].split(",")]
            there = [
                observation for observation in named if observation and self._photos(observation)
            ]
            results = [self._described(observation) for observation in there[:MOST_AT_A_TIME]]
            return _as_json(_envelope(len(there), 1, _PER_PAGE, results))
        return _failure(404, "Not Found")

    def _search(self, params: Params, unsettle: Unsettle | None) -> Reply:
        per_page = min(_whole(params, "per_page", _PER_PAGE), MOST_AT_A_TIME)
        page = max(_whole(params, "page", 1), 1)
        if page * per_page > MOST_RESULTS:
            return _failure(
                403,
                "Result window is too large, page * per_page must be less than or equal to "
                f"{MOST_RESULTS}",
            )
        found = [
            observation
            for observation in search(self._observations.values(), params)
            if not all(photo.removed for photo in observation.photos)
        ]
        # Where the order is that of ids, nothing can move.
        if unsettle and per_page and params.get("order_by") != "id":
            by_first = {observation.first.id: observation for observation in found}
            moved = unsettle(
                [observation.first for observation in found], per_page, _name_of(params)
            )
            found = [by_first[photo.id] for photo in moved]
        shown = found[(page - 1) * per_page : page * per_page]
        results = [self._listed(observation) for observation in shown]
        return _as_json(_envelope(len(found), page, per_page, results))

    def _listed(self, observation: Observation) -> dict[str, Any]:
        """As a search has it, which does not know yet which photos are gone."""
        photos = [photo for photo in observation.photos if not photo.removed]
        return described(observation, photos, self.base)

    def _described(self, observation: Observation) -> dict[str, Any]:
        return described(observation, self._photos(observation), self.base)

    def _photos(self, observation: Observation) -> list[Photo]:
        """Those of an observation's photos that are still there."""
        return [photo for photo in observation.photos if self.collection.find(photo.id)]

    def image(self, request: Request) -> Reply | None:
        """A photo in one of its sizes, which all have the extension of the file."""
        found = _IMAGE.fullmatch(request.path)
        if not found:
            return None
        photo_id, size, extension = found.groups()
        photo = self.collection.find(photo_id)
        if photo is None or extension != photo.picture.extension:
            return _no_key(request.path)
        try:
            pixels = photo.picture.upright
            if size == "original" or pixels is None or max(pixels) <= SIDES[size]:
                return self.original(photo)
            return self.shrunk(photo, SIDES[size], size == "square", extension)
        except FileNotFoundError:  # removed since we looked
            return _no_key(request.path)

    def unavailable(self, request: Request, pick: Pick) -> Reply:
        """An error that passes, with its HTTP status in the body too."""
        status = pick((500, 503), "unavailable")
        return _failure(status, "Error" if status == 500 else "Service Unavailable")

    def wrong_format(self, request: Request, pick: Pick) -> Reply:
        """A page for people, or nothing at all, where JSON is wanted."""
        if pick((True, False), "as a page"):
            return web_page(200, "iNaturalist is down for maintenance")
        return Reply(200, "application/json; charset=utf-8", b"")


def _envelope(total: int, page: int, per_page: int, results: list[Any]) -> dict[str, Any]:
    return {"total_results": total, "page": page, "per_page": per_page, "results": results}


def _as_json(answer: dict[str, Any], status: int = 200) -> Reply:
    body = json.dumps(answer, ensure_ascii=False).encode()
    return Reply(status, "application/json; charset=utf-8", body)


def _failure(status: int, words: str) -> Reply:
    return _as_json({"error": words, "status": status}, status)


def _no_key(path: str) -> Reply:
    """What the bucket of photos says of one that it does not have."""
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>NoSuchKey</Code><Key>{path.lstrip('/')}</Key></Error>\n"
    )
    return Reply(404, "application/xml", body.encode())


def _name_of(params: Params) -> str:
    """The same for all pages of one search."""
    return str(sorted((name, value) for name, value in params.items() if name != "page"))


def _whole(params: Params, name: str, default: int) -> int:
    """A number of at least nought; the default where it is none."""
    value = params.get(name, "")
    return int(value) if re.fullmatch("[0-9]{1,9}", value) else default
