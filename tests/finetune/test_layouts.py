"""Data sets as they are distributed: their official parts, and what torchvision reads of them."""

import io
import json
import struct
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import datasets as hugging_face
import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat
from torchvision import datasets

from genset.finetune.run import in_one_line
from genset.finetune.tasks import open_task
from tests.finetune.layouts import ids, paint, refused

THIRD = "train + val and test, 3 of 10"
FLOWERS = ("moon orchid", "pink primrose")
AIRCRAFT = ("DR-400", "Boeing 717")


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


def flowers(root: Path) -> None:
    folder = root / "flowers-102"
    write(folder, [f"jpg/image_{number:05}.jpg" for number in range(1, 13)], {})
    savemat(folder / "imagelabels.mat", {"labels": [[1, 7] * 6]})
    parts = {"trnid": [[1, 2, 9, 10]], "valid": [[3, 4]], "tstid": [[5, 6, 7, 8, 11, 12]]}
    savemat(folder / "setid.mat", parts)


def aircraft(root: Path) -> None:
    folder = root / "fgvc-aircraft-2013b/data"
    names = ("DR-400", "Boeing 717")
    lists = {"variants.txt": "".join(f"{name}\n" for name in names)}
    for start, part in ((0, "train"), (2, "val"), (4, "test")):
        lines = [f"{start + n:07} {name}\n" for n, name in enumerate(names)]
        lists[f"images_variant_{part}.txt"] = "".join(lines)
    lists["images_variant_trainval.txt"] = "all of these, once more"
    write(folder, [f"images/{number:07}.jpg" for number in range(6)], lists)


@pytest.mark.parametrize(
    ("task", "make", "name", "options", "classes", "split"),
    [
        ("pets", pets, "OxfordIIITPet", {}, ("Abyssinian", "great pyrenees"), "trainval and test"),
        ("food-101", food, "Food101", {}, ("hot dog", "pie"), "train and test"),
        ("dtd", textures, "DTD", {}, ("banded", "woven"), "train + val and test, 1 of 10"),
        ("dtd:3", textures, "DTD", {"partition": 3}, ("banded", "woven"), THIRD),
        ("flowers-102", flowers, "Flowers102", {}, FLOWERS, "train + val and test"),
        ("aircraft", aircraft, "FGVCAircraft", {}, AIRCRAFT, "train + val and test"),
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
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make(tmp_path)
    data = open_task(task, tmp_path)
    assert (data.name, data.classes, data.split) == (task, classes, f"official, {split}")
    assert f"({data.split})" in in_one_line(data)
    assert " classes; here are " in data.notes[0]
    # These lists are shorter than the published ones, whose hash it knows.
    monkeypatch.setattr(datasets.flowers102, "check_integrity", lambda *_: True)
    for part, splits in (("train", split.partition(" and ")[0].split(" + ")), ("test", ["test"])):
        expected: dict[str, int] = {}
        for words in splits:
            read: Any = getattr(datasets, name)(tmp_path, split=words, **options)
            paths = getattr(read, "_image_files", None) or read._images
            expected |= dict(zip(map(str, paths), read._labels, strict=True))
        found = {str(photo.path): photo.label for photo in data.photos if photo.part == part}
        assert found.keys() == expected.keys()
        assert len({(found[path], expected[path]) for path in found}) == 2


def test_torchvisions_classes_are_tasks_of_files_and_of_arrays(tmp_path: Path) -> None:
    aircraft(tmp_path)
    (tmp_path / "fgvc-aircraft-2013b/data/images_variant_trainval.txt").write_text(
        "0000000 DR-400\n0000001 Boeing 717\n0000002 DR-400\n0000003 Boeing 717\n"
    )
    data = open_task("torchvision:FGVCAircraft", tmp_path)
    assert data.name == "torchvision:FGVCAircraft"
    assert data.split == "official, trainval and test"
    own = open_task("aircraft", tmp_path)
    assert {(p.path, p.part) for p in data.photos} == {(p.path, p.part) for p in own.photos}
    raw = tmp_path / "MNIST/raw"
    raw.mkdir(parents=True)
    pixels = np.random.default_rng(0).integers(0, 255, (20, 28, 28), np.uint8)
    for part in ("train", "t10k"):
        head = struct.pack(">IIII", 2051, 20, 28, 28)
        (raw / f"{part}-images-idx3-ubyte").write_bytes(head + pixels.tobytes())
        labels = struct.pack(">II", 2049, 20) + bytes(n % 10 for n in range(20))
        (raw / f"{part}-labels-idx1-ubyte").write_bytes(labels)
    data = open_task("torchvision:MNIST", tmp_path)
    assert (data.split, data.classes[:2]) == ("official, train and test", ("0 - zero", "1 - one"))
    assert data.overlap == 20
    assert "; 20 test photos are also trained on" in in_one_line(data)
    for photo in data.photo_set().photos[:20]:
        with Image.open(io.BytesIO(photo.read_bytes())) as image:
            assert (np.asarray(image) == pixels[int(photo.id[-6:])]).all()


def test_what_torchvision_cannot_read_is_one_line(tmp_path: Path) -> None:
    for name, message in (
        ("CIFAR10", f"torchvision's CIFAR10 in {tmp_path}: Dataset not found or corrupted"),
        ("Cifar", "torchvision has no data set 'Cifar'. torchvision: a data set as"),
        ("VisionDataset", f"torchvision's VisionDataset in {tmp_path}: NotImplementedError"),
        ("FakeData", "torchvision has no data set 'FakeData'"),
    ):
        assert message in refused(f"torchvision:{name}", tmp_path)


@pytest.mark.parametrize("form", ["saved", "hub", "converted"])
def test_a_data_set_of_hugging_face_has_its_splits(form: str, tmp_path: Path) -> None:
    splits = {part: owls(number) for number, part in enumerate(("train", "validation"))}
    splits["test"] = owls(2).map(lambda row: {"label": -1})  # nobody is told
    if form == "saved":
        hugging_face.DatasetDict(splits).save_to_disk(tmp_path / "set")
    for part, rows in splits.items() if form != "saved" else ():
        name = f"data/{part}-00000-of-00001" if form == "hub" else f"{part}/0000"
        (tmp_path / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        rows.to_parquet(tmp_path / f"set/{name}.parquet")
    data = open_task("hugging-face", tmp_path / "set", hashes=tmp_path / "hashes")
    assert (data.name, data.split) == ("set", "its own, train and validation")
    assert data.classes == ("hawk", "owl")
    assert [len(ids(data, part)) for part in ("train", "test")] == [6, 6]
    assert set(data.excluded.values()) == {"it has no label"} and len(data.excluded) == 6
    first = {photo.id: photo for photo in data.photo_set().photos}[ids(data, "train")[0]]
    with Image.open(io.BytesIO(first.read_bytes())) as image:
        assert (np.asarray(image) == np.asarray(splits["train"][0]["image"])).all()
    assert open_task("hugging-face", tmp_path / "set", hashes=tmp_path / "hashes") == data


def owls(seed: int) -> hugging_face.Dataset:
    pixels = np.random.default_rng(seed).integers(0, 255, (6, 99, 99, 3), np.uint8)
    names = hugging_face.ClassLabel(names=["owl", "hawk", "kite"])
    columns = {"image": list(map(Image.fromarray, pixels)), "label": [0, 1] * 3}
    features = hugging_face.Features(image=hugging_face.Image(), label=names)
    return hugging_face.Dataset.from_dict(columns, features)


def test_a_table_has_photos_labels_and_parts(tmp_path: Path) -> None:
    photos = [f"photos/{number}.png" for number in range(8)]
    write(tmp_path, photos, {})
    rows = [(photo, "ab"[n % 2], "Train" if n < 5 else "Val") for n, photo in enumerate(photos)]
    table = tmp_path / "owls.csv"
    table.write_text("\ufeffimage,label,split\n" + "".join(f"{','.join(row)}\n" for row in rows))
    data = open_task("table", table)
    assert (data.name, data.classes) == ("owls", ("a", "b"))
    assert data.split == "the table's, train and val"
    assert ids(data, "train") == photos[:5]
    table.write_text("image,label\n" + "".join(f"{','.join(row[:2])}\n" for row in rows))
    assert open_task("table", table).split == "20 % of each class, seed 0"
    table.write_text("image,label\nphotos/0.png,\n")
    assert "owls.csv, photo 1: there is no label" in refused("table", table)
    table.write_text("file,class\n1.png,owl\n")
    assert "no photos in the columns image and label: 'file,class'" in refused("table", table)
    table.write_text("Image,Label,Split\nphotos/0.png,owl,train\nphotos/1.png,owl,train\n")
    assert "has one part alone, train: leave out split, or add" in refused("table", table)


def test_lists_are_not_passed_over_by_the_task_folder(tmp_path: Path) -> None:
    food(tmp_path)
    root = tmp_path / "food-101"
    assert f"genset finetune food-101 --data {root}" in refused("folder", root)
    assert "of the task food-101, whose lists" in refused("folder", root / "images")
