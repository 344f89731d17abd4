"""The set that a name or a path means."""

from pathlib import Path

import pytest

from genset.core.errors import BadInput, ReleaseIncomplete
from genset.label import Verdict
from genset.release.freeze import create
from genset.release.reader import Release
from genset.sets.open import open_set
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace, vote
from tests.score.colours import BLUE, RED, WNIDS, paint, painted_set


@pytest.fixture
def release(tmp_path: Path) -> Release:
    workspace, store = labeled_workspace(tmp_path / "workspace", photos=1)
    for task in (f"{TENCH}/flickr:0", f"{GOLDFISH}/flickr:100"):
        vote(store, task, "ann", Verdict.CORRECT)
    made = create(workspace, store, "v1")
    store.close()
    return made


def test_a_release_is_found_by_its_name_and_by_its_path(release: Release) -> None:
    by_name = open_set("v1", release.root.parent)
    assert by_name.name == "v1"
    assert by_name.content_hash == release.content_hash
    assert [(photo.id, photo.wnid) for photo in by_name.photos] == [
        (photo.file, photo.wnid) for photo in release.photos
    ]
    assert all(photo.path == release.root / photo.id for photo in by_name.photos)
    assert open_set(str(release.root)) == by_name
    (release.root / release.photos[0].file).unlink()
    with pytest.raises(ReleaseIncomplete, match="v1 has 1 of 2 photos of v1, without"):
        open_set("v1", release.root.parent)


def test_a_plain_folder_of_wnid_folders_is_a_set(tmp_path: Path) -> None:
    folder = painted_set(tmp_path / "mine")
    (folder / WNIDS[0] / "notes.txt").write_text("not a photo")
    (folder / ".cache").mkdir()
    (folder / "README").touch()
    found = open_set(str(folder))
    assert found.name == "mine"
    assert [(photo.id, photo.wnid) for photo in found.photos] == [
        (f"{WNIDS[0]}/a.jpg", WNIDS[0]),
        (f"{WNIDS[0]}/b.jpg", WNIDS[0]),
        (f"{WNIDS[2]}/c.jpg", WNIDS[2]),
        (f"{WNIDS[3]}/d.jpg", WNIDS[3]),
    ]
    hashes = [found.content_hash]  # which any change of the photos changes
    with (folder / WNIDS[0] / "a.jpg").open("ab") as photo:
        photo.write(b"\0")
    hashes.append(open_set(str(folder)).content_hash)
    paint(folder, 5, "e.png", BLUE)
    hashes.append(open_set(str(folder)).content_hash)
    (folder / WNIDS[0] / "b.jpg").rename(folder / WNIDS[2] / "b.jpg")
    hashes.append(open_set(str(folder)).content_hash)
    assert len(set(hashes)) == 4


def test_another_package_s_layout_is_asked_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = painted_set(tmp_path / "photos")
    (info := tmp_path / "doubled-1.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: doubled\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[genset.set_layouts]\ndoubled = doubled:read\n")
    (tmp_path / "doubled.py").write_text(
        "from pathlib import Path\n"
        "from genset.sets.layouts.folder import read as folder\n"
        "def read(named, classes, hashes):\n"
        "    if named.endswith('.doubled'):\n"
        "        return folder(Path(named).read_text(), classes, hashes)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "set.doubled").write_text(str(folder))
    assert open_set(str(tmp_path / "set.doubled")) == open_set(str(folder))


def test_a_strange_folder_is_refused_alone_and_left_out_beside_others(tmp_path: Path) -> None:
    photo = paint(tmp_path, 0, "a.jpg", RED)
    for name in ("cat", "n00000000", "N01440764"):
        photo.parent.rename(tmp_path / name)
        with pytest.raises(BadInput, match=f"{tmp_path / name} is not a class.*n02123045"):
            open_set(str(tmp_path))
        (tmp_path / name).rename(photo.parent)
    (tmp_path / "cats").mkdir()
    for place in (2, 3):
        (tmp_path / WNIDS[place]).mkdir()
    found = open_set(str(tmp_path))
    assert [photo.id for photo in found.photos] == [f"{WNIDS[0]}/a.jpg"]
    assert found.notes == (
        "The folder cats is not a class of ImageNet, and is left out.",
        f"2 folders have no photo ({WNIDS[2]}, {WNIDS[3]}): left out.",
    )


def test_photos_beside_and_below_the_folders_of_classes_are_left_out_and_said_so(
    tmp_path: Path,
) -> None:
    good = paint(tmp_path, 0, "a.jpg", RED)
    (tmp_path / "beside.jpg").write_bytes(good.read_bytes())
    assert open_set(str(tmp_path)).notes == (
        "The photo beside.jpg is in no class's folder, and is left out.",
    )
    (good.parent / "deep" / "deeper").mkdir(parents=True)
    good.rename(good.parent / "deep" / "deeper" / "b.jpg")
    paint(tmp_path, 2, "c.jpg", BLUE)
    found = open_set(str(tmp_path))
    assert [photo.id for photo in found.photos] == [f"{WNIDS[2]}/c.jpg"]
    assert found.notes == (
        f"The folder {WNIDS[0]} has no photo, and is left out.",
        "2 photos are in no class's folder (beside.jpg, b.jpg): left out.",
    )


def test_a_folder_without_photos_is_refused(tmp_path: Path) -> None:
    (tmp_path / WNIDS[0]).mkdir()
    with pytest.raises(BadInput, match=f"{tmp_path} holds no photos: it needs wnid folders"):
        open_set(str(tmp_path))
    (tmp_path / "beside.jpg").touch()
    with pytest.raises(BadInput, match="has 1 photo, but in no class's folder: it needs wnid"):
        open_set(str(tmp_path))
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "v1-000000.tar").touch()
    with pytest.raises(BadInput, match=r"in genset evaluate .*v1-000000\.tar"):
        open_set(str(tmp_path / "shards"))


def test_what_is_not_there_is_named_with_what_is(release: Release, tmp_path: Path) -> None:
    name = "name a release, a folder or a file of photos"
    with pytest.raises(BadInput, match=f"^v2 is not there: {name}; releases here: v1$"):
        open_set("v2", release.root.parent)
    missing = tmp_path / "labels.csv"
    with pytest.raises(BadInput, match=f"^{missing} is not there: {name}$"):
        open_set(str(missing))
    notes = tmp_path / "notes.md"
    notes.touch()
    with pytest.raises(BadInput, match=f"^{notes} is no set of photos: {name}$"):
        open_set(str(notes))
    photo = tmp_path / "ILSVRC2012_val_00000001.JPEG"
    photo.touch()
    single = "is a single photo: give the folder, CSV or tar that holds it"
    with pytest.raises(BadInput, match=f"^{photo} {single}$"):
        open_set(str(photo))
