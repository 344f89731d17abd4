"""A folder of one folder of photos a class: ``n02123045/photo.jpg``."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from genset.classes import Taxonomy
from genset.core.errors import BadInput
from genset.core.junk import is_junk, junk_note
from genset.core.numbers import count
from genset.sets.formats import HEAD, has_no_ending, is_photo_name, looks_like_photo
from genset.sets.hashes import HashStore
from genset.sets.layouts.labels import LISTS
from genset.sets.layouts.layout import Classes, exclusions, is_number
from genset.sets.photos import PhotoSet, ScoredPhoto, hash_of, readable

# Folders of a data set's parts, the first that people score.
_SPLITS = ("val", "validation", "test", "train")


def takes(named: str, classes: Classes) -> bool:
    """Whether it is a folder."""
    return Path(named).is_dir()


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos of all folders that are classes, in the order of their ids.

    Raises:
        BadInput: there is no photo, or no folder that is a class.
    """
    folder = Path(named)
    store = HashStore(hashes, folder)
    found = ClassFolders(classes)
    children = sorted(_children(folder), key=lambda entry: entry.name)
    meant = classes_of_folders([child.name for child in children], named, classes)
    for child in children:
        if child.name.startswith(".") or is_junk(child.name):
            found.junk += [child.name] * is_junk(child.name)
            continue
        if not _is_folder(child):
            _list_stray(child, found)
        elif (wnid := meant[child.name]) is None:
            found.strange.append(child.name)
        else:
            _list_class(Path(child.path), wnid, store, found)
    found.check(named)
    paths = [f"{folder}/{image}" for image in found.photos]
    sums = store.all_sha256(paths)
    store.save()
    photos = [
        ScoredPhoto(readable(image), Path(path), wnid, sha256=sha256)
        for (image, wnid), path, sha256 in zip(found.photos.items(), paths, sums, strict=True)
    ]
    return PhotoSet(
        name=folder.resolve().name,
        root=folder,
        content_hash=hash_of(photos),
        photos=tuple(photos),
        notes=found.notes(),
        custom_taxonomy=classes.custom,
    )


def classes_of_folders(names: Sequence[str], where: str, classes: Classes) -> dict[str, str | None]:
    """The class that each name of a folder means, None of one that means none.

    Folders of ImageNetV2 are named by their classes' places, 0 to 999.

    Raises:
        BadInput: they are numbers, and nobody says in which order.
    """
    found = {name: classes.of_folder(name) for name in names}
    numbers = {f"folder {name}": name for name in names if is_number(name)}
    if numbers and classes.custom is None and not any(found.values()):
        by_number = classes.of_labels(numbers, where)
        found |= {name: by_number[place] for place, name in numbers.items()}
    return found


@dataclass(slots=True)
class ClassFolders:
    """The photos of folders of classes, and by their names what is left out.

    Attributes:
        classes: which names are classes.
        photos: of those that are in a class's folder, their classes by their ids, FOLDER/NAME.
        strange: folders that are no classes.
        empty: classes without photos.
        closed: folders of classes that cannot be read.
        stray: photos in no class's folder.
        others: files of classes' folders that are no photos.
        junk: what systems and archivers left.
    """

    classes: Classes
    photos: dict[str, str] = field(default_factory=dict)
    strange: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    stray: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    junk: list[str] = field(default_factory=list)

    def check(self, where: str) -> None:
        """See that there are photos.

        Raises:
            BadInput: there is none.
        """
        custom = self.classes.custom
        splits = [name for name in _SPLITS if name in self.strange]
        if not self.photos and splits:
            names = " and ".join(f"{name}/" for name in splits)
            raise BadInput(
                f"{where} holds {names}: name the one to score, as in "
                f"genset evaluate {Path(where) / splits[0]}"
            )
        by = "its wnid, as in n02123045; of classes of your own, say which by --taxonomy FILE"
        if custom is not None:
            by = f"its id, as in {_first(custom)}"
        if not self.photos and self.strange:
            raise BadInput(
                f"{Path(where) / self.strange[0]} is not a class of "
                f"{self.classes.taxonomy_name}: name each folder of photos by {by}"
            )
        if not self.photos and (tars := sorted(Path(where).glob("*.tar"))):
            raise BadInput(
                f"{where} holds no folders of photos, but tars, which are sets of their own: name "
                f"{tars[0]}, or several shards at once, as in 'shards-{{000..006}}.tar'"
            )
        if not self.photos:
            folders = "wnid folders (n02123045"
            if custom is not None:
                folders = f"a folder for each class ({_first(custom)}"
            stray = count(len(self.stray), "photo")
            has = f"has {stray}, but in no class's folder" if self.stray else "holds no photos"
            lists = sorted(path for path in Path(where).glob("*.*") if path.suffix in LISTS)
            hint = f"; or name a list of their classes: genset evaluate {lists[0]}" if lists else ""
            raise BadInput(f"{where} {has}: it needs {folders}/photo.jpg){hint}")

    def notes(self) -> tuple[str, ...]:
        """What is left out, in sentences."""
        name = self.classes.taxonomy_name
        return (
            *exclusions(self.strange, f"is not a class of {name}", f"are not classes of {name}"),
            *exclusions(self.empty, "has no photo", "have no photo"),
            *exclusions(self.closed, "cannot be read", "cannot be read"),
            *exclusions(self.stray, "is in no class's folder", "are in no class's folder", "photo"),
            *exclusions(self.others, "is no photo", "are no photos", "file"),
            *junk_note(self.junk),
        )


def _first(taxonomy: Taxonomy) -> str:
    return next(iter(taxonomy)).wnid


def _children(folder: Path) -> "list[os.DirEntry[str]]":
    with os.scandir(folder) as entries:
        return list(entries)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _list_stray(child: "os.DirEntry[str]", found: ClassFolders) -> None:
    """What lies beside the folders of classes."""
    if is_photo_name(child.name):
        found.stray.append(child.name)
    elif found.classes.of_folder(child.name):  # a link that leads nowhere, or a file
        found.closed.append(child.name)


def _list_class(folder: Path, wnid: str, store: HashStore, found: ClassFolders) -> None:
    try:
        children = sorted(_children(folder), key=lambda entry: entry.name)
    except OSError:
        found.closed.append(folder.name)
        return
    before = len(found.photos)
    for child in children:
        is_folder = _is_folder(child)
        if is_junk(child.name):
            found.junk.append(f"{folder.name}/{child.name}")
            continue
        if is_photo_name(child.name) or (
            has_no_ending(child.name) and not is_folder and _is_photo(child.path, store)
        ):
            found.photos[f"{folder.name}/{child.name}"] = wnid
        elif not is_folder and not child.name.startswith("."):
            found.others.append(child.name)
        if is_folder:
            below = (path.name for path in Path(child.path).rglob("*"))
            found.stray += sorted(name for name in below if is_photo_name(name))
    if len(found.photos) == before:
        found.empty.append(folder.name)


def _is_photo(path: str, store: HashStore) -> bool:
    """Whether a file without an ending is a photo, or cannot be read, which is said of it then."""
    if store.knows(path):
        return True
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):  # a pipe, which would never end
            return False
        with Path(path).open("rb") as file:
            return looks_like_photo(file.read(HEAD))
    except OSError:
        return True
