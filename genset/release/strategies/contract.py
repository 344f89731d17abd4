"""The interface of a strategy: which candidates it can take, and which of those it takes.

A strategy is a frozen dataclass of its parameters. Its only input is rows of
`genset.release.table.CandidateRow`, so the same rows and seed give the same photos on every
machine. The order of the rows must not matter.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from genset.release.table import CandidateRow
from genset.store import Verdict

Classes = Mapping[str, Sequence[CandidateRow]]


@dataclass(frozen=True, slots=True)
class Pick:
    """The candidates that a strategy took.

    Attributes:
        entries: the candidates.
        short: the number of requested photos that a class lacks, by wnid.
        notes: further remarks, as JSON: by title, then by wnid.
    """

    entries: tuple[CandidateRow, ...]
    short: dict[str, int] = field(default_factory=dict)
    notes: dict[str, dict[str, Any]] = field(default_factory=dict)


class Strategy(Protocol):
    """The interface. See `genset.release.choose` for the steps before and after it."""

    @property
    def name(self) -> str:
        """The value of ``--strategy``."""

    def parameters(self) -> dict[str, Any]:
        """Its parameters as JSON, for the manifest."""

    def refusal(self, entry: CandidateRow) -> str | None:
        """Why this candidate cannot be taken, whatever the others are; None if it can."""

    def pick(self, classes: Classes, seed: int) -> Pick:
        """Take photos of each class, from the candidates that it does not refuse, by wnid."""


def unfit(entry: CandidateRow, min_labels: int = 1) -> str | None:
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
        return f"fewer than {min_labels} labels"
    return None


def shuffled(entries: Iterable[CandidateRow], seed: int) -> list[CandidateRow]:
    """The entries in a random order that depends only on the seed.

    They are sorted by the sha256 of ``SEED TASK``. So the order is the same on every machine and
    for any order of the rows, and a new candidate does not change the order of the others.
    """

    def drawn(entry: CandidateRow) -> bytes:
        return hashlib.sha256(f"{seed} {entry.task}".encode()).digest()

    return sorted(entries, key=drawn)
