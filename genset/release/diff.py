"""What differs between two releases."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from genset.core.numbers import count
from genset.release.reader import MANIFEST, Release, ReleasePhoto

_FACTS = (
    *("strategy", "labelers", "excluded", "short", "notes", "contact", "labeling", "unseen_since"),
    *("sources", "replaces", "multilabel", "taxonomy"),
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

    def lines(self) -> Iterator[str]:
        """The differences as text."""
        yield (
            f"{count(self.same, 'photo')} the same, {len(self.added):,} added, "
            f"{len(self.removed):,} removed, {len(self.moved):,} moved, "
            f"{len(self.changed):,} changed"
        )
        yield from (f"  added: {file}" for file in self.added)
        yield from (f"  removed: {file}" for file in self.removed)
        yield from (f"  moved: {before} to {after}" for after, before in self.moved.items())
        for file, values in self.changed.items():
            yield f"  changed: {file}: {', '.join(_change(*item) for item in values.items())}"
        for name, both in self.facts.items():
            if name == "multilabel":
                yield from (f"  {line}" for line in _answers_change(both))
            else:
                yield f"  {_change(name, both)}"


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
    manifest: dict[str, Any] = json.loads((release.root / MANIFEST).read_text("utf-8"))
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


def _change(name: str, values: list[Any]) -> str:
    return f"{name} {json.dumps(values[0])} -> {json.dumps(values[1])}"


def _answers_change(values: list[Any]) -> Iterator[str]:
    """What differs in how photos came to have several right answers, a line each."""
    before, after = (value or {} for value in values)
    for name in {**before, **after}:
        if before.get(name) != after.get(name):
            yield _change(f"multilabel {name}", [before.get(name), after.get(name)])
