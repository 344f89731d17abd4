"""The contract of all methods: votes of (task, worker, label) in, an opinion of each task out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import BadInput

Numbers = NDArray[np.int64]


class Vote(NamedTuple):
    """What one labeler says of one task. The words are the columns that crowd-kit reads."""

    task: str
    worker: str
    label: str


class VoteTable(Protocol):
    """A pandas DataFrame or an Arrow table, with the columns task, worker and label."""

    def __getitem__(self, column: str, /) -> Any:
        """A column by its name."""


Votes = Sequence[Vote] | VoteTable


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a task's labelers say together.

    `weights` has a number from 0 to 1 for every label that occurs in the table, by label; they add
    up to 1. `label` is the one with the largest; None where several share it. `votes` counts the
    task's votes.
    """

    label: str | None
    weights: dict[str, float]
    votes: int


def majority(votes: Votes) -> dict[str, Opinion]:
    """By task: all weight on the label with most votes, shared evenly where several have most.

    A tie has no label (None): to pick one would be to decide for the labelers.
    """
    coded = Coded(votes)
    if not coded.tasks:
        return {}
    counts = coded.counts()
    most = counts == counts.max(axis=1, keepdims=True)
    return coded.opinions(most / most.sum(axis=1, keepdims=True))


def selection_frequency(votes: Votes) -> dict[str, Opinion]:
    """By task: each label's share of the votes; that of "correct" is the selection frequency.

    Unsure, incorrect and broken all count in the denominator.

    Source: Recht et al., "Do ImageNet Classifiers Generalize to ImageNet?", 2019, section 3.
    """
    coded = Coded(votes)
    counts = coded.counts()
    return coded.opinions(counts / counts.sum(axis=1, keepdims=True))


class Coded:
    """Votes as three arrays of numbers, and the sorted names that the numbers stand for.

    Attributes:
        tasks, workers, labels: the names; a number is a place in its list.
        task, worker, label: (votes,) int, one entry a vote.

    Raises:
        BadInput: the table lacks a column, or a vote lacks its task, worker or label.
    """

    def __init__(self, votes: Votes) -> None:
        self.tasks, self.task = _numbered(votes, "task")
        self.workers, self.worker = _numbered(votes, "worker")
        self.labels, self.label = _numbered(votes, "label")

    def counts(self, counted: NDArray[np.bool_] | None = None) -> Numbers:
        """(tasks, labels): how many votes a task has for a label, of all or of those `counted`."""
        shape = len(self.tasks), len(self.labels)
        places = self.task * shape[1] + self.label
        flat = np.bincount(places if counted is None else places[counted], minlength=np.prod(shape))
        return flat.reshape(shape)

    def opinions(self, weights: NDArray[np.float64]) -> dict[str, Opinion]:
        """By task, from their weights: (tasks, labels), each row adding up to 1."""
        if not self.tasks:
            return {}
        largest = weights.max(axis=1, keepdims=True)
        # Rounding must not break a tie: an estimate is not exact to its last digit.
        leading = weights >= largest - 1e-9
        tied, first = leading.sum(axis=1) > 1, leading.argmax(axis=1)
        votes = np.bincount(self.task, minlength=len(self.tasks))
        return {
            task: Opinion(
                label=None if tied[place] else self.labels[first[place]],
                weights=dict(zip(self.labels, row, strict=True)),
                votes=int(votes[place]),
            )
            for place, (task, row) in enumerate(zip(self.tasks, weights.tolist(), strict=True))
        }


def _numbered(votes: Votes, column: str) -> tuple[list[str], Numbers]:
    """The distinct names in a column, sorted, and the place of each vote's name among them."""
    if isinstance(votes, Sequence):
        names, codes = _encoded([getattr(vote, column) for vote in votes])
    else:
        try:
            names, codes = _encoded(votes[column])
        except KeyError:
            raise BadInput(
                f"a table of votes has the columns {', '.join(Vote._fields)}: {column} is missing"
            ) from None
    if len(codes) and (first := int(codes.argmin())) >= 0 > codes[first]:
        raise BadInput(f"vote {first + 1} of the table has no {column}")
    # A part of a table may have all of its names.
    used = np.flatnonzero(np.bincount(codes, minlength=len(names)))
    order = sorted(used.tolist(), key=names.__getitem__)
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(order))
    return [names[number] for number in order], place[codes]


def _encoded(values: Any) -> tuple[list[str], Numbers]:
    """The distinct values of a column, and a number for each of its rows; below 0: no value."""
    if hasattr(values, "factorize"):  # pandas
        codes, names = values.factorize()
        return names.tolist(), codes
    if hasattr(values, "dictionary_encode"):  # Arrow
        whole = values.unify_dictionaries().combine_chunks().dictionary_encode()
        return whole.dictionary.to_pylist(), whole.indices.cast("int64").fill_null(-1).to_numpy()
    place: dict[str, int] = {}
    codes = [place.setdefault(value, len(place)) for value in values]
    return list(place), np.array(codes, dtype=np.int64)
