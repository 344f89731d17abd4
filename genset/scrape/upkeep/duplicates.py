"""Find photos that look alike: within the pool, and in sets that it must not share photos with.

Whatever is found is proposed as a pair (`genset.store.DuplicatePair`) for somebody to decide;
nothing is dropped in silence, since a perceptual hash also takes two logos for one photo.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image
from sqlalchemy import select

from genset.errors import BadInput
from genset.files import written_whole
from genset.hashes import BITS, HEAD, HashFile, near
from genset.progress import progress
from genset.scrape.fetch.fingerprint import fingerprint, scale_down, variants
from genset.store import DuplicatePair, Photo, Store
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
    unreadable = []
    count = 0
    with ProcessPoolExecutor() as processes, written_whole(output) as file:
        file.write(HEAD.encode())
        hashes = processes.map(_hash, paths, chunksize=32)
        for path, number in progress(
            zip(paths, hashes, strict=True), total=len(paths), what="hash", unit="photo"
        ):
            name = path.relative_to(folder).as_posix()
            if number is None or "\n" in name:
                unreadable.append(name)
            else:
                file.write(f"{number:016x} {name}\n".encode(errors="surrogateescape"))
                count += 1
    return count, unreadable


def _hash(path: Path) -> int | None:
    try:
        with Image.open(path) as image:
            scale_down(image)
            return fingerprint(image)
    except Exception:  # noqa: BLE001 - what decoders raise on broken files is not bounded
        return None


def propose(workspace: Workspace, store: Store, excluded: Sequence[HashFile]) -> int:
    """Look for pairs within the pool and between the pool and `excluded`; return the new ones.

    A pool photo is looked for as it is, mirrored and a little cropped.
    """
    with store.session() as session:
        stored = select(Photo).where(Photo.sha256.is_not(None), Photo.refused.is_(None))
        photos = list(session.scalars(stored.order_by(Photo.id)))
        known_pairs = {
            (pair.photo_id, pair.other) for pair in session.scalars(select(DuplicatePair))
        }
    looks = _looks(workspace, photos)
    owners = np.repeat(np.arange(len(photos)), [len(look) for look in looks])
    queries = np.array([number for look in looks for number in look], np.uint64)
    found: dict[tuple[int, str], int] = {}

    def note(photo: Photo, other: str, distance: int) -> None:
        key = (photo.id, other)
        found[key] = min(distance, found.get(key, BITS))

    own = np.array([look[0] for look in looks], np.uint64)
    for query, place, distance in near(queries, own):
        first, second = sorted((int(owners[query]), place))
        if first != second:  # the later one is the copy
            note(photos[second], _name(photos[first]), distance)
    for file in excluded:
        for query, place, distance in near(queries, file.hashes):
            note(photos[int(owners[query])], f"{file.name}:{file.photos[place]}", distance)
    new = {key: distance for key, distance in found.items() if key not in known_pairs}
    with store.begin() as session:
        for (photo_id, other), distance in sorted(new.items()):
            session.add(DuplicatePair(photo_id=photo_id, other=other, distance=distance))
    return len(new)


def _looks(workspace: Workspace, photos: Sequence[Photo]) -> list[tuple[int, ...]]:
    paths = [workspace.images / photo.file for photo in photos]
    with ProcessPoolExecutor() as processes:
        looks = processes.map(_variants, paths, chunksize=16)
        return list(progress(looks, total=len(paths), what="duplicates", unit="photo"))


def _variants(path: Path) -> tuple[int, ...]:
    with Image.open(path) as image:
        scale_down(image)
        return variants(image)


def _name(photo: Photo) -> str:
    return f"{photo.source}:{photo.source_id}"
