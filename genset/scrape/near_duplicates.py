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
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path

from PIL import Image
from sqlalchemy import func, insert, or_, select, update
from sqlalchemy.orm import Session

from genset.core.errors import BadInput, GensetError
from genset.core.files import written_whole
from genset.core.hashes import BITS, HashFile, hash_lines, near
from genset.core.numbers import count
from genset.core.pixels import fingerprint, scale_down
from genset.core.progress import progress
from genset.db import DuplicatePair, ExamplePhoto, Fact, Photo, PhotoLook, Store
from genset.scrape.looks import IN_USE, LOOKS, Looks, add_missing_looks, read_looks
from genset.workspace import Workspace

_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}


def hash_folder(folder: Path, output: Path) -> tuple[int, list[str]]:
    """Write the hashes of all photos below `folder`; return how many, and what cannot be read.

    Names are paths relative to the folder.

    Raises:
        BadInput: there is no photo.
    """
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _SUFFIXES and p.is_file())
    if not paths:
        raise BadInput(f"{folder} holds no photos (.jpg, .jpeg, .png, .webp)")
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
    try:
        with Image.open(path) as image:
            scale_down(image)
            return fingerprint(image)
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


_NEW = 20_000  # photos to compare in one transaction
_OLD = 100_000  # photos to hold the looks of at a time, which takes some 100 MB
_FEW = 500  # rows to name in one question

_LOOKS = select(PhotoLook.photo_id, PhotoLook.hashes)
_UNCOMPARED = (
    _LOOKS.join(Photo, Photo.id == PhotoLook.photo_id)
    .where(*IN_USE, PhotoLook.sha256 == Photo.sha256, PhotoLook.compared.is_(None))
    .order_by(PhotoLook.photo_id)
)
_NEWEST = select(func.coalesce(func.max(PhotoLook.compared), 0))

# The distance of each pair: by a `Photo.id` and the name of what that looks like.
_Pairs = dict[tuple[int, str], int]
# The same by two `Photo.id`, the larger first: the later photo is the copy.
_PoolPairs = dict[tuple[int, int], int]


def compare_new(store: Store) -> int:
    """Compare the photos that never were; return how many pairs are new."""
    _forget_those_gone(store)
    with store.session() as session:
        total = session.scalar(select(func.count()).select_from(_UNCOMPARED.subquery())) or 0
    return sum(progress(_compared_one_by_one(store), total=total, what="compare", unit="photo"))


def _forget_those_gone(store: Store) -> None:
    """Let photos that are not in use now be compared anew, should they ever come back."""
    gone = select(Photo.id).where(
        Photo.id == PhotoLook.photo_id,
        or_(
            Photo.sha256.is_distinct_from(PhotoLook.sha256),
            Photo.rejected.is_not(None),
        ),
    )
    with store.begin() as session:
        session.execute(
            update(PhotoLook)
            .where(PhotoLook.compared.is_not(None), gone.exists())
            .values(compared=None),
            execution_options={"synchronize_session": False},
        )


def _compared_one_by_one(store: Store) -> Iterator[int]:
    """Yield for each photo that was compared how many pairs are new, told with a batch's first."""
    while True:
        with store.session() as session:
            newest = session.scalar(_NEWEST) or 0
            new = read_looks(session, _UNCOMPARED.limit(_NEW))
        if not new.photos:
            return
        pairs = _within(new)
        for old in _compared(store, newest):
            _add(pairs, _across(new, old))
        with store.begin_alone() as session:
            if session.scalar(_NEWEST) != newest:
                continue  # others compared photos meanwhile, which these must be compared with
            examples = _examples(session, pairs)
            open_pairs = {
                pair: bits for pair, bits in pairs.items() if not examples.issuperset(pair)
            }
            count = _store(session, _named(session, open_pairs))
            numbers = [
                {"photo_id": photo, "compared": newest + place}
                for place, photo in enumerate(new.photos, start=1)
            ]
            session.execute(update(PhotoLook), numbers)
        yield count
        yield from [0] * (len(new.photos) - 1)


def _compared(store: Store, newest: int) -> Iterator[Looks]:
    """The photos with numbers up to `newest`, some at a time."""
    for above in range(0, newest, _OLD):
        yield _numbered(store, above, min(above + _OLD, newest))


def _numbered(store: Store, above: int, upto: int) -> Looks:
    """The photos whose numbers are over `above` and not over `upto`."""
    numbered = _LOOKS.where(PhotoLook.compared > above, PhotoLook.compared <= upto)
    with store.session() as session:
        return read_looks(session, numbered.order_by(PhotoLook.compared))


def _within(new: Looks) -> _PoolPairs:
    """The pairs of photos that look alike, each in any of its looks."""
    pairs: _PoolPairs = {}
    for look, place, distance in near(new.all, new.originals):
        _add(pairs, _pair(new.photos[look // LOOKS], new.photos[place], distance))
    return pairs


def _across(new: Looks, old: Looks) -> _PoolPairs:
    """The pairs of a photo here and one there: a look of either is near the other as it is."""
    pairs: _PoolPairs = {}
    for look, place, distance in near(new.all, old.originals):
        _add(pairs, _pair(new.photos[look // LOOKS], old.photos[place], distance))
    for place, look, distance in near(new.originals, old.all):
        _add(pairs, _pair(new.photos[place], old.photos[look // LOOKS], distance))
    return pairs


def _pair(one: int, other: int, distance: int) -> _PoolPairs:
    return {(max(one, other), min(one, other)): distance} if one != other else {}


def _add(pairs: _PoolPairs, more: _PoolPairs) -> None:
    """Add pairs; one that is there twice has its least distance."""
    for pair, distance in more.items():
        pairs[pair] = min(distance, pairs.get(pair, BITS))


def compare_with_file(store: Store, file: HashFile) -> int:
    """Compare the photos with a file's that were not yet; return how many pairs are new."""
    name = _fact(file)
    count = 0
    while True:
        with store.session() as session:
            fact = session.get(Fact, name)
            done = int(fact.value) if fact else 0
            newest = session.scalar(_NEWEST) or 0
        if done >= newest:
            return count
        upto = min(done + _NEW, newest)
        looks = _numbered(store, done, upto)
        pairs: _Pairs = {}
        for look, place, distance in near(looks.all, file.hashes):
            pair = looks.photos[look // LOOKS], f"{file.name}:{file.photos[place]}"
            pairs[pair] = min(distance, pairs.get(pair, BITS))
        with store.begin_alone() as session:
            examples = _examples(session, ((photo,) for photo, _ in pairs))
            open_pairs = {pair: bits for pair, bits in pairs.items() if pair[0] not in examples}
            count += _store(session, open_pairs)
            session.merge(Fact(name=name, value=str(upto)))


def _fact(file: HashFile) -> str:
    """The name under which the workspace remembers how far it was compared with a file.

    A file of another name or with other photos is another file.
    """
    content = hashlib.sha256(file.hashes.tobytes())
    content.update("\n".join([file.name, *file.photos]).encode(errors="surrogateescape"))
    return f"hashes:{content.hexdigest()[:40]}"


def _some(numbers: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Numbers in portions that one question can name."""
    rest = iter(numbers)
    while portion := tuple(islice(rest, _FEW)):
        yield portion


def _examples(session: Session, pairs: Iterable[tuple[int, ...]]) -> set[int]:
    """Those of these photos that somebody gave as examples, by `Photo.id`."""
    found: set[int] = set()
    for some in _some({photo for pair in pairs for photo in pair}):
        rows = select(ExamplePhoto.photo_id).where(ExamplePhoto.photo_id.in_(some))
        found.update(session.scalars(rows))
    return found


def _named(session: Session, pairs: _PoolPairs) -> _Pairs:
    """The same pairs, with the name of the earlier photo."""
    names: dict[int, str] = {}
    for some in _some({other for _, other in pairs}):
        rows = select(Photo.id, Photo.source, Photo.source_id).where(Photo.id.in_(some))
        names |= {
            number: f"{source}:{source_id}" for number, source, source_id in session.execute(rows)
        }
    return {(photo, names[other]): distance for (photo, other), distance in pairs.items()}


def _store(session: Session, pairs: _Pairs) -> int:
    """Store those pairs that are not known; return how many."""
    known: set[tuple[int, str]] = set()
    for some in _some({photo for photo, _ in pairs}):
        rows = select(DuplicatePair.photo_id, DuplicatePair.other)
        known |= {
            (photo, other)
            for photo, other in session.execute(rows.where(DuplicatePair.photo_id.in_(some)))
        }
    new = [
        {"photo_id": photo, "other": other, "distance": distance}
        for (photo, other), distance in sorted(pairs.items())
        if (photo, other) not in known
    ]
    if new:
        session.execute(insert(DuplicatePair), new)
    return len(new)
