"""Take photos out for good: somebody asked for it, and it must not happen again.

Flickr's terms, for one, give 24 hours from an owner's request. A removed photo leaves the pool and
coming releases, its original is deleted, and its row stays as a tombstone that no later scrape
passes. Labels stay too: they are append-only, and say nothing of the picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from sqlalchemy import or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.db import Photo, PhotoEvent, RemovedOwner, Store
from genset.release.reader import find_releases
from genset.scrape.opt_out import SOURCE_NAME, misspelt, wrong_id
from genset.workspace import Workspace

_MOST_NAMED = 5


@dataclass
class Removal:
    """What a removal did.

    Attributes:
        photos: the photos that this call took out, as ``flickr:6061409035``.
        owner: the owner whose coming photos are kept out too, None where one photo was meant.
        already: photos that were out before.
        deleted: originals that were deleted.
        in_use: originals that stay because another photo of the pool has the same bytes.
        releases: how many of the photos each existing release has, by its name.
        same_bytes: the photos for which those originals stay. They are in the pool still: one at
            another source may be the same person's.
    """

    photos: list[str]
    owner: str | None
    already: int = 0
    deleted: int = 0
    in_use: int = 0
    releases: dict[str, int] = field(default_factory=dict)
    same_bytes: list[str] = field(default_factory=list)


def remove(workspace: Workspace, store: Store, photo: str, reason: str) -> Removal:
    """Remove a photo (``flickr:6061409035``).

    Rows change first, then files go: a removal that was killed between leaves originals that the
    same call deletes, and none that the pool misses.

    Raises:
        BadInput: there is no such photo, or no reason is given.
    """
    source, _, name = photo.partition(":")
    with store.session() as session:
        if not _is_known(session, source, name, Photo.source_id):
            raise BadInput(
                f"no photo {photo!r} in the pool: name one as SOURCE:ID, such as "
                "flickr:6061409035, or an owner by --owner SOURCE:OWNER"
            )
    return _remove(workspace, store, source, name, reason, is_owner=False)


def remove_owner(workspace: Workspace, store: Store, owner: str, reason: str) -> Removal:
    """Remove an owner's photos (``flickr:78733179@N04``), whether one is known here or not.

    Raises:
        BadInput: `owner` names no source, or nobody that there can be at Flickr; or no reason is
            given.
    """
    source, _, name = owner.partition(":")
    if not SOURCE_NAME.fullmatch(source) or not name.strip():
        raise BadInput(
            f"{owner!r} does not name a source and an owner: write SOURCE:OWNER, such as "
            "--owner flickr:78733179@N04 or, for photos of your own, --owner 'city-museum:Ann Ko'"
        )
    with store.session() as session:
        if meant := misspelt(session, source):
            raise BadInput(meant)
        if not _is_known(session, source, name, Photo.owner) and (
            wrong := _credited(session, source, name) or wrong_id("owner", source, name)
        ):
            raise BadInput(wrong)
    return _remove(workspace, store, source, name, reason, is_owner=True)


def _remove(
    workspace: Workspace, store: Store, source: str, name: str, reason: str, *, is_owner: bool
) -> Removal:
    if not (reason := " ".join(reason.split())):
        raise BadInput("give a reason: --reason TEXT")
    column = "owner" if is_owner else "source_id"
    with store.begin_alone() as session:
        named = select(Photo).filter_by(source=source, **{column: name})
        photos = session.scalars(named.order_by(Photo.source_id)).all()
        tombstone = {"source": source, "owner": name}
        if is_owner and session.scalar(select(RemovedOwner.id).filter_by(**tombstone)) is None:
            session.add(RemovedOwner(**tombstone, reason=reason))
        removed = [photo.name for photo in photos if _bury(session, photo, reason)]
        ids = [photo.id for photo in photos]
    owner = name if is_owner else None
    done = Removal(removed, owner, already=len(photos) - len(removed))
    with store.begin_alone() as session:
        _delete_originals(workspace, session, ids, done)
    for release in find_releases(workspace.releases):
        of_source = [photo for photo in release.photos if photo.source == source]
        if number := sum(getattr(photo, column) == name for photo in of_source):
            done.releases[release.name] = number
    return done


def _credited(session: Session, source: str, name: str) -> str:
    """What to tell who takes the name in a photo's credit for its owner's; "" where it is none."""
    remains = or_(Photo.rejected.is_(None), Photo.rejected.not_like("removed%"))
    named = (Photo.source == source) & (Photo.owner_name == name) & remains
    photos = session.scalars(select(Photo).where(named).order_by(Photo.id)).all()
    if not photos:
        return ""
    owners = ", ".join(dict.fromkeys(f"{source}:{photo.owner}" for photo in photos[:_MOST_NAMED]))
    return (
        f"no owner at {source} is {name!r}, but {count(len(photos), 'photo is', 'photos are')} "
        f"credited to that name, such as {photos[0].name}: name its owner, of {owners}"
    )


def _is_known(session: Session, source: str, name: str, column: InstrumentedAttribute[str]) -> bool:
    found = select(Photo.id).where(Photo.source == source, column == name).limit(1)
    return bool(name) and session.scalar(found) is not None


def _bury(session: Session, photo: Photo, reason: str) -> bool:
    """Make a photo's row its tombstone; whether it was none."""
    if photo.rejected is not None and photo.rejected.startswith("removed"):
        return False
    original = photo.file if photo.sha256 else ""
    session.add(PhotoEvent(photo_id=photo.id, what="removed", detail=original))
    photo.rejected = f"removed: {reason}"
    photo.sha256 = photo.byte_size = photo.format = photo.width = photo.height = None
    photo.fingerprint = photo.stored_at = None
    return True


def _delete_originals(
    workspace: Workspace, session: Session, photo_ids: Sequence[int], done: Removal
) -> None:
    """Delete the originals of removed photos that no other photo needs."""
    removed = select(PhotoEvent.detail).where(
        PhotoEvent.what == "removed",
        PhotoEvent.detail != "",
        PhotoEvent.photo_id.in_(photo_ids),
    )
    for file in session.scalars(removed.distinct()).all():
        same = select(Photo).where(Photo.sha256 == PurePath(file).stem).order_by(Photo.id)
        if others := session.scalars(same).all():
            done.in_use += 1
            done.same_bytes += [photo.name for photo in others]
        elif (path := workspace.images / file).is_file():
            path.unlink()
            done.deleted += 1
