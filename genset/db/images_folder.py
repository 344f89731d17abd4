"""The folder of originals: the same one for every machine that works on a store.

Its marker file holds an id that the database knows too. A machine that does not see that file where
its settings say the originals are looks into another folder, and is refused: it would store photos
where the others do not look, and call theirs lost.
"""

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import starmap
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.core.files import image_file, sha256_of, write_text
from genset.core.progress import progress
from genset.db.database import Store
from genset.db.models import Fact, Photo
from genset.workspace import Workspace

MARKER = ".genset-images"
_PAGE = 10_000
_OURS = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62}\.[a-z]+|\.partial-[0-9a-f]+)")
_FACT, _BEGUN = "images", "images_new"


def claim_images(workspace: Workspace, store: Store, *, again: bool = False) -> None:
    """Make the folder of originals this workspace's, before something is stored in it.

    `again` begins another one, where the originals are lost.

    Raises:
        BadInput: it is not the folder of this workspace's originals.
    """
    images = workspace.images
    if images.exists() and not images.is_dir():
        raise BadInput(f"{images} is no folder: name another in genset.toml ([images] folder)")
    begun = _begun(store)
    with store.begin_alone() as session:
        known = session.get(Fact, _FACT)
        found = _marker(workspace)
        if known is not None and found == known.value:
            return
        # Of who was killed before this was committed, or of a database that was restored.
        if found is not None and known is None and (found == begun or not workspace.is_shared):
            session.add(Fact(name=_FACT, value=found))
            return
        if found is not None and not again:
            raise _refusal(workspace, "another workspace's marker")
        if known is None:
            see_images(workspace)
            known = Fact(name=_FACT, value=begun)
            session.add(known)
        elif not again and _has_originals(workspace, session):
            raise _refusal(workspace, "no marker")
        write_text(images / MARKER, known.value)


def see_images(workspace: Workspace) -> None:
    """See that a folder of originals that is not made here is there.

    Raises:
        BadInput: it is not.
    """
    images = workspace.images
    if images != workspace.root / "images" and not images.is_dir():
        raise BadInput(f"{images} is not there: mount the disk that it is on, or make the folder")


def _begun(store: Store) -> str:
    """The id that a marker gets, which the database knows before any file has it."""
    with store.begin_alone() as session:
        begun = session.get(Fact, _BEGUN)
        if begun is None:
            begun = Fact(name=_BEGUN, value=uuid4().hex)
            session.add(begun)
        return begun.value


def check_images(workspace: Workspace, store: Store) -> None:
    """See that the originals that the database names are to be looked for in this folder.

    Raises:
        BadInput: they are on another machine, or on a disk that is not there.
    """
    with store.session() as session:
        known = session.get(Fact, _FACT)
        found = _marker(workspace)
        if known is None or found == known.value:
            return
        if found or _has_originals(workspace, session):
            raise _refusal(workspace, "another workspace's marker" if found else "no marker")


def _has_originals(workspace: Workspace, session: Session) -> bool:
    """Whether the folder had originals, as far as one knows without it."""
    stored = select(Photo.id).where(Photo.sha256.is_not(None)).limit(1)
    return workspace.is_shared or session.scalar(stored) is not None


def _marker(workspace: Workspace) -> str | None:
    with suppress(FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return (workspace.images / MARKER).read_text("utf-8").strip()
    return None


def _refusal(workspace: Workspace, there: str) -> BadInput:
    return BadInput(
        f"{workspace.images} is not the folder of this workspace's originals: it has {there} "
        f"({MARKER}). Mount the disk that they are on, and name their folder in genset.toml "
        "([images] folder); where it is lost: genset doctor --images-lost --repair"
    )


def check_files(workspace: Workspace, store: Store, *, repair: bool = False) -> list[str]:
    """Name each stored photo whose original is missing or changed.

    With `repair` such a photo counts as not downloaded, so that the next scrape fetches it again.
    """
    problems = []
    with store.session() as session:
        total = session.scalar(select(func.count(Photo.sha256))) or 0
    for photo in progress(_stored_photos(store), total=total, what="doctor", unit="photo"):
        file = image_file(photo.sha256, photo.format)
        path = workspace.images / file
        if path.is_file() and sha256_of(path) == photo.sha256:
            continue
        trouble = "was changed" if path.is_file() else "is missing"
        problems.append(f"{photo.source}:{photo.source_id}: images/{file} {trouble}")
        if repair:
            path.unlink(missing_ok=True)
            with store.begin() as session:
                lost = session.get_one(Photo, photo.id)
                lost.sha256 = lost.format = lost.stored_at = None
    return problems


def _stored_photos(store: Store) -> Iterator[Any]:
    """Every photo that has an original, some at a time, with no transaction open in between."""
    stored = select(Photo.id, Photo.source, Photo.source_id, Photo.sha256, Photo.format).order_by(
        Photo.id
    )
    last = 0
    while True:
        page = stored.where(Photo.id > last, Photo.sha256.is_not(None)).limit(_PAGE)
        with store.session() as session:
            photos = session.execute(page).all()
        yield from photos
        if len(photos) < _PAGE:
            return
        last = photos[-1].id


def files_of_nobody(workspace: Workspace, store: Store) -> list[Path]:
    """The files under ``images/`` that belong to no photo: a killed scrape leaves some.

    Younger ones than an hour are left out, since a scrape that runs may be about to need them; and
    all that genset does not name so.
    """
    found: list[Path] = []
    before = time.time() - 3600
    for folder in sorted(workspace.images.glob("*/")):
        # A folder holds the originals whose hashes begin with its name; no digit is over "f".
        within = Photo.sha256 >= folder.name, Photo.sha256 < f"{folder.name}g"
        with store.session() as session:
            rows = session.execute(select(Photo.sha256, Photo.format).where(*within))
            known = {workspace.images / file for file in starmap(image_file, rows)}
        found += [
            path
            for path in sorted(folder.iterdir())
            if path not in known
            and _OURS.fullmatch(f"{folder.name}/{path.name}")
            and path.is_file()
            and path.stat().st_mtime < before
        ]
    return found
