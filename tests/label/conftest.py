"""A workspace of four classes with five photos each, for every test of this room."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from genset.store import Store
from genset.workspace import Workspace
from tests.labeled_workspace import labeled_workspace


@pytest.fixture(autouse=True)
def small_pools_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine even these few photos would take as long as a large pool."""
    monkeypatch.setattr("genset.label.queue.boards._SECONDS_TO_WAIT", 60.0)


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
