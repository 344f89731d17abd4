"""Owners and photos that are not to be taken, by a list that somebody keeps: ``opt_out``.

The file has one a line::

    # who asked, and those of https://example.org/opt-out
    owner flickr:78733179@N04
    photo commons:123456

What it names is rejected while it names it: it is not downloaded, and is in no coming release. What
is in the pool already is told. To take a photo out for good, and its original off the disk, there
is `genset remove`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.core.validation import read_text
from genset.db import Photo, Store
from genset.sources.source import source_class, source_names
from genset.workspace import Workspace

# What a source may be called, also one of one's own photos.
SOURCE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")
OPTED_OUT = "opted out"  # how the reason begins

_KINDS = ("owner", "photo")


@dataclass(frozen=True, slots=True)
class OptOut:
    """A list of owners and photos; empty where the workspace names no file.

    Attributes:
        file: the list's name.
        owners, photos: as ``flickr:78733179@N04`` and ``flickr:6061409035``.
    """

    file: str = ""
    owners: frozenset[str] = frozenset()
    photos: frozenset[str] = frozenset()

    @classmethod
    def of(cls, workspace: Workspace) -> "OptOut":
        """The list that a workspace's settings name.

        Raises:
            BadInput: it cannot be read, or a line of it names nobody.
        """
        if (path := workspace.opt_out) is None:
            return cls()
        found: dict[str, set[str]] = {kind: set() for kind in _KINDS}
        for number, line in enumerate(read_text(path).splitlines(), start=1):
            if (words := line.strip()) and not words.startswith("#"):
                kind, name = _named(words, f"{path}, line {number}")
                found[kind].add(name)
        return cls(path.name, frozenset(found["owner"]), frozenset(found["photo"]))

    def reason_against(self, source: str, owner: str, photo: str) -> str | None:
        """Why a photo is not to be taken, by its source, its owner's and its own id there."""
        if f"{source}:{owner}" in self.owners or f"{source}:{photo}" in self.photos:
            return f"{OPTED_OUT}: named in {self.file}"
        return None


def honour(store: Store, opt_out: OptOut) -> list[str]:
    """Refuse the photos that a list names, and no longer those that it does not name any more.

    Returns:
        The pool's photos that it names: those whose originals are stored.

    Raises:
        BadInput: the list has a source that nothing is of, and that is called nearly as another.
    """
    columns = (Photo.id, Photo.source, Photo.owner, Photo.source_id, Photo.sha256, Photo.rejected)
    photos = select(*columns)
    named = opt_out.owners | opt_out.photos
    if named:
        photos = photos.order_by(Photo.id)
    else:  # as in most workspaces: a pool is long to read, and its rejected photos have an index
        photos = photos.where(Photo.rejected.is_not(None), Photo.rejected.startswith(OPTED_OUT))
    changes: list[dict[str, object]] = []
    stored: list[str] = []
    with store.begin_alone() as session:
        for source in {name.partition(":")[0] for name in named}:
            if meant := misspelt(session, source):
                raise BadInput(f"{opt_out.file}: {meant}")
        for row in session.execute(photos).yield_per(10_000):
            reason = opt_out.reason_against(row.source, row.owner, row.source_id)
            was = row.rejected is not None and row.rejected.startswith(OPTED_OUT)
            if reason is not None and row.sha256 is not None:
                stored.append(f"{row.source}:{row.source_id}")
            if (reason is not None and row.rejected is None) or (reason is None and was):
                changes.append({"id": row.id, "rejected": reason})
        if changes:
            session.execute(update(Photo), changes)
    return stored


def as_json(workspace: Workspace, stored: Iterable[str]) -> dict[str, list[str]]:
    """What --json says of the photos of the pool that the list names, where there is one."""
    return {} if workspace.opt_out is None else {"opted_out": list(stored)}


def lines(stored: Iterable[str], opt_out: OptOut) -> Iterator[str]:
    """Which photos of the pool a list names, as text."""
    photo = None
    for photo in stored:
        yield f"{opt_out.file} names {photo}, which is in the pool"
    if photo is not None:
        yield (
            "it is left out of later releases; to remove it for good, with its original: "
            "genset remove PHOTO --reason TEXT"
        )


def _named(words: str, where: str) -> tuple[str, str]:
    kind, _, name = words.partition(" ")
    source, _, whom = (name := name.strip()).partition(":")
    if kind not in _KINDS or not SOURCE_NAME.fullmatch(source) or not whom.strip():
        raise BadInput(
            f"{where}: write owner SOURCE:OWNER or photo SOURCE:PHOTO, such as owner "
            "flickr:78733179@N04"
        )
    if wrong := wrong_id(kind, source, whom):
        raise BadInput(f"{where}: {wrong}")
    return kind, name


def wrong_id(kind: str, source: str, id: str) -> str:
    """Why a source has no owner or photo with this id; "" where it can have one."""
    ids = source_class(source).ids if source in source_names() else {}
    form, example = ids.get(kind, (".*", ""))
    if re.fullmatch(form, id):
        return ""
    return f"{id!r} is the id of no {kind} at {source}: write {example}"


def misspelt(session: Session, source: str) -> str:
    """Which source is meant where there is none of this name; "" where that is not known."""
    known = {*source_names(), *session.scalars(select(Photo.source).distinct())}
    near = get_close_matches(source, known, n=1, cutoff=0.7)
    if not near or source in known:
        return ""
    return f"unknown source {source!r}: did you mean {near[0]}?"
