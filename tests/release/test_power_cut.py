"""Whatever is reported done outlasts a power cut.

What was not flushed is lost, the bytes of files and the names in folders.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from tests.release.conftest import Pool


class Disk:
    """What was flushed: of each file how many bytes, of each folder which names."""

    def __init__(self) -> None:
        self._bytes: dict[int, int] = {}
        self._names: dict[int, set[str]] = {}

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note what is flushed in the block."""
        flush = os.fsync

        def noted(handle: int) -> None:
            flush(handle)
            found = os.fstat(handle)
            if stat.S_ISDIR(found.st_mode):
                self._names[found.st_ino] = set(os.listdir(handle))
            else:
                self._bytes[found.st_ino] = found.st_size

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", noted)
            yield

    def lost(self, path: Path) -> list[str]:
        """What of a file, or of a folder and all below it, a power cut would take away now."""
        below = sorted(path.rglob("*")) if path.is_dir() else []
        return [f"{each.name}: {what}" for each in (path, *below) for what in self._lacks(each)]

    def _lacks(self, path: Path) -> Iterator[str]:
        if path.name not in self._names.get(path.parent.stat().st_ino, ()):
            yield "its name"
        found = path.stat()
        if path.is_file() and self._bytes.get(found.st_ino) != found.st_size:
            yield "its bytes"


def run(pool: Pool, *words: object) -> None:
    done = CliRunner().invoke(cli, ["-w", str(pool.workspace.root), *map(str, words)])
    assert done.exit_code == 0, done.output


def test_a_release_that_is_said_to_be_made_is_all_on_the_disk(pool: Pool) -> None:
    pool.label_all_correct()
    disk = Disk()
    with disk.watched():
        run(pool, "release", "create", "v1")
    made = pool.workspace.releases / "v1"
    assert len(list(made.rglob("*.jpg"))) == 8
    assert disk.lost(made) == []


def test_a_table_that_is_said_to_be_written_is_all_on_the_disk(pool: Pool, tmp_path: Path) -> None:
    pool.label_all_correct()
    table, disk = tmp_path / "all.csv", Disk()
    with disk.watched():
        run(pool, "labels", "export", table)
    assert table.stat().st_size > 0
    assert disk.lost(table) == []
