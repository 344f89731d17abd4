"""An export as "mixed", completed by a pull against the sandbox."""

from pathlib import Path

import pytest

from genset.release.exports.export import export
from genset.scrape.pull import PullSummary, pull
from tests.killing import killed_at_each_change
from tests.scrape.pools import Pool, Serve, flickr_at
from tests.scrape.test_pull import Maker, files

RESTRICTED = (2, 4)


class Mixed(Maker):
    """A release of four photos, some of them all rights reserved, exported as mixed."""

    def __init__(self, serve: Serve, pool: Pool, folder: Path) -> None:
        super().__init__(serve, pool, photos=4, restricted=RESTRICTED)
        self.folder = folder
        export(self.release, "mixed", folder)

    def pull(self) -> PullSummary:
        return pull(self.folder, lambda name: self.sandbox.source)


@pytest.fixture
def mixed(serve: Serve, pool: Pool, tmp_path: Path) -> Mixed:
    return Mixed(serve, pool, tmp_path / "v1-mixed")


def test_a_link_or_a_changed_photo_is_replaced(mixed: Mixed, tmp_path: Path) -> None:
    linked, changed = (mixed.folder / mixed.photo(number).file for number in (1, 3))
    linked.rename(tmp_path / "elsewhere.jpg")
    linked.symlink_to(tmp_path / "elsewhere.jpg")
    changed.chmod(0o644)
    changed.write_bytes(b"changed")
    done = mixed.pull()
    assert (done.pulled, done.present, done.missing) == (4, 0, 0)
    assert files(mixed.folder) == files(mixed.release.root)
    assert not linked.is_symlink()


def pull_it(_moment: int, folder: Path, endpoint: Path, watched: Path) -> None:
    source = flickr_at(endpoint.parent, endpoint.read_text("utf-8"))
    assert pull(watched, lambda name: source).missing == 0


@pytest.mark.soak
def test_killed_at_any_moment_the_same_command_completes_it(mixed: Mixed, tmp_path: Path) -> None:
    endpoint = tmp_path / "endpoint"
    endpoint.write_text(mixed.sandbox.endpoint, "utf-8")
    moments = 0
    for _ in killed_at_each_change(pull_it, mixed.folder, endpoint, mixed.folder):
        moments += 1
    assert moments >= 3  # two photos come at once: a kill may leave both, or one
    assert files(mixed.folder) == files(mixed.release.root)
