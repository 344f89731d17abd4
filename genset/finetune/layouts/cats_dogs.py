"""Kaggle's cats and dogs: ``train/cat.0.jpg``, ``train/dog.0.jpg``; the name is the label."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from genset.finetune.layouts.listing import Listing, files_in, find_root, folders_in, size_note

DESCRIBED = (
    "cats-dogs: Kaggle's Dogs vs. Cats, 25,000 photos: unpack train.zip from "
    "https://www.kaggle.com/c/dogs-vs-cats/data"
)
CLASSES = ("cat", "dog")

# Copies of the data set often have such folders instead: cat/ and dog/, Cats/ and Dogs/.
_FOLDERS = ({"cat", "dog"}, {"cats", "dogs"})
_ANIMALS = set().union(*_FOLDERS)

_NAME = re.compile(r"(cat|dog)\.[0-9]+\.jpg")


def read(data: Path) -> Listing:
    """List the photos in ``train/``. No split is defined.

    Raises:
        BadInput: there is no such folder.
    """
    description = "folder of photos named cat.0.jpg and dog.0.jpg"
    root = find_root(data, _fits, description, DESCRIBED, _as_folders)
    labels: dict[str, int] = {}
    excluded: dict[str, str] = {}
    for path in files_in(root):
        if match := _NAME.fullmatch(path.name):
            labels[path.name] = CLASSES.index(match[1])
        else:
            excluded[path.name] = "its name is not like cat.0.jpg or dog.0.jpg"
    listing = Listing(root, CLASSES, labels, excluded=excluded)
    return replace(listing, notes=size_note("Kaggle's Dogs vs. Cats", listing, 2, 25_000))


def _fits(folder: Path) -> bool:
    return any(_NAME.fullmatch(path.name) for path in folder.iterdir())


def _as_folders(seen: Sequence[Path]) -> str:
    """The task to use instead, if one of these folders has a folder for each of the two classes."""
    for folder in seen:
        names = [child.name for child in folders_in(folder) if child.name.lower() in _ANIMALS]
        if {name.lower() for name in names} not in _FOLDERS:
            continue
        above = {child.name for child in folders_in(folder.parent)}
        in_parts = "train" in above and folder.name in above & {"train", "val", "test"}
        root = folder.parent if in_parts and above & {"val", "test"} else folder
        return (
            f"{folder} has a folder for each class, {names[0]}/ and {names[1]}/: use the task "
            f"folder (genset finetune folder --data {quote(str(root))})"
        )
    return ""
