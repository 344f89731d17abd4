"""A version of a release without removed photos, and what differs between two releases."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from genset.core.errors import BadInput, GensetError
from genset.core.numbers import agree, count
from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.db import Store
from genset.release.facts import removed_on
from genset.release.publish import facts_of_fewer, publish
from genset.release.reader import Release, ReleasePhoto
from genset.workspace import Workspace


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
        BadInput: none of its photos was removed, or the version exists already.
        GensetError: no photo remains, the old release's photos were changed or are symbolic links,
            or its answers cannot be counted.
    """
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
    last = re.fullmatch(r"(.+)\.([0-9]+)", old.name) if "replaces" in facts else None
    first, number = (last[1], int(last[2])) if last else (old.name, 0)
    day = requested.isoformat() if requested else None
    days = {"requested": day, "taken_out": max(gone.values())}
    facts["replaces"] = {
        "name": old.name,
        "content_hash": old.content_hash,
        "removed": list(gone),
        **{word: day for word, day in days.items() if day},
    }
    originals = (old.path_of(photo.file) for photo in remaining)
    new = publish(workspace.releases, f"{first}.{number + 1}", facts, remaining, originals)
    copies = ", ".join([*(f"{first}.{before}" for before in range(number, 0, -1)), first])
    return Takedown(old, new, tuple(gone), day, _answer(old, new, len(gone), copies, day))


def _answer(old: Release, new: Release, gone: int, copies: str, requested: str | None) -> str:
    """Two sentences, which name no owner."""
    photos, that = count(gone, "photo"), agree(gone, "it", "them")
    why = f", as was asked on {requested}" if requested else ""
    return (
        f"{new.name} ({new.content_hash}) replaces {old.name} without {photos}{why}. Please delete "
        f"{that} from every copy of {copies} and use {new.name}: its manifest names the files "
        "under replaces."
    )


# What differs between two releases

_FACTS = (
    *("strategy", "labelers", "excluded", "short", "notes", "contact", "labeling", "unseen_since"),
    *("missing_votes", "sources", "replaces", "multilabel", "taxonomy"),
)
_RIGHT = "labels_correct"


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences, from one release to another.

    Attributes:
        same: the number of photos with equal records.
        added, removed: files that only the second, or only the first, release has.
        moved: photos whose class changed: the file before, by the file after.
        changed: the differences in the records of photos that both have, by file: each field with
            its two values.
        facts: other differences of the manifests, by name, with both values.
    """

    same: int
    added: list[str]
    removed: list[str]
    moved: dict[str, str]
    changed: dict[str, dict[str, list[Any]]]
    facts: dict[str, list[Any]]

    def table(self) -> Table:
        """What changed, a row for each file, field or fact that differs."""
        rows: list[Sequence[Any]] = []
        rows += [("added", file, None, None, None) for file in self.added]
        rows += [("removed", file, None, None, None) for file in self.removed]
        rows += [("moved", new, "file", old, new) for new, old in self.moved.items()]
        rows += [
            ("changed", file, field, *both)
            for file, fields in self.changed.items()
            for field, both in fields.items()
        ]
        for name, both in self.facts.items():
            rows += [("manifest", name, *change) for change in _changes(both)]
        same = (
            f"{count(self.same, 'photo')} the same, {len(self.added):,} added, "
            f"{len(self.removed):,} removed, {len(self.moved):,} moved, "
            f"{len(self.changed):,} changed"
        )
        columns = [
            *(Column("change"), Column("what"), Column("field", missing="")),
            *(Column(name, format=_short, missing="") for name in ("before", "after")),
        ]
        return Table(columns, rows, notes=[same])


def diff(one: Release, other: Release) -> Diff:
    """Compare photos by the hash of their bytes, and the other facts of the manifests."""
    before = {photo.file: photo for photo in one.photos}
    after = {photo.file: photo for photo in other.photos}
    lost = {photo.sha256: file for file, photo in before.items() if file not in after}
    new = [photo for file, photo in after.items() if file not in before]
    moved = {photo.file: lost[photo.sha256] for photo in new if photo.sha256 in lost}
    changed = {
        file: differing
        for file in sorted(before.keys() & after.keys())
        if (differing := _differing(before[file], after[file]))
    }
    manifests = [_facts(release) for release in (one, other)]
    return Diff(
        same=len(before.keys() & after.keys()) - len(changed),
        added=sorted(photo.file for photo in new if photo.file not in moved),
        removed=sorted(set(lost.values()) - set(moved.values())),
        moved=dict(sorted(moved.items())),
        changed=changed,
        facts={
            name: [manifest.get(name) for manifest in manifests]
            for name in _FACTS
            if manifests[0].get(name) != manifests[1].get(name)
        },
    )


def _facts(release: Release) -> dict[str, Any]:
    """What its manifest says; of its own classes, the name and the hash."""
    manifest: dict[str, Any] = release.manifest
    if not release.taxonomy.is_imagenet:
        taxonomy = manifest["taxonomy"]
        manifest["taxonomy"] = {"name": taxonomy["name"], "hash": taxonomy["hash"]}
    return manifest


def _differing(one: ReleasePhoto, other: ReleasePhoto) -> dict[str, list[Any]]:
    """The fields that differ.

    Where only one has several right answers a photo, the other one's is its class.
    """
    before, after = one.as_json(), other.as_json()
    if (_RIGHT in before) is not (_RIGHT in after):
        for record in (before, after):
            record.setdefault(_RIGHT, [record["wnid"]])
    both = {name: [before[name], after[name]] for name in before if name in after}
    return {name: values for name, values in both.items() if values[0] != values[1]}


def _changes(both: Sequence[Any]) -> Iterator[tuple[str | None, Any, Any]]:
    """What differs in a fact: each key with its values before and after; None for the whole."""
    if not all(isinstance(value, dict | None) for value in both):
        yield None, *both
        return
    before, after = (value or {} for value in both)
    for key in {**before, **after}:
        if before.get(key) != after.get(key):
            yield key, before.get(key), after.get(key)


def _short(value: Any) -> str:
    return clean(json.dumps(value), 60)
