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

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genset.statistics.intervals import Interval

DRAWS = 10_000
SEED = 0
_AT_ONCE = 500  # draws of 1,000 classes are then 4 MB

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Resampling:
    """How classes are resampled. A result names both numbers, so that it can be reproduced.

    The same numbers give the same draws of the same classes, so shares of several models that are
    drawn one after the other stay paired.

    Attributes:
        draws: how often classes are drawn.
        seed: of the random number generator.
    """

    draws: int = DRAWS
    seed: int = SEED

    def ratios(self, classes: NDArray[np.int64], over: ArrayLike, under: ArrayLike) -> Floats:
        """Redraw the ratio of two sums over photos.

        Args:
            classes: the class of each photo, shape (N,), int64, from 0 to C - 1. A number without
                photos is a class too.
            over: what the numerator sums, shape (N, K), bool, int or float. For an accuracy:
                whether each photo is right.
            under: what the denominator sums, of the same shape. For an accuracy: 1 for each photo
                that counts.

        Returns:
            The ratios, shape (draws, K), float64. NaN where a denominator is 0.
        """
        return self.ratios_of_sums(class_sums(classes, over), class_sums(classes, under))

    def ratios_of_sums(self, above: Floats, below: Floats) -> Floats:
        """The same, from sums by class: with many columns these need less memory than photos.

        Args:
            above: the numerator's sum in each class, shape (C, K), float64.
            below: the denominator's, of the same shape.

        Returns:
            The ratios, shape (draws, K), float64. NaN where a denominator is 0.
        """
        count, columns = above.shape
        rng = np.random.default_rng(self.seed)
        drawn = np.empty((self.draws, columns))
        for start in range(0, self.draws, _AT_ONCE):
            size = min(_AT_ONCE, self.draws - start)
            weights = _weights(rng, size, count)
            with np.errstate(invalid="ignore", divide="ignore"):
                drawn[start : start + size] = (weights @ above) / (weights @ below)
        return drawn


STANDARD = Resampling()


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
    if not 0 < confidence < 1:
        raise ValueError(f"no interval at {confidence}")
    if clusters < 2:
        return [Interval(*widest)] * drawn.shape[1]
    wide = sqrt(clusters / (clusters - 1)) * student_quantile((1 + confidence) / 2, clusters - 1)
    tail = NormalDist().cdf(-wide)
    lows, highs = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    return [Interval(float(low), float(high)) for low, high in zip(lows, highs, strict=True)]


def student_quantile(share: float, freedom: int) -> float:
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


def _weights(rng: np.random.Generator, draws: int, clusters: int) -> Floats:
    """How often each draw takes each cluster: shape (draws, clusters), float64."""
    taken = rng.integers(clusters, size=(draws, clusters))
    taken += clusters * np.arange(draws)[:, None]
    counts = np.bincount(taken.ravel(), minlength=draws * clusters)
    return counts.reshape(draws, clusters).astype(np.float64)
