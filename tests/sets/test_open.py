"""The set that a name or a path means; every file of it is scored, or named with the reason."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from PIL import Image

from genset.cli import cli
from genset.core.errors import BadInput, PhotoRejected, ReleaseIncomplete
from genset.label import Verdict
from genset.release.freeze import create
from genset.release.reader import Release
from genset.score.pixels import opened
from genset.sets import open as opening
from genset.sets.open import open_set
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace, vote
from tests.score.colours import BLUE, RED, WNIDS, colours, paint, painted_set
from tests.scrape.hostile import HEIC
from tests.sets import layouts


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


FOLDER = WNIDS[0]


def scored(folder: Path) -> dict[str, Any]:
    """The run of `Colours` on the photos in a folder, by ``genset evaluate``."""
    words = ["evaluate", str(folder / "photos"), "--model", colours(folder), "--json"]
    done = CliRunner().invoke(cli, [*words, "--runs", str(folder / "runs")])
    assert done.exit_code == 0, done.output
    run: dict[str, Any] = json.loads(done.stdout)["runs"][0]
    return run


def test_heic_is_scored_or_says_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paint(tmp_path / "photos", 0, "good.png", RED)
    for name in ("a.heic", "b.HEIF", "no_ending"):
        (tmp_path / "photos" / FOLDER / name).write_bytes(HEIC)
    run = scored(tmp_path)
    assert (run["top1"]["correct"], run["excluded"]) == (4, {})
    assert opened(tmp_path / "photos" / FOLDER / "a.heic").size == (64, 48)
    monkeypatch.delitem(Image.OPEN, "HEIF")
    monkeypatch.setattr(Image, "ID", [kind for kind in Image.ID if kind != "HEIF"])
    (tmp_path / "runs").rename(tmp_path / "before")
    run = scored(tmp_path)
    assert run["top1"]["photos"] == 1
    assert set(run["excluded"].values()) == {
        "HEIC needs an optional part: pip install 'genset[heif]'"
    }


@pytest.mark.parametrize("write", [layouts.tar_of_folders, layouts.shards_of_wnids])
def test_photos_in_tars_without_reason_to_fail_do_not(
    tmp_path: Path, write: layouts.Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links in a tar, and what is no photo, cost themselves."""
    good = paint(tmp_path / "photos", 0, "good.png", RED)
    if write is layouts.tar_of_folders:
        (good.parent / "linked.png").symlink_to("good.png")
    (good.parent / "text.gif").write_text("I am no photo.")
    monkeypatch.chdir(tmp_path)
    found = open_set(write(tmp_path / "photos", tmp_path))
    assert [photo.id for photo in found.photos] == open_set("photos").ids
    for photo in found.photos:
        if photo.id.endswith(("linked.png", "text.gif")):
            with pytest.raises(PhotoRejected, match=r"it is no regular file|cannot identify"):
                opened(photo)
        else:
            assert photo.read_bytes() == good.read_bytes()


def test_each_format_is_scored(tmp_path: Path) -> None:
    folder = tmp_path / "photos" / FOLDER
    folder.mkdir(parents=True)
    red = Image.new("RGB", (48, 40), RED)
    for ending in ("jpg", "JPEG", "jfif", "png", "webp", "bmp", "ppm", "tif", "avif"):
        red.save(folder / f"a.{ending}", {"jfif": "JPEG"}.get(ending))
    red.save(folder / "moving.gif", save_all=True, append_images=[Image.new("RGB", (48, 40), BLUE)])
    red.save(folder / "pages.tiff", save_all=True, append_images=[Image.new("RGB", (9, 9), BLUE)])
    for kind in ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "PPM"):
        red.save(folder / f"no_ending_{kind}", kind)
    (folder / "README").write_text("no photo, and no ending")
    (folder / "notes.txt").write_text("no photo")
    run = scored(tmp_path)
    assert (run["top1"]["correct"], run["top1"]["photos"], run["excluded"]) == (19, 19, {})
    assert open_set(str(tmp_path / "photos")).notes == (
        "2 files are no photos (README, notes.txt): left out.",
    )


def test_what_cannot_be_read_costs_only_itself_and_is_named(tmp_path: Path) -> None:
    paint(tmp_path / "photos", 0, "good.png", RED)
    folder = tmp_path / "photos" / FOLDER
    (folder / "dangling.jpg").symlink_to("nowhere.jpg")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "circle.png").symlink_to("circle.png")
    (folder / "folder.jpg").mkdir()
    (folder / "empty.jpg").touch()
    (folder / "text.gif").write_text("I am no photo.")
    (folder / "drawing.tif").write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    (folder / "device.jpg").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.jpg")
    (folder / "linked.png").symlink_to("good.png")
    (tmp_path / "photos" / WNIDS[1]).symlink_to("nowhere")
    notes = open_set(str(tmp_path / "photos")).notes
    assert f"The folder {WNIDS[1]} cannot be read, and is left out." in notes
    run = scored(tmp_path)
    assert run["top1"]["photos"] == 2
    assert run["excluded"] == {
        f"{FOLDER}/{name}": why
        for name, why in {
            "circle.png": "Too many levels of symbolic links",
            "dangling": "No such file or directory",
            "dangling.jpg": "No such file or directory",
            "device.jpg": "it is no regular file",
            "drawing.tif": "it is a drawing (EPS), not a photo",
            "empty.jpg": "the file is empty",
            "folder.jpg": "it is a folder",
            "pipe.jpg": "it is no regular file",
            "text.gif": f"cannot identify image file '{folder / 'text.gif'}'",
        }.items()
    }


def test_photos_that_vanished_meanwhile_are_scored_once_they_are_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = paint(tmp_path / "photos", 0, "a.png", RED)
    paint(tmp_path / "photos", 0, "b.png", RED)
    (tmp_path / "photos" / FOLDER / "empty.png").touch()
    real = opening.open_set

    def then_gone(*given: Any) -> Any:
        found = real(*given)
        gone.rename(tmp_path / "away.png")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(opening, "open_set", then_gone)
        run = scored(tmp_path)
    assert run["top1"]["photos"] == 1
    assert run["excluded"][f"{FOLDER}/a.png"] == "No such file or directory"
    (tmp_path / "away.png").rename(gone)
    run = scored(tmp_path)
    assert run["top1"]["photos"] == 2
    assert run["excluded"] == {f"{FOLDER}/empty.png": "the file is empty"}
    assert scored(tmp_path)["created_at"] == run["created_at"]


def test_a_name_that_is_no_utf8_is_written_as_its_bytes(tmp_path: Path) -> None:
    paint(tmp_path / "photos", 0, "a.png", RED).rename(
        os.fsdecode(os.fsencode(tmp_path / "photos" / FOLDER) + b"/caf\xe9.png")
    )
    (tmp_path / "photos" / FOLDER / os.fsdecode(b"caf\xe9.txt")).touch()
    assert scored(tmp_path)["top1"]["correct"] == 1
    [predictions] = (tmp_path / "runs").glob("photos/*/predictions.csv")
    assert f"{FOLDER}/caf\\xe9.png,{FOLDER}," in predictions.read_text("utf-8")
    in_folder = open_set(str(tmp_path / "photos"))
    assert in_folder.notes == ("The file caf\\xe9.txt is no photo, and is left out.",)
    in_tar = open_set(str(tmp_path / layouts.tar_of_folders(tmp_path / "photos", tmp_path)))
    assert (in_tar.ids, in_tar.content_hash) == (in_folder.ids, in_folder.content_hash)
