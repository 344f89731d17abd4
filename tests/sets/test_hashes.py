"""A set's bytes are read once, and again exactly where they may be others."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.core.errors import ReleaseDamaged
from genset.label import Verdict
from genset.release.freeze import create
from genset.release.reader import Release
from genset.sets import hashes
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from tests.labeled_workspace import TENCH, labeled_workspace, vote
from tests.score.colours import BLUE, WNIDS, colours, paint, painted_set
from tests.sets import layouts

LATER = 10_000_000_000  # nanoseconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How far the clock is ahead of the files' times: ten seconds, if a test does not change it."""
    ahead = [LATER]
    real = hashes.time.time_ns
    monkeypatch.setattr(hashes.time, "time_ns", lambda: real() + ahead[0])
    yield ahead


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read to hash them."""
    names: list[str] = []
    real = hashes.sha256_of

    def told(path: Path) -> str:
        names.append(path.name)
        return real(path)

    monkeypatch.setattr(hashes, "sha256_of", told)
    return names


def opened(folder: Path) -> PhotoSet:
    return open_set(str(folder), hashes=folder.parent / "hashes")


@pytest.mark.usefixtures("clock")
def test_whatever_happens_to_a_photo_it_is_seen(tmp_path: Path, hashed: list[str]) -> None:
    photos = painted_set(tmp_path / "photos")
    path = photos / WNIDS[0] / "a.jpg"
    before = path.stat()

    def in_place() -> None:
        """Other bytes of the same size, and the old time put back: only ctime tells."""
        path.write_bytes(bytes(before.st_size))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def moved_over() -> None:
        other = paint(tmp_path, 0, "other.jpg", BLUE)
        os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
        other.replace(path)

    for change in (in_place, moved_over, lambda: path.write_bytes(b"short"), path.unlink):
        opened(photos)
        hashed.clear()
        change()
        now = opened(photos)
        assert set(hashed) <= {"a.jpg"}
        assert now.content_hash == open_set(str(photos)).content_hash
    assert len(now) == 3


def test_a_file_changed_in_the_same_moment_and_damaged_hashes_are_not_trusted(
    tmp_path: Path, clock: list[int], hashed: list[str]
) -> None:
    photos = painted_set(tmp_path / "photos")
    clock[0] = 0  # the photos are as new as can be
    opened(photos)
    hashed.clear()
    clock[0] = LATER
    opened(photos)
    assert sorted(hashed) == ["a.jpg", "b.jpg", "c.jpg", "d.jpg"]  # and are kept only now
    hashed.clear()
    first = opened(photos)
    assert hashed == []
    # What was kept and is damaged is as none.
    (file,) = (tmp_path / "hashes").iterdir()
    content = file.read_bytes()
    digit = content.rindex(b'"]') - 5
    flipped = content[:digit] + bytes([content[digit] ^ 1]) + content[digit + 1 :]
    for damaged in (content[:-9], flipped, b"", b"{}\n[1]"):
        file.write_bytes(damaged)
        assert opened(photos) == first


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("write", [layouts.tar_of_folders, layouts.parquet, layouts.saved_to_disk])
def test_files_with_many_photos_are_read_once_too(
    tmp_path: Path, write: layouts.Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos = painted_set(tmp_path / "photos")
    monkeypatch.chdir(tmp_path)
    named = write(photos, tmp_path)
    first = open_set(named, hashes=tmp_path / "hashes")
    with monkeypatch.context() as patch:
        patch.setattr("hashlib.file_digest", None)
        for module in ("tar", "hugging_face"):
            patch.setattr(f"genset.sets.layouts.{module}.hashlib", None)
        assert open_set(named, hashes=tmp_path / "hashes") == first
    (photos / WNIDS[0] / "a.jpg").write_bytes(b"another")
    for old in tmp_path.glob("saved/*"):
        old.unlink()
    write(photos, tmp_path)
    assert open_set(named, hashes=tmp_path / "hashes").content_hash != first.content_hash


@pytest.mark.usefixtures("clock")
def test_every_command_uses_what_evaluate_kept(tmp_path: Path, hashed: list[str]) -> None:
    photos, runs = painted_set(tmp_path / "photos"), ["--runs", str(tmp_path / "runs")]
    spec = colours(tmp_path)
    words = ["--model", f"{spec}&name=one", "--model", f"{spec}&name=two", *runs]
    commands = [
        ["evaluate", str(photos), *words],
        ["evaluate", str(photos), *words],
        ["compare", "one", "two", "--on", str(photos), *runs],
        ["report", str(photos), "-o", str(tmp_path / "report.html"), *runs],
    ]
    for number, command in enumerate(commands):
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == 0, done.output
        read = [name for name in hashed if name.endswith(".jpg")]
        assert len(read) == (0 if number else 4), command
        hashed.clear()


@pytest.fixture
def release(tmp_path: Path) -> Release:
    workspace, store = labeled_workspace(tmp_path / "workspace", photos=2)
    for number in (0, 1):
        vote(store, f"{TENCH}/flickr:{number}", "ann", Verdict.CORRECT)
    made = create(workspace, store, "v1")
    store.close()
    return made


@pytest.mark.usefixtures("clock")
def test_a_release_is_verified_once_and_then_by_its_files_stat(
    release: Release, hashed: list[str], tmp_path: Path
) -> None:
    first = opened(release.root)
    assert len([name for name in hashed if name.endswith(".jpg")]) == 2
    hashed.clear()
    assert opened(release.root) == first
    assert hashed == []
    for stray in (release.root / "stray.txt", release.root / "test" / TENCH / "stray.jpg"):
        stray.touch()
        with pytest.raises(ReleaseDamaged, match=r"stray.* does not belong to it"):
            opened(release.root)
        stray.unlink()
    photo = release.root / release.photos[0].file
    before = photo.stat()
    photo.chmod(0o644)
    photo.write_bytes(bytes(before.st_size))
    os.utime(photo, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(ReleaseDamaged, match="was changed"):
        opened(release.root)


@pytest.mark.usefixtures("clock")
def test_release_verify_trusts_no_kept_hash(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = release.root
    workspace = root.parent.parent
    monkeypatch.chdir(workspace)
    spec = colours(workspace)
    assert CliRunner().invoke(cli, ["evaluate", "v1", "--model", spec]).exit_code == 0
    (file,) = (workspace / "runs" / ".hashes").iterdir()
    assert release.photos[0].sha256 in file.read_text()
    # Bits that rot under an unchanged stat: kept hashes cannot see that.
    monkeypatch.setattr("genset.sets.hashes._stat", lambda path: json.loads("[1, 2, 3, 4, 5]"))
    photo = root / release.photos[0].file
    photo.chmod(0o644)
    photo.write_bytes(b"rotten")
    done = CliRunner().invoke(cli, ["release", "verify", "v1"])
    assert isinstance(done.exception, ReleaseDamaged)
