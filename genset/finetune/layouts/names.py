"""Data sets without official parts, whose files' names are their labels."""

import re
from collections.abc import Mapping
from pathlib import Path

from genset.finetune.layouts.folder import FOLDER
from genset.finetune.layouts.listing import Listing, files_in, listing_of, published

_PET = re.compile(r"(cat|dog)\.[0-9]+\.jpg")
_BUTTERFLY = re.compile(r"([0-9]{3})[0-9]{4}\.png")


def _named(root: Path, folder: str, name: re.Pattern[str], classes: Mapping[str, str]) -> Listing:
    """The photos in a folder whose names fit, and the class that a name's first group means."""
    rows, others = [], {}
    for path in files_in(root / folder):
        photo = (Path(folder) / path.name).as_posix()
        if (found := name.fullmatch(path.name)) and found[1] in classes:
            rows.append((photo, classes[found[1]], ""))
        else:
            others[photo] = "its name is not that of a photo of the data set"
    listing = listing_of(root, rows, list(classes.values()))
    listing.excluded.update(others)
    return listing


def _cats_dogs(root: Path, variant: str) -> Listing:
    """``train/cat.0.jpg``."""
    return _named(root, "", _PET, {"cat": "cat", "dog": "dog"})


_KAGGLE = "https://www.kaggle.com/c/dogs-vs-cats/data (cat/ and dog/ are of the task folder)"
CATS_DOGS = published(
    "cats-dogs", "Dogs vs. Cats", (25_000, 2), _KAGGLE, "cat.[0-9]*.jpg", _cats_dogs
)


def _butterflies(root: Path, variant: str) -> Listing:
    """``images/0010001.png``: the first three digits are the species, of descriptions/001.txt."""
    found = (_BUTTERFLY.fullmatch(path.name) for path in files_in(root / "images"))
    codes = sorted({name[1] for name in found if name})
    return _named(root, "images", _BUTTERFLY, {code: _species(root, code) for code in codes})


def _species(root: Path, code: str) -> str:
    """The common name: the second line of a description."""
    path = root / "descriptions" / f"{code}.txt"
    lines = path.read_text("utf-8", "replace").splitlines()[:2] if path.is_file() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), f"category {code}")


_LEEDS = "http://www.josiahwang.com/dataset/leedsbutterfly/"
_MARKER = "images/[0-9][0-9][0-9][0-9][0-9][0-9][0-9].png"
BUTTERFLIES = published(
    "butterflies",
    "Leeds Butterfly",
    (832, 10),
    _LEEDS,
    _MARKER,
    _butterflies,
)


_GITHUB = "https://github.com/phelber/EuroSAT"
EUROSAT = published("eurosat", "EuroSAT", (27_000, 10), _GITHUB, "AnnualCrop", FOLDER.read)
