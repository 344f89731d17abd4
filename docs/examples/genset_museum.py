"""The city museum's photos, as a source of genset's."""

import json
import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

import requests

from genset.core.errors import PhotoRejected, SourceUnavailable
from genset.core.photo import PhotoOrigin
from genset.licenses import License
from genset.net.api import Api
from genset.net.hosts import Host, Hosts
from genset.net.pace import RateLimit
from genset.net.transport import user_agent
from genset.sources.source import (
    About,
    Licenses,
    Question,
    Rates,
    SearchPage,
    Settings,
    Source,
    photos_of,
)

HOME = os.environ.get("MUSEUM", "https://museum.example.org")


class Museum(Source):
    about = About(
        name="museum",
        title="City Museum",
        home=HOME,
        needs="nothing",
        limits="one call a second",
        terms="Name the museum with each photo.",
        posted="when the museum put it on its site",
        taken="what the museum's catalogue says",
    )
    narrows_dates = False  # its search knows no dates: genset looks at each photo's

    def __init__(self, hosts: Hosts, settings: Settings) -> None:
        agent = user_agent(settings.contact)
        pace = [RateLimit(hosts.store, "museum", interval=1.0)]
        self.api = Host(hosts, "museum", "The museum", pace, agent=agent)
        self.images = Host(hosts, "museum-images", "The museum's photos", pace, agent=agent)
        self._client = Api("The museum's search", agent)

    @classmethod
    def connect(cls, hosts: Hosts, settings: Settings) -> Self:
        return cls(hosts, settings)

    @classmethod
    def rates(cls, settings: Settings) -> Rates:
        return Rates(calls_an_hour=3600, images_per_second=1)

    def search(self, question: Question, quota: int) -> SearchPage:
        found = self._ask("/search", {"q": question.text, "page": question.page})
        try:
            photos, rejected = photos_of(found["photos"], _photo)
            total, last = int(found["total"]), not found["more"]
        except (LookupError, TypeError, ValueError) as error:
            raise SourceUnavailable(f"the museum answered in an unknown form: {error!r}") from None
        return SearchPage(photos, total, last, capped=False, rejected=rejected)

    def ask_licenses(self, source_ids: Sequence[str], quota: int) -> Licenses:
        [source_id] = source_ids  # `ids_per_call`, by default 1
        try:
            found = self._ask("/photo", {"id": source_id})
        except requests.HTTPError as error:
            if error.response.status_code != 404:
                raise
            return {source_id: None}  # it is gone
        return {source_id: License(found["license"], found["license_url"])}

    def may_fetch(self, url: str) -> bool:
        return url.startswith(f"{HOME}/photos/")

    def _ask(self, path: str, params: dict[str, object]) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads(self._client.get(HOME + path, params))
        except ValueError:
            raise SourceUnavailable("the museum's answer is not JSON") from None
        return found


def _photo(entry: dict[str, Any]) -> PhotoOrigin:
    try:
        return PhotoOrigin(
            source="museum",
            source_id=str(entry["id"]),
            owner=str(entry["photographer"]),
            owner_name=str(entry["photographer"]),
            title=str(entry["title"]),
            license=str(entry["license"]),
            license_url=str(entry["license_url"]),
            page_url=f"{HOME}/photo?id={entry['id']}",
            image_url=f"{HOME}/photos/{entry['id']}.jpg",
            posted_at=datetime.fromisoformat(entry["online_since"]),
            taken_at=entry.get("taken"),
        )
    except (LookupError, TypeError, ValueError) as error:
        raise PhotoRejected("malformed entry", repr(error)) from None
