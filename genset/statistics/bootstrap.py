"""Intervals that resample whole classes.

Photos of one class are alike, so a model is right or wrong on them together, and an interval that
takes each photo for an independent draw is too narrow for what is wanted: how the model would do
on other classes and photos found in the same way. Here each draw takes as many classes as there
are, with replacement, each with all of its photos.

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
    """How classes are resampled: a result names these numbers, and they give it again.

    The same numbers give the same draws of the same classes, so shares of several models that are
    drawn one after the other stay paired.
    """

    draws: int = DRAWS
    seed: int = SEED

    def ratios(self, classes: NDArray[np.int64], over: ArrayLike, under: ArrayLike) -> Floats:
        """Redraw the ratio of two sums over photos.

        Args:
            classes: N class numbers, 0 to C - 1; every number counts, with photos or without.
            over, under: N x K: what is summed above and below the line. For an accuracy these are
                the hits, and 1 for each photo that counts.

        Returns:
            draws x K ratios; NaN where a draw has nothing below the line.
        """
        return self.ratios_of_sums(class_sums(classes, over), class_sums(classes, under))

    def ratios_of_sums(self, above: Floats, below: Floats) -> Floats:
        """The same of C x K sums by class, of which many columns need little memory."""
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
    """The middle `confidence` of each of K numbers, widened for few clusters.

    `drawn` is draws x K; a draw that is NaN is left out. Of a single cluster nothing is known,
    and the interval is the `widest` that there is.

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
    """C x K sums of N x K values by class."""
    table = np.asarray(values, dtype=np.float64)
    count = int(classes.max(initial=-1)) + 1
    columns = [np.bincount(classes, weights=column, minlength=count) for column in table.T]
    return np.stack(columns, axis=1) if columns else np.empty((count, 0))


def _weights(rng: np.random.Generator, draws: int, clusters: int) -> Floats:
    """How often each of `draws` takes each cluster: draws x clusters, rows that sum to clusters."""
    taken = rng.integers(clusters, size=(draws, clusters))
    taken += clusters * np.arange(draws)[:, None]
    counts = np.bincount(taken.ravel(), minlength=draws * clusters)
    return counts.reshape(draws, clusters).astype(np.float64)
