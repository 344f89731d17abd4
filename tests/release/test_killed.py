"""SIGKILL at any moment of making a release, a version of it, or an export."""

from collections.abc import Callable
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
from tests.release.conftest import Pool


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
