"""A workspace of four classes with five photos each, for every test of this room."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from genset.db import Store
from genset.workspace import Workspace
from tests.label.clock import HeldClock
from tests.labeled_workspace import labeled_workspace


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> HeldClock:
    """No test waits for new boards by the wall clock, and none passes or fails by it."""
    held = HeldClock()
    monkeypatch.setattr("genset.label.queue.boards.clock", held)
    return held


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Workspace, Store]]:
    workspace, store = labeled_workspace(tmp_path / "workspace")
    yield workspace, store
    store.close()


@pytest.fixture
def store(opened: tuple[Workspace, Store]) -> Store:
    return opened[1]


@pytest.fixture
def anywhere(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Workspace, Store]]:
    """The same on SQLite and on PostgreSQL by turns."""
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace, store = labeled_workspace(tmp_path / "workspace")
    yield workspace, store
    store.close()
