"""Data sets as they are published: a function for each, which reads its lists or its files' names.

Lists are those that torchvision's classes of the data sets read.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput, first_line
from genset.core.validation import check
from genset.finetune.layouts.folder import FOLDER
from genset.finetune.layouts.listing import Listing, files_in, listing_of, published

_VGG = "https://www.robots.ox.ac.uk/~vgg/data"


def _lines(path: Path) -> list[str]:
    """The lines of a list that are not empty."""
    return [line for line in path.read_text("utf-8").splitlines() if line.strip()]


def _words(path: Path, number: int) -> list[list[str]]:
    """The words of each line; the last one has the rest of it."""
    lines = [line.strip().split(maxsplit=number - 1) for line in _lines(path)]
    for place, words in enumerate(lines, 1):
        if len(words) != number:
            raise BadInput(f"{path}, line {place}: not {number} words: {' '.join(words)[:60]!r}")
    return lines


# Official parts, in lists


@published(
    "birds-200",
    "CUB-200-2011",
    (11_788, 200),
    "https://data.caltech.edu/records/65de6-vp158",
    "image_class_labels.txt",
)
def birds(root: Path, variant: str) -> Listing:
    """Of numbered photos in images.txt: classes (named in classes.txt) and parts (1: training)."""
    names = ("images.txt", "classes.txt", "image_class_labels.txt", "train_test_split.txt")
    paths, classes, labels, parts = (dict(_words(root / name, 2)) for name in names)
    part_of = {"1": "train", "0": "test"}
    try:
        rows = [
            (f"images/{path}", _readable(classes[labels[number]]), part_of[parts[number]])
            for number, path in paths.items()
        ]
    except KeyError as error:
        raise BadInput(
            f"{root}: a list has no line for {error}: unpack the archive again"
        ) from None
    return listing_of(root, rows, [_readable(name) for name in classes.values()])


def _readable(name: str) -> str:
    """``001.Black_footed_Albatross`` without the number and the underscores."""
    return name.partition(".")[2].replace("_", " ") or name


@published("pets", "Oxford-IIIT Pets", (7_349, 37), f"{_VGG}/pets", "annotations/trainval.txt")
def pets(root: Path, variant: str) -> Listing:
    """``annotations/trainval.txt``: "Abyssinian_100 1 1 1", of images/Abyssinian_100.jpg."""
    rows = [
        (f"images/{words[0]}.jpg", words[0].rpartition("_")[0].replace("_", " "), part)
        for part in ("trainval", "test")
        for words in _words(root / "annotations" / f"{part}.txt", 4)
    ]
    return listing_of(root, rows)


@published("flowers-102", "Flowers-102", (8_189, 102), f"{_VGG}/flowers/102", "imagelabels.mat")
def flowers(root: Path, variant: str) -> Listing:
    """``imagelabels.mat``: the classes of jpg/image_00001.jpg and on; ``setid.mat``: the parts."""
    from scipy.io import loadmat
    from torchvision.datasets import Flowers102

    names = getattr(Flowers102, "classes", None) or [f"flower {n}" for n in range(1, 103)]
    try:
        labels = loadmat(root / "imagelabels.mat", squeeze_me=True)["labels"]
        numbers = loadmat(root / "setid.mat", squeeze_me=True)
        rows = [
            (f"jpg/image_{number:05}.jpg", names[labels[number - 1] - 1], part)
            for part, array in (("train", "trnid"), ("val", "valid"), ("test", "tstid"))
            for number in numbers[array]
        ]
    except Exception as error:  # noqa: BLE001 - whatever scipy makes of another file
        why = first_line(error)
        raise BadInput(f"{root}: its .mat files cannot be read: {why}: get them again") from None
    return listing_of(root, rows)


@published(
    "aircraft", "FGVC-Aircraft", (10_000, 100), f"{_VGG}/fgvc-aircraft", "images_variant_train.txt"
)
def aircraft(root: Path, variant: str) -> Listing:
    """``images_variant_train.txt``: "1025794 707-320", of images/1025794.jpg; ``variants.txt``."""
    rows = [
        (f"images/{number}.jpg", name, part)
        for part in ("train", "val", "test")
        for number, name in _words(root / f"images_variant_{part}.txt", 2)
    ]
    return listing_of(root, rows, list(map(str.strip, _lines(root / "variants.txt"))))


@published(
    "food-101",
    "Food-101",
    (101_000, 101),
    "https://data.vision.ee.ethz.ch/cvl/datasets_extra/food-101",
    "meta/train.json",
)
def food(root: Path, variant: str) -> Listing:
    """``meta/train.json``: {"apple_pie": ["apple_pie/10"]}, of images/apple_pie/10.jpg."""
    rows = []
    for part in ("train", "test"):
        path = root / "meta" / f"{part}.json"
        classes = check(json.loads("".join(_lines(path))), dict[str, list[str]], str(path))
        for name, photos in classes.items():
            rows += [(f"images/{photo}.jpg", name.replace("_", " "), part) for photo in photos]
    return listing_of(root, rows)


@published(
    "dtd", "DTD", (5_640, 47), f"{_VGG}/dtd", "labels/train1.txt", tuple(map(str, range(1, 11)))
)
def textures(root: Path, variant: str) -> Listing:
    """``labels/train1.txt``: "banded/banded_0002.jpg", in images/."""
    rows = [
        (f"images/{photo}", photo.partition("/")[0], part)
        for part in ("train", "val", "test")
        for photo in map(str.strip, _lines(root / "labels" / f"{part}{variant}.txt"))
    ]
    listing = listing_of(root, rows)
    return replace(listing, split=f"{listing.split}, {variant} of 10")


# No official parts: a photo's name is its label


def _named(photos: Iterable[Path], root: Path, name: str, classes: Mapping[str, str]) -> Listing:
    """The photos whose names fit, and the class that a name's first group means."""
    rows, others = [], {}
    for path in photos:
        photo = path.relative_to(root).as_posix()
        if (found := re.fullmatch(name, path.name)) and found[1] in classes:
            rows.append((photo, classes[found[1]], ""))
        else:
            others[photo] = "its name is not that of a photo of the data set"
    return replace(listing_of(root, rows, list(classes.values())), excluded=others)


@published(
    "cats-dogs",
    "Dogs vs. Cats",
    (25_000, 2),
    "https://www.kaggle.com/c/dogs-vs-cats/data (cat/ and dog/ are of the task folder)",
    "cat.[0-9]*.jpg",
)
def cats_dogs(root: Path, variant: str) -> Listing:
    """``train/cat.0.jpg``."""
    kinds = {"cat": "cat", "dog": "dog"}
    return _named(files_in(root), root, r"(cat|dog)\.[0-9]+\.jpg", kinds)


@published(
    "butterflies",
    "Leeds Butterfly",
    (832, 10),
    "http://www.josiahwang.com/dataset/leedsbutterfly/",
    f"images/{7 * '[0-9]'}.png",
)
def butterflies(root: Path, variant: str) -> Listing:
    """``images/0010001.png``: the first three digits are the species, of descriptions/001.txt."""
    photos, name = files_in(root / "images"), r"([0-9]{3})[0-9]{4}\.png"
    codes = sorted({found[1] for path in photos if (found := re.fullmatch(name, path.name))})
    return _named(photos, root, name, {code: _species(root, code) for code in codes})


def _species(root: Path, code: str) -> str:
    """The common name: the second line of a description."""
    path = root / "descriptions" / f"{code}.txt"
    lines = path.read_text("utf-8", "replace").splitlines()[:2] if path.is_file() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), f"category {code}")


eurosat = published(
    "eurosat", "EuroSAT", (27_000, 10), "https://github.com/phelber/EuroSAT", "AnnualCrop"
)(FOLDER.read)
