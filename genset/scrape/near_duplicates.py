"""Find photos that look alike: within the pool, and in sets that it must not share photos with.

Whatever is found is proposed as a pair (`genset.db.DuplicatePair`) for somebody to decide;
nothing is dropped in silence, since a perceptual hash also takes two logos for one photo.

The looks of a photo are numbered when they are stored (`PhotoLook.id`). A `Fact` has the number up
to which the pool was compared with itself, and one that of each file of hashes. A run compares what
is newer with all that is older, and moves the number in the transaction that stores the pairs. So a
killed run goes on where it was, and many runs find what one run finds.

Photos that were given as examples are compared with the pool's: one that is a candidate too gives
an answer away. Two examples may be alike, and one may be in a file: nothing is scored on them.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from PIL import Image
from sqlalchemy import Row, Select, delete, exists, func, insert, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput, GensetError
from genset.core.files import image_file, written_whole
from genset.core.hashes import BITS, Hashes, HashFile, hash_lines, near
from genset.core.junk import is_junk
from genset.core.numbers import count
from genset.core.pixels import fingerprint, scale_down, variants
from genset.core.progress import progress
from genset.db import DuplicatePair, ExamplePhoto, Fact, Photo, PhotoLook, Store, in_batches
from genset.workspace import Workspace

T = TypeVar("T")

LOOKS = 22  # of a photo: what `variants` gives
_DTYPE = np.dtype("<u8")

_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".avif", ".heic", ".heif"}


def hash_folder(folder: Path, output: Path) -> tuple[int, list[str]]:
    """Write the hashes of all photos below `folder`; return how many, and what cannot be read.

    Names are paths relative to the folder.

    Raises:
        BadInput: there is no photo.
    """
    paths = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in _SUFFIXES and path.is_file() and not is_junk(path.name)
    )
    if not paths:
        raise BadInput(f"{folder} holds no photos ({', '.join(sorted(_SUFFIXES))})")
    names = [path.relative_to(folder).as_posix() for path in paths]
    unreadable = []

    def readable(hashes: Iterable[int | None]) -> Iterator[tuple[int, str]]:
        for name, number in zip(names, hashes, strict=True):
            if number is None or "\n" in name:  # a file of hashes has a photo a line
                unreadable.append(name)
            else:
                yield number, name

    with ProcessPoolExecutor() as processes, written_whole(output) as file:
        hashes = processes.map(partial(_read, what=fingerprint), paths, chunksize=32)
        shown = progress(hashes, total=len(paths), what="hash", unit="photo")
        for line in hash_lines(readable(shown)):
            file.write(line.encode(errors="surrogateescape"))
    return len(paths) - len(unreadable), unreadable


def _read(path: Path, what: Callable[[Image.Image], T]) -> T | None:
    """Something of a photo; None where it cannot be read."""
    try:
        with Image.open(path) as image:
            scale_down(image)
            return what(image)
    except Exception:  # noqa: BLE001 - what decoders raise on broken files is not bounded
        return None


def propose(workspace: Workspace, store: Store, excluded: Sequence[HashFile]) -> int:
    """Look for pairs within the pool and between the pool and `excluded`; return the new ones.

    A pool photo is looked for as it is, mirrored and a little cropped. What an earlier call did,
    or one that was killed, is not done again.

    Raises:
        GensetError: originals cannot be read; the pairs of all others are stored.
    """
    unreadable = _store_looks(workspace, store)
    new = _compare(store, "looks") + sum(compare_with_file(store, file) for file in excluded)
    if unreadable:
        raise GensetError(
            f"{count(len(unreadable), 'photo')} could not be read "
            f"({', '.join(unreadable[:3])}): see genset doctor"
        )
    return new


# Looks: the hashes of a photo as it is, mirrored and a little cropped, computed once and stored

_DECODED = 512  # photos to store the looks of in one transaction

_NAME = Photo.source + ":" + Photo.source_id


def _store_looks(workspace: Workspace, store: Store) -> list[str]:
    """Decode the photos whose looks are not known, and store these; name those unreadable."""
    # Looks of other bytes, or of a photo that is not in use now: should it ever come back, it is
    # compared with those that came meanwhile.
    of_photo = exists().where(
        Photo.id == PhotoLook.photo_id, Photo.sha256 == PhotoLook.sha256, Photo.in_use
    )
    with store.begin_alone() as session:
        session.execute(
            delete(PhotoLook).where(~of_photo), execution_options={"synchronize_session": False}
        )
        total = session.scalar(_lacking(func.count())) or 0
    if not total:
        return []
    with ProcessPoolExecutor() as processes:
        looks = _computed(workspace, store, processes)
        shown = progress(looks, total=total, what="duplicates", unit="photo")
        return [name for name, found in shown if not found]


def _lacking(*columns: Any) -> Select[*tuple[Any, ...]]:
    """Something of the photos in use that have no looks."""
    has_looks = exists().where(PhotoLook.photo_id == Photo.id)
    return select(*columns).select_from(Photo).where(Photo.in_use, ~has_looks)


def _computed(
    workspace: Workspace, store: Store, processes: ProcessPoolExecutor
) -> Iterator[tuple[str, bool]]:
    """Each photo's name and whether it could be read, when its looks are stored if it could."""
    columns = Photo.id, _NAME.label("name"), Photo.sha256, Photo.format
    lacking, last = _lacking(*columns).order_by(Photo.id).limit(_DECODED), 0
    while True:
        with store.session() as session:
            photos = session.execute(lacking.where(Photo.id > last)).all()
        if not photos:
            return
        paths = [workspace.images / image_file(photo.sha256, photo.format) for photo in photos]
        looks = list(processes.map(_looks, paths, chunksize=16))
        rows = [
            {"photo_id": photo.id, "sha256": photo.sha256, "hashes": found}
            for photo, found in zip(photos, looks, strict=True)
            if found
        ]
        with store.begin_alone() as session:
            ids = [row["photo_id"] for row in rows]  # another run's, by now
            session.execute(delete(PhotoLook).where(PhotoLook.photo_id.in_(ids)))
            if rows:
                session.execute(insert(PhotoLook), rows)
        for photo, found in zip(photos, looks, strict=True):
            yield photo.name, bool(found)
        last = photos[-1].id


def _looks(path: Path) -> bytes:
    """A photo's hashes as they are stored; nothing where it cannot be read."""
    return np.array(_read(path, variants) or [], _DTYPE).tobytes()


# Pairs

_NEW = 20_000  # photos to compare in one transaction

_LOOKS = (
    select(
        PhotoLook.id.label("number"),
        PhotoLook.hashes,
        Photo.id,
        _NAME.label("name"),
        exists().where(ExamplePhoto.photo_id == Photo.id).label("is_example"),
    )
    .join(Photo, Photo.id == PhotoLook.photo_id)
    .order_by(PhotoLook.id)
)

# The distance of each pair: by a `Photo.id` and the name of what that looks like.
_Pairs = dict[tuple[int, str], int]


class _Photo(NamedTuple):
    """A photo of the pool, or of a file: that one has no id, and is not asked about either."""

    id: int
    name: str
    is_example: bool


@dataclass(frozen=True, slots=True)
class _Looks:
    """The hashes of n photos, n x as many as each has looks; the first is the photo as it is."""

    hashes: Hashes
    photo: Callable[[int], _Photo]

    @classmethod
    def of(cls, rows: Sequence[Row[*tuple[Any, ...]]]) -> "_Looks":
        """Those of some rows of `_LOOKS`."""
        joined = np.frombuffer(b"".join(row.hashes for row in rows), _DTYPE)
        return cls(joined.reshape(-1, LOOKS), lambda place: _Photo(*rows[place][2:]))

    def near(self, others: "_Looks") -> dict[tuple[int, int], int]:
        """The least distance of a photo here to one there, by their places, where they are near.

        They are if a look of either is near the other as it is.
        """
        least: dict[tuple[int, int], int] = {}
        for look, at, distance in near(self.hashes.ravel(), others.originals):
            pair = look // self.hashes.shape[1], at
            least[pair] = min(distance, least.get(pair, BITS))
        for at, look, distance in near(self.originals, others.hashes.ravel()):
            pair = at, look // others.hashes.shape[1]
            least[pair] = min(distance, least.get(pair, BITS))
        return least

    @property
    def originals(self) -> Hashes:
        """The photos as they are."""
        return np.ascontiguousarray(self.hashes[:, 0])


def compare_with_file(store: Store, file: HashFile) -> int:
    """Compare the photos with a file's that were not yet; return how many pairs are new."""
    # A file of another name or with other photos is another file.
    content = hashlib.sha256(file.hashes.tobytes())
    content.update("\n".join([file.name, *file.photos]).encode(errors="surrogateescape"))
    looks = _Looks(
        file.hashes.reshape(-1, 1),
        lambda place: _Photo(0, f"{file.name}:{file.photos[place]}", True),
    )
    return _compare(store, f"hashes:{content.hexdigest()[:40]}", looks)


def _compare(store: Store, name: str, others: _Looks | None = None) -> int:
    """Compare the photos that are newer than the fact of this name says; return the new pairs.

    With others, or with all of the pool.
    """
    with store.session() as session:
        fact, stored = session.get(Fact, name), 0
        newer = session.execute(_LOOKS.where(PhotoLook.id > (int(fact.value) if fact else 0))).all()
        if others is None and newer:
            others = _Looks.of(session.execute(_LOOKS).all())
    shown = progress(newer, total=len(newer), what="compare", unit="photo")
    for some in in_batches(shown, _NEW):
        new, pairs = _Looks.of(some), _Pairs()
        assert others is not None
        for (here, there), distance in new.near(others).items():
            first, copy = sorted((new.photo(here), others.photo(there)))  # the later is the copy
            if first.id != copy.id and not (first.is_example and copy.is_example):
                pairs[copy.id, first.name] = distance
        with store.begin_alone() as session:
            stored += _store(session, pairs)
            session.merge(Fact(name=name, value=str(some[-1].number)))
    return stored


def _store(session: Session, pairs: _Pairs) -> int:
    """Store those pairs that are not known; return how many."""
    known: set[tuple[int, str]] = set()
    for some in in_batches({photo for photo, _ in pairs}):
        rows = select(DuplicatePair.photo_id, DuplicatePair.other)
        found = session.execute(rows.where(DuplicatePair.photo_id.in_(some)))
        known |= {(photo, other) for photo, other in found}
    new = [
        {"photo_id": photo, "other": other, "distance": distance}
        for (photo, other), distance in sorted(pairs.items())
        if (photo, other) not in known
    ]
    if new:
        session.execute(insert(DuplicatePair), new)
    return len(new)
