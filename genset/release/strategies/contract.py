"""What every strategy is: which candidates it could take, and which of those it takes.

A strategy is a frozen dataclass of its parameters. It sees rows of
`genset.release.table.CandidateRow` and nothing else, so the same rows and seed give the same photos
on every machine; in what order the rows come must not matter.
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
    """What a strategy took.

    Attributes:
        entries: the candidates that it took.
        short: how many photos a class lacks, by wnid, of what was asked for.
        notes: what else is to be told, as JSON: by word, then by wnid.
    """

    entries: tuple[CandidateRow, ...]
    short: dict[str, int] = field(default_factory=dict)
    notes: dict[str, dict[str, Any]] = field(default_factory=dict)


class Strategy(Protocol):
    """The contract. See `genset.release.choose` for what is done around it."""

    @property
    def name(self) -> str:
        """What follows ``--strategy``."""

    def parameters(self) -> dict[str, Any]:
        """What it was told, as JSON, for the manifest."""

    def refusal(self, entry: CandidateRow) -> str | None:
        """Why this candidate could not be taken, whatever the others are; None where it could."""

    def pick(self, classes: Classes, seed: int) -> Pick:
        """Take photos of each class; given are those that it does not refuse, by wnid."""


def unfit(entry: CandidateRow, min_labels: int = 1) -> str | None:
    """Why no strategy may take a candidate.

    A ruling wins over votes: what is ruled correct needs none.
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
    """The entries in the random order that a seed stands for.

    It is the order of the sha256 of ``SEED TASK``: the same wherever and in whatever order rows
    are read, and a new candidate moves no other one.
    """

    def drawn(entry: CandidateRow) -> bytes:
        return hashlib.sha256(f"{seed} {entry.task}".encode()).digest()

    return sorted(entries, key=drawn)
