"""The looks of photos: the hashes by which near duplicates are found, computed once and stored."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from sqlalchemy import ColumnElement, Row, Select, delete, func, insert, select
from sqlalchemy.orm import Session

from genset.core.files import image_file
from genset.core.hashes import Hashes
from genset.core.pixels import scale_down, variants
from genset.core.progress import progress
from genset.db import Photo, PhotoLook, Store
from genset.workspace import Workspace

LOOKS = 22  # of a photo: what `variants` gives
IN_USE: tuple[ColumnElement[bool], ...] = (Photo.sha256.is_not(None), Photo.rejected.is_(None))

_BATCH = 512  # photos to store the looks of in one transaction
_DTYPE = np.dtype("<u8")


@dataclass(frozen=True, slots=True)
class Looks:
    """The looks of n photos.

    Attributes:
        photos: their `Photo.id`, n.
        hashes: n x `LOOKS`, uint64; the first of a row is the photo as it is.
    """

    photos: Sequence[int]
    hashes: Hashes

    @property
    def originals(self) -> Hashes:
        """The photos as they are: n hashes."""
        return np.ascontiguousarray(self.hashes[:, 0])

    @property
    def all(self) -> Hashes:
        """All looks of all photos, one photo's after the other's: n times `LOOKS` hashes."""
        return self.hashes.ravel()


def read_looks(session: Session, query: Select[*tuple[Any, ...]]) -> Looks:
    """The looks that a query for `PhotoLook.photo_id` and `PhotoLook.hashes` finds."""
    rows = session.execute(query).all()
    joined = b"".join(row.hashes for row in rows)
    return Looks([row.photo_id for row in rows], np.frombuffer(joined, _DTYPE).reshape(-1, LOOKS))


def add_missing_looks(workspace: Workspace, store: Store) -> list[str]:
    """Decode the photos whose looks are not known, and store these; name those unreadable.

    Looks of other bytes than a photo's present ones are not its looks. What is computed is stored
    a batch at a time, so a killed run goes on where it was.
    """
    unreadable: list[str] = []
    with store.session() as session:
        total = session.scalar(_lacking(func.count())) or 0
    if total:
        with ProcessPoolExecutor() as processes:
            looks = _computed(workspace, store, processes)
            for name, found in progress(looks, total=total, what="duplicates", unit="photo"):
                if not found:
                    unreadable.append(name)
    return unreadable


def _lacking(*columns: Any) -> Select[*tuple[Any, ...]]:
    """Something of the photos in use that have no looks, or those of other bytes."""
    return (
        select(*columns)
        .select_from(Photo)
        .outerjoin(PhotoLook, PhotoLook.photo_id == Photo.id)
        .where(*IN_USE, PhotoLook.sha256.is_distinct_from(Photo.sha256))
    )


_Photo = Row[*tuple[Any, ...]]  # its id, source, source_id, sha256 and format


def _batches(store: Store) -> Iterator[Sequence[_Photo]]:
    """The photos that lack looks, some at a time, each once."""
    columns = Photo.id, Photo.source, Photo.source_id, Photo.sha256, Photo.format
    lacking = _lacking(*columns).order_by(Photo.id).limit(_BATCH)
    last = 0
    while True:
        with store.session() as session:
            batch = session.execute(lacking.where(Photo.id > last)).all()
        if not batch:
            return
        yield batch
        last = batch[-1].id


def _computed(
    workspace: Workspace, store: Store, processes: ProcessPoolExecutor
) -> Iterator[tuple[str, bool]]:
    """Each photo's name and whether it could be read, when its looks are stored if it could.

    The processes are given a batch before the one before it is stored, so that none waits.
    """
    waiting: tuple[Sequence[_Photo], Iterator[bytes]] | None = None
    for batch in chain(_batches(store), [None]):
        submitted = None
        if batch is not None:
            paths = [workspace.images / image_file(photo.sha256, photo.format) for photo in batch]
            submitted = batch, processes.map(_looks, paths, chunksize=16)
        if waiting is not None:
            photos, coming = waiting
            looks = list(coming)
            _keep(store, photos, looks)
            for photo, found in zip(photos, looks, strict=True):
                yield f"{photo.source}:{photo.source_id}", bool(found)
        waiting = submitted


def _keep(store: Store, photos: Sequence[_Photo], looks: Sequence[bytes]) -> None:
    rows = [
        {"photo_id": photo.id, "sha256": photo.sha256, "hashes": found}
        for photo, found in zip(photos, looks, strict=True)
        if found
    ]
    if not rows:
        return
    with store.begin_alone() as session:
        numbers = [row["photo_id"] for row in rows]
        session.execute(delete(PhotoLook).where(PhotoLook.photo_id.in_(numbers)))
        session.execute(insert(PhotoLook), rows)


def _looks(path: Path) -> bytes:
    """A photo's hashes as they are stored; nothing where it cannot be read."""
    try:
        with Image.open(path) as image:
            scale_down(image)
            return np.array(variants(image), _DTYPE).tobytes()
    except Exception:  # noqa: BLE001 - what decoders raise on broken files is not bounded
        return b""
