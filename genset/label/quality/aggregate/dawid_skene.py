"""The most probable label of each task, with an error rate estimated for each labeler."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genset.label.quality.aggregate.votes import Coded, Opinion, Vote

_LEAST = 1e-10  # a probability that is estimated at 0 still has a logarithm

Array = NDArray[np.float64]


def dawid_skene(
    votes: Sequence[Vote], iterations: int = 100, tolerance: float = 1e-5
) -> dict[str, Opinion]:
    """By task: the probability of each label to be the true one.

    Every labeler has a table of how often they give one label where another is true. Expectation
    maximization estimates these tables and the true labels together, from the shares of votes on;
    it ends after `iterations`, or when the bound of the likelihood grows by less than `tolerance`
    a vote. Start, bound and defaults are crowd-kit's, so the same table gives the same result.

    The true label is one of those in the table. So where labelers may answer "unsure", it can come
    out as what is true of a photo: read it as "nobody can tell".

    Source: Dawid and Skene, "Maximum Likelihood Estimation of Observer Error-Rates Using the EM
    Algorithm", 1979.
    """
    if not votes:
        return {}
    coded = Coded(votes)
    counts = coded.counts()
    truth = counts / counts.sum(axis=1, keepdims=True)
    errors, before = _errors(coded, truth), -np.inf
    for _ in range(iterations):
        truth = _truth(coded, _prior(truth), errors)
        errors = _errors(coded, truth)
        bound = _bound(coded, truth, errors) / len(votes)
        if bound - before < tolerance:
            break
        before = bound
    return coded.opinions(truth)


def _prior(truth: Array) -> Array:
    """(labels,): how common each true label is."""
    return np.asarray(truth.mean(axis=0).clip(_LEAST))


def _errors(coded: Coded, truth: Array) -> Array:
    """(workers, given labels, true labels): how probably a worker gives a label to a true one.

    A label that a worker never gives stays at 0: it cannot come up.
    """
    kinds = len(coded.labels)
    cell = coded.worker * kinds + coded.label
    size = len(coded.workers) * kinds
    given = np.bincount(cell, minlength=size) > 0
    columns = [np.bincount(cell, truth[coded.task, true], size) for true in range(kinds)]
    found = np.stack(columns, axis=1)
    found[given] = found[given].clip(_LEAST)
    found = found.reshape(len(coded.workers), kinds, kinds)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _truth(coded: Coded, prior: Array, errors: Array) -> Array:
    """(tasks, labels): how probable each true label is.

    In logarithms: a product of many probabilities would be 0.
    """
    each = np.log(errors[coded.worker, coded.label])
    sums = [np.bincount(coded.task, column, len(coded.tasks)) for column in each.T]
    joint = np.log(prior) + np.stack(sums, axis=1)
    scaled = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))


def _bound(coded: Coded, truth: Array, errors: Array) -> float:
    """What the steps raise, up to a point; crowd-kit's, which weighs the prior by votes.

    That it may fall in the end, before the estimates settle, does no harm: with few votes a task
    the last steps fit the labelers' tables to chance.
    """
    each = np.log(errors[coded.worker, coded.label]) + np.log(_prior(truth))
    floored = truth.clip(_LEAST)
    return float((truth[coded.task] * each).sum() - (floored * np.log(floored)).sum())
