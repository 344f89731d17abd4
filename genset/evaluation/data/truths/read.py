"""A truth that others made, from their file.

A file is one of::

    real.json    a list with a list of classes for each photo, in the order of the photos' file
                 names. ImageNet's validation photos are told by the number in their file name: the
                 first is number 1 (ReaL's README adds a photo's place to itself, a misprint for 1)
    truth.json   an object: a photo's id -> its classes, or {"correct": [...], "unclear": [...]}
    truth.csv    a row for each class that was asked about: image, wnid, verdict (correct, unclear
                 or wrong; also a label's words, unsure and incorrect)

A class is a wnid; in JSON also an index in the sorted order of ImageNet's wnids.

Source: Beyer et al., "Are we done with ImageNet?", 2020 (ReaL).
"""

import csv
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from genset.errors import BadInput, first_line
from genset.evaluation.data.sets.photo import PhotoSet
from genset.evaluation.data.truths.truth import Truth
from genset.taxonomy import imagenet1k

_LARGEST = 2**28  # bytes; ReaL's file has 0.4 MB
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
_NO_LIST = "no list of wnids or class indices"

_Verdicts = dict[str, str]  # of a photo: "correct", "unclear" or "wrong", by wnid


def read_truth(path: Path, photos: PhotoSet, *, others: bool = False) -> Truth:
    """Read the file of a truth, and match it with a set's photos.

    Args:
        path: the file.
        photos: the set.
        others: whether an object or a table may also speak of photos that are not in the set.

    Raises:
        BadInput: naming the photo, the class or the length that is wrong.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise BadInput(f"{path} is larger than {_LARGEST >> 20} MiB: it is no file of labels")
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
        found = _from_table(path, text) if _is_table(text) else _from_json(path, text, photos)
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise BadInput(f"the labels {path} cannot be read: {first_line(error)}") from None
    in_set = set(photos.ids)
    unknown = [image for image in found if image not in in_set]
    if len(unknown) == len(found):
        raise BadInput(
            f"{path} has no labels of a photo of {photos.name}, whose photos are called like "
            f"{photos.photos[0].id}"
        )
    if unknown and not others:
        more = f", nor are {len(unknown) - 1:,} others" if len(unknown) > 1 else ""
        raise BadInput(f"{path}: {unknown[0][:200]} is no photo of {photos.name}{more}")
    _check_classes(path, found, photos)
    given = {image: verdicts for image, verdicts in found.items() if image in in_set}
    unclear = {image: _of(verdicts, "unclear") for image, verdicts in given.items()}
    return Truth(
        correct={image: _of(verdicts, "correct") for image, verdicts in given.items()},
        unclear={image: wnids for image, wnids in unclear.items() if wnids},
        source=path.name,
        sha256=hashlib.sha256(content).hexdigest(),
    )


def _of(verdicts: Mapping[str, str], verdict: str) -> frozenset[str]:
    return frozenset(wnid for wnid, said in verdicts.items() if said == verdict)


def _check_classes(path: Path, found: Mapping[str, _Verdicts], photos: PhotoSet) -> None:
    taxonomy, own = imagenet1k(), {photo.wnid for photo in photos.photos}
    for image, verdicts in found.items():
        for wnid in verdicts:
            if wnid not in taxonomy and wnid not in own:
                raise BadInput(
                    f"{path}: the labels of {image[:200]} are {_NO_LIST}: {wnid[:40]!r} is no class"
                )


def _is_table(text: str) -> bool:
    """Whether the first line names the column of photos."""
    return "image" in text.partition("\n")[0].rstrip("\r").split(",")


def _from_table(path: Path, text: str) -> dict[str, _Verdicts]:
    table = csv.DictReader(text.splitlines())
    if not set(_COLUMNS) <= set(table.fieldnames or ()):
        raise BadInput(
            f"{path} needs the columns image, wnid and verdict; it has "
            f"{', '.join(table.fieldnames or ())}"
        )
    found: dict[str, _Verdicts] = {}
    for number, row in enumerate(table, 2):
        image, wnid, said = (row[name] or "" for name in _COLUMNS)
        if (verdict := _VERDICTS.get(said)) is None:
            raise BadInput(
                f"{path}, line {number}: the verdict {said[:40]!r} is none of correct, unclear, "
                "wrong"
            )
        _put(path, found.setdefault(image, {}), image, wnid, verdict)
    return found


def _from_json(path: Path, text: str, photos: PhotoSet) -> dict[str, _Verdicts]:
    content = json.loads(text)
    if isinstance(content, list):
        content = _by_order(path, content, photos)
    if not isinstance(content, dict) or not content:
        raise BadInput(f"{path} has no labels of a photo of {photos.name}")
    return {image: _verdicts(path, image, given) for image, given in content.items()}


def _by_order(path: Path, content: list[Any], photos: PhotoSet) -> dict[str, Any]:
    """A list's elements by photo."""
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
            f"{path} has labels of {len(content):,} photos, and {photos.name} has {len(names):,}"
        )
    by_name = sorted(names, key=lambda image: (names[image], image))
    return dict(zip(by_name, content, strict=True))


def _verdicts(path: Path, image: str, given: object) -> _Verdicts:
    if isinstance(given, list):
        given = {"correct": given}
    if not isinstance(given, dict) or not set(given) <= set(_VERDICTS):
        raise BadInput(f"{path}: the labels of {image[:200]} are {_NO_LIST}")
    found: _Verdicts = {}
    for said, classes in given.items():
        for wnid in _wnids(path, image, classes):
            _put(path, found, image, wnid, _VERDICTS[said])
    return found


def _wnids(path: Path, image: str, classes: object) -> Iterable[str]:
    taxonomy = imagenet1k()
    if not isinstance(classes, list):
        raise BadInput(f"{path}: the labels of {image[:200]} are {_NO_LIST}")
    for each in classes:
        if isinstance(each, str):
            yield each
        elif isinstance(each, int) and not isinstance(each, bool) and 0 <= each < len(taxonomy):
            yield taxonomy.by_index(each).wnid
        else:
            raise BadInput(
                f"{path}: the labels of {image[:200]} are {_NO_LIST}: {each!r:.40} is no class"
            )


def _put(path: Path, verdicts: _Verdicts, image: str, wnid: str, verdict: str) -> None:
    """Note a verdict; the same one twice is one."""
    if (said := verdicts.setdefault(wnid, verdict)) != verdict:
        raise BadInput(
            f"{path}: the class {wnid[:40]!r} of {image[:200]} is both {said} and {verdict}"
        )
