"""SIGKILL at any moment of making a release."""

from pathlib import Path

from genset.release.freeze import create
from genset.release.reader import find_releases
from genset.store import Store
from genset.workspace import Workspace
from tests.killing import killed_at_each_change
from tests.labeled_workspace import TABBY, TENCH
from tests.release.conftest import Pool


def create_release(moment: int, root: Path, _releases: Path) -> None:
    workspace = Workspace.find(root)
    create(workspace, Store.open(workspace.store_url), f"v{moment}")


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
