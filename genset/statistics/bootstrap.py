"""Intervals that resample whole classes.

Photos of one class are alike, so a model tends to be right or wrong on all of them. An interval
that treats photos as independent is then too narrow for the question asked here: how would the
model do on other classes and photos found in the same way? So each draw takes as many classes as
there are, with replacement, and each class with all of its photos.

Sources: Davison and Hinkley, "Bootstrap methods and their application", 1997, section 3.8 (whole
clusters are resampled); Hesterberg, "What teachers should know about the bootstrap", The American
Statistician 69, 2015, section 4.2 (expanded percentiles: a bootstrap of few clusters is too narrow
by sqrt((C - 1) / C), and by the normal's quantile in place of Student's).
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genset.statistics.intervals import Interval
from genset.statistics.resampling import DRAWS, SEED, STANDARD, Resampling

__all__ = [
    "DRAWS",
    "SEED",
    "STANDARD",
    "Floats",
    "Resampling",
    "class_sums",
    "interval_ends",
    "intervals",
    "redrawn_sums",
    "student_quantile",
]

_AT_ONCE = 500  # draws
_KEPT = 2 * 10**7  # weights, which are 80 MB: 10,000 draws of 2,000 classes
_EXACT = 2**24  # up to here whole numbers are exact in four bytes

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]


def intervals(
    drawn: Floats,
    clusters: int,
    confidence: float = 0.95,
    widest: tuple[float, float] = (0.0, 1.0),
) -> list[Interval]:
    """The middle `confidence` of each number's draws, widened where there are few clusters.

    Args:
        drawn: draws of K numbers, shape (draws, K), float64. NaN is ignored.
        clusters: how many classes were resampled.
        confidence: the share of intervals that contain the truth, between 0 and 1.
        widest: the interval of a number of which nothing is known, as with a single cluster.

    Returns:
        K intervals, in the order of the columns.

    Raises:
        ValueError: confidence is not between 0 and 1.
    """
    lows, highs = interval_ends(drawn.T, clusters, confidence, widest)
    return [Interval(*each) for each in zip(lows.tolist(), highs.tolist(), strict=True)]


def interval_ends(
    drawn: Floats, clusters: int, confidence: float, widest: tuple[float, float]
) -> tuple[Floats, Floats]:
    """The same as arrays: the lower and the higher ends, of shape (K,) each.

    Args:
        drawn: draws of K numbers, shape (K, draws), float64. NaN is ignored.
        clusters, confidence, widest: as for `intervals`.

    Raises:
        ValueError: confidence is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"no interval at {confidence}")
    if clusters < 2:
        return np.full(len(drawn), widest[0]), np.full(len(drawn), widest[1])
    wide = sqrt(clusters / (clusters - 1)) * student_quantile((1 + confidence) / 2, clusters - 1)
    tail = NormalDist().cdf(-wide)
    ranked = np.sort(drawn, axis=1)  # faster than a partition, and NaN comes last
    last = (~np.isnan(ranked)).sum(axis=1) - 1
    return _at(ranked, last, tail), _at(ranked, last, 1 - tail)


def _at(ranked: Floats, last: NDArray[np.int64], share: float) -> Floats:
    """The quantile at `share` of each row up to its place `last`, between two by a line."""
    rows = np.arange(len(ranked))
    place = share * last
    below = np.clip(np.floor(place).astype(np.int64), 0, None)
    above = np.minimum(below + 1, np.maximum(last, 0))
    start = ranked[rows, below]
    found: Floats = start + (ranked[rows, above] - start) * (place - below)
    return found


def redrawn_sums(seed: int, draws: int, of_classes: Floats) -> Floats:
    """`Resampling.sums`."""
    count, columns = of_classes.shape
    # Counts of photos are exact in four bytes, which are multiplied twice as fast.
    are_counts = bool((of_classes == np.rint(of_classes)).all())
    are_counts = are_counts and count * np.abs(of_classes).max(initial=0) < _EXACT
    table = of_classes.astype(np.float32 if are_counts else np.float64).T
    drawn = np.empty((columns, draws))
    start = 0
    for weights in _weights(seed, draws, count):
        part = slice(start, start := start + len(weights))
        drawn[:, part] = table @ weights.astype(table.dtype, copy=False).T
    return drawn


def student_quantile(share: float, freedom: float) -> float:
    """The quantile of Student's t at `share` (between 0 and 1), with `freedom` (1 or more)."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def class_sums(classes: NDArray[np.int64], values: ArrayLike) -> Floats:
    """Sum values by class.

    Args:
        classes: the class of each photo, shape (N,), int64, from 0 to C - 1.
        values: shape (N, K), bool, int or float.

    Returns:
        The sums, shape (C, K), float64.
    """
    table = np.asarray(values, dtype=np.float64)
    count = int(classes.max(initial=-1)) + 1
    columns = [np.bincount(classes, weights=column, minlength=count) for column in table.T]
    return np.stack(columns, axis=1) if columns else np.empty((count, 0))


def _weights(seed: int, draws: int, clusters: int) -> Iterable[Weights]:
    """How often each draw takes each cluster: arrays of some draws, of all clusters.

    They are kept for whoever asks next, unless they are very many.
    """
    if draws * clusters <= _KEPT:
        return _kept_weights(seed, draws, clusters)
    return _new_weights(seed, draws, clusters)


@lru_cache(maxsize=2)  # a set, and the classes that two of its groups share
def _kept_weights(seed: int, draws: int, clusters: int) -> tuple[Weights, ...]:
    return tuple(_new_weights(seed, draws, clusters))


def _new_weights(seed: int, draws: int, clusters: int) -> Iterator[Weights]:
    rng = np.random.default_rng(seed)
    for start in range(0, draws, _AT_ONCE):
        size = min(_AT_ONCE, draws - start)
        taken = rng.integers(clusters, size=(size, clusters))
        taken += clusters * np.arange(size)[:, None]
        counts = np.bincount(taken.ravel(), minlength=size * clusters)
        yield counts.reshape(size, clusters).astype(np.float32)
