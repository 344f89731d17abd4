"""What tests of iNaturalist share: observations, and a host that speaks its API."""

import json
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

from genset.db import Store
from genset.net.hosts import Hosts
from genset.sources.inaturalist import INaturalist
from tests.labeled_workspace import picture
from tests.scrape.hostile import HostileHost, answer

CONTACT = "you@example.org"
MOST_RESULTS = 10_000


def photo(number: int = 92152429, **changes: Any) -> dict[str, Any]:
    """A photo of an observation; None takes a field away."""
    fields = {
        "id": number,
        "license_code": "cc-by-nc",
        "url": f"https://static.inaturalist.org/photos/{number}/square.jpg?1598551272",
        "attribution": "(c) samroom, some rights reserved (CC BY-NC)",
    } | changes
    return {name: value for name, value in fields.items() if value is not None}


def observation(number: int = 57754375, **changes: Any) -> dict[str, Any]:
    """An observation of a search's answer; None takes a field away."""
    fields = {
        "id": number,
        "uuid": str(UUID(int=number)),
        "created_at": "2020-08-27T18:00:51+02:00",
        "observed_on": "2020-08-27",
        "license_code": None,
        "quality_grade": "research",
        "user": {"id": number + 1, "login": "samroom", "name": None},
        "taxon": {"name": "Tinca tinca", "rank": "species"},
        "photos": [photo(number + 2)],
    } | changes
    return {name: value for name, value in fields.items() if value is not None}


def name(number: int, of: int | None = None) -> str:
    """The id at the source of the first photo of an observation, or of its photo `of`."""
    return f"{UUID(int=number)}-{number + 2 if of is None else of}"


def inaturalist(endpoint: str | None = None, seed: int = 0) -> INaturalist:
    """iNaturalist, of which nothing is known yet, and which is not waited for."""
    folder = Path(tempfile.mkdtemp())
    hosts = Hosts(Store.open(f"sqlite:///{folder / 'hosts.db'}"), give_up_after=0)
    return INaturalist(hosts, CONTACT, endpoint, seed=seed)


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that a host got."""

    path: str
    params: dict[str, str]
    agent: str


class Naturalists(HostileHost):
    """A host that finds its observations, of tenches, and serves a picture for each photo.

    Attributes:
        observations: by id; all are of research grade and of the right age.
        unsearchable: ids that no answer about several shows.
        errors: statuses and bodies that the next calls are answered with.
        calls: those of the API that it got.
    """

    def __init__(self, observations: Iterable[dict[str, Any]]) -> None:
        super().__init__()
        self.observations = {each["id"]: each for each in observations}
        self.unsearchable: set[int] = set()
        self.errors: list[tuple[int, bytes]] = []
        self.calls: list[Asked] = []
        self.endpoint = f"{self.address}/v1"

    def respond(self, path: str, content: bytes) -> bytes:
        address = urlsplit(path)
        assert CONTACT in self.headers["user-agent"]  # of pictures, too
        if not address.path.startswith("/v1/"):
            return answer(picture(int(address.path.split("/")[2])))
        params = dict(parse_qsl(address.query))
        self.calls.append(Asked(address.path, params, self.headers["user-agent"]))
        status, body = self.errors.pop(0) if self.errors else (200, self.reply(params))
        return answer(body, f"{status} So", Content_Type="application/json")

    def reply(self, params: Mapping[str, str]) -> bytes:
        """As ``GET /observations?params``."""
        ids = self.observations if params.get("taxon_name", "Tinca tinca") == "Tinca tinca" else ()
        if "uuid" in params:
            ids = {UUID(uuid).int for uuid in params["uuid"].split(",")} & ids.keys()
            ids -= self.unsearchable if len(ids) > 1 else set()
        total, page = found(sorted(ids), params)
        results = [self.observations[each] for each in page]
        reply = json.dumps({"total_results": total, "results": results})
        return reply.replace("https://static.inaturalist.org", self.address).encode()


def found(ids: list[int], params: Mapping[str, Any]) -> tuple[int, list[int]]:
    """How many of these ids, sorted, a search finds, and those of its page."""
    first = bisect_right(ids, int(params.get("id_above", -1)))
    end = bisect_left(ids, int(params["id_below"])) if "id_below" in params else len(ids)
    size, page = int(params.get("per_page", 30)), int(params.get("page", 1))
    assert 1 <= size <= 200
    assert size * page <= MOST_RESULTS, "no query shows more"
    found = range(first, max(first, end))
    if params.get("order", "desc") == "desc":
        found = found[::-1]
    return len(found), [ids[place] for place in found[(page - 1) * size : page * size]]
