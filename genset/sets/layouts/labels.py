"""A list of photos and their classes, with the photos beside it or without them.

genset's own is ``labels.csv``, with the columns image and wnid. Others' are read as they are:
Kaggle's ``LOC_val_solution.csv``, ``ImageId,Class``, and a photo and its class on each line, as in
a devkit's ``val.txt``. ImageNet's validation photos need no list: the number in a name such as
``ILSVRC2012_val_00000001.JPEG`` says the class.
"""

import csv
import gzip
import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from genset.classes import imagenet1k
from genset.core.errors import BadInput, first_line
from genset.core.files import decoded
from genset.sets.formats import is_photo_name
from genset.sets.hashes import HashStore
from genset.sets.layouts.layout import Classes, exclusions, is_number
from genset.sets.photos import PhotoSet, ScoredPhoto, hash_of

LABELS = "labels.csv"
LISTS = (".csv", ".tsv", ".txt")

_IMAGE = ("image", "imageid", "image_id", "filename", "file_name", "file", "path", "id")
_CLASS = ("wnid", "class", "label", "predictionstring", "synset", "target")
_VALIDATION = re.compile(r"(?:.*/)?ILSVRC2012_val_(\d{8})\.jpe?g", re.IGNORECASE)


def takes(named: str, classes: Classes) -> bool:
    """Whether it is a list, a folder with ``labels.csv``, or ImageNet's validation photos."""
    path = Path(named)
    if path.is_file():
        return path.suffix.lower() in LISTS
    if not path.is_dir():
        return False
    names = _names_in(path)
    if LABELS not in names and not any(map(_VALIDATION.fullmatch, names)):
        return False
    return not any(name in classes.taxonomy and (path / name).is_dir() for name in names)


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos in the order of the list. Where none is there, the set is `listed`.

    Raises:
        BadInput: it is no such list; the row that is wrong is named.
    """
    path = Path(named)
    if path.is_dir() and not (path / LABELS).is_file():
        rows = validation_rows(_names_in(path))
        others = [name for name in _names_in(path) if is_photo_name(name) and name not in rows]
        found = _photo_set(path.resolve().name, path, rows, classes, hashes)
        notes = exclusions(others, "has no known class", "have no known class", "photo")
        return replace(found, notes=tuple(notes))
    path = path / LABELS if path.is_dir() else path
    try:
        rows = rows_of(path.read_bytes(), str(path), classes)
        rows = _with_endings(rows, path.parent)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    place = path.resolve()
    name = place.parent.name if place.name == LABELS else place.stem
    return _photo_set(name, path.parent, rows, classes, hashes)


def _photo_set(
    name: str, folder: Path, rows: dict[str, str], classes: Classes, hashes: Path | None
) -> PhotoSet:
    photos = [ScoredPhoto(image, folder / image, wnid) for image, wnid in rows.items()]
    listed = PhotoSet(
        name=name,
        root=folder,
        content_hash=_hash_of_list(photos),
        photos=tuple(photos),
        listed=True,
        custom_taxonomy=classes.custom,
    )
    if not any(os.path.lexists(photo.path) for photo in photos):
        return listed
    store = HashStore(hashes, folder)
    sums = store.all_sha256([str(photo.path) for photo in photos])
    store.save()
    there = tuple(replace(photo, sha256=sha) for photo, sha in zip(photos, sums, strict=True))
    return replace(
        listed,
        photos=there,
        listed=False,
        content_hash=hash_of(there),
        list_hash=listed.content_hash,
    )


def rows_of(content: bytes, where: str, classes: Classes) -> dict[str, str]:
    """The class of each photo, by its name in a list.

    Args:
        content: of the list.
        where: it is, for errors.
        classes: which words are classes.

    Raises:
        BadInput: it is no list, or the row that is wrong, named.
    """
    try:
        lines = decoded(content).splitlines()
        mark = next((mark for mark in "\t;," if lines and mark in lines[0]), " ")
        table = [row for row in csv.reader(lines, delimiter=mark, skipinitialspace=True) if row]
    except (ValueError, csv.Error) as error:
        raise BadInput(f"{where} cannot be read: {first_line(error)}") from None
    image_column, class_column, rows = _columns(table, classes)
    if not rows:
        raise BadInput(f"{where} lists no photos: it needs the columns image and wnid, and rows")
    labels: dict[str, str] = {}
    images: dict[str, None] = {}
    for number, row in enumerate(rows, 1):
        image = row[image_column] if image_column < len(row) else ""
        if not image or image in images:
            problem = f"{image} is there twice" if image else "there is no image"
            raise BadInput(f"{where}, photo {number}: {problem}")
        images[image] = None
        cell = row[class_column].strip() if class_column < len(row) else ""
        # Kaggle's has boxes behind the class; one's own class may have several words.
        labels[f"photo {number}"] = cell if cell in classes else cell.partition(" ")[0]
    return dict(zip(images, classes.of_labels(labels, where).values(), strict=True))


def _columns(table: list[list[str]], classes: Classes) -> tuple[int, int, list[list[str]]]:
    """In which columns photos and classes are, and the rows below the header, if there is one."""
    first = table[0] if table else []
    names = [cell.strip().casefold() for cell in first]
    image = next((names.index(name) for name in _IMAGE if name in names), None)
    label = next((names.index(name) for name in _CLASS if name in names), None)
    if image is not None and label is not None:
        return image, label, table[1:]
    if len(first) == 2 and (first[1] in classes or is_number(first[1])):
        return 0, 1, table
    return 0, 0, []


def _with_endings(rows: dict[str, str], folder: Path) -> dict[str, str]:
    """The rows by their photos' names in a folder, where the list leaves out their endings."""
    if any(map(is_photo_name, rows)):
        return rows
    names = {Path(name).stem: name for name in _names_in(folder) if is_photo_name(name)}
    return {names.get(image, image): wnid for image, wnid in rows.items()}


def _names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def validation_rows(names: Sequence[str]) -> dict[str, str]:
    """The class of each of ImageNet's validation photos among these names."""
    found = {name: match for name in names if (match := _VALIDATION.fullmatch(name))}
    order = _validation_order() if found else ()
    return {
        name: order[int(match[1]) - 1]
        for name, match in found.items()
        if 0 < int(match[1]) <= len(order)
    }


@cache
def _validation_order() -> tuple[str, ...]:
    """The wnids of ImageNet's 50,000 validation photos.

    Source: the development kit of ILSVRC2012; the copies of TensorFlow Datasets and of ImageNetV2
    agree on each.
    """
    packed = files("wordnet_maps").joinpath("imagenet_validation.txt.gz").read_bytes()
    wnids = [cls.wnid for cls in imagenet1k()]
    return tuple(wnids[int(place)] for place in gzip.decompress(packed).split())


def _hash_of_list(photos: Iterable[ScoredPhoto]) -> str:
    lines = "".join(f"{photo.id} {photo.wnid}\n" for photo in photos)
    return f"sha256:{hashlib.sha256(lines.encode()).hexdigest()}"
