"""An open store on each of the two databases."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from genset.db import Store
from tests import databases


@pytest.fixture(autouse=True)
def migrated_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here databases are made as users' are."""
    monkeypatch.setattr("genset.db.database.upgrade", databases.MIGRATE)


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder for every user. (Each run of pytest closes its own to others when it starts.)"""
    with tempfile.TemporaryDirectory(prefix="genset-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An open store without a row."""
    opened = Store.open(store_url)
    yield opened
    opened.close()
