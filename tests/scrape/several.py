"""Sandboxes of several sources at once."""

from collections.abc import Callable
from typing import Any

from genset.classes import imagenet1k
from genset.sandbox import Sandbox
from genset.sources.source import Settings
from tests.labeled_workspace import TENCH
from tests.scrape.pools import Row, record

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
