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

from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from genset.statistics.draws import Floats, class_sums, redrawn_sums
from genset.statistics.intervals import Interval, quantile
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
]


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
    return [Interval(*ends) for ends in zip(lows.tolist(), highs.tolist(), strict=True)]


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
    wide = sqrt(clusters / (clusters - 1)) * quantile(confidence, clusters - 1)
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
