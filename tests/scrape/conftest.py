"""Fixtures of the tests that scrape."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from genset.sandbox import Faults, Sandbox
from tests.scrape.pools import Pool, Row, Serve
from tests.scrape.several import ENDPOINTS, Start


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start sandboxes; pauses are short."""
    monkeypatch.setenv("GENSET_PAUSE_FACTOR", "0.0002")
    start = Serve(tmp_path)
    yield start
    for sandbox in start.running:
        sandbox.close()


@pytest.fixture
def new_pool(tmp_path: Path) -> Iterator[Callable[..., Pool]]:
    """Make an empty workspace of its own."""
    made: list[Pool] = []

    def make(per_class: int = 3, store_url: str | None = None) -> Pool:
        made.append(Pool(tmp_path / f"workspace {len(made)}", per_class, store_url))
        return made[-1]

    yield make
    for pool in made:
        pool.store.close()


@pytest.fixture
def pool(new_pool: Callable[..., Pool]) -> Pool:
    return new_pool()


@pytest.fixture
def start(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Start a source's sandbox, at which that source is asked from now on."""
    monkeypatch.setenv("FLICKR_API_KEY", "key")

    def begin(source: str, rows: list[Row], faults: Faults | None = None, **more: Any) -> Sandbox:
        sandbox = serve(*rows, faults=faults, source=source, **more)
        monkeypatch.setenv(ENDPOINTS[source], sandbox.endpoint)
        return sandbox

    return begin
