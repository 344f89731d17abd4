"""A new version of a release, without photos that have been removed from the pool."""

import re
from dataclasses import dataclass

from sqlalchemy import select

from genset.errors import BadInput, GensetError
from genset.release.fewer import facts_of_fewer
from genset.release.publish import publish
from genset.release.reader import Release
from genset.store import Photo, RemovedOwner, Store
from genset.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Takedown:
    """A release and its replacement. `removed` are the files that the new one lacks."""

    old: Release
    new: Release
    removed: tuple[str, ...]


def takedown(workspace: Workspace, store: Store, old: Release) -> Takedown:
    """Write ``NAME.1`` (for ``NAME.1``: ``NAME.2``), without the photos that were removed.

    Photos are copied from the old release's folder, which does not change: delete it if an owner
    asked for that. The manifest's other facts are copied too, and `replaces` has what changed; what
    it says of photos' several right answers is counted again (`recounted`).

    Args:
        workspace: where releases are.
        store: the workspace's database, which has the removed photos and owners.
        old: the release to replace.

    Raises:
        BadInput: none of its photos was removed, or the version exists already.
        GensetError: no photo remains, the old release's photos were changed or are symbolic links,
            or its answers cannot be counted.
    """
    with store.session() as session:
        gone = {
            (row.source, row.source_id)
            for row in session.execute(
                select(Photo.source, Photo.source_id).where(Photo.refused.startswith("removed"))
            )
        }
        owners = {
            (row.source, row.owner)
            for row in session.execute(select(RemovedOwner.source, RemovedOwner.owner))
        }
    remaining = [
        photo
        for photo in old.photos
        if (photo.source, photo.source_id) not in gone and (photo.source, photo.owner) not in owners
    ]
    kept = {photo.file for photo in remaining}
    removed = tuple(photo.file for photo in old.photos if photo.file not in kept)
    if not removed:
        raise BadInput(
            f"no photo of {old.name} was removed from the pool: take it out with genset remove"
        )
    if not remaining:
        raise GensetError(f"no photo of {old.name} would be left: delete {old.root}")
    facts, form = facts_of_fewer(old, remaining)
    name = _next(old.name, "replaces" in facts)
    facts["replaces"] = {
        "name": old.name,
        "content_hash": old.content_hash,
        "removed": list(removed),
    }
    originals = (old.own_file(photo.file) for photo in remaining)
    new = publish(workspace.releases, name, facts, remaining, originals, form)
    return Takedown(old, new, removed)


def _next(name: str, is_version: bool) -> str:
    """The name of the version after `name`."""
    last = re.fullmatch(r"(.+)\.([0-9]+)", name) if is_version else None
    return f"{last[1]}.{int(last[2]) + 1}" if last else f"{name}.1"
