"""Fixtures of the tests on protocols."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.protocols.years import Maintainer, maintainer
from tests.scrape.several import Start, started


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start sandboxes, which are asked from then on."""
    yield from started(tmp_path, monkeypatch)


@pytest.fixture
def genset(tmp_path: Path) -> Maintainer:
    return maintainer(tmp_path / "workspace")
