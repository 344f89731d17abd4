"""What tests of every source's sandbox share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from genset.sandbox import Faults, Sandbox
from tests.sandbox.test_sandbox import TENCH, picture, written

Speak = Callable[..., Sandbox]


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """One tench."""
    folder = tmp_path / "photos"
    picture(folder / TENCH / "1.jpg")
    return folder


@pytest.fixture
def speak(photos: Path, tmp_path: Path) -> Iterator[Speak]:
    """Start a sandbox that speaks a source's API of these records, with these faults."""
    running: list[Sandbox] = []

    def start(source: str, *rows: dict[str, Any], **faults: float) -> Sandbox:
        records = written(tmp_path, *rows) if rows else None
        settings = Faults(**faults)  # type: ignore[arg-type]  # the seed is an int
        sandbox = Sandbox(photos, records, faults=settings, source=source)
        running.append(sandbox.start())
        return sandbox

    yield start
    for sandbox in running:
        sandbox.close()
