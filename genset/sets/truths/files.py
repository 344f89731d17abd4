"""A truth that others made, from their file.

A file is one of::

    real.json    a list with a list of classes for each photo. ImageNet's validation photos are told
                 by the number in their file name: the first is number 1 (ReaL's README adds a
                 photo's place to itself, a misprint for 1). Other sets take no list
    truth.json   an object: a photo's id -> its classes, or {"correct": [...], "unclear": [...]}
    truth.csv    a row for each class that was asked about: image, wnid, verdict (correct, unclear
                 or wrong; also a label's words, unsure and incorrect), and maybe proposers, the
                 names of those who proposed it, separated by "; "

Source: Beyer et al., "Are we done with ImageNet?", 2020 (ReaL).
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import zip_longest
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

from genset.classes import Taxonomy
from genset.core.errors import BadInput, first_line
from genset.core.files import decoded, table_rows
from genset.sets.photos import PhotoSet
from genset.sets.truths.truth import Truth, models_among

_VALIDATION = 50_000  # photos of ImageNet's validation set
_NUMBERED = re.compile(r"ILSVRC2012_val_([0-9]{8})(?:\.\w+)?")
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


class FileLabels(NamedTuple):
    """What a file says: the verdicts by photo, and who proposed the classes, where it says so."""

    verdicts: dict[str, Verdicts]
    proposed: Proposed


def from_table(path: object, table: Sequence[tuple[int, Sequence[str]]]) -> FileLabels:
    """A table with the columns image, wnid and verdict, and maybe proposers.

    Args:
        path: the file's, for errors.
        table: its lines by number, the first with the columns' names.

    Raises:
        BadInput: a column is missing, or naming the row that is wrong.
    """
    names = list(table[0][1]) if table else []
    if not set(_COLUMNS) <= set(names):
        has = ", ".join(name[:40] for name in names[:20]) or "none"
        raise BadInput(f"{path} needs the columns image, wnid and verdict; it has {has}")
    found: dict[str, Verdicts] = {}
    proposed: Proposed = {}
    for number, cells in table[1:]:
        row = dict(zip_longest(names, cells[: len(names)], fillvalue=""))
        image, wnid, word = (row[name] for name in _COLUMNS)
        if (verdict := _VERDICTS.get(word)) is None:
            raise BadInput(
                f"{path}, line {number}: the verdict {word[:40]!r} is none of correct, "
                "unclear, wrong"
            )
        _put(path, found.setdefault(image, {}), image, wnid, verdict)
        words = row.get(_PROPOSERS, "").split(";")
        if by := tuple(word.strip() for word in words if word.strip()):
            proposed.setdefault(image, {})[wnid] = by
    return FileLabels(found, proposed)


def from_json(path: object, text: str, photos: PhotoSet) -> FileLabels:
    """An object by photo, or a list of ImageNet's validation photos.

    Args:
        path: the file's, for errors.
        text: what it holds.
        photos: the set.

    Raises:
        BadInput: naming the photo or the class that is wrong; or it is not known which photo each
            element of a list is of.
        ValueError: it is no JSON.
    """
    content = json.loads(text, object_pairs_hook=_unique_keys)
    if isinstance(content, list):
        found = {image: _NUMBERED.fullmatch(image.rpartition("/")[2]) for image in photos.ids}
        numbers = {image: int(match[1]) for image, match in found.items() if match}
        numbers = {image: number for image, number in numbers.items() if 0 < number <= _VALIDATION}
        if len(content) != _VALIDATION or len(numbers) < len(found):
            raise BadInput(
                f"{path} is a list, which says no photo's name: only one of all of ImageNet's "
                "50,000 validation photos is taken; use an object by photo id, or a CSV file with "
                "the columns image, wnid and verdict"
            )
        content = {image: content[number - 1] for image, number in numbers.items()}
    return from_object(path, content, photos)


def from_object(path: object, content: object, photos: PhotoSet) -> FileLabels:
    """An object: a photo's id -> its classes, or lists of them by verdict.

    Raises:
        BadInput: naming the photo or the class that is wrong.
    """
    if not isinstance(content, Mapping) or not content:
        raise BadInput(f"{path} {SAYS_NOTHING} {photos.name}")
    if {"format", "photos", "strategy"} <= set(content):
        raise BadInput(f"{path} is a release's manifest: its labels are in answers.csv beside it")
    return FileLabels(
        {
            str(image): _verdicts(path, str(image), labels, photos.taxonomy)
            for image, labels in content.items()
        },
        {},
    )


def _unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, of which each key is there once."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key[:200]} is there twice")
        found[key] = value
    return found


def _verdicts(path: object, image: str, labels: object, taxonomy: Taxonomy) -> Verdicts:
    labels = _listed(labels)
    if isinstance(labels, Sequence | Set):
        labels = {"correct": labels}
    if not isinstance(labels, Mapping) or not set(labels) <= set(_VERDICTS):
        labels = {"correct": None}
    found: Verdicts = {}
    for word, classes in labels.items():
        for wnid in _wnids(path, image, classes, taxonomy):
            _put(path, found, image, wnid, _VERDICTS[word])
    return found


def _listed(labels: object) -> object:
    """NumPy's arrays as lists; everything else as it is."""
    return labels.tolist() if hasattr(labels, "tolist") else labels


def _wnids(path: object, image: str, classes: object, taxonomy: Taxonomy) -> Iterable[str]:
    classes = _listed(classes)
    wrong = f"{path}: the labels of {image[:200]} are {NO_LIST}"
    if not isinstance(classes, Sequence | Set) or isinstance(classes, str | bytes):
        raise BadInput(wrong)
    for cls in classes:
        is_place = isinstance(cls, Integral) and not isinstance(cls, bool)
        if isinstance(cls, str):
            yield cls
        elif is_place and cls in range(len(taxonomy)):
            yield taxonomy.by_index(int(cls)).wnid
        else:
            raise BadInput(f"{wrong}: {cls!r:.40} is no class")


def _put(path: object, verdicts: Verdicts, image: str, wnid: str, verdict: str) -> None:
    """Note a verdict; the same one twice is one."""
    if (earlier := verdicts.setdefault(wnid, verdict)) != verdict:
        raise BadInput(
            f"{path}: the class {wnid[:40]!r} of {image[:200]} is both {earlier} and {verdict}"
        )


_LARGEST = 2**28  # bytes; ReaL's file has 0.4 MB


def read_truth(path: Path, photos: PhotoSet) -> Truth:
    """Read the file of a truth, and match it with a set's photos; it may speak of others, too.

    Args:
        path: the file.
        photos: the set.

    Raises:
        BadInput: naming the photo, the class or the length that is wrong.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise BadInput(f"{path} is larger than {_LARGEST >> 20} MiB: it is no file of labels")
        content = path.read_bytes()
        if content.startswith(b"\x1f\x8b"):  # as gzip's files begin
            raise BadInput(f"{path} is compressed: unpack it (gunzip)")
        text = decoded(content)
        is_json = path.suffix.lower() != ".csv" and text.lstrip()[:1] in ("{", "[")
        labels = from_json(path, text, photos) if is_json else from_table(path, table_rows(content))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"the labels {path} cannot be read: {first_line(error)}") from None
    return _matched(path, labels, photos, hashlib.sha256(content).hexdigest())


def truth_of_dict(labels: Mapping[str, Any], photos: PhotoSet) -> Truth:
    """The truth that a dict in memory says, in the form of truth.json.

    Raises:
        BadInput: naming the photo or the class that is wrong.
    """
    found = from_object("multilabel=", labels, photos)
    lists = {image: sorted(verdicts.items()) for image, verdicts in sorted(found.verdicts.items())}
    sha256 = hashlib.sha256(json.dumps(lists).encode()).hexdigest()
    return _matched("multilabel=", found, photos, sha256)


def _matched(path: object, labels: FileLabels, photos: PhotoSet, sha256: str) -> Truth:
    """What is said of the set's photos."""
    in_set, found = set(photos.ids), labels.verdicts
    if in_set.isdisjoint(found):
        raise BadInput(
            f"{path} {SAYS_NOTHING} {photos.name}, whose photos are called like "
            f"{photos.photos[0].id}"
        )
    known = {cls.wnid for cls in photos.taxonomy} | {photo.wnid for photo in photos.photos}
    for image, verdicts in found.items():
        for wnid in verdicts.keys() - known:
            raise BadInput(
                f"{path}: among the labels of {image[:200]} {wnid[:40]!r} is no class's wnid"
            )
    verdicts_of = {image: verdicts for image, verdicts in found.items() if image in in_set}
    correct, unclear = (
        {
            image: frozenset(wnid for wnid, value in verdicts.items() if value == verdict)
            for image, verdicts in verdicts_of.items()
        }
        for verdict in ("correct", "unclear")
    )
    if not any(correct.values()):
        raise BadInput(f"{path} names no right class for any photo of {photos.name}")
    proposed = {image: by for image, by in labels.proposed.items() if image in in_set}
    return Truth(
        correct=correct,
        unclear={image: wnids for image, wnids in unclear.items() if wnids},
        source=path.name if isinstance(path, Path) else "a dict",
        sha256=sha256,
        # A file does not say which runs they are, so that they are known by their names.
        proposers=dict.fromkeys(models_among(proposed), ()),
        proposed=proposed,
        others=len(found.keys() - in_set),
    )
