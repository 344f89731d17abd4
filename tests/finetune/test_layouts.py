"""Data sets as they are distributed: their official parts, and what torchvision reads of them."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from torchvision import datasets

from genset.finetune.run import in_one_line
from genset.finetune.tasks import open_task
from tests.finetune.layouts import paint, refused

THIRD = "train + val and test, 3 of 10"


def write(root: Path, photos: Iterable[str], lists: Mapping[str, str]) -> None:
    for number, photo in enumerate(photos):
        paint(root / photo, 30 * number)
    for name, text in lists.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def pets(root: Path) -> None:
    photos = [f"{breed}_{n}" for n in (1, 2) for breed in ("Abyssinian", "great_pyrenees")]
    lines = [f"{photo} {number % 2 + 1} 1 1\n" for number, photo in enumerate(photos)]
    lists = {"trainval": "".join(lines[:2]), "test": "".join(lines[2:])}
    files = {f"annotations/{part}.txt": text for part, text in lists.items()}
    write(root / "oxford-iiit-pet", [f"images/{photo}.jpg" for photo in photos], files)


def food(root: Path) -> None:
    lists = {
        part: {name: [f"{name}/{part}{n}" for n in range(2)] for name in ("pie", "hot_dog")}
        for part in ("train", "test")
    }
    photos = [photo for part in lists.values() for names in part.values() for photo in names]
    files = {f"meta/{part}.json": json.dumps(names) for part, names in lists.items()}
    write(root / "food-101", [f"images/{photo}.jpg" for photo in photos], files)


def textures(root: Path) -> None:
    names = [f"{name}/{name}_{n}.jpg" for name in ("banded", "woven") for n in range(3)]
    lists = {
        f"labels/{part}{split}.txt": "".join(
            f"{name}\n" for n, name in enumerate(names) if (n + split) % 3 == place
        )
        for split in range(1, 11)
        for place, part in enumerate(("train", "val", "test"))
    }
    write(root / "dtd/dtd", [f"images/{name}" for name in names], lists)


@pytest.mark.parametrize(
    ("task", "make", "name", "options", "classes", "split"),
    [
        ("pets", pets, "OxfordIIITPet", {}, ("Abyssinian", "great pyrenees"), "trainval and test"),
        ("food-101", food, "Food101", {}, ("hot dog", "pie"), "train and test"),
        ("dtd", textures, "DTD", {}, ("banded", "woven"), "train + val and test, 1 of 10"),
        (
            "dtd:3",
            textures,
            "DTD",
            {"partition": 3},
            ("banded", "woven"),
            "train + val and test, 3 of 10",
        ),
    ],
)
def test_official_parts_are_torchvisions_and_named(
    task: str,
    make: Callable[[Path], None],
    name: str,
    options: dict[str, int],
    classes: tuple[str, ...],
    split: str,
    tmp_path: Path,
) -> None:
    make(tmp_path)
    data = open_task(task, tmp_path)
    assert (data.name, data.classes, data.split) == (task, classes, f"official, {split}")
    assert f"({data.split})" in in_one_line(data)
    assert " classes; here are " in data.notes[0]
    for part, splits in (("train", split.partition(" and ")[0].split(" + ")), ("test", ["test"])):
        expected: dict[str, int] = {}
        for words in splits:
            read: Any = getattr(datasets, name)(tmp_path, split=words, **options)
            paths = getattr(read, "_image_files", None) or read._images
            expected |= dict(zip(map(str, paths), read._labels, strict=True))
        found = {str(photo.path): photo.label for photo in data.photos if photo.part == part}
        assert found.keys() == expected.keys()
        assert len({(found[path], expected[path]) for path in found}) == 2


def test_lists_are_not_passed_over_by_the_task_folder(tmp_path: Path) -> None:
    food(tmp_path)
    root = tmp_path / "food-101"
    assert f"genset finetune food-101 --data {root}" in refused("folder", root)
    assert "of the task food-101, whose lists" in refused("folder", root / "images")


@pytest.mark.parametrize(
    ("content", "message"),
    [("{", "cannot be read: Expecting"), ('{"pie": 3}', "meta/train.json: pie")],
)
def test_a_list_that_is_not_one(content: str, message: str, tmp_path: Path) -> None:
    food(tmp_path)
    (tmp_path / "food-101/meta/train.json").write_text(content)
    assert message in refused("food-101", tmp_path)


def test_a_variant_that_is_not_there(tmp_path: Path) -> None:
    assert "there is no task 'dtd:11': write dtd:1, dtd:2" in refused("dtd:11", tmp_path)
    assert "there is no task 'pets:2': write pets" in refused("pets:2", tmp_path)
