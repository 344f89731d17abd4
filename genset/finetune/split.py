"""A seeded, stratified split into a training and a test part."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate, pairwise

import numpy as np

from genset.core.hashes import near
from genset.core.numbers import count
from genset.finetune.layouts.listing import named

# Photos of two classes are often composed alike (a bird in the middle), and up to 8 bits apart.
_OF_TWO_CLASSES = 2


@dataclass(frozen=True)
class Copies:
    """The photos of a task that are there more than once.

    Attributes:
        groups: the ids of the copies of each such photo, sorted.
        labels: the label of each photo of the task, by its id.
        likeness: how alike they are: "byte for byte" or "as near-duplicates".
    """

    groups: tuple[tuple[str, ...], ...]
    labels: Mapping[str, int]
    likeness: str = "byte for byte"

    @classmethod
    def find(cls, hashes: Mapping[str, str], labels: Mapping[str, int]) -> "Copies":
        """Find the copies.

        Args:
            hashes: the sha256 of each photo's bytes, by its id.
            labels: the label of each photo, by its id.
        """
        return cls(tuple(tuple(ids) for ids in _same(hashes) if len(ids) > 1), labels)

    def with_near(self, fingerprints: Mapping[str, int]) -> "Copies":
        """These, joined with the photos that look alike.

        Args:
            fingerprints: the perceptual hash of each photo that has one, by its id.
        """
        alike = _same(fingerprints)
        numbers = np.array([fingerprints[ids[0]] for ids in alike], np.uint64)
        pairs = [pair for ids in (*self.groups, *alike) for pair in pairwise(ids)]
        pairs += [
            (alike[one][0], alike[other][0])
            for one, other, bits in near(numbers, numbers)
            if one < other
            and (
                bits <= _OF_TWO_CLASSES
                or self.labels[alike[one][0]] == self.labels[alike[other][0]]
            )
        ]
        return Copies(_joined(pairs), self.labels, "as near-duplicates")

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
        found = []
        agreed = [ids for ids in self.groups if not self._is_contested(ids)]
        together = [ids for ids in agreed if len({parts[photo] for photo in ids}) == 1]
        if together and not split:
            photos = count(len(together), "photo is", "photos are")
            found.append(
                f"{photos} there more than once, {self.likeness}, and all copies are in one part "
                f"({named([' = '.join(ids) for ids in together])})."
            )
        if pairs := self.in_both(parts):
            photos = count(len(pairs), "test photo is", "test photos are")
            why = f"the split ({split}) stays as it is" if split else "no others could be split"
            found.append(
                f"{photos} also in the training part, {self.likeness}; {why} ({named(pairs)})."
            )
        if contested := [ids for ids in self.groups if self._is_contested(ids)]:
            photos = count(len(contested), "photo is", "photos are")
            then = "" if split else "; these are trained on and not tested on"
            listed = [
                " = ".join(f"{photo} as {classes[self.labels[photo]]}" for photo in ids)
                for ids in contested
            ]
            found.append(
                f"{photos} there under two labels or more, {self.likeness}{then} ({named(listed)})."
            )
        return found

    def in_both(self, parts: Mapping[str, str]) -> list[str]:
        """Each test photo with a copy that is trained on, as "test/1.jpg = train/1.jpg"."""
        pairs = []
        for ids in self.groups:
            trained = [photo for photo in ids if parts[photo] == "train"]
            tested = [photo for photo in ids if parts[photo] == "test"]
            pairs += [f"{photo} = {trained[0]}" for photo in tested if trained]
        return sorted(pairs)


def _same(values: Mapping[str, object]) -> list[list[str]]:
    """The ids of each value, sorted."""
    same: dict[object, list[str]] = {}
    for photo in sorted(values):
        same.setdefault(values[photo], []).append(photo)
    return list(same.values())


def _joined(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """The groups that such pairs make of their photos."""
    group_of: dict[str, list[str]] = {}
    for one, other in pairs:
        first, second = (group_of.setdefault(photo, [photo]) for photo in (one, other))
        if first is not second:
            first += second
            group_of |= dict.fromkeys(second, first)
    return tuple(sorted({tuple(sorted(ids)) for ids in group_of.values()}))


NO_COPIES = Copies((), {})


def test_part(
    classes: Iterable[Collection[str]],
    seed: int,
    test_share: float,
    copies: Copies = NO_COPIES,
    near: Copies | None = None,
) -> set[str]:
    """Choose the photos of the test part: a share of each class.

    Both parts get at least one photo of each class that has two different ones.

    Photos are sorted by a hash of seed and id, and the first ones are taken. So the choice is the
    same on every machine and with every version of Python, and that of one class does not depend
    on other classes.

    Copies are drawn as one photo, by the id of the first one. So a class with copies comes as close
    to its share as whole groups of copies allow. Photos that are also there under another label are
    not drawn: each of them would be a test photo that has been trained on, or one whose right
    answer is wrong for its copy.

    Args:
        classes: the ids of each class's photos.
        seed: of the choice.
        test_share: the share of test photos, between 0 and 1.
        copies: the photos with the same bytes.
        near: those and the near-duplicates, if these were looked for. A class that has nothing else
            is split all the same.

    Returns:
        The ids of the test photos.
    """
    taken: set[str] = set()
    for ids in classes:
        apart = _tested(ids, seed, test_share, near or copies)
        taken |= apart or _tested(ids, seed, test_share, copies)
    return taken


def _tested(ids: Collection[str], seed: int, test_share: float, copies: Copies) -> set[str]:
    """The test photos of a class."""
    units: dict[str, list[str]] = {}  # photos, each with its copies
    for photo in ids:
        if photo not in copies.contested:
            units.setdefault(copies.first.get(photo, photo), []).append(photo)
    drawn = sorted(units, key=lambda photo: sha256(f"{seed} {photo}".encode()).digest())
    others_to_train_on = sum(map(len, units.values())) < len(ids)
    most = max(len(drawn) - 1, int(others_to_train_on))
    sizes = list(accumulate(len(units[photo]) for photo in drawn[:most]))
    size = max(1, round(test_share * len(ids)))
    nearest = min(range(len(sizes)), key=lambda n: abs(sizes[n] - size), default=-1)
    return {photo for unit in drawn[: nearest + 1] for photo in units[unit]}
