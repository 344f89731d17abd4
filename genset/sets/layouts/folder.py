"""A folder of one folder of photos a class: ``n02123045/photo.jpg``."""

import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.junk import is_junk, junk_note
from genset.core.numbers import count
from genset.sets.formats import has_no_ending, is_photo, is_photo_name
from genset.sets.hashes import HashStore
from genset.sets.layouts.labels import LABELS, LISTS, is_listed, rows_of
from genset.sets.layouts.layout import Classes, Row, check_folders, exclusions, photo_set
from genset.sets.photos import PhotoSet

# Folders of a data set's parts, the first that people score.
_SPLITS = ("val", "validation", "test", "train")
_DEPTH, _MOST = 4, 1000  # folders below each other, and in one level, that are looked into


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet | None:
    """The photos of all folders that are classes, in the order of their ids.

    Raises:
        BadInput: there is no photo, or no folder that is a class.
    """
    folder = Path(named)
    if not folder.is_dir():
        return None
    children = _children(folder)
    try:
        found = ClassFolders((child.name for child in children), named, classes)
    except BadInput:  # folders of numbers, as of ImageNet-C's severities
        _refuse_outer(folder, _sets_below(folder, classes))
        raise
    for child in children:
        if child.name.startswith(".") or is_junk(child.name):
            found.junk += [child.name] * is_junk(child.name)
        elif not _is_folder(child):
            if is_photo_name(child.name):
                found.excluded["stray"].append(child.name)
            elif found.meant[child.name]:  # a link that leads nowhere, or a file
                found.excluded["closed"].append(child.name)
        elif found.meant[child.name] is None:
            found.excluded["strange"].append(child.name)
        else:
            _add_class(Path(child.path), found)
    found.check(folder)
    listed, notes = [], found.notes()
    try:
        if (folder / LABELS).is_file():
            listed = rows_of((folder / LABELS).read_bytes(), folder / LABELS, classes)
    except (OSError, BadInput) as error:  # it may be a table of something else
        notes.append(f"not compared with the folders: {error}".replace(f"{folder}/", ""))
    labeled = ((row.name, wnid) for row in listed if (wnid := classes.find(row.label)))
    check_folders(labeled, classes, folder / LABELS)
    name = folder.resolve().name
    return photo_set(name, folder, found.rows, classes, HashStore(hashes, folder), notes)


class ClassFolders:
    """The photos of folders of classes, and by their names what is left out.

    Attributes:
        meant: the class of each folder, None of one that is none.
        rows: the photos that are in a class's folder, with the ids FOLDER/NAME.
        excluded: what is left out, by why.
        junk: what systems and archivers left.
    """

    def __init__(self, names: Iterable[str], where: str, classes: Classes) -> None:
        self.classes = classes
        self.meant = classes.meant(names, where)
        self.rows: list[Row] = []
        self.excluded: defaultdict[str, list[str]] = defaultdict(list)
        self.junk: list[str] = []

    def check(self, where: Path) -> None:
        """See that there are photos.

        Raises:
            BadInput: there is none; with what to name instead, where that is below.
        """
        if self.rows:
            return
        strange, stray = self.excluded["strange"], self.excluded["stray"]
        _refuse_outer(
            where, _sets_below(where, self.classes) or ([] if strange else _files_of_sets(where))
        )
        if strange:
            raise self.classes.refuse(f"{where / strange[0]}", "folder of photos")
        has = f"has {count(len(stray), 'photo')}, but in no class's folder"
        folders = "wnid folders (n02123045"
        if custom := self.classes.custom:
            folders = f"a folder for each class ({next(iter(custom)).wnid}"
        raise BadInput(
            f"{where} {has if stray else 'holds no photos'}: it needs {folders}/photo.jpg)"
        )

    def notes(self) -> list[str]:
        """What is left out, in sentences."""
        excluded = self.excluded
        return [
            *self.classes.strangers(excluded["strange"], "folder"),
            *exclusions(excluded["empty"], "has no photo", "have no photo"),
            *exclusions(excluded["closed"], "cannot be read", "cannot be read"),
            *exclusions(
                excluded["stray"], "is in no class's folder", "are in no class's folder", "photo"
            ),
            *exclusions(excluded["others"], "is no photo", "are no photos", "file"),
            *junk_note(self.junk),
        ]


def _refuse_outer(folder: Path, below: Sequence[Path]) -> None:
    """Name what to score in its place, if a folder has sets below it.

    Raises:
        BadInput: it has.
    """
    if below:
        names = " and ".join(str(path.relative_to(folder)) for path in below[:3])
        raise BadInput(
            f"{folder} holds {names}{', ...' * (len(below) > 3)}: name the one to score, as in "
            f"genset evaluate {below[0]}"
        )


def _files_of_sets(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.*") if path.suffix in (".tar", *LISTS))


def _sets_below(folder: Path, classes: Classes) -> list[Path]:
    """The nearest folders below that hold a set, as where an archive was unpacked."""
    level = [folder]
    for _ in range(_DEPTH):
        children = (child for parent in level[:_MOST] for child in _children(parent))
        level = [Path(child.path) for child in children if _is_folder(child)]
        if found := [path for path in level[:_MOST] if _holds_set(path, classes)]:
            order = {name: place for place, name in enumerate(_SPLITS)}
            return sorted(found, key=lambda path: order.get(path.name, len(order)))
    return []


def _holds_set(folder: Path, classes: Classes) -> bool:
    names = {child.name for child in _children(folder)}
    return any(map(classes.find, names)) or {"0", "999"} <= names or is_listed(names)


def _children(folder: Path) -> "list[os.DirEntry[str]]":
    """What lies in a folder, sorted; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _add_class(folder: Path, found: ClassFolders) -> None:
    if not os.access(folder, os.R_OK | os.X_OK):
        found.excluded["closed"].append(folder.name)
        return
    before = len(found.rows)
    for child in _children(folder):
        name, is_folder = f"{folder.name}/{child.name}", _is_folder(child)
        if is_junk(child.name):
            found.junk.append(name)
            continue
        if is_photo_name(child.name) or (
            has_no_ending(child.name) and not is_folder and _is_photo(child.path)
        ):
            found.rows.append(Row(name, folder.name, Path(child.path)))
        elif not is_folder and not child.name.startswith("."):
            found.excluded["others"].append(child.name)
        if is_folder:
            below = (path.name for path in Path(child.path).rglob("*"))
            found.excluded["stray"] += sorted(name for name in below if is_photo_name(name))
    if len(found.rows) == before:
        found.excluded["empty"].append(folder.name)


def _is_photo(path: str) -> bool:
    """Whether a file without an ending is a photo, or cannot be read, which is said of it then."""
    try:
        # A pipe would never end.
        return stat.S_ISREG(Path(path).stat().st_mode) and is_photo(Path(path).read_bytes())
    except OSError:
        return True
