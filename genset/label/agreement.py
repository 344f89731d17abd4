"""How far labelers agree: with each other, with the others' consensus, with known answers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.label.aggregate.votes import Coded, Vote
from genset.statistics.agreement import nominal_alpha

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


def alpha_by_class(votes: Sequence[Vote]) -> dict[str, float | None]:
    """Its alpha within each class, by wnid: what stands before the slash of a task's name."""
    coded = Coded(votes)
    counts = coded.counts()
    places: dict[str, list[int]] = {}
    for place, task in enumerate(coded.tasks):
        places.setdefault(task.partition("/")[0], []).append(place)
    return {wnid: _agreement(counts[rows]).alpha for wnid, rows in places.items()}


class Comparison(NamedTuple):
    """A labeler beside the others: they `agreed` with these on so many of the tasks `compared`.

    `by_chance` is the share that chance would give: their labels dealt out at random over the same
    tasks, as in Cohen's kappa. `usual` is the share of the labeler in the middle of the others, of
    those with at least 20 tasks compared; None where there are none.
    """

    agreed: int
    compared: int
    by_chance: float = 0.0
    usual: float | None = None


_LEAST_COMPARED = 20  # from how many on a labeler's share says what is usual


def with_consensus(coded: Coded, without: Collection[str] = ()) -> dict[str, Comparison]:
    """How often each labeler gives the label that most others give, by worker.

    A labeler's own vote has no part in the consensus that it is compared with. Where nobody else
    voted on a task, or the others are tied, there is none. Those `without` are compared too, but
    are no others to anybody.
    """
    if not coded.tasks:
        return {}
    workers = len(coded.workers)
    trusted = np.array([worker not in without for worker in coded.workers])
    counted = trusted[coded.worker]
    others = coded.counts(counted)[coded.task]
    others[np.arange(len(coded.task)), coded.label] -= counted
    most, consensus = others.max(axis=1), others.argmax(axis=1)
    compared = (most > 0) & ((others == most[:, None]).sum(axis=1) == 1)
    agreed = np.bincount(coded.worker, compared & (consensus == coded.label), workers)
    of = np.bincount(coded.worker, compared, workers)
    labels, expected = np.zeros((2, workers, len(coded.labels)))
    np.add.at(labels, (coded.worker[compared], coded.label[compared]), 1)
    np.add.at(expected, (coded.worker[compared], consensus[compared]), 1)
    share, chance = agreed / np.maximum(of, 1), (labels * expected).sum(axis=1)
    chance /= np.maximum(of, 1) ** 2
    enough = trusted & (of >= _LEAST_COMPARED)
    found = {}
    for place, worker in enumerate(coded.workers):
        rest = share[enough & (np.arange(workers) != place)]
        found[worker] = Comparison(
            agreed=int(agreed[place]),
            compared=int(of[place]),
            by_chance=float(chance[place]),
            usual=float(np.median(rest)) if rest.size else None,
        )
    return found


def _agreement(counts: Counts) -> Agreement:
    """From (tasks, labels): how many votes a task has for a label."""
    pairable = counts[counts.sum(axis=1) >= 2]
    votes = pairable.sum(axis=1)
    pairs = int((votes * (votes - 1)).sum())
    observed = int((pairable * (pairable - 1)).sum()) / pairs if pairs else None
    alpha = nominal_alpha(dict(enumerate(row)) for row in pairable.tolist())
    return Agreement(alpha, observed, len(pairable), int(votes.sum()))
