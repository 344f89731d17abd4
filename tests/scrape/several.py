"""Sandboxes of several sources at once."""

from collections.abc import Callable
from typing import Any

import pytest

from genset.classes import imagenet1k
from genset.sandbox import Faults, Sandbox
from genset.sources.source import Settings
from tests.labeled_workspace import TENCH
from tests.scrape.pools import Row, Serve, record

CLASSES = tuple(imagenet1k()[wnid] for wnid in (TENCH, "n01443537"))
SETTINGS = Settings(contact="me@example.org")
ENDPOINTS = {
    "flickr": "GENSET_FLICKR_ENDPOINT",
    "commons": "GENSET_COMMONS_ENDPOINT",
    "inaturalist": "GENSET_INATURALIST_ENDPOINT",
}

Start = Callable[..., Sandbox]


def rows_of(first: int, **changes: Any) -> list[Row]:
    """Eight photos of each class, by as many owners, which were taken when they were posted."""
    return [
        record(
            first + 100 * place + number,
            cls.queries[0].text,
            wnid=cls.wnid,
            owner=f"{first + number}@N00",
            date_taken="2014-12-31 12:00:00",
            taxon=cls.taxon,
        )
        | changes
        for place, cls in enumerate(CLASSES)
        for number in range(8)
    ]


def started(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Start a source's sandbox, at which that source is asked from now on."""
    monkeypatch.setenv("FLICKR_API_KEY", "key")

    def begin(source: str, rows: list[Row], faults: Faults | None = None, **more: Any) -> Sandbox:
        sandbox = serve(*rows, faults=faults, source=source, **more)
        monkeypatch.setenv(ENDPOINTS[source], sandbox.endpoint)
        return sandbox

    return begin
