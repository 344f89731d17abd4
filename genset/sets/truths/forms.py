"""The forms that a file of labels has, read into verdicts by photo: a table, an object, or a list.

A class is a wnid; in JSON also an index in the sorted order of ImageNet's wnids.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

from genset.classes import Taxonomy
from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.sets.photo import PhotoSet

_VALIDATION = 50_000  # photos of ImageNet's validation set
_NUMBERED = re.compile(r"ILSVRC2012_val_([0-9]{8})(?:\.\w+)?")
_DIGITS = re.compile(r"([0-9]+)")
_VERDICTS = {
    "correct": "correct",
    "unclear": "unclear",
    "unsure": "unclear",
    "wrong": "wrong",
    "incorrect": "wrong",
}
_COLUMNS = ("image", "wnid", "verdict")
_PROPOSERS = "proposers"  # a column that tables of genset's own have too
NO_LIST = "no list of wnids or class indices"
SAYS_NOTHING = "has no labels of a photo of"

Verdicts = dict[str, str]
"""Of a photo: "correct", "unclear" or "wrong", by wnid."""

Proposed = dict[str, dict[str, tuple[str, ...]]]
"""Who proposed a class of a photo, by the photo's id and the wnid."""


class Said(NamedTuple):
    """What a file says: the verdicts by photo, and who proposed the classes, where it says so."""

    verdicts: dict[str, Verdicts]
    proposed: Proposed


def from_table(path: object, text: str) -> Said:
    """A table with the columns image, wnid and verdict, and maybe proposers.

    Args:
        path: the file's, for errors.
        text: what it holds.

    Raises:
        BadInput: a column is missing, or naming the line that is wrong.
        csv.Error: it is no CSV.
    """
    table = csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True)
    names = [(name or "").strip() for name in table.fieldnames or ()]
    if not set(_COLUMNS) <= set(names):
        has = ", ".join(name[:40] for name in names[:20]) or "none"
        raise BadInput(f"{path} needs the columns image, wnid and verdict; it has {has}")
    table.fieldnames = names
    found: dict[str, Verdicts] = {}
    proposed: Proposed = {}
    for row in table:
        image, wnid, said = ((row[name] or "").strip() for name in _COLUMNS)
        if (verdict := _VERDICTS.get(said)) is None:
            raise BadInput(
                f"{path}, line {table.line_num}: the verdict {said[:40]!r} is none of correct, "
                "unclear, wrong"
            )
        _put(path, found.setdefault(image, {}), image, wnid, verdict)
        words = (row.get(_PROPOSERS) or "").split(";")
        if by := tuple(word.strip() for word in words if word.strip()):
            proposed.setdefault(image, {})[wnid] = by
    return Said(found, proposed)


def from_json(path: object, text: str, photos: PhotoSet) -> Said:
    """An object by photo, or a list in the order of the set's photos.

    Args:
        path: the file's, for errors.
        text: what it holds.
        photos: the set.

    Raises:
        BadInput: naming the photo or the class that is wrong; or it is not known which photo each
            element of a list is of.
        ValueError: it is no JSON.
    """
    content = json.loads(text, object_pairs_hook=_each_once)
    if isinstance(content, list):
        content = _by_order(path, content, photos)
    return from_object(path, content, photos)


def from_object(path: object, content: object, photos: PhotoSet) -> Said:
    """An object: a photo's id -> its classes, or lists of them by verdict.

    Raises:
        BadInput: naming the photo or the class that is wrong.
    """
    if not isinstance(content, Mapping) or not content:
        raise BadInput(f"{path} {SAYS_NOTHING} {photos.name}")
    if {"format", "photos", "strategy"} <= set(content):
        raise BadInput(f"{path} is a release's manifest: its labels are in answers.csv beside it")
    return Said(
        {
            str(image): _verdicts(path, str(image), each, photos.taxonomy)
            for image, each in content.items()
        },
        {},
    )


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, of which each key is there once."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key[:200]} is there twice")
        found[key] = value
    return found


def _by_order(path: object, content: list[Any], photos: PhotoSet) -> dict[str, Any]:
    """A list's elements by photo: only where it cannot be meant in another order."""
    names = {image: image.rpartition("/")[2] for image in photos.ids}
    numbers = {image: _NUMBERED.fullmatch(name) for image, name in names.items()}
    if len(content) == _VALIDATION and all(numbers.values()):
        places = {image: int(found[1]) - 1 for image, found in numbers.items() if found}
        for image, place in places.items():
            if not 0 <= place < _VALIDATION:
                raise BadInput(f"{photos.name}: {image} is no photo of ImageNet's validation set")
        return {image: content[place] for image, place in places.items()}
    if len(content) != len(names):
        raise BadInput(
            f"{path} has labels of {count(len(content), 'photo')}, and {photos.name} has "
            f"{len(names):,}"
        )
    by_name = sorted(names, key=lambda image: (names[image], image))
    by_number = sorted(names, key=lambda image: (_counted(names[image]), image))
    if not list(names) == by_name == by_number:
        raise BadInput(
            f"{path} is a list, and the photos of {photos.name} have one order in the set and "
            "another by their file names: use an object by photo id, or a CSV file with the "
            "columns image, wnid and verdict"
        )
    return dict(zip(names, content, strict=True))


def _counted(name: str) -> list[tuple[int, str]]:
    """What sorts names as people count: im2 before im10."""
    parts = _DIGITS.split(name)
    return [(int(part), "") if place % 2 else (0, part) for place, part in enumerate(parts)]


def _verdicts(path: object, image: str, given: object, taxonomy: Taxonomy) -> Verdicts:
    given = _listed(given)
    if isinstance(given, list | tuple | set | frozenset):
        given = {"correct": given}
    if not isinstance(given, Mapping) or not set(given) <= set(_VERDICTS):
        raise BadInput(f"{path}: the labels of {image[:200]} are {NO_LIST}")
    found: Verdicts = {}
    for said, classes in given.items():
        for wnid in _wnids(path, image, classes, taxonomy):
            _put(path, found, image, wnid, _VERDICTS[said])
    return found


def _listed(given: object) -> object:
    """NumPy's arrays as lists; everything else as it is."""
    return given.tolist() if hasattr(given, "tolist") else given


def _wnids(path: object, image: str, classes: object, taxonomy: Taxonomy) -> Iterable[str]:
    indices = range(len(taxonomy))
    classes = _listed(classes)
    if not isinstance(classes, list | tuple | set | frozenset):
        raise BadInput(f"{path}: the labels of {image[:200]} are {NO_LIST}")
    for cls in classes:
        if isinstance(cls, str):
            yield cls
        elif isinstance(cls, Integral) and not isinstance(cls, bool) and cls in indices:
            yield taxonomy.by_index(int(cls)).wnid
        else:
            raise BadInput(
                f"{path}: the labels of {image[:200]} are {NO_LIST}: {cls!r:.40} is no class"
            )


def _put(path: object, verdicts: Verdicts, image: str, wnid: str, verdict: str) -> None:
    """Note a verdict; the same one twice is one."""
    if (said := verdicts.setdefault(wnid, verdict)) != verdict:
        raise BadInput(
            f"{path}: the class {wnid[:40]!r} of {image[:200]} is both {said} and {verdict}"
        )
