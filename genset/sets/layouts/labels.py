"""A table of photos and their classes, ``labels.csv``, with the photos beside it or without them.

ImageNet's own ``val/``, in which all photos lie flat, is such a set.
"""

import csv
import hashlib
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput
from genset.sets.hashes import HashStore
from genset.sets.layouts.layout import Classes
from genset.sets.photos import PhotoSet, ScoredPhoto, hash_of

LABELS = "labels.csv"


def takes(named: str, classes: Classes) -> bool:
    """Whether it is a table, or a folder with one and without folders of classes."""
    path = Path(named)
    if path.suffix == ".csv":
        return path.is_file()
    if not (path / LABELS).is_file():
        return False
    taxonomy = classes.taxonomy
    return not any(child.name in taxonomy and child.is_dir() for child in path.iterdir())


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos in the order of the table's rows. Where none is there, the set is `listed`.

    Raises:
        BadInput: it is no such table; the row that is wrong is named.
    """
    path = Path(named)
    path = path / LABELS if path.is_dir() else path
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = rows_of(file, str(path), classes)
    except (OSError, ValueError, csv.Error) as error:
        raise BadInput(f"{path} cannot be read: {error}") from None
    folder = path.parent
    photos = [ScoredPhoto(image, folder / image, wnid) for image, wnid in rows.items()]
    place = path.resolve()
    listed = PhotoSet(
        name=place.parent.name if place.name == LABELS else place.stem,
        root=folder,
        content_hash=_hash_of_list(photos),
        photos=tuple(photos),
        listed=True,
        custom_taxonomy=classes.custom,
    )
    if not any(os.path.lexists(photo.path) for photo in photos):
        return listed
    store = HashStore(hashes, path)
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


def rows_of(lines: Iterable[str], where: str, classes: Classes) -> dict[str, str]:
    """The class of each photo, by its name in the table.

    Args:
        lines: of the table.
        where: it is, for errors.
        classes: which words are classes.

    Raises:
        BadInput: naming the row that is wrong.
        ValueError, csv.Error: it is no CSV in UTF-8.
    """
    table = csv.DictReader(lines)
    rows = [(row.get("image"), row.get("wnid")) for row in table]
    if not rows or not {"image", "wnid"} <= set(table.fieldnames or ()):
        raise BadInput(f"{where} lists no photos: it needs the columns image and wnid, and rows")
    found: dict[str, str] = {}
    for number, (image, wnid) in enumerate(rows, 1):
        place = f"{where}, photo {number}"
        if not image:
            raise BadInput(f"{place}: there is no image")
        if image in found:
            raise BadInput(f"{place}: {image} is there twice")
        found[image] = classes.of_label(wnid, place)
    return found


def _hash_of_list(photos: Iterable[ScoredPhoto]) -> str:
    digest = hashlib.sha256()
    for photo in photos:
        digest.update(f"{photo.id} {photo.wnid}\n".encode())
    return f"sha256:{digest.hexdigest()}"
