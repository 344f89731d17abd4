"""A new version of a release, without the photos that were removed from the pool since."""

import json
import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from genset.errors import BadInput, GensetError
from genset.release.publish import publish
from genset.release.reader import MANIFEST, Release
from genset.store import Photo, RemovedOwner, Store
from genset.workspace import Workspace

_OF_ONE_MAKING = {"format", "name", "created_at", "genset", "content_hash", "manifest_hash"}


@dataclass(frozen=True, slots=True)
class Takedown:
    """A release and the one that replaces it; `removed` are the files that are gone."""

    old: Release
    new: Release
    removed: tuple[str, ...]


def takedown(workspace: Workspace, store: Store, old: Release) -> Takedown:
    """Write ``NAME.1`` (of ``NAME.1``: ``NAME.2``), which lacks what ``genset remove`` took out.

    Photos come from the old release's folder, which stays as it is: delete it where an owner asked.
    Everything else that the manifest tells stays too, and `replaces` says what changed.

    Raises:
        BadInput: nothing of it was removed, or there is such a version already.
        GensetError: nothing would be left, or the old release's photos were changed.
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
    left = [
        photo
        for photo in old.photos
        if (photo.source, photo.source_id) not in gone and (photo.source, photo.owner) not in owners
    ]
    kept = {photo.file for photo in left}
    removed = tuple(photo.file for photo in old.photos if photo.file not in kept)
    if not removed:
        raise BadInput(
            f"no photo of {old.name} was removed from the pool: take it out with genset remove"
        )
    if not left:
        raise GensetError(f"no photo of {old.name} would be left: delete {old.root}")
    manifest: dict[str, Any] = json.loads((old.root / MANIFEST).read_text("utf-8"))
    facts = {
        name: value
        for name, value in manifest.items()
        if name not in _OF_ONE_MAKING | {"photos", "documents"}
    }
    facts["replaces"] = {
        "name": old.name,
        "content_hash": old.content_hash,
        "removed": list(removed),
    }
    name = _next(old.name, "replaces" in manifest)
    originals = (old.root / photo.file for photo in left)
    return Takedown(old, publish(workspace.releases, name, facts, left, originals), removed)


def _next(name: str, is_version: bool) -> str:
    """The name of the version after `name`."""
    last = re.fullmatch(r"(.+)\.([0-9]+)", name) if is_version else None
    return f"{last[1]}.{int(last[2]) + 1}" if last else f"{name}.1"
