"""A list of photos and their classes, with the photos beside it or without them.

genset's own is ``labels.csv``, with the columns image and wnid. Others' are read as they are:
Kaggle's ``LOC_val_solution.csv``, ``ImageId,Class``, and a photo and its class on each line, as in
a devkit's ``val.txt``. ImageNet's validation photos need no list: the number in a name such as
``ILSVRC2012_val_00000001.JPEG`` says the class.
"""

import hashlib
import os
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.files import table_rows
from genset.sets.formats import is_photo_name
from genset.sets.hashes import HashStore
from genset.sets.layouts.layout import Classes, Row, is_number, names_in, photo_set, validation_wnid
from genset.sets.photos import PhotoSet, ScoredPhoto

LABELS = "labels.csv"
LISTS = (".csv", ".tsv", ".txt")

IMAGE_COLUMNS = ("image", "imageid", "image_id", "filename", "file_name", "file", "path", "id")
_CLASS = ("wnid", "class", "label", "predictionstring", "synset", "target")
# Where the photos of a list lie: beside it, or as in Kaggle's archive.
_PLACES = ("", "val", "images", "ILSVRC/Data/CLS-LOC/val")


def is_listed(names: Collection[str]) -> bool:
    """Whether a folder with these files has a list, or ImageNet's validation photos."""
    return LABELS in names or any(map(validation_wnid, names))


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet | None:
    """The photos in the order of the list. Where none is there, the set is `listed`.

    Raises:
        BadInput: it is no such list; the row that is wrong is named.
    """
    path = Path(named)
    if path.is_dir():
        names = names_in(path)
        if not is_listed(names) or any(
            name in classes.taxonomy and (path / name).is_dir() for name in names
        ):
            return None
        if LABELS not in names:
            numbered = validation_rows(path, filter(is_photo_name, names))
            _refuse_other_labels(path, names, classes)
            name = path.resolve().name
            return photo_set(name, path, numbered, classes, HashStore(hashes, path))
        path = path / LABELS
    elif not path.is_file() or path.suffix.lower() not in LISTS:
        return None
    try:
        rows = _with_files(rows_of(path.read_bytes(), path, classes), path.parent)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    place = path.resolve()
    name = place.parent.name if place.name == LABELS else place.stem
    found = photo_set(name, path, rows, classes, HashStore(hashes, path.parent))
    found = replace(found, root=path.parent, list_hash=_hash_of_list(found.photos))
    if any(os.path.lexists(photo.path) for photo in found.photos):
        return found
    return replace(found, listed=True, content_hash=found.list_hash, list_hash="")


def _refuse_other_labels(folder: Path, names: Iterable[str], classes: Classes) -> None:
    """A list in a folder of ImageNet's validation photos must say what the photos' numbers say."""
    for path in (folder / name for name in names if Path(name).suffix.lower() in LISTS):
        try:
            rows = rows_of(path.read_bytes(), path, classes)
        except (BadInput, OSError):  # some other file
            continue
        for row in rows:
            numbered = validation_wnid(f"{Path(row.name).stem}.JPEG")
            if numbered and classes.find(row.label) not in (numbered, None):
                raise BadInput(
                    f"{path} labels {row.name} as {row.label}, and its number says {numbered}: "
                    "name the list to use its labels, or move it away"
                )


def rows_of(content: bytes, where: Path, classes: Classes) -> list[Row]:
    """The photos of a list, by their names in it.

    Args:
        content: of the list.
        where: it is.
        classes: which words are classes.

    Raises:
        BadInput: it is no list, or the row that is wrong, named.
    """
    try:
        lines = [cells for _, cells in table_rows(content)]
        image_column, class_column, table = _columns(lines, classes)
    except BadInput as error:
        raise BadInput(f"{where} cannot be read: {error}") from None
    if not table:
        raise BadInput(
            f"{where} lists no photos: it needs the columns image and wnid, and rows (ImageNet's "
            "validation photos need no list: name their folder)"
        )
    rows = []
    for number, cells in enumerate(table, 1):
        image, label = (
            cells[column] if column < len(cells) else "" for column in (image_column, class_column)
        )
        # Kaggle's has boxes behind the class; one's own class may have several words.
        label = label if classes.find(label) else label.partition(" ")[0]
        if not image or not (classes.find(label) or is_number(label)):
            problem = f"{label[:40]!r} is not a class of {classes.taxonomy_name}: give its id"
            raise BadInput(f"{where}, photo {number}: {problem if image else 'there is no image'}")
        rows.append(Row(image, label, where.parent / image))
    return rows


def _columns(table: list[list[str]], classes: Classes) -> tuple[int, int, list[list[str]]]:
    """In which columns photos and classes are, and the rows below the header, if there is one."""
    first = table[0] if table else []
    names = [cell.casefold() for cell in first]
    image = next((names.index(name) for name in IMAGE_COLUMNS if name in names), None)
    label = next((names.index(name) for name in _CLASS if name in names), None)
    if image is not None and label is not None:
        return image, label, table[1:]
    if len(first) == 2 and (classes.find(first[1]) or is_number(first[1])):
        return 0, 1, table
    return 0, 0, []


def _with_files(rows: list[Row], folder: Path) -> list[Row]:
    """The rows with their photos' files, where these lie deeper, or the list leaves out endings."""
    for place in (folder / place for place in _PLACES):
        files: dict[str, str] = {}
        if not any(is_photo_name(row.name) for row in rows) and place.is_dir():
            files = {Path(name).stem: name for name in names_in(place) if is_photo_name(name)}
        found = [files.get(row.name, row.name) for row in rows]
        there = {"", ".", "..", *(names_in(place) if place.is_dir() else ())}
        if any(n.partition("/")[0] in there and os.path.lexists(place / n) for n in found):
            return [
                replace(row, name=name, path=place / name)
                for row, name in zip(rows, found, strict=True)
            ]
    return rows


def validation_rows(root: Path, names: Iterable[str]) -> list[Row]:
    """ImageNet's validation photos among these names; the others without a class."""
    return [Row(name, validation_wnid(name), root / name) for name in names]


def _hash_of_list(photos: Iterable[ScoredPhoto]) -> str:
    lines = "".join(f"{photo.id} {photo.wnid}\n" for photo in photos)
    return f"sha256:{hashlib.sha256(lines.encode()).hexdigest()}"
