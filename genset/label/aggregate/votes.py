"""The contract of all methods: votes of (task, worker, label) in, an opinion of each task out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Vote(NamedTuple):
    """What one labeler says of one task. The words are the columns that crowd-kit reads."""

    task: str
    worker: str
    label: str


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


def majority(votes: Sequence[Vote]) -> dict[str, Opinion]:
    """By task: all weight on the label with most votes, shared evenly where several have most.

    A tie has no label (None): to pick one would be to decide for the labelers.
    """
    coded = Coded(votes)
    if not votes:
        return {}
    counts = coded.counts()
    most = counts == counts.max(axis=1, keepdims=True)
    return coded.opinions(most / most.sum(axis=1, keepdims=True))


def selection_frequency(votes: Sequence[Vote]) -> dict[str, Opinion]:
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
    """

    def __init__(self, votes: Sequence[Vote]) -> None:
        self.tasks, self.task = _numbered([vote.task for vote in votes])
        self.workers, self.worker = _numbered([vote.worker for vote in votes])
        self.labels, self.label = _numbered([vote.label for vote in votes])

    def counts(self, counted: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
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


def _numbered(names: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    distinct = sorted(set(names))
    place = {name: number for number, name in enumerate(distinct)}
    return distinct, np.array([place[name] for name in names], dtype=np.int64)
