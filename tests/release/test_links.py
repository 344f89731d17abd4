"""A symbolic link in a release is refused, though what it leads to has the right bytes."""

import time
from pathlib import Path

import pytest

from genset.core.errors import BadInput, GensetError, ReleaseDamaged
from genset.release.exports import FORMATS
from genset.release.exports.export import export
from genset.release.reader import MANIFEST, Release
from genset.release.versions import takedown
from genset.scrape.removal import remove
from genset.sets.open import open_set
from tests.release.conftest import Pool

LATER = 10_000_000_000  # nanoseconds
LINK = "is a symbolic link"


def linked(release: Release, name: str) -> None:
    """Move a file or folder of the release out of it, and put a symbolic link in its place."""
    path = release.root / name
    path.symlink_to(path.rename(release.root.parent.parent / path.name))


def test_a_manifest_that_is_a_link_is_not_read_and_the_folder_may_be_reached_by_one(
    release: Release, tmp_path: Path
) -> None:
    (tmp_path / "here").symlink_to(release.root)
    Release(tmp_path / "here").verify()
    assert Release(tmp_path / "here")[0]
    assert open_set(str(tmp_path / "here")).content_hash == release.content_hash
    linked(release, MANIFEST)
    with pytest.raises(BadInput, match=rf"manifest\.json {LINK}; .* cp -RL"):
        Release(release.root)


@pytest.mark.parametrize("what", ["photo", "folder"])
def test_no_export_loader_or_takedown_follows_a_link_and_it_is_not_scored(
    pool: Pool, release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Nor is it where it was scored before."""
    real, hashes = time.time_ns, tmp_path / "hashes"
    monkeypatch.setattr("time.time_ns", lambda: real() + LATER)
    open_set(str(release.root), hashes=hashes)
    photo = release.photos[1]
    name = photo.file if what == "photo" else f"test/{photo.wnid}"
    linked(release, name)
    with pytest.raises(ReleaseDamaged, match=f"{name} {LINK}"):
        open_set(str(release.root), hashes=hashes)
    for kind in set(FORMATS) - {"manifest"}:
        with pytest.raises(GensetError, match=LINK):
            export(release, kind, tmp_path / "out")
        assert not (tmp_path / "out").exists()
    with pytest.raises(GensetError, match=f"{name} {LINK}"):
        release[1]
    remove(pool.workspace, pool.store, f"flickr:{release.photos[0].source_id}", "asked")
    with pytest.raises(GensetError, match=LINK):
        takedown(pool.workspace, pool.store, release)


def test_no_document_is_one_and_verify_names_each_once(release: Release, tmp_path: Path) -> None:
    one, other = release.photos[0], release.photos[-1]
    names = ["docs/LICENSES.txt", one.file, f"test/{other.wnid}"]
    for name in names:
        linked(release, name)
    with pytest.raises(GensetError, match=rf"LICENSES\.txt {LINK}"):
        export(release, "manifest", tmp_path / "out")
    (release.root.parent.parent / "LICENSES.txt").unlink()  # a link to nowhere
    with pytest.raises(ReleaseDamaged) as raised:
        Release(release.root).verify()
    assert sorted(raised.value.problems) == [f"{name} {LINK}" for name in names]
