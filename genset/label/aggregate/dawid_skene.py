"""The most probable label of each task, with an error rate estimated for each labeler."""

import numpy as np
from numpy.typing import NDArray

from genset.label.aggregate.votes import Coded, Opinion, Votes

_LEAST = 1e-10  # a probability that is estimated at 0 still has a logarithm

Array = NDArray[np.float64]


def dawid_skene(votes: Votes, iterations: int = 100, tolerance: float = 1e-5) -> dict[str, Opinion]:
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
    coded = Coded(votes)
    if not coded.tasks:
        return {}
    sizes = len(coded.tasks), len(coded.workers), len(coded.labels)
    truth = estimate(coded.task, coded.worker, coded.label, sizes, iterations, tolerance)
    return coded.opinions(truth)


def estimate(
    task: NDArray[np.int64],
    worker: NDArray[np.int64],
    label: NDArray[np.int64],
    sizes: tuple[int, int, int],
    iterations: int = 100,
    tolerance: float = 1e-5,
) -> Array:
    """The same for votes as three arrays of numbers: (tasks, labels), each row adding up to 1.

    Args:
        task, worker, label: (votes,), from 0; every task has a vote.
        sizes: how many tasks, workers and labels there are.
        iterations, tolerance: as in `dawid_skene`.
    """
    tasks, workers, labels = sizes
    row = worker * labels + label  # which row of the errors a vote reads
    votes = np.bincount(task, minlength=tasks)
    counts = np.bincount(task * labels + label, minlength=tasks * labels)
    truth = counts.reshape(tasks, labels) / votes[:, None]
    seen = _seen(task, row, truth, workers * labels)
    before = -np.inf
    for _ in range(iterations):
        errors = _log_errors(seen, labels)
        truth = _truth(task, row, _log_prior(truth), errors)
        seen = _seen(task, row, truth, workers * labels)
        bound = _bound(votes, truth, seen, labels) / len(task)
        if bound - before < tolerance:
            break
        before = bound
    return truth


def _log_prior(truth: Array) -> Array:
    """(labels,): how common each true label is."""
    return np.asarray(np.log(truth.mean(axis=0).clip(_LEAST)))


def _seen(task: NDArray[np.int64], row: NDArray[np.int64], truth: Array, size: int) -> Array:
    """(workers x given labels, true labels): how often a worker gave a label to a true one.

    A label that a worker gave at all has at least a little for every true label; one that they
    never give stays at 0.
    """
    columns = [np.bincount(row, column[task], size) for column in truth.T]
    found = np.stack(columns, axis=1)
    ever = np.bincount(row, minlength=size) > 0
    found[ever] = found[ever].clip(_LEAST)
    return np.asarray(found)


def _log_errors(seen: Array, labels: int) -> Array:
    """As `_seen`: the logarithm of how probably a worker gives a label to a true one.

    It is 0 for a label that a worker never gives: it cannot come up.
    """
    by_worker = seen.reshape(-1, labels, labels)
    shares = (by_worker / by_worker.sum(axis=1, keepdims=True)).reshape(seen.shape)
    return np.asarray(np.log(shares, where=shares > 0, out=np.zeros_like(shares)))


def _truth(
    task: NDArray[np.int64], row: NDArray[np.int64], log_prior: Array, log_errors: Array
) -> Array:
    """(tasks, labels): how probable each true label is.

    In logarithms: a product of many probabilities would be 0.
    """
    sums = [np.bincount(task, column[row]) for column in log_errors.T]
    joint = log_prior + np.stack(sums, axis=1)
    scaled = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))


def _bound(votes: NDArray[np.int64], truth: Array, seen: Array, labels: int) -> float:
    """What the steps raise, up to a point; crowd-kit's, which weighs the prior by votes.

    That it may fall in the end, before the estimates settle, does no harm: with few votes a task
    the last steps fit the labelers' tables to chance.
    """
    of_votes = (seen * _log_errors(seen, labels)).sum() + (votes @ truth) @ _log_prior(truth)
    floored = truth.clip(_LEAST)
    return float(of_votes - (floored * np.log(floored)).sum())
