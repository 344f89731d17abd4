"""Find photos that look alike: within the pool, and in sets that it must not share photos with.

Whatever is found is proposed as a pair (`genset.db.DuplicatePair`) for somebody to decide;
nothing is dropped in silence, since a perceptual hash also takes two logos for one photo.

Each photo is compared once, with all that were before it. A photo that was compared has a number
(`PhotoLook.compared`). A run compares those that have none with each other and with all that have
one, and numbers them in the transaction that stores their pairs. So a killed run goes on where it
was, and many runs find what one run finds. With a file of hashes it compares those whose numbers
are higher than the last one that the file was compared with, which the workspace remembers as a
`Fact`.

Photos that were given as examples are compared with the pool's: one that is a candidate too gives
an answer away. Two examples may be alike, and one may be in a file: nothing is scored on them.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from PIL import Image
from sqlalchemy import Select, delete, func, insert, or_, select, update
from sqlalchemy.orm import Session

from genset.core.errors import BadInput, GensetError
from genset.core.files import image_file, written_whole
from genset.core.hashes import BITS, Hashes, HashFile, hash_lines, near
from genset.core.numbers import count
from genset.core.pixels import fingerprint, scale_down, variants
from genset.core.progress import progress
from genset.db import DuplicatePair, ExamplePhoto, Fact, Photo, PhotoLook, Store, in_batches
from genset.workspace import Workspace

T = TypeVar("T")

LOOKS = 22  # of a photo: what `variants` gives
_DTYPE = np.dtype("<u8")
_IN_USE = (Photo.sha256.is_not(None), Photo.rejected.is_(None))

_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".avif", ".heic", ".heif"}


def hash_folder(folder: Path, output: Path) -> tuple[int, list[str]]:
    """Write the hashes of all photos below `folder`; return how many, and what cannot be read.

    Names are paths relative to the folder.

    Raises:
        BadInput: there is no photo.
    """
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _SUFFIXES and p.is_file())
    if not paths:
        raise BadInput(f"{folder} holds no photos ({', '.join(sorted(_SUFFIXES))})")
    names = [path.relative_to(folder).as_posix() for path in paths]
    unreadable = []

    def readable(hashes: Iterable[int | None]) -> Iterator[tuple[int, str]]:
        for name, number in zip(names, hashes, strict=True):
            if number is None or "\n" in name:
                unreadable.append(name)
            else:
                yield number, name

    with ProcessPoolExecutor() as processes, written_whole(output) as file:
        hashes = processes.map(_hash, paths, chunksize=32)
        shown = progress(hashes, total=len(paths), what="hash", unit="photo")
        for line in hash_lines(readable(shown)):
            file.write(line.encode(errors="surrogateescape"))
    return len(paths) - len(unreadable), unreadable


def _hash(path: Path) -> int | None:
    return _read(path, fingerprint)


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
    unreadable = add_missing_looks(workspace, store)
    new = compare_new(store)
    new += sum(compare_with_file(store, file) for file in excluded)
    if unreadable:
        raise GensetError(
            f"{count(len(unreadable), 'photo')} could not be read "
            f"({', '.join(unreadable[:3])}): see genset doctor"
        )
    return new


# Looks: the hashes of a photo as it is, mirrored and a little cropped, computed once and stored

_DECODED = 512  # photos to store the looks of in one transaction


@dataclass(frozen=True, slots=True)
class Looks:
    """The looks of n photos.

    Attributes:
        photos: their `Photo.id`, n.
        hashes: n x `LOOKS`, uint64; the first of a row is the photo as it is.
    """

    photos: Sequence[int]
    hashes: Hashes

    @classmethod
    def read(cls, session: Session, query: Select[*tuple[Any, ...]]) -> "Looks":
        """Those that a query for `PhotoLook.photo_id` and `PhotoLook.hashes` finds."""
        rows = session.execute(query).all()
        joined = np.frombuffer(b"".join(row.hashes for row in rows), _DTYPE)
        return cls([row.photo_id for row in rows], joined.reshape(-1, LOOKS))

    @property
    def originals(self) -> Hashes:
        """The photos as they are: n hashes."""
        return np.ascontiguousarray(self.hashes[:, 0])

    @property
    def all(self) -> Hashes:
        """All looks of all photos, one photo's after the other's: n times `LOOKS` hashes."""
        return self.hashes.ravel()


def add_missing_looks(workspace: Workspace, store: Store) -> list[str]:
    """Decode the photos whose looks are not known, and store these; name those unreadable.

    Looks of other bytes than a photo's present ones are not its looks.
    """
    with store.session() as session:
        total = session.scalar(_lacking(func.count())) or 0
    if not total:
        return []
    with ProcessPoolExecutor() as processes:
        looks = _computed(workspace, store, processes)
        shown = progress(looks, total=total, what="duplicates", unit="photo")
        return [name for name, found in shown if not found]


def _lacking(*columns: Any) -> Select[*tuple[Any, ...]]:
    """Something of the photos in use that have no looks, or those of other bytes."""
    photos = select(*columns).select_from(Photo)
    photos = photos.outerjoin(PhotoLook, PhotoLook.photo_id == Photo.id)
    return photos.where(*_IN_USE, PhotoLook.sha256.is_distinct_from(Photo.sha256))


def _computed(
    workspace: Workspace, store: Store, processes: ProcessPoolExecutor
) -> Iterator[tuple[str, bool]]:
    """Each photo's name and whether it could be read, when its looks are stored if it could."""
    columns = Photo.id, Photo.source, Photo.source_id, Photo.sha256, Photo.format
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
            ids = [row["photo_id"] for row in rows]
            session.execute(delete(PhotoLook).where(PhotoLook.photo_id.in_(ids)))
            if rows:
                session.execute(insert(PhotoLook), rows)
        for photo, found in zip(photos, looks, strict=True):
            yield f"{photo.source}:{photo.source_id}", bool(found)
        last = photos[-1].id


def _looks(path: Path) -> bytes:
    """A photo's hashes as they are stored; nothing where it cannot be read."""
    return np.array(_read(path, variants) or [], _DTYPE).tobytes()


# Pairs

_NEW = 20_000  # photos to compare in one transaction
_OLD = 100_000  # photos to hold the looks of at a time, which takes some 100 MB

_LOOKS = select(PhotoLook.photo_id, PhotoLook.hashes)
_UNCOMPARED = (
    _LOOKS.join(Photo, Photo.id == PhotoLook.photo_id)
    .where(*_IN_USE, PhotoLook.sha256 == Photo.sha256, PhotoLook.compared.is_(None))
    .order_by(PhotoLook.photo_id)
)
_NEWEST = select(func.coalesce(func.max(PhotoLook.compared), 0))

# The distance of each pair: by a `Photo.id` and the name of what that looks like.
_Pairs = dict[tuple[int, str], int]
# The same by two `Photo.id`, the larger first: the later photo is the copy.
_PoolPairs = dict[tuple[int, int], int]


def compare_new(store: Store) -> int:
    """Compare the photos that never were; return how many pairs are new."""
    # Those that are not in use now are compared anew, should they ever come back.
    gone = select(Photo.id).where(
        Photo.id == PhotoLook.photo_id,
        or_(Photo.sha256.is_distinct_from(PhotoLook.sha256), Photo.rejected.is_not(None)),
    )
    forget = update(PhotoLook).where(PhotoLook.compared.is_not(None), gone.exists())
    with store.begin() as session:
        options = {"synchronize_session": False}
        session.execute(forget.values(compared=None), execution_options=options)
        total = session.scalar(select(func.count()).select_from(_UNCOMPARED.subquery())) or 0
    return sum(progress(_compared_one_by_one(store), total=total, what="compare", unit="photo"))


def _compared_one_by_one(store: Store) -> Iterator[int]:
    """Yield for each photo that was compared how many pairs are new, told with a batch's first."""
    while True:
        with store.session() as session:
            newest = session.scalar(_NEWEST) or 0
            new = Looks.read(session, _UNCOMPARED.limit(_NEW))
        if not new.photos:
            return
        pairs = _alike(new, new)
        for above in range(0, newest, _OLD):
            pairs |= _alike(new, _numbered(store, above, min(above + _OLD, newest)))
        with store.begin_alone() as session:
            if session.scalar(_NEWEST) != newest:
                continue  # others compared photos meanwhile, which these must be compared with
            examples = _examples(session, (photo for pair in pairs for photo in pair))
            names = _names(session, {other for _, other in pairs})
            stored = _store(
                session,
                {
                    (photo, names[other]): distance
                    for (photo, other), distance in pairs.items()
                    if not examples.issuperset((photo, other))
                },
            )
            places = enumerate(new.photos, start=newest + 1)
            numbers = [{"photo_id": photo, "compared": place} for place, photo in places]
            session.execute(update(PhotoLook), numbers)
        yield stored
        yield from [0] * (len(new.photos) - 1)


def _numbered(store: Store, above: int, upto: int) -> Looks:
    """The photos whose numbers are over `above` and not over `upto`."""
    numbered = _LOOKS.where(PhotoLook.compared > above, PhotoLook.compared <= upto)
    with store.session() as session:
        return Looks.read(session, numbered.order_by(PhotoLook.compared))


def _alike(some: Looks, others: Looks) -> _PoolPairs:
    """The pairs of a photo here and one there: a look of either is near the other as it is."""
    hits = [
        *((look // LOOKS, at, bits) for look, at, bits in near(some.all, others.originals)),
        *((at, look // LOOKS, bits) for at, look, bits in near(some.originals, others.all)),
    ]
    pairs: _PoolPairs = {}
    for here, there, distance in hits:
        one, other = some.photos[here], others.photos[there]
        if one != other:
            pair = max(one, other), min(one, other)
            pairs[pair] = min(distance, pairs.get(pair, BITS))
    return pairs


def compare_with_file(store: Store, file: HashFile) -> int:
    """Compare the photos with a file's that were not yet; return how many pairs are new."""
    # A file of another name or with other photos is another file.
    content = hashlib.sha256(file.hashes.tobytes())
    content.update("\n".join([file.name, *file.photos]).encode(errors="surrogateescape"))
    name = f"hashes:{content.hexdigest()[:40]}"
    new = 0
    while True:
        with store.session() as session:
            fact = session.get(Fact, name)
            done = int(fact.value) if fact else 0
            newest = session.scalar(_NEWEST) or 0
        if done >= newest:
            return new
        upto = min(done + _NEW, newest)
        looks = _numbered(store, done, upto)
        pairs: _Pairs = {}
        for look, place, distance in near(looks.all, file.hashes):
            pair = looks.photos[look // LOOKS], f"{file.name}:{file.photos[place]}"
            pairs[pair] = min(distance, pairs.get(pair, BITS))
        with store.begin_alone() as session:
            examples = _examples(session, (photo for photo, _ in pairs))
            new += _store(session, {key: pairs[key] for key in pairs if key[0] not in examples})
            session.merge(Fact(name=name, value=str(upto)))


def _examples(session: Session, photos: Iterable[int]) -> set[int]:
    """Those of these photos that somebody gave as examples, by `Photo.id`."""
    found: set[int] = set()
    for some in in_batches(set(photos)):
        rows = select(ExamplePhoto.photo_id).where(ExamplePhoto.photo_id.in_(some))
        found.update(session.scalars(rows))
    return found


def _names(session: Session, photos: Iterable[int]) -> dict[int, str]:
    """The names of photos, by `Photo.id`."""
    names: dict[int, str] = {}
    for some in in_batches(photos):
        rows = select(Photo.id, Photo.source, Photo.source_id).where(Photo.id.in_(some))
        names |= {id: f"{source}:{source_id}" for id, source, source_id in session.execute(rows)}
    return names


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
