"""What differs between two releases."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from genset.core.numbers import count
from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.release.reader import Release, ReleasePhoto

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
