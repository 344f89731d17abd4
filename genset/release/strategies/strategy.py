"""The interface of a strategy: which candidates it can take, and which of those it takes.

A strategy is a frozen dataclass of its parameters. Its only input is rows of
`genset.release.candidates.CandidateRow`, so the same rows and seed give the same photos on every
machine. The order of the rows must not matter.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Self

from genset.db import Verdict
from genset.release.candidates import CandidateRow

RULE = 1
"""The version of the rule by which photos are drawn, which a manifest names.

It does with a limit for an owner's photos or with balance, where another rule would matter.
"""


Classes = Mapping[str, Sequence[CandidateRow]]


class Reason(str):
    """Why a candidate is left out, or another remark; `option` is the one to which it is due."""

    option: str

    def __new__(cls, words: str, option: str = "") -> "Reason":
        """Words, with their option."""
        found = super().__new__(cls, words)
        found.option = option
        return found


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

    def limit_owners(self, entries: Iterable[CandidateRow]) -> list[CandidateRow]:
        """Of each owner as many as the limit leaves, at random; all, where there is no limit."""
        if self.max_per_owner is None:
            return list(entries)
        counts = Counter(self.taken)
        limited = []
        for entry in self.order(entries, "owner"):
            counts[entry.owner] += 1
            if counts[entry.owner] <= self.max_per_owner:
                limited.append(entry)
        return limited

    def after(self, entries: Iterable[CandidateRow]) -> Self:
        """The same draws, when these photos are in the release too."""
        counts = Counter(self.taken)
        counts.update(entry.owner for entry in entries)
        return replace(self, taken=counts)


@dataclass(frozen=True, slots=True)
class Pick:
    """The candidates that a strategy took.

    Attributes:
        entries: the candidates.
        short: the number of requested photos that a class lacks, by wnid.
        notes: further remarks, as JSON: by title, then by wnid.
        over: candidates that it would have taken, were there not the limit for an owner's photos.
    """

    entries: tuple[CandidateRow, ...]
    short: dict[str, int] = field(default_factory=dict)
    notes: dict[str, dict[str, Any]] = field(default_factory=dict)
    over: tuple[CandidateRow, ...] = ()


@dataclass(frozen=True)
class Strategy:
    """What each is, as a dataclass of its parameters. `genset.release.choose` has the other steps.

    Attributes:
        name: the value of ``--strategy``.
        limits_owners: whether `pick` keeps to the limit for an owner's photos itself: for other
            strategies, so many of each owner are drawn before they pick.
    """

    name: ClassVar[str]
    limits_owners: ClassVar[bool] = False

    def parameters(self) -> dict[str, Any]:
        """Its parameters as JSON, for the manifest."""
        return asdict(self)

    def refusal(self, entry: CandidateRow) -> str | None:
        """Why this candidate cannot be taken, whatever the others are; None if it can."""
        raise NotImplementedError

    def pick(self, classes: Classes, draws: Draws) -> Pick:
        """Take photos of each class, from the candidates that it does not refuse, by wnid."""
        raise NotImplementedError


def unfit(entry: CandidateRow, min_labels: int) -> str | None:
    """Why no strategy may take a candidate; None if one may.

    A ruling overrides votes: a candidate that is ruled correct needs none.
    """
    if entry.ruling is Verdict.CORRECT:
        return None
    if entry.ruling is not None:
        return "ruled not correct in review"
    if entry.labels == 0:
        return "not labeled"
    if entry.labels < min_labels:
        return Reason(f"fewer than {min_labels} labels", "--min-labels")
    return None
