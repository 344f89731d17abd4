"""Random draws that depend on a seed alone, and that are fair to owners of few photos.

Each draw sorts by a hash, so that it is the same on every machine and for any order of the rows,
and so that a new candidate does not change the order of the others. There is one hash for each
purpose: an owner's best of a hundred numbers must not count against other owners' only ones.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from genset.release.table import CandidateRow

RULE = 1
"""The version of the rule by which photos are drawn, which a manifest names.

It does with a limit for an owner's photos or with balance, where another rule would matter.
"""


@dataclass(frozen=True, slots=True)
class Draws:
    """The random draws of one release.

    Attributes:
        seed: of all of them.
        max_per_owner: the most photos of one owner, at least 1; None: no limit.
        taken: how many photos of each owner are in the release whatever is drawn, by owner.
    """

    seed: int
    max_per_owner: int | None = None
    taken: Mapping[str, int] = field(default_factory=dict)

    def order(self, entries: Iterable[CandidateRow], purpose: str = "") -> list[CandidateRow]:
        """The entries in a random order: sorted by the sha256 of ``SEED TASK``.

        Where the draw has a `purpose` ("owner": which of an owner's photos come first; "balance":
        which of a class's), of ``SEED PURPOSE TASK``.
        """
        lead = f"{self.seed} {purpose} " if purpose else f"{self.seed} "

        def drawn(entry: CandidateRow) -> bytes:
            return hashlib.sha256(f"{lead}{entry.task}".encode()).digest()

        return sorted(entries, key=drawn)

    def few_of_each_owner(self, entries: Iterable[CandidateRow]) -> list[CandidateRow]:
        """Of each owner as many as the limit leaves, at random; all, where there is no limit."""
        if self.max_per_owner is None:
            return list(entries)
        counts = Counter(self.taken)
        kept = []
        for entry in self.order(entries, "owner"):
            counts[entry.owner] += 1
            if counts[entry.owner] <= self.max_per_owner:
                kept.append(entry)
        return kept

    def after(self, entries: Iterable[CandidateRow]) -> Self:
        """The same draws, when these photos are in the release too."""
        counts = Counter(self.taken)
        counts.update(entry.owner for entry in entries)
        return replace(self, taken=counts)
