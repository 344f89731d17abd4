"""Data that is not as it should be: one clear line, before any model runs."""

from pathlib import Path
from shlex import quote

import pytest

from genset.finetune.tasks import open_task
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


@pytest.mark.parametrize(
    "name", ["train_test_split.txt", "images.txt", "classes.txt", "image_class_labels.txt"]
)
def test_a_missing_list_is_named(name: str, tmp_path: Path) -> None:
    root = birds(tmp_path)
    (root / name).unlink()
    assert refused("birds-200", root) == (
        f"{root / name} is not there: unpack all of CUB_200_2011.tgz"
    )


@pytest.mark.parametrize(
    ("name", "number", "value", "said"),
    [
        ("classes.txt", 2, None, "skips numbers: 2 is not there, and 3 is"),
        ("classes.txt", 4, "004.Owl", "the class Owl has no photo"),
        ("classes.txt", 2, "002.Parakeet_Auklet", "two classes are named Parakeet Auklet"),
        ("classes.txt", 2, "002.Owl\x07", "the class 'Owl\\x07' cannot be written: rename it"),
        ("image_class_labels.txt", 5, None, "has no line for photo 5 (002.Groove_billed_Ani/"),
        ("image_class_labels.txt", 5, "4", "photo 5: 4 is wrong: there is no such class"),
        ("image_class_labels.txt", 5, "Ani", "photo 5: 'Ani' is not a number"),
        ("image_class_labels.txt", 13, "1", "has photo 13, which images.txt does not have"),
        ("train_test_split.txt", 5, "2", "photo 5: 2 is wrong: 1 is training and 0 is test"),
        ("train_test_split.txt", 5, None, "has no line for photo 5"),
        ("images.txt", 2, FIRST, f"{FIRST} is there twice, as 1 and 2"),
        ("images.txt", 2, f"./{FIRST}", "is there twice, as 1 and 2"),
        ("images.txt", 2, f"{SPECIES[0]}/lost.png", "1 photo that it names is not there"),
        ("images.txt", 2, "../images.txt", "photo 2: ../images.txt leads out of images/"),
        ("images.txt", 2, "/etc/hostname", "photo 2: /etc/hostname leads out of images/"),
        ("images.txt", 2, "a/../../../x.png", "leads out of images/"),
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


def test_a_number_that_is_given_twice(tmp_path: Path) -> None:
    root = birds(tmp_path)
    with (root / "images.txt").open("a") as file:
        file.write("7 003.Parakeet_Auklet/more.png\n")
    assert "images.txt, line 13: 7 is there twice" in refused("birds-200", root)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1 a.png\nowl\n", "images.txt, line 2: not a number, a space and a word: 'owl'"),
        (b"9" * 5000 + b" a.png\n", "images.txt, line 1: not a number"),
        (b"1\n", "images.txt, line 1: not a number"),
        (b"\xff\xfe\x00", "images.txt is not text"),
    ],
)
def test_a_list_of_something_else(content: bytes, said: str, tmp_path: Path) -> None:
    root = birds(tmp_path)
    (root / "images.txt").write_bytes(content)
    assert said in refused("birds-200", root)


def test_an_official_split_without_a_class_in_one_part(tmp_path: Path) -> None:
    root = birds(tmp_path)
    split = root / "train_test_split.txt"
    for photo in (7, 8):
        set_line(split, photo, "1")
    assert "the class Groove billed Ani has no photo in the test part" in refused("birds-200", root)
    for photo in (5, 6, 7, 8):
        set_line(split, photo, "0")
    assert "Groove billed Ani has no photo in the train part" in refused("birds-200", root)


def test_a_class_of_a_folder_that_is_in_one_part_only(tmp_path: Path) -> None:
    class_folders(tmp_path / "train", {"owl": 3, "hawk": 2, "kite": 2})
    class_folders(tmp_path / "test", {"owl": 1, "hawk": 1})
    assert "the class kite has no photo in the test part" in refused("folder", tmp_path)
    (tmp_path / "test" / "kite").mkdir()
    assert "the class kite has no photo in the test part" in refused("folder", tmp_path)


@pytest.mark.parametrize(("there", "lacking"), [("test", "train/"), ("train", "test/ (or val/)")])
def test_a_part_without_the_other(there: str, lacking: str, tmp_path: Path) -> None:
    class_folders(tmp_path / there, {"owl": 3, "hawk": 2})
    assert f"has {there}/ and no {lacking}" in refused("folder", tmp_path)


def test_classes_with_one_photo_or_none(tmp_path: Path) -> None:
    root = class_folders(tmp_path, {"owl": 3, "hawk": 1})
    assert "the class hawk has one photo: a class needs two" in refused("folder", root)
    class_folders(root, {"kite": 1, "jay": 1, "tit": 1})
    assert "4 classes (hawk, jay, kite, ...) have one photo" in refused("folder", root)
    (root / "gull").mkdir()
    (root / "gull" / "notes.txt").touch()
    assert "the class gull has no photo" in refused("folder", root)


@pytest.mark.parametrize(
    ("counts", "said"),
    [({"owl": 4}, "has only the class owl"), ({}, "holds no folders of photos")],
)
def test_fewer_than_two_classes(counts: dict[str, int], said: str, tmp_path: Path) -> None:
    assert said in refused("folder", class_folders(tmp_path, counts))


def test_cats_without_dogs(tmp_path: Path) -> None:
    for number in range(3):
        paint(tmp_path / f"cat.{number}.jpg", number)
    assert "the class dog has no photo" in refused("cats-dogs", tmp_path)


@pytest.mark.parametrize(
    ("made", "given", "named", "root"),
    [
        (["cat", "dog"], "", "", ""),
        (["Cat", "Dog"], "", "", ""),
        (["pets/cats", "pets/dogs"], "", "pets", "pets"),
        (["my pets/train/cat", "my pets/train/dog"], "", "my pets/train", "my pets/train"),
        (["train/cat", "train/dog", "test/cat", "test/dog"], "", "test", ""),
        (["train/cat", "train/dog", "val/cat", "val/dog"], "train", "train", ""),
    ],
)
def test_cats_and_dogs_in_folders_are_sent_to_the_task_that_takes_them(
    made: list[str], given: str, named: str, root: str, tmp_path: Path
) -> None:
    for place, folder in enumerate(made):
        for number in range(2):
            paint(tmp_path / folder / f"{number}.png", 10 * place + number)
    said = refused("cats-dogs", tmp_path / given)
    first, second = sorted(Path(folder).name for folder in made)[:: len(made) // 2]
    assert said.endswith(
        f"{tmp_path / named} has a folder for each class, {first}/ and {second}/: use the task "
        f"folder (genset finetune folder --data {quote(str(tmp_path / root))})"
    )
    assert len(open_task("folder", tmp_path / root).classes) == 2


def test_photos_in_folders_may_have_kaggles_names(tmp_path: Path) -> None:
    for place, kind in enumerate(("cat", "dog")):
        for number in range(2):
            paint(tmp_path / kind / f"{kind}.{number}.jpg", 99 * (2 * place + number))
    said = refused("cats-dogs", tmp_path)
    assert f"use the task folder (genset finetune folder --data {tmp_path})" in said
    assert len(open_task("folder", tmp_path).classes) == 2


def test_cats_in_a_folder_without_dogs_are_not(tmp_path: Path) -> None:
    paint(tmp_path / "cat" / "0.png")
    paint(tmp_path / "bird" / "0.png")
    assert "www.kaggle.com" in refused("cats-dogs", tmp_path)


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
        "owl/0.png": "it is not a photo",
        "owl/5.png": "it is empty",
    }
    assert len(data.photos) == len(data.labels) == 9
    assert not {photo.id for photo in data.photos} & set(data.excluded)
    for photo in (1, 2, 3):
        (root / "owl" / f"{photo}.png").write_bytes(b"")
    assert "the class owl has one photo that can be read (" in refused("folder", root)


def test_birds_that_cannot_be_read_are_missed_in_their_part(tmp_path: Path) -> None:
    root = birds(tmp_path)
    (root / "images" / FIRST).write_bytes(b"RIFF")
    data = open_task("birds-200", root)
    assert data.excluded == {f"images/{FIRST}": "it is not a photo"}
    assert (len(ids(data, "train")), len(ids(data, "test"))) == (5, 6)


def test_photos_of_other_names_are_left_out_of_a_layout_of_names(tmp_path: Path) -> None:
    pets = cats_and_dogs(tmp_path / "pets")
    paint(pets / "tiger.1.jpg")
    assert open_task("cats-dogs", pets).excluded == {
        "tiger.1.jpg": "its name is not like cat.0.jpg or dog.0.jpg"
    }
    leeds = butterflies(tmp_path / "leeds")
    paint(leeds / "images" / "monarch.png")
    assert open_task("butterflies", leeds).excluded == {
        "images/monarch.png": "its name is not like 0010001.png"
    }


def test_categories_of_butterflies_that_skip_a_number(tmp_path: Path) -> None:
    root = butterflies(tmp_path)
    for path in root.glob("images/002*"):
        path.unlink()
    said = refused("butterflies", root)
    assert "skips numbers: no photo is of category 002, and some are of 003" in said


@pytest.mark.parametrize("task", ["birds-200", "cats-dogs", "butterflies"])
def test_another_data_set_is_not_taken_for_the_tasks_own(task: str, tmp_path: Path) -> None:
    class_folders(tmp_path, {"owl": 3, "hawk": 3})
    assert f"{tmp_path} holds no " in refused(task, tmp_path)


@pytest.mark.parametrize("share", [0, 1, -0.1, float("nan")])
def test_a_share_that_leaves_a_part_empty(share: float, tmp_path: Path) -> None:
    assert "must lie between 0 and 1" in refused("cats-dogs", tmp_path, test_share=share)
