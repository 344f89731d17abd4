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

import warnings
from math import sqrt
from statistics import NormalDist

import numpy as np

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
    if clusters < 2:
        return [Interval(*widest)] * drawn.shape[1]
    wide = sqrt(clusters / (clusters - 1)) * quantile(confidence, clusters - 1)
    tail = NormalDist().cdf(-wide)
    quantiles = np.nanquantile if np.isnan(drawn).any() else np.quantile  # the former is slow
    with warnings.catch_warnings(action="ignore"):  # of a number that no draw has
        lows, highs = quantiles(drawn, [tail, 1 - tail], axis=0).tolist()
    return list(map(Interval, lows, highs))
