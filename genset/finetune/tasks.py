"""The photos of a task, their classes, and their parts (training or test)."""

import hashlib
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from genset.core.errors import BadInput, PhotoRejected, first_line
from genset.core.junk import junk_in, junk_note
from genset.core.progress import progress
from genset.finetune.layouts import butterflies, cats_dogs, cub, folder
from genset.finetune.layouts.listing import Listing, named, plain
from genset.finetune.split import NO_COPIES, Copies, check_share, in_words, test_part
from genset.sets.photos import PhotoSet, ScoredPhoto


def check_photos(root: Path, ids: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Hash each photo and read its header.

    Pixels are not decoded, so a photo with a valid header and damaged pixels passes.

    Returns:
        The sha256 of each photo's bytes, and the reason for each photo that cannot be used; both
        by id (a path in `root`), in order.
    """
    hashes: dict[str, str] = {}
    refused: dict[str, str] = {}

    def check(photo: str) -> str | PhotoRejected:
        try:
            return _hash(root, photo)
        except PhotoRejected as error:
            return error

    # Reading and hashing release the GIL, and a slow disk serves several requests at once.
    with ThreadPoolExecutor(min(8, 2 * (os.cpu_count() or 1))) as threads:
        found = progress(
            threads.map(check, ids), total=len(ids), what="checking photos", unit="photo"
        )
        for photo, answer in zip(ids, found, strict=True):
            if isinstance(answer, PhotoRejected):
                refused[photo] = answer.reason
            else:
                hashes[photo] = answer
    return hashes, refused


def _hash(root: Path, photo: str) -> str:
    if not photo.isprintable():
        raise PhotoRejected("its name cannot be written")
    try:
        content = (root / photo).read_bytes()
        with Image.open(BytesIO(content)):  # reads the header
            return hashlib.sha256(content).hexdigest()
    except UnidentifiedImageError:
        raise PhotoRejected("it is not a photo" if content else "it is empty") from None
    except OSError as error:
        raise PhotoRejected(error.strerror or first_line(error)) from None
    except (SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise PhotoRejected(first_line(error)) from None


class Layout(Protocol):
    """The interface of the modules of `genset.finetune.layouts`."""

    DESCRIBED: str

    def read(self, data: Path) -> Listing:
        """Read the data set's files.

        Raises:
            BadInput: the files are not valid.
        """


_LAYOUTS: dict[str, Layout] = {
    "birds-200": cub,
    "cats-dogs": cats_dogs,
    "butterflies": butterflies,
    "folder": folder,
}
TASKS = tuple(_LAYOUTS)


@dataclass(frozen=True, slots=True)
class TaskPhoto:
    """A photo of a task. `id` is its path in the root, with forward slashes."""

    id: str
    path: Path
    label: int  # index of its class in the task's classes
    part: str  # "train" or "test"


@dataclass(frozen=True, slots=True)
class TaskData:
    """A task's photos, in the order of their ids, each in one part.

    `content_hash` is over ids, bytes and classes, but not parts: features are valid for any split.
    `excluded` has the reason for each photo that is not used. `copies` are the photos with the same
    bytes.
    """

    task: str
    name: str  # in tables: the task, or for `folder` the folder's own name
    root: Path
    classes: tuple[str, ...]  # readable names, in the order of labels
    photos: tuple[TaskPhoto, ...]
    split: str  # in words: "official", or "20 % of each class, seed 0"
    content_hash: str
    excluded: dict[str, str]
    notes: tuple[str, ...]
    copies: Copies = NO_COPIES

    @property
    def labels(self) -> NDArray[np.int64]:
        """The label of each photo, shape (N,), int64."""
        return np.array([photo.label for photo in self.photos], np.int64)

    def indices(self, part: str) -> NDArray[np.int64]:
        """Indices into `photos` of the photos of a part ("train" or "test"), int64."""
        return np.flatnonzero([photo.part == part for photo in self.photos]).astype(np.int64)

    @property
    def firsts(self) -> NDArray[np.int64]:
        """For each photo the index of the first of its copies, or its own, shape (N,), int64."""
        places = {photo.id: place for place, photo in enumerate(self.photos)}
        ids = (self.copies.first.get(photo.id, photo.id) for photo in self.photos)
        return np.array([places[photo] for photo in ids], np.int64)

    def photo_set(self) -> PhotoSet:
        """The same photos for `genset.score`, in the same order."""
        photos = [ScoredPhoto(p.id, p.path, self.classes[p.label]) for p in self.photos]
        return PhotoSet(self.name, self.root, self.content_hash, tuple(photos), notes=self.notes)


def described(task: str) -> str:
    """The task, and where to get its data, in one line.

    Raises:
        BadInput: there is no such task.
    """
    return _layout(task).DESCRIBED


def open_task(task: str, data: Path, seed: int = 0, test_share: float = 0.2) -> TaskData:
    """Read and check a task's data. Photos whose header cannot be read are left out.

    Args:
        task: one of `TASKS`.
        data: the data set's own folder, or one or two levels above it; for `folder`, the folder
            itself.
        seed: of the split, if the data set defines none.
        test_share: the share of test photos, between 0 and 1, if the data set defines no split.

    Raises:
        BadInput: there is no such task, or the data is not valid.
    """
    layout = _layout(task)
    check_share(test_share)
    if not data.is_dir():
        raise BadInput(f"{data} is not a folder. {layout.DESCRIBED}")
    try:
        listing = layout.read(data)
    except OSError as error:
        raise BadInput(f"{error.filename} cannot be read: {error.strerror}") from None
    _check_names(listing)
    hashes, unreadable = check_photos(listing.root, sorted(listing.labels))
    _check_counts(listing, hashes, unreadable)
    copies = Copies.find(hashes, listing.labels)
    excluded = listing.excluded | unreadable
    parts = listing.parts
    if not listing.split:
        _check_copies(listing, copies, hashes)
        tested = test_part(_by_class(listing, hashes), seed, test_share, copies)
        parts = {photo: "test" if photo in tested else "train" for photo in hashes}
    return TaskData(
        task=task,
        name=data.resolve().name if task == "folder" else task,
        root=listing.root,
        classes=listing.classes,
        photos=tuple(
            TaskPhoto(photo, listing.root / photo, listing.labels[photo], parts[photo])
            for photo in hashes
        ),
        split=listing.split or in_words(seed, test_share),
        content_hash=_content_hash(listing, hashes),
        excluded={plain(photo): why for photo, why in sorted(excluded.items())},
        notes=(
            *listing.notes,
            *junk_note(junk_in(listing.root)),
            *copies.notes(parts, listing.classes, listing.split),
        ),
        copies=copies,
    )


def _layout(task: str) -> Layout:
    if task not in _LAYOUTS:
        raise BadInput(f"there is no task {task!r}: the tasks are {', '.join(TASKS)}")
    return _LAYOUTS[task]


def _check_names(listing: Listing) -> None:
    """Check class names: tables and files need printable, unique names on one line."""
    root, classes = listing.root, listing.classes
    if strange := [name for name in classes if not name.isprintable() or not name.strip()]:
        raise BadInput(f"{root}: the class {strange[0]!a} cannot be written: rename it")
    if twice := [name for name, count in Counter(classes).items() if count > 1]:
        raise BadInput(f"{root}: two classes are named {twice[0]}: rename one")
    if len(classes) < 2:
        found = f"only the class {classes[0]}" if classes else "no class"
        raise BadInput(f"{root} has {found}: a task needs two at least")


def _by_class(listing: Listing, photos: Iterable[str]) -> list[list[str]]:
    """The photos of each class, in the order of labels."""
    classes: list[list[str]] = [[] for _ in listing.classes]
    for photo in photos:
        classes[listing.labels[photo]].append(photo)
    return classes


def _check_counts(listing: Listing, photos: Collection[str], unreadable: Mapping[str, str]) -> None:
    """Check that each class has photos to train on and photos to test on."""
    readable = f" that can be read ({named(list(unreadable))} cannot)" if unreadable else ""
    few: dict[str, list[str]] = {"no photo": [], "one photo": []}
    lacking: dict[str, list[str]] = {"train": [], "test": []}
    for name, ids in zip(listing.classes, _by_class(listing, photos), strict=True):
        if len(ids) < 2:
            few["one photo" if ids else "no photo"].append(name)
        for part, classes in lacking.items():
            if listing.split and all(listing.parts[photo] != part for photo in ids):
                classes.append(name)
    for count, names in few.items():
        if names:
            raise BadInput(
                f"{_classes(names, 'has', 'have')} {count}{readable}: a class needs two at least, "
                f"to train on and to test on; add photos in {listing.root}, or remove the class"
            )
    for part, names in lacking.items():
        if names:
            raise BadInput(
                f"{_classes(names, 'has', 'have')} no photo{readable} in the {part} part: a class "
                f"needs one in each; add photos in {listing.root}, or remove the class"
            )


def _check_copies(listing: Listing, copies: Copies, photos: Iterable[str]) -> None:
    """Check that each class has two photos to split that are not copies of each other."""
    alike, contested = [], []
    for name, ids in zip(listing.classes, _by_class(listing, photos), strict=True):
        photos_of_class = [photo for photo in ids if photo not in copies.contested]
        if not photos_of_class:
            contested.append(name)
        elif len({copies.first.get(photo, photo) for photo in ids}) == 1:
            alike.append(name)
    mend = f"add photos in {listing.root}, or remove the class"
    if alike:
        raise BadInput(
            f"{_classes(alike, 'has', 'have')} one photo, and byte-identical copies of it: a class "
            f"needs two at least, to train on and to test on; {mend}"
        )
    if contested:
        raise BadInput(
            f"{_classes(contested, 'has', 'have')} no photo that is not also in another class, "
            f"byte for byte, and so none to test on; {mend}"
        )


def _classes(names: Sequence[str], one: str, several: str) -> str:
    if len(names) == 1:
        return f"the class {names[0]} {one}"
    return f"{len(names):,} classes ({named(names)}) {several}"


def _content_hash(listing: Listing, hashes: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for photo, sha256 in hashes.items():
        digest.update(f"{photo} {sha256} {listing.classes[listing.labels[photo]]}\n".encode())
    return f"sha256:{digest.hexdigest()}"
