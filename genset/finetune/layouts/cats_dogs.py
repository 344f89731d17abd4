"""Kaggle's cats and dogs: ``train/cat.0.jpg``, ``train/dog.0.jpg``; the name is the label."""

import re
from dataclasses import replace
from pathlib import Path

from genset.finetune.layouts.listing import Listing, files_in, find_root, size_note

DESCRIBED = (
    "cats-dogs: Kaggle's Dogs vs. Cats, 25,000 photos: unpack train.zip from "
    "https://www.kaggle.com/c/dogs-vs-cats/data"
)
CLASSES = ("cat", "dog")

_NAME = re.compile(r"(cat|dog)\.[0-9]+\.jpg")


def read(data: Path) -> Listing:
    """List the photos in ``train/``. No split is defined.

    Raises:
        BadInput: there is no such folder.
    """
    root = find_root(data, _fits, "folder of photos named cat.0.jpg and dog.0.jpg", DESCRIBED)
    labels: dict[str, int] = {}
    left_out: dict[str, str] = {}
    for path in files_in(root):
        if match := _NAME.fullmatch(path.name):
            labels[path.name] = CLASSES.index(match[1])
        else:
            left_out[path.name] = "its name is not like cat.0.jpg or dog.0.jpg"
    listing = Listing(root, CLASSES, labels, left_out=left_out)
    return replace(listing, notes=size_note("Kaggle's Dogs vs. Cats", listing, 2, 25_000))


def _fits(folder: Path) -> bool:
    return any(_NAME.fullmatch(path.name) for path in folder.iterdir())
