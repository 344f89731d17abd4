"""A new version of a release, without photos that have been removed from the pool."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from genset.core.errors import BadInput, GensetError
from genset.core.numbers import agree, count
from genset.db import Store, now
from genset.release.documents.words import fact
from genset.release.facts import removed_on
from genset.release.publish import facts_of_fewer, publish
from genset.release.reader import MANIFEST, Release
from genset.workspace import Workspace

_EARLIEST = timedelta(hours=14)  # how far a day begins before UTC's, where it begins first


@dataclass(frozen=True, slots=True)
class Takedown:
    """A release and its replacement.

    Attributes:
        old, new: the two.
        removed: the files that the new one lacks.
        requested: the day on which somebody asked for it, ISO 8601; None where that is not known.
        answer: what to answer, to the owner and to those who have a copy of the old one.
    """

    old: Release
    new: Release
    removed: tuple[str, ...]
    requested: str | None
    answer: str


def takedown(
    workspace: Workspace, store: Store, old: Release, requested: date | None = None
) -> Takedown:
    """Write ``NAME.1`` (for ``NAME.1``: ``NAME.2``), without the photos that were removed.

    Photos are copied from the old release's folder, which does not change: delete it if an owner
    asked for that. The manifest's other facts are copied too, and `replaces` has what changed; what
    it says of photos' several right answers is counted again (`recounted`). The manifest has the
    day of the request, and the last day on which photos were taken out of the pool.

    Args:
        workspace: where releases are.
        store: the workspace's database, which has the removed photos and owners.
        old: the release to replace.
        requested: the day on which the photos' owner asked for it; None where nobody says.

    Raises:
        BadInput: none of its photos was removed, the version exists already, or the day of the
            request is to come.
        GensetError: no photo remains, the old release's photos were changed or are symbolic links,
            or its answers cannot be counted.
    """
    if requested is not None and requested > (now() + _EARLIEST).date():
        raise BadInput(
            f"{requested} is in the future: --requested is the day on which the owner asked"
        )
    with store.session() as session:
        gone = removed_on(session, old.photos)
    if not gone:
        raise BadInput(
            f"no photo of {old.name} was removed from the pool: take it out with genset remove"
        )
    remaining = [photo for photo in old.photos if photo.file not in gone]
    if not remaining:
        raise GensetError(f"no photo of {old.name} would be left: delete {old.root}")
    facts = facts_of_fewer(old.manifest, remaining)
    name = _next(old.name, "replaces" in facts)
    day = requested.isoformat() if requested else None
    days = {"requested": day, "taken_out": max(gone.values())}
    facts["replaces"] = {
        "name": old.name,
        "content_hash": old.content_hash,
        "removed": list(gone),
        **{word: day for word, day in days.items() if day},
    }
    originals = (old.path_of(photo.file) for photo in remaining)
    new = publish(workspace.releases, name, facts, remaining, originals)
    return Takedown(old, new, tuple(gone), day, _answer(old, new, len(gone), day))


def _answer(old: Release, new: Release, gone: int, requested: str | None) -> str:
    """Two sentences, which name no owner."""
    photos, that = count(gone, "photo"), agree(gone, "it", "them")
    why = f", as was asked on {requested}" if requested else ""
    copies = ", ".join([old.name, *(name for name, _ in _replaced(old))])
    return (
        f"{new.name} ({new.content_hash}) replaces {old.name} without {photos}{why}. Please delete "
        f"{that} from every copy of {copies} and use {new.name}: its manifest names the files "
        "under replaces."
    )


def _replaced(release: Release) -> Iterator[tuple[str, str]]:
    """The releases that one replaced, by name and hash, as far as they lie beside it."""
    seen = {release.name}
    path = release.root / MANIFEST
    while path.is_file():
        facts = fact(json.loads(path.read_text("utf-8")), "replaces", dict)
        name, content_hash = fact(facts, "name", str), fact(facts, "content_hash", str)
        if not name or not content_hash or name in seen:
            return
        yield name, content_hash
        seen.add(name)
        path = release.root.with_name(name) / MANIFEST


def _next(name: str, is_version: bool) -> str:
    """The name of the version after `name`."""
    last = re.fullmatch(r"(.+)\.([0-9]+)", name) if is_version else None
    return f"{last[1]}.{int(last[2]) + 1}" if last else f"{name}.1"
