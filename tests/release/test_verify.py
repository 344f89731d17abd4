"""A release proves itself, and a manifest that is not one of ours is refused in one line."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genset import open_set
from genset.core.errors import BadInput, ReleaseDamaged
from genset.release.reader import MANIFEST, Release, manifest_hash
from tests.labeled_workspace import TENCH
from tests.sources.conftest import JSON


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
    path.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")


def test_a_changed_byte_in_any_file_is_named(release: Release) -> None:
    files = sorted(path for path in release.root.rglob("*") if path.is_file())
    assert len(files) == 8 + 1 + 7  # photos, manifest, documents
    for path in files:
        sound = path.read_bytes()
        path.chmod(0o644)
        for place in (0, len(sound) // 2, len(sound) - 1):
            path.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
            name = path.relative_to(release.root).as_posix()
            with pytest.raises((BadInput, ReleaseDamaged), match=name):
                Release(release.root).verify()
        path.write_bytes(sound)
    Release(release.root).verify()


@pytest.mark.parametrize("name", ["docs/DATA_CARD.md", "test/metadata.csv", "croissant.json"])
def test_a_missing_document_is_named(release: Release, name: str) -> None:
    (release.root / name).unlink()
    assert problems(release) == [f"{name} is missing"]


@pytest.mark.parametrize(
    "extra", ["README", f"test/{TENCH}/extra.jpg", "test/n02102040/1.jpg", ".hidden"]
)
def test_a_file_or_folder_too_many_is_named(release: Release, extra: str) -> None:
    path = release.root / extra
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"?")
    assert problems(release)[-1] == f"{extra} does not belong to it"


def test_what_a_system_left_there_and_empty_folders_are_passed_over(release: Release) -> None:
    for name in ("__MACOSX/._1.jpg", ".DS_Store", f"test/{TENCH}/Thumbs.db"):
        (release.root / name).parent.mkdir(exist_ok=True)
        (release.root / name).write_bytes(b"?")
    (release.root / "test/n02102040").mkdir()
    passed_over = [".DS_Store", "__MACOSX", f"test/{TENCH}/Thumbs.db", "test/n02102040"]
    assert Release(release.root).verify() == passed_over
    assert len(open_set(str(release.root)).photos) == len(release.photos)


def test_records_must_fit_the_content_hash_even_where_the_rest_of_the_manifest_does(
    release: Release,
) -> None:
    def forge(manifest: dict[str, Any]) -> None:
        manifest["photos"][0]["license"] = "CC0"
        manifest["manifest_hash"] = manifest_hash(manifest)

    edit_manifest(release, forge)
    assert problems(release) == ["manifest.json was changed"]


def test_every_problem_is_listed(release: Release) -> None:
    *gone, changed = (photo.file for photo in release.photos[:5])
    for file in gone:
        (release.root / file).unlink()
    (release.root / changed).chmod(0o644)
    (release.root / changed).write_bytes(b"?")
    edit_manifest(release, lambda manifest: manifest.update(labelers=2))
    assert sorted(problems(release)) == sorted(
        [f"{changed} was changed", "manifest.json was changed", *(f"{f} is missing" for f in gone)]
    )


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
    "field", ["name", "format", "excluded", "documents", "photos", "photos[1].rank"]
)
def test_a_field_of_another_type_is_refused(release: Release, field: str) -> None:
    name = field.rpartition(".")[2]
    place = 1 if "[" in field else None
    edit_manifest(
        release, lambda all: (all if place is None else all["photos"][place]).update({name: 0.5})
    )
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
