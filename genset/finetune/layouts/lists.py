"""Data sets with official parts, which list their photos in files.

The files are those that torchvision's classes of the data sets read.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.validation import check
from genset.finetune.layouts.listing import Listing, Row, listing_of, published

_VGG = "https://www.robots.ox.ac.uk/~vgg/data"
_CALTECH = "https://data.caltech.edu/records/65de6-vp158"
_ETH = "https://data.vision.ee.ethz.ch/cvl/datasets_extra/food-101"


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


# CUB-200-2011 (Wah et al., 2011): images.txt numbers the photos, classes.txt the classes,
# image_class_labels.txt has each photo's class, and train_test_split.txt its part (1 is training).


def _birds(root: Path, variant: str) -> Listing:
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


BIRDS = published(
    "birds-200", "CUB-200-2011", (11_788, 200), _CALTECH, "image_class_labels.txt", _birds
)


def _pets(root: Path, variant: str) -> Listing:
    """``annotations/trainval.txt``: "Abyssinian_100 1 1 1", of images/Abyssinian_100.jpg."""
    rows = [
        (f"images/{words[0]}.jpg", words[0].rpartition("_")[0].replace("_", " "), part)
        for part in ("trainval", "test")
        for words in _words(root / "annotations" / f"{part}.txt", 4)
    ]
    return listing_of(root, rows)


PETS = published(
    "pets", "Oxford-IIIT Pets", (7_349, 37), f"{_VGG}/pets", "annotations/trainval.txt", _pets
)


def _food(root: Path, variant: str) -> Listing:
    """``meta/train.json``: {"apple_pie": ["apple_pie/10"]}, of images/apple_pie/10.jpg."""
    return listing_of(root, _food_rows(root / "meta"))


def _food_rows(meta: Path) -> Iterator[Row]:
    for part in ("train", "test"):
        path = meta / f"{part}.json"
        classes = check(json.loads("".join(_lines(path))), dict[str, list[str]], str(path))
        for name, photos in classes.items():
            yield from ((f"images/{photo}.jpg", name.replace("_", " "), part) for photo in photos)


FOOD = published("food-101", "Food-101", (101_000, 101), _ETH, "meta/train.json", _food)


def _textures(root: Path, variant: str) -> Listing:
    """``labels/train1.txt``: "banded/banded_0002.jpg", in images/."""
    rows = [
        (f"images/{photo}", photo.partition("/")[0], part)
        for part in ("train", "val", "test")
        for photo in map(str.strip, _lines(root / "labels" / f"{part}{variant}.txt"))
    ]
    listing = listing_of(root, rows)
    return replace(listing, split=f"{listing.split}, {variant} of 10")


_SPLITS = tuple(map(str, range(1, 11)))
TEXTURES = published(
    "dtd", "DTD", (5_640, 47), f"{_VGG}/dtd", "labels/train1.txt", _textures, _SPLITS
)
