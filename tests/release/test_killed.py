"""SIGKILL or a power cut while a release, a version of it, an export or a table is made."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from genset.db import Store
from genset.release.exports.export import export
from genset.release.freeze import create
from genset.release.reader import Release, find_releases
from genset.release.versions import takedown
from genset.scrape.removal import remove
from genset.workspace import Workspace
from tests.killing import killed_at_each_change
from tests.labeled_workspace import TABBY, TENCH
from tests.release.conftest import Genset, Pool


def create_release(moment: int, root: Path, _releases: Path) -> None:
    workspace = Workspace.find(root)
    create(workspace, Store.open(workspace.store_url), f"v{moment}")


@pytest.mark.soak
def test_a_killed_create_leaves_a_whole_release_or_none_and_runs_again(pool: Pool) -> None:
    for task in (f"{TENCH}/flickr:0", f"{TABBY}/flickr:300"):
        pool.label(task, ann="correct")
    releases = pool.workspace.releases
    moments = 0
    for moment in killed_at_each_change(create_release, pool.workspace.root, releases):
        moments += 1
        for release in find_releases(releases):
            release.verify()
        if not (releases / f"v{moment}").exists():
            again = pool.create(f"v{moment}")
            again.verify()
            assert len(again.photos) == 2
    assert moments > 3 * 2  # each photo's file is made, closed to writing and given its name
    assert not [name for name in pool.files() if "partial" in name]


def make_version(_moment: int, root: Path, releases: Path) -> None:
    workspace = Workspace.find(root)
    takedown(workspace, Store.open(workspace.store_url), Release(releases / "v1"))


@pytest.mark.soak
def test_a_killed_takedown_leaves_a_whole_version_or_none(pool: Pool) -> None:
    for task in (f"{TENCH}/flickr:0", f"{TABBY}/flickr:300"):
        pool.label(task, ann="correct")
    old = pool.create()
    remove(pool.workspace, pool.store, "flickr:0", "its owner asked")
    releases = pool.workspace.releases
    for _ in killed_at_each_change(make_version, pool.workspace.root, releases):
        old.verify()
        if (releases / "v1.1").exists():
            Release(releases / "v1.1").verify()
            assert not [name for name in pool.files() if "partial" in name]
            return
    assert [release.name for release in find_releases(releases)] == ["v1", "v1.1"]
    assert not [name for name in pool.files() if "partial" in name]


def as_webdataset(moment: int, release: Path, to: Path) -> None:
    export(Release(release), "webdataset", to / f"e{moment}")


def as_imagefolder(moment: int, release: Path, to: Path) -> None:
    export(Release(release), "imagefolder", to / f"e{moment}")


@pytest.mark.parametrize("work", [as_webdataset, as_imagefolder])
@pytest.mark.soak
def test_a_killed_export_leaves_a_whole_one_or_none(
    work: Callable[[int, Path, Path], None], pool: Pool, tmp_path: Path
) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct")
    release, to = pool.create(), tmp_path / "exports"
    to.mkdir()
    work(0, release.root, tmp_path)
    whole = contents(tmp_path / "e0")
    moments = 0
    for moment in killed_at_each_change(work, release.root, to):
        moments += 1
        if not (to / f"e{moment}").exists():
            work(moment, release.root, to)
        assert contents(to / f"e{moment}") == whole
    assert moments > 10
    assert not list(to.glob(".*"))


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class Disk:
    """What outlasts a power cut: of each file the bytes flushed, of each folder the names."""

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


def test_a_release_that_is_said_to_be_made_is_all_on_the_disk(pool: Pool, genset: Genset) -> None:
    pool.label_all_correct()
    disk = Disk()
    with disk.watched():
        genset("release", "create", "v1")
    made = pool.workspace.releases / "v1"
    assert len(list(made.rglob("*.jpg"))) == 8
    assert disk.lost(made) == []


def test_a_table_that_is_said_to_be_written_is_all_on_the_disk(
    pool: Pool, genset: Genset, tmp_path: Path
) -> None:
    pool.label_all_correct()
    table, disk = tmp_path / "all.csv", Disk()
    with disk.watched():
        genset("labels", "export", table)
    assert table.stat().st_size > 0
    assert disk.lost(table) == []
