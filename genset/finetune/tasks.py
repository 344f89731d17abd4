"""The photos of a task, their classes, and their parts (training or test)."""

import csv
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import BadInput, first_line
from genset.core.junk import junk_in, junk_note
from genset.core.pixels import fingerprint, scale_down
from genset.core.progress import progress
from genset.finetune.layouts import LAYOUTS
from genset.finetune.layouts.listing import Layout, Listing, named, plain
from genset.finetune.split import NO_COPIES, Copies, test_part
from genset.sets.formats import BROKEN, image_of, why_not
from genset.sets.hashes import HashStore
from genset.sets.photos import Part, PhotoSet, ScoredPhoto

_SMALLEST = 96  # pixels of the shorter side; of smaller photos a fingerprint tells too little

Check = tuple[str, int | None]
"""A photo's sha256, and its fingerprint if it has one."""


def check_photos(listing: Listing, store: HashStore) -> tuple[dict[str, Check], dict[str, str]]:
    """Hash each photo, and compute its fingerprint.

    A photo with a valid header and damaged pixels passes; it has no fingerprint.

    Returns:
        The hashes of each photo, and the reason for each photo that cannot be used; both by id, in
        order.
    """
    photos = [listing.photo(id) for id in sorted(listing.labels)]

    def look(photo: ScoredPhoto) -> Check | str:
        if not photo.id.isprintable():
            return "its name cannot be written"
        try:
            if photo.part is not None:
                return _hashes(photo)
            return tuple(store.read(str(photo.path), lambda _: _hashes(photo)))
        except BROKEN as error:
            return why_not(error, photo.id)

    # Reading, hashing and decoding release the GIL, and a slow disk serves several at once.
    with ThreadPoolExecutor(min(8, 2 * (os.cpu_count() or 1))) as threads:
        found = threads.map(look, photos)
        found = progress(found, total=len(photos), what="checking photos", unit="photo")
        answers = {photo.id: answer for photo, answer in zip(photos, found, strict=True)}
    store.save()
    refused = {id: answer for id, answer in answers.items() if isinstance(answer, str)}
    return {id: a for id, a in answers.items() if not isinstance(a, str)}, refused


def _hashes(photo: ScoredPhoto) -> Check:
    content, bits = photo.read_bytes(), None
    with image_of(content) as image:  # reads the header
        if min(image.size) >= _SMALLEST:
            with suppress(*BROKEN):
                scale_down(image)
                bits = fingerprint(image)
    return sha256(content).hexdigest(), bits


TASKS = tuple(LAYOUTS)


@dataclass(frozen=True, slots=True)
class TaskPhoto:
    """A photo of a task. `id` is its path in the root, with forward slashes, if it is a file."""

    id: str
    path: Path
    label: int  # index of its class in the task's classes
    part: str  # "train" or "test"
    within: Part | None = None  # which part of the file it is; None: all of it


@dataclass(frozen=True, slots=True)
class TaskData:
    """A task's photos, in the order of their ids, each in one part.

    `content_hash` is over ids, bytes and classes, but not parts: features are valid for any split.
    `excluded` has the reason for each photo that is not used. `copies` are the photos that are
    alike, by their bytes or by their fingerprints; `overlap` counts the test photos among them that
    are in the training part too.
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
    overlap: int = 0

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
        photos = [ScoredPhoto(p.id, p.path, self.classes[p.label], p.within) for p in self.photos]
        return PhotoSet(self.name, self.root, self.content_hash, tuple(photos), notes=self.notes)


def described(task: str) -> str:
    """The task, and where to get its data, in one line.

    Raises:
        BadInput: there is no such task.
    """
    return layout_of(task)[0].described


def layout_of(task: str) -> tuple[Layout, str]:
    """A task's layout, and the variant that is meant: the 3 of dtd:3."""
    name, _, variant = task.partition(":")
    if name not in LAYOUTS:
        raise BadInput(f"there is no task {name!r}: the tasks are {', '.join(TASKS)}")
    layout = LAYOUTS[name]
    if variant and variant not in layout.variants and "" not in layout.variants:
        variants = named([f"{name}:{known}" for known in layout.variants], 10) or name
        raise BadInput(f"there is no task {task!r}: write {variants}")
    return layout, variant or next(iter(layout.variants), "")


def open_task(
    task: str, data: Path, seed: int = 0, test_share: float = 0.2, hashes: Path | None = None
) -> TaskData:
    """Read and check a task's data. Photos whose header cannot be read are left out.

    Args:
        task: one of `TASKS`, perhaps with a variant: dtd:3.
        data: the data set's own folder, or one or two levels above it; for one's own photos, their
            folder or table.
        seed: of the split, if the data set defines none.
        test_share: the share of test photos, between 0 and 1, if the data set defines no split.
        hashes: the folder where photos' hashes are stored, so that they are read once; None: they
            are not.

    Raises:
        BadInput: there is no such task, or the data is not valid.
    """
    listing = _listing(task, data)
    checks, unreadable = check_photos(listing, HashStore(hashes, listing.root))
    sums = {photo: digest for photo, (digest, _) in checks.items()}
    copies = Copies.find(sums, listing.labels)
    near = copies.with_near(
        {photo: bits for photo, (_, bits) in checks.items() if bits is not None}
    )
    parts = listing.parts
    if not listing.split:
        tested = test_part(_by_class(listing, sums), seed, test_share, copies, near)
        parts = {photo: "test" if photo in tested else "train" for photo in sums}
    _check_parts(listing, sums, parts, unreadable)
    looks = replace(near, groups=tuple(sorted(set(near.groups) - set(copies.groups))))
    remarks = [found.notes(parts, listing.classes, listing.split) for found in (copies, looks)]
    excluded = listing.excluded | unreadable
    return TaskData(
        task=task,
        name=data.resolve().stem if layout_of(task)[0].by_folder else task,
        root=listing.root,
        classes=listing.classes,
        photos=tuple(
            TaskPhoto(id, found.path, listing.labels[id], parts[id], found.part)
            for id in sums
            if (found := listing.photo(id))
        ),
        split=listing.split or f"{100 * test_share:g} % of each class, seed {seed}",
        content_hash=_content_hash(listing, sums),
        excluded={plain(photo): why for photo, why in sorted(excluded.items())},
        notes=tuple(chain(listing.notes, *remarks)),
        copies=near,
        overlap=len(near.in_both(parts)),
    )


def _listing(task: str, data: Path) -> Listing:
    layout, variant = layout_of(task)
    if not data.exists():
        raise BadInput(f"{data} is not there. {described(task)}")
    for name, known in LAYOUTS.items() if task == "folder" else ():
        if any(known.fits(place) for place in (data, data.resolve().parent)):
            raise BadInput(
                f"{data} is of the task {name}, whose lists folder does not read: "
                f"genset finetune {name} --data {quote(str(data))}"
            )
    try:
        listing = layout.read(data, variant)
    except (OSError, ValueError, csv.Error) as error:
        raise BadInput(f"{data} cannot be read: {first_line(error)}: unpack it again") from None
    _check_names(listing)
    return replace(listing, notes=(*listing.notes, *junk_note(junk_in(listing.root))))


def _check_names(listing: Listing) -> None:
    """Check class names: tables and files need printable, unique names on one line."""
    root, classes = listing.root, listing.classes
    for name, number in Counter(classes).items():
        if number > 1 or not name.isprintable() or not name.strip():
            why = "is there twice" if number > 1 else "cannot be written"
            raise BadInput(f"{root}: the class {name!a} {why}: rename it")
    if len(classes) < 2:
        found = f"only the class {classes[0]}" if classes else "no class"
        raise BadInput(f"{root} has {found}: a task needs two at least")


def _by_class(listing: Listing, photos: Iterable[str]) -> list[list[str]]:
    """The photos of each class, in the order of labels."""
    classes: list[list[str]] = [[] for _ in listing.classes]
    for photo in photos:
        classes[listing.labels[photo]].append(photo)
    return classes


def _check_parts(
    listing: Listing,
    photos: Collection[str],
    parts: Mapping[str, str],
    unreadable: Mapping[str, str],
) -> None:
    """Check that each class has photos to train on and photos to test on."""
    by_class = zip(listing.classes, _by_class(listing, photos), strict=True)
    of_class = {name: {parts[photo] for photo in ids} for name, ids in by_class}
    readable = f" that can be read ({named(list(unreadable))} cannot)" if unreadable else ""
    needs = (
        "a class needs one in each"
        if listing.split
        else "a class needs two photos at least, which are no copies of each other or of photos of "
        "another class"
    )
    for part in ("train", "test"):
        if names := [name for name, found in of_class.items() if part not in found]:
            few = f"the class {names[0]} has"
            many = f"{len(names):,} classes ({named(names)}) have"
            raise BadInput(
                f"{few if len(names) == 1 else many} no photo{readable} for the {part} part: "
                f"{needs}; add photos in {listing.root}, or remove the class"
            )


def _content_hash(listing: Listing, hashes: Mapping[str, str]) -> str:
    digest = sha256()
    for photo, content in hashes.items():
        digest.update(f"{photo} {content} {listing.classes[listing.labels[photo]]}\n".encode())
    return f"sha256:{digest.hexdigest()}"
