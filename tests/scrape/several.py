"""Sandboxes of several sources at once."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from genset.classes import imagenet1k
from genset.sandbox import Faults, Sandbox
from genset.sources.source import Settings
from tests.labeled_workspace import TENCH, picture
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


def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Yield what starts a source's sandbox, at which that source is asked from now on."""
    monkeypatch.setenv("GENSET_PAUSE_FACTOR", "0.0002")
    monkeypatch.setenv("FLICKR_API_KEY", "key")
    running: list[Sandbox] = []

    def begin(source: str, rows: list[Row], faults: Faults | None = None, **more: Any) -> Sandbox:
        folder = tmp_path / f"{source} {len(running)}"
        (folder / "photos").mkdir(parents=True)
        for row in rows:
            number = int(row["id_search_engine"])
            content = more.get("contents", {}).get(number) or picture(number)
            (folder / row["file"]).write_bytes(content)
        (folder / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        sandbox = Sandbox(
            folder, folder / "records.jsonl", faults=faults or Faults(), source=source
        )
        running.append(sandbox.start())
        monkeypatch.setenv(ENDPOINTS[source], sandbox.endpoint)
        return sandbox

    yield begin
    for sandbox in running:
        sandbox.close()
