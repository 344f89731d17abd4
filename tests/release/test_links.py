"""A symbolic link in a release is refused, though what it leads to has the right bytes."""

import time
from collections.abc import Callable
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


def linked(release: Release, name: str) -> None:
    """Move a file or folder of the release out of it, and put a symbolic link in its place."""
    path = release.root / name
    path.symlink_to(path.rename(release.root.parent.parent / path.name))


def complaints(release: Release) -> list[str]:
    with pytest.raises(ReleaseDamaged) as raised:
        Release(release.root).verify()
    return raised.value.problems


def test_verify_names_each_link_once(release: Release) -> None:
    one, other = release.photos[0], release.photos[-1]
    linked(release, one.file)
    linked(release, f"test/{other.wnid}")
    linked(release, "docs/LICENSES.txt")
    (release.root.parent.parent / "LICENSES.txt").unlink()  # a link to nowhere
    named = (one.file, f"test/{other.wnid}", "docs/LICENSES.txt")
    assert sorted(complaints(release)) == sorted(f"{each} is a symbolic link" for each in named)


def test_a_manifest_that_is_a_link_is_not_read(release: Release) -> None:
    linked(release, MANIFEST)
    with pytest.raises(BadInput, match=r"manifest\.json is a symbolic link; .* cp -RL"):
        Release(release.root)


def test_the_folder_itself_may_be_reached_by_a_link(release: Release, tmp_path: Path) -> None:
    (tmp_path / "here").symlink_to(release.root)
    Release(tmp_path / "here").verify()
    assert Release(tmp_path / "here")[0]
    assert open_set(str(tmp_path / "here")).content_hash == release.content_hash


@pytest.mark.parametrize("what", ["photo", "folder"])
@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "manifest"])
def test_no_export_follows_a_link(release: Release, tmp_path: Path, kind: str, what: str) -> None:
    photo = release.photos[1]
    linked(release, photo.file if what == "photo" else f"test/{photo.wnid}")
    with pytest.raises(GensetError, match="is a symbolic link"):
        export(release, kind, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_no_document_loader_or_takedown_follows_one(
    pool: Pool, release: Release, tmp_path: Path
) -> None:
    linked(release, "docs/DATA_CARD.md")
    with pytest.raises(GensetError, match=r"DATA_CARD\.md is a symbolic link"):
        export(release, "manifest", tmp_path / "out")
    linked(release, f"test/{release.photos[1].wnid}")
    with pytest.raises(GensetError, match=f"{release.photos[1].wnid} is a symbolic link"):
        release[1]
    remove(pool.workspace, pool.store, f"flickr:{release.photos[0].source_id}", "asked")
    with pytest.raises(GensetError, match="is a symbolic link"):
        takedown(pool.workspace, pool.store, release)


@pytest.mark.parametrize(
    "place", [lambda p: p.file, lambda p: f"test/{p.wnid}"], ids=["photo", "folder"]
)
def test_it_is_not_scored_not_even_when_it_was_before(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Callable[..., str]
) -> None:
    real = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: real() + LATER)
    open_set(str(release.root), hashes=tmp_path / "hashes")
    linked(release, place(release.photos[0]))
    with pytest.raises(ReleaseDamaged, match=f"{place(release.photos[0])} is a symbolic link"):
        open_set(str(release.root), hashes=tmp_path / "hashes")
