"""Every file of a set is scored, or named with the reason; and costs nobody else."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from PIL import Image

from genset.cli import cli
from genset.core.errors import PhotoRejected
from genset.score.pixels import opened
from genset.sets import open as opening
from genset.sets.open import open_set
from tests.score.colours import BLUE, RED, WNIDS, colours, paint
from tests.scrape.hostile import HEIC
from tests.sets import layouts

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
