"""Data that is not as it should be: one clear line, before any model runs."""

from pathlib import Path

import pytest

from genset.finetune.tasks import open_task
from tests.finetune.layouts import (
    SPECIES,
    birds,
    butterflies,
    cats_and_dogs,
    class_folders,
    paint,
    refused,
    set_line,
)

FIRST = f"{SPECIES[0]}/Black_footed_Albatross_0.png"


@pytest.mark.parametrize(
    ("name", "number", "value", "said"),
    [
        ("classes.txt", 2, None, "a list has no line for '2'"),
        ("classes.txt", 4, "004.Owl", "the class Owl has no photo"),
        ("classes.txt", 2, "002.Parakeet_Auklet", "the class 'Parakeet Auklet' is there twice"),
        ("train_test_split.txt", 5, None, "a list has no line for '5'"),
        ("images.txt", 2, FIRST, f"the photo images/{FIRST} is listed twice"),
        ("images.txt", 2, "../images.txt", "the photo images/../images.txt leads out of"),
    ],
)
def test_lists_that_contradict_each_other(
    name: str, number: int, value: str | None, said: str, tmp_path: Path
) -> None:
    root = birds(tmp_path)
    set_line(root / name, number, value)
    told = refused("birds-200", root)
    assert said in told
    assert str(root) in told


def test_classes_with_one_photo_or_none(tmp_path: Path) -> None:
    root = class_folders(tmp_path, {"owl": 3, "hawk": 1})
    assert "class hawk has no photo for the test part: a class needs two" in refused("folder", root)
    class_folders(root, {"kite": 1, "jay": 1, "tit": 1})
    assert "4 classes (hawk, jay, kite, ...) have no photo for" in refused("folder", root)
    (root / "gull").mkdir()
    (root / "gull" / "notes.txt").touch()
    assert "the class gull has no photo" in refused("folder", root)
    assert "has only the class owl" in refused("folder", class_folders(tmp_path / "1", {"owl": 4}))
    none = class_folders(tmp_path / "0", {"a": 0})
    assert "holds no folders of photos" in refused("folder", none)


def test_unreadable_photos_are_left_out_and_named(tmp_path: Path) -> None:
    root = class_folders(tmp_path, {"owl": 6, "hawk": 5})
    (root / "owl" / "0.png").write_text("<html>not found</html>")
    (root / "owl" / "5.png").write_bytes(b"")
    (root / "hawk" / "lost.png").symlink_to(root / "nowhere.png")
    (root / "hawk" / "two\nlines.png").write_bytes((root / "hawk" / "0.png").read_bytes())
    data = open_task("folder", root)
    assert data.excluded == {
        "hawk/lost.png": "No such file or directory",
        "hawk/two\\nlines.png": "its name cannot be written",
        "owl/0.png": "cannot identify image file 'owl/0.png'",
        "owl/5.png": "the file is empty",
    }
    assert len(data.photos) == len(data.labels) == 9
    assert not {photo.id for photo in data.photos} & set(data.excluded)
    for photo in (1, 2, 3):
        (root / "owl" / f"{photo}.png").write_bytes(b"")
    assert "the class owl has no photo that can be read (" in refused("folder", root)


def test_photos_of_other_names_are_left_out_of_a_layout_of_names(tmp_path: Path) -> None:
    reason = "its name is not that of a photo of the data set"
    paint(cats_and_dogs(tmp_path / "pets") / "tiger.1.jpg")
    assert open_task("cats-dogs", tmp_path / "pets").excluded == {"tiger.1.jpg": reason}
    paint(butterflies(tmp_path / "leeds") / "images" / "monarch.png")
    assert open_task("butterflies", tmp_path / "leeds").excluded == {"images/monarch.png": reason}
    folders = class_folders(tmp_path / "own", {"cat": 2, "dog": 2})
    assert refused("cats-dogs", folders).endswith("of the task folder)")
