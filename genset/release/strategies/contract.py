"""The interface of a strategy: which candidates it can take, and which of those it takes.

A strategy is a frozen dataclass of its parameters. Its only input is rows of
`genset.release.table.CandidateRow`, so the same rows and seed give the same photos on every
machine. The order of the rows must not matter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from genset.db import Verdict
from genset.release.strategies.draws import Draws
from genset.release.table import CandidateRow

Classes = Mapping[str, Sequence[CandidateRow]]


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


class Strategy(Protocol):
    """The interface. See `genset.release.choose` for the steps before and after it."""

    @property
    def name(self) -> str:
        """The value of ``--strategy``."""

    @property
    def limits_owners(self) -> bool:
        """Whether `pick` keeps to the limit for an owner's photos itself.

        For other strategies, so many of each owner are drawn before they pick.
        """

    def parameters(self) -> dict[str, Any]:
        """Its parameters as JSON, for the manifest."""

    def refusal(self, entry: CandidateRow) -> str | None:
        """Why this candidate cannot be taken, whatever the others are; None if it can."""

    def pick(self, classes: Classes, draws: Draws) -> Pick:
        """Take photos of each class, from the candidates that it does not refuse, by wnid."""


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
        return f"fewer than {min_labels} labels"
    return None
