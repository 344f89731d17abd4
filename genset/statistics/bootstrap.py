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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genset.statistics.intervals import Interval, quantile

DRAWS, SEED = 10_000, 0
_AT_ONCE = 500  # draws
_MOST_STORED = 2 * 10**7  # weights, which are 80 MB: 10,000 draws of 2,000 classes
_EXACT = 2**24  # up to here whole numbers are exact in four bytes

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]


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
        columns = above.shape[1]
        if bool((below == below[:, :1]).all()):
            below = below[:, :1]  # the same photos count for all columns, as they mostly do
        drawn = self.sums(np.hstack([above, below]))
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios: Floats = drawn[:columns] / drawn[columns:]
        return ratios.T

    def sums(self, of_classes: Floats) -> Floats:
        """Redraw sums over photos. All who ask share the draws, which are made once.

        Args:
            of_classes: the sums in each class, shape (C, K), float64.

        Returns:
            The sums in each draw, shape (K, draws), float64.
        """
        count, columns = of_classes.shape
        # Counts of photos are exact in four bytes, which are multiplied twice as fast.
        are_counts = bool((of_classes == np.rint(of_classes)).all())
        are_counts = are_counts and count * np.abs(of_classes).max(initial=0) < _EXACT
        table = of_classes.astype(np.float32 if are_counts else np.float64).T
        # Weights are kept for whoever asks next, unless they are very many.
        made = _stored_weights if self.draws * count <= _MOST_STORED else _new_weights
        drawn = np.empty((columns, self.draws))
        start = 0
        for weights in made(self.seed, self.draws, count):
            part = slice(start, start := start + len(weights))
            drawn[:, part] = table @ weights.astype(table.dtype, copy=False).T
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
    """
    if clusters < 2:
        return [Interval(*widest)] * drawn.shape[1]
    wide = sqrt(clusters / (clusters - 1)) * quantile(confidence, clusters - 1)
    tail = NormalDist().cdf(-wide)
    quantiles = np.nanquantile if np.isnan(drawn).any() else np.quantile  # the former is slow
    with warnings.catch_warnings(action="ignore"):  # of a number that no draw has
        lows, highs = quantiles(drawn, [tail, 1 - tail], axis=0).tolist()
    return list(map(Interval, lows, highs))


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


@lru_cache(maxsize=2)  # a set, and the classes that two of its groups share
def _stored_weights(seed: int, draws: int, clusters: int) -> tuple[Weights, ...]:
    return tuple(_new_weights(seed, draws, clusters))


def _new_weights(seed: int, draws: int, clusters: int) -> Iterator[Weights]:
    """How often each draw takes each cluster: arrays of some draws, of all clusters."""
    rng = np.random.default_rng(seed)
    for start in range(0, draws, _AT_ONCE):
        size = min(_AT_ONCE, draws - start)
        taken = rng.integers(clusters, size=(size, clusters))
        taken += clusters * np.arange(size)[:, None]
        counts = np.bincount(taken.ravel(), minlength=size * clusters)
        yield counts.reshape(size, clusters).astype(np.float32)
