"""Tasks open from their data sets' own layouts; of other data one line says what is wrong."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from genset.finetune.tasks import TASKS, described, open_task
from tests.finetune.layouts import (
    SPECIES,
    birds,
    butterflies,
    cats_and_dogs,
    class_folders,
    ids,
    paint,
    refused,
    set_line,
)

FIRST = f"{SPECIES[0]}/Black_footed_Albatross_0.png"
BIRDS = "official, train and test"


def test_birds_come_in_their_official_parts(tmp_path: Path) -> None:
    data = open_task("birds-200", birds(tmp_path), seed=5, test_share=0.9)
    assert (data.task, data.name, data.split) == ("birds-200", "birds-200", BIRDS)
    assert data.classes == ("Black footed Albatross", "Groove billed Ani", "Parakeet Auklet")
    assert ids(data, "train")[:3] == [
        "images/001.Black_footed_Albatross/Black_footed_Albatross_0.png",
        "images/001.Black_footed_Albatross/Black_footed_Albatross_1.png",
        "images/002.Groove_billed_Ani/Groove_billed_Ani_0.png",
    ]
    assert len(data.indices("train")) == len(data.indices("test")) == 6
    assert data.labels.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert data.notes == (
        "CUB-200-2011 has 11,788 photos of 200 classes; here are 12 photos of 3.",
    )
    assert not data.excluded


def test_cats_and_dogs_are_told_by_their_names_and_split_by_seed(tmp_path: Path) -> None:
    root = cats_and_dogs(tmp_path)
    (root / ".DS_Store").touch()
    data = open_task("cats-dogs", root)
    assert data.classes == ("cat", "dog")
    assert data.split == "20 % of each class, seed 0"
    assert [photo.id for photo in data.photos] == sorted(path.name for path in root.glob("*.jpg"))
    assert data.labels.tolist() == [0] * 5 + [1] * 5
    assert len(ids(data, "test")) == 2
    assert not data.excluded
    halves = open_task("cats-dogs", root, seed=3, test_share=0.4)
    assert halves.split == "40 % of each class, seed 3"
    assert len(ids(halves, "test")) == 4


def test_butterflies_are_named_by_their_descriptions(tmp_path: Path) -> None:
    data = open_task("butterflies", butterflies(tmp_path))
    assert data.classes == ("Monarch", "Heliconius charitonius", "category 003")
    assert data.photos[3].id == "images/0020000.png"
    assert data.labels.tolist() == [0] * 3 + [1] * 3 + [2] * 3
    assert np.bincount(data.labels[data.indices("test")]).tolist() == [1, 1, 1]


def test_a_folder_of_class_folders_is_split_by_seed(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "my owls", {"barn owl": 10, "tawny": 5})
    paint(root / "tawny" / "LAST.PNG", 9999)
    (root / "tawny" / "notes.txt").touch()
    (root / "tawny" / ".hidden.png").touch()
    (root / ".cache").mkdir()
    (root / "__MACOSX" / "tawny").mkdir(parents=True)
    paint(root / "__MACOSX" / "tawny" / "._1.png", 1)
    (root / "tawny" / "Thumbs.db").touch()
    (root / "snowy").mkdir()
    data = open_task("folder", root)
    assert (data.name, data.classes) == ("my owls", ("barn owl", "tawny"))
    assert np.bincount(data.labels).tolist() == [10, 6]
    assert np.bincount(data.labels[data.indices("test")]).tolist() == [2, 1]
    assert not data.excluded
    assert data.notes == (
        "Left out as no photos, by their names: 1 file (tawny/notes.txt).",
        "Passed over, as empty or left there by a system: __MACOSX, snowy, tawny/Thumbs.db.",
    )


def test_a_folders_own_parts_are_kept(tmp_path: Path) -> None:
    class_folders(tmp_path / "train", {"owl": 3, "hawk": 1})
    class_folders(tmp_path / "test", {"owl": 1, "hawk": 2})
    class_folders(tmp_path / "val", {"owl": 4})
    class_folders(tmp_path / "more", {"owl": 1})
    data = open_task("folder", tmp_path)
    assert data.split == "its own, train + val and test"
    assert data.classes == ("hawk", "owl")
    assert ids(data, "train") == [
        "train/hawk/0.png",
        *(f"train/owl/{n}.png" for n in range(3)),
        *(f"val/owl/{n}.png" for n in range(4)),
    ]
    assert ids(data, "test") == ["test/hawk/0.png", "test/hawk/1.png", "test/owl/0.png"]
    assert "Not used, beside train + val and test: more/." in data.notes
    shutil.rmtree(tmp_path / "test")
    class_folders(tmp_path / "val", {"hawk": 1})
    data = open_task("folder", tmp_path)
    assert data.split == "its own, train and val"
    assert ids(data, "test") == ["val/hawk/0.png", *(f"val/owl/{n}.png" for n in range(4))]


def test_data_is_found_in_a_folder_above_it(tmp_path: Path) -> None:
    for task, make, place in (
        ("birds-200", birds, "cub/CUB_200_2011"),
        ("cats-dogs", cats_and_dogs, "dogs-vs-cats/train"),
        ("butterflies", butterflies, "leeds/leedsbutterfly"),
    ):
        root = make(tmp_path / task / place)  # type: ignore[operator]
        (tmp_path / task / "other").mkdir()
        assert open_task(task, tmp_path / task) == open_task(task, root)


def test_the_hash_is_of_photos_and_classes_not_of_parts(tmp_path: Path) -> None:
    root = class_folders(tmp_path, {"barn": 5, "tawny": 5})
    hashes = {open_task("folder", root, seed).content_hash for seed in range(3)}
    assert len(hashes) == 1
    paint(root / "barn" / "0.png", 7777)
    hashes.add(open_task("folder", root).content_hash)
    (root / "barn" / "1.png").rename(root / "tawny" / "z.png")
    hashes.add(open_task("folder", root).content_hash)
    assert len(hashes) == 3


@pytest.mark.parametrize("task", TASKS)
def test_each_task_says_in_one_line_where_its_data_is_and_so_does_its_refusal(
    task: str, tmp_path: Path
) -> None:
    line = described(task)
    assert line.startswith(f"{task}: ")
    assert "\n" not in line
    assert line in refused(task, tmp_path)
    assert line in refused(task, tmp_path / "nowhere")


@pytest.mark.realdata
def test_birds_cats_and_dogs_and_butterflies(realdata: Path) -> None:
    birds = open_task("birds-200", realdata)
    assert birds.root == realdata / "cub" / "CUB_200_2011"
    assert (len(birds.classes), birds.classes[0]) == (80, "Black footed Albatross")
    assert (len(birds.indices("train")), len(birds.indices("test"))) == (2400, 2317)
    pets = open_task("cats-dogs", realdata / "cats_dogs")
    assert len(pets.photos) == 900
    tested = np.bincount(pets.labels[pets.indices("test")])
    assert np.abs(tested - 0.2 * np.bincount(pets.labels)).max() <= 0.5
    assert not birds.excluded and not pets.excluded
    data = open_task("butterflies", realdata / "leeds")
    assert len(data.photos) == 832
    assert data.classes[::3] == ("Monarch", "Common Buckeye", "Giant Swallowtail", "Painted Lady")
    assert np.bincount(data.labels).tolist() == [82, 93, 61, 90, 88, 100, 89, 55, 90, 84]
    assert not data.excluded
    (note,) = data.notes
    assert note.startswith("14 photos are there more than once, as near-duplicates, and all copies")
    parts = {photo.id: photo.part for photo in data.photos}
    for one, other in (("0010009", "0010026"), ("0020174", "0020181"), ("0070053", "0070115")):
        assert parts[f"images/{one}.png"] == parts[f"images/{other}.png"]


# Data that is not as it should be.


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
