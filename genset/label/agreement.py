"""How far labelers agree: with each other, with the others' consensus, with known answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genset.label.aggregate.votes import Coded, Vote

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement among labelers, over the tasks that have at least two votes.

    `alpha` is Krippendorff's, for nominal labels: 1 is perfect, 0 what chance gives, negative worse
    than chance. It is None where there is nothing to disagree about: no task with two votes, or one
    and the same label throughout. `observed` is the share of pairs of votes on one task that agree,
    from 0 to 1; None without a pair. `tasks` and `votes` count what went in.
    """

    alpha: float | None
    observed: float | None
    tasks: int
    votes: int


def krippendorff_alpha(votes: Sequence[Vote]) -> Agreement:
    """Krippendorff's alpha over all these votes, by nominal labels; missing votes are allowed.

    Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, section C.
    """
    return _agreement(Coded(votes).counts())


def alpha_by_class(votes: Sequence[Vote]) -> dict[str, Agreement]:
    """The same within each class, by wnid: what stands before the slash of a task's name."""
    coded = Coded(votes)
    counts = coded.counts()
    places: dict[str, list[int]] = {}
    for place, task in enumerate(coded.tasks):
        places.setdefault(task.partition("/")[0], []).append(place)
    return {wnid: _agreement(counts[rows]) for wnid, rows in places.items()}


def with_consensus(votes: Sequence[Vote]) -> dict[str, tuple[int, int]]:
    """How often each labeler gives the label that most others give: (agreed, compared), by worker.

    A labeler's own vote has no part in the consensus that it is compared with. Where nobody else
    voted on a task, or the others are tied, there is none.
    """
    if not votes:
        return {}
    coded = Coded(votes)
    compared, consensus = _consensus(coded)
    agreed = compared & (consensus == coded.label)
    size = len(coded.workers)
    right = np.bincount(coded.worker, agreed, size)
    of = np.bincount(coded.worker, compared, size)
    return {
        worker: (int(right[place]), int(of[place])) for place, worker in enumerate(coded.workers)
    }


def chance_of_agreeing(votes: Sequence[Vote]) -> dict[str, float]:
    """How often each labeler would give the label that most others give, by chance alone: 0 to 1.

    By chance: their own labels dealt out at random over the same tasks, as in Cohen's kappa. Those
    whom nothing can be compared with are left out.
    """
    if not votes:
        return {}
    coded = Coded(votes)
    compared, consensus = _consensus(coded)
    shape = len(coded.workers), int(max(coded.label.max(), consensus.max())) + 1
    labels_of, others = np.zeros(shape), np.zeros(shape)
    np.add.at(labels_of, (coded.worker[compared], coded.label[compared]), 1)
    np.add.at(others, (coded.worker[compared], consensus[compared]), 1)
    of = labels_of.sum(axis=1)
    chance = (labels_of * others).sum(axis=1)
    return {
        worker: float(chance[place] / of[place] ** 2)
        for place, worker in enumerate(coded.workers)
        if of[place]
    }


def _consensus(coded: Coded) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """For each vote: whether the others on its task have a label that most give, and which."""
    others = coded.counts()[coded.task]
    others[np.arange(len(coded.task)), coded.label] -= 1
    most = others.max(axis=1)
    return (most > 0) & ((others == most[:, None]).sum(axis=1) == 1), others.argmax(axis=1)


def _agreement(counts: Counts) -> Agreement:
    """From (tasks, labels): how many votes a task has for a label."""
    pairable = counts[counts.sum(axis=1) >= 2]
    votes = pairable.sum(axis=1)
    by_label = pairable.sum(axis=0)
    total = int(votes.sum())
    # Each vote is paired with each other one on its task. Those pairs weigh 1 / (votes - 1), so
    # that a vote weighs as much wherever it is.
    alike = float(((pairable * (pairable - 1)).sum(axis=1) / (votes - 1)).sum())
    by_chance = int((by_label * (by_label - 1)).sum())
    pairs = int((votes * (votes - 1)).sum())
    alpha = None
    if by_chance < total * (total - 1):
        alpha = ((total - 1) * alike - by_chance) / (total * (total - 1) - by_chance)
    observed = int((pairable * (pairable - 1)).sum()) / pairs if pairs else None
    return Agreement(alpha, observed, len(pairable), total)
