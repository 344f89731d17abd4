"""Photos with the same bytes: copies of one photo, in one class or under several labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from genset.core.numbers import count
from genset.finetune.layouts.listing import named


@dataclass(frozen=True)
class Copies:
    """The photos of a task that are there more than once, byte for byte.

    Attributes:
        groups: the ids of the copies of each such photo, sorted.
        labels: the label of each photo of the task, by its id.
    """

    groups: tuple[tuple[str, ...], ...]
    labels: Mapping[str, int]

    @classmethod
    def find(cls, hashes: Mapping[str, str], labels: Mapping[str, int]) -> "Copies":
        """Find the copies.

        Args:
            hashes: the sha256 of each photo's bytes, by its id.
            labels: the label of each photo, by its id.
        """
        same: dict[str, list[str]] = {}
        for photo in sorted(hashes):
            same.setdefault(hashes[photo], []).append(photo)
        return cls(tuple(tuple(ids) for ids in same.values() if len(ids) > 1), labels)

    @cached_property
    def first(self) -> dict[str, str]:
        """The first of a photo's copies, by its id; photos without copies are not in it."""
        return {photo: ids[0] for ids in self.groups for photo in ids}

    @cached_property
    def contested(self) -> frozenset[str]:
        """The photos whose bytes are also there under another label."""
        return frozenset(photo for ids in self.groups if self._is_contested(ids) for photo in ids)

    def _is_contested(self, ids: Sequence[str]) -> bool:
        return len({self.labels[photo] for photo in ids}) > 1

    def notes(self, parts: Mapping[str, str], classes: Sequence[str], split: str) -> list[str]:
        """What a reader of the numbers must know of copies, in sentences.

        Args:
            parts: the part of each photo, "train" or "test", by its id.
            classes: the readable names of the labels.
            split: the data set's own split, in words; "" if the photos were split by a seed.
        """
        agreed = [ids for ids in self.groups if not self._is_contested(ids)]
        contested = [ids for ids in self.groups if self._is_contested(ids)]
        found = []
        if agreed and not split:
            photos = count(len(agreed), "photo is", "photos are")
            found.append(
                f"{photos} there more than once, byte for byte, and all copies are in one part "
                f"({named([' = '.join(ids) for ids in agreed])})."
            )
        if pairs := self._in_both(parts):
            photos = count(len(pairs), "test photo is", "test photos are")
            found.append(
                f"{photos} also in the training part, byte for byte; the split ({split}) stays as "
                f"it is ({named(pairs)})."
            )
        if contested:
            photos = count(len(contested), "photo is", "photos are")
            then = "" if split else "; these are trained on and not tested on"
            listed = [
                " = ".join(f"{photo} as {classes[self.labels[photo]]}" for photo in ids)
                for ids in contested
            ]
            found.append(
                f"{photos} there under two labels or more, byte for byte{then} ({named(listed)})."
            )
        return found

    def _in_both(self, parts: Mapping[str, str]) -> list[str]:
        """Each test photo with a copy that is trained on, as "test/1.jpg = train/1.jpg"."""
        pairs = []
        for ids in self.groups:
            trained = [photo for photo in ids if parts[photo] == "train"]
            tested = [photo for photo in ids if parts[photo] == "test"]
            pairs += [f"{photo} = {trained[0]}" for photo in tested if trained]
        return sorted(pairs)


NO_COPIES = Copies((), {})
