"""A release proves itself; a manifest that is none of ours, and symbolic links, are refused."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genset.core.errors import BadInput, GensetError, ReleaseDamaged
from genset.release.exports import FORMATS
from genset.release.exports.export import export
from genset.release.reader import MANIFEST, Release, content_hash, manifest_hash, manifest_lines
from genset.release.versions import takedown
from genset.scrape.removal import remove
from genset.sets.open import open_set
from tests.labeled_workspace import TENCH
from tests.release.conftest import Genset, Pool
from tests.sources.conftest import JSON

VERIFY = "release", "verify", "v1"
NOBODY = f"sha256:{0:064x}"


def problems(release: Release) -> list[str]:
    """What verifying the release, read anew, complains of."""
    with pytest.raises(ReleaseDamaged) as raised:
        Release(release.root).verify()
    assert raised.value.problems[0] in str(raised.value)
    return raised.value.problems


def edit_manifest(release: Release, edit: Callable[[dict[str, Any]], object]) -> None:
    path = release.root / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    edit(manifest)
    path.chmod(0o644)
    path.write_text("".join(manifest_lines(manifest)), "utf-8")


def test_a_changed_byte_in_any_file_is_named(release: Release) -> None:
    for path in sorted(path for path in release.root.rglob("*") if path.is_file()):
        sound = path.read_bytes()
        path.chmod(0o644)
        for place in (0, len(sound) // 2, len(sound) - 1):
            path.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
            name = path.relative_to(release.root).as_posix()
            with pytest.raises((BadInput, ReleaseDamaged), match=name):
                Release(release.root).verify()
        path.write_bytes(sound)
    Release(release.root).verify()


def test_every_problem_is_listed(release: Release) -> None:
    for name in ("__MACOSX/._1.jpg", ".DS_Store", f"test/{TENCH}/Thumbs.db"):
        (release.root / name).parent.mkdir(exist_ok=True)
        (release.root / name).write_bytes(b"?")
    (release.root / "test/n02102040").mkdir()
    passed_over = [".DS_Store", "__MACOSX", f"test/{TENCH}/Thumbs.db", "test/n02102040"]
    assert Release(release.root).verify() == passed_over
    assert len(open_set(str(release.root)).photos) == len(release.photos)
    extra = ["README", f"test/{TENCH}/extra.jpg", "test/n02102040/1.jpg", ".hidden"]
    for name in extra:
        (release.root / name).write_bytes(b"?")
    *gone, changed = (photo.file for photo in release.photos[:5])
    gone += ["docs/DATA_CARD.md", "test/metadata.csv", "croissant.json"]
    for file in gone:
        (release.root / file).unlink()
    (release.root / changed).chmod(0o644)
    (release.root / changed).write_bytes(b"?")
    edit_manifest(release, lambda manifest: manifest.update(labelers=2))
    lines = [f"{changed} was changed", "manifest.json was changed"]
    lines += [f"{file} is missing" for file in gone]
    lines += [f"{name} does not belong to it" for name in (*extra, "test/n02102040")]
    assert sorted(problems(release)) == sorted(lines)


def test_a_folder_without_a_manifest_is_no_release(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for root in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(BadInput, match=f"{root} is not a release: it has no manifest.json"):
            Release(root)


@pytest.mark.parametrize(
    "text", ["", "not json", "[]", "{}", "null", '{"format": 1}', "\ufeff{", "[" * 100_000]
)
def test_a_manifest_that_is_no_manifest_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text, "utf-8")
    with pytest.raises(BadInput, match=r"manifest\.json(:|,| must)") as no:
        Release(tmp_path)
    assert "\n" not in str(no.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("name", 0.5), ("format", 0.5), ("excluded", 0.5), ("documents", 0.5), ("photos", 0.5)),
        *(("photos[1].rank", 0.5), ("photos[1].unseen", "perhaps"), ("photos[1].license_id", [])),
    ],
)
def test_a_field_of_another_type_is_refused(release: Release, field: str, value: Any) -> None:
    path, name = release.root / MANIFEST, field.rpartition(".")[2]
    manifest = json.loads(path.read_text("utf-8"))
    (manifest["photos"][1] if "[" in field else manifest)[name] = value
    path.chmod(0o644)
    path.write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(BadInput, match=re.escape(f"manifest.json: {field} must be ")):
        Release(release.root)


@pytest.mark.parametrize("file", ["../../secret.jpg", "/etc/passwd", f"{TENCH}/../../x.jpg"])
def test_a_manifest_never_leads_out_of_its_folder(release: Release, file: str) -> None:
    """Neither by a photo nor by a document."""
    sound = (release.root / MANIFEST).read_bytes()
    edit_manifest(release, lambda manifest: manifest["photos"][0].update(file=file))
    with pytest.raises(BadInput, match="is no file of a photo"):
        Release(release.root)
    (release.root / MANIFEST).write_bytes(sound)
    edit_manifest(release, lambda manifest: manifest["documents"].update({file: "0" * 64}))
    with pytest.raises(BadInput, match="is no document of a release"):
        Release(release.root)


@pytest.mark.soak
def test_whatever_stands_in_a_manifest_is_noticed_and_never_a_traceback(release: Release) -> None:
    path = release.root / MANIFEST
    path.chmod(0o644)
    sound = json.loads(path.read_text("utf-8"))

    @settings(max_examples=150)
    @given(data=st.data(), value=JSON)
    def garble(data: st.DataObject, value: object) -> None:
        manifest = json.loads(json.dumps(sound))
        place = data.draw(st.sampled_from([manifest, manifest["photos"][0]]))
        field = data.draw(st.sampled_from(sorted(place)))
        before, place[field] = place[field], value
        if json.dumps(before) == json.dumps(value):
            return
        path.write_text(json.dumps(manifest), "utf-8")
        with pytest.raises((BadInput, ReleaseDamaged)):
            Release(release.root).verify()

    garble()


# A published hash


def test_a_release_is_the_expected_one_by_either_of_its_hashes(
    release: Release, genset: Genset
) -> None:
    manifest = json.loads((release.root / MANIFEST).read_text("utf-8"))
    for name in ("content_hash", "manifest_hash"):
        text = genset(*VERIFY, "--expect", manifest[name].upper().replace("SHA", "sha"))
        assert f"its {name.replace('_', ' ')} is the expected one" in text
        told = genset(*VERIFY, "--json", "--expect", manifest[name])
        assert json.loads(told)["expected"] == name
    for hash in ("", "sha256:", "sha256:abc", NOBODY[8:], f"{NOBODY}0", "md5:1"):
        said = genset(*VERIFY, "--expect", hash)
        assert said.startswith("2: --expect takes a whole hash, 64 hexadecimal digits")


def test_another_release_is_refused_though_it_is_whole(release: Release, genset: Genset) -> None:
    def forge(manifest: dict[str, Any]) -> None:
        manifest["manifest_hash"] = manifest_hash(manifest)

    edit_manifest(release, lambda manifest: manifest["photos"][0].update(title="other"))
    edit_manifest(release, forge)
    assert problems(release) == ["manifest.json was changed"]  # for the records' hash
    photos = Release(release.root).photos
    edit_manifest(release, lambda manifest: manifest.update(content_hash=content_hash(photos)))
    edit_manifest(release, forge)
    assert genset(*VERIFY).startswith("v1: 8 photos")  # it fits itself
    said = genset(*VERIFY, "--expect", release.content_hash)
    other = "v1 is not the release that was expected: its content hash is sha256:"
    assert said.startswith("1: ") and other in said


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
