"""The interval of the difference of two accuracies on the same photos.

Two intervals are wrong in different places. Tango's score interval holds where two models hardly
ever differ; there a bootstrap gives next to nothing, and with no discordant photo 0 to 0. But it
takes photos for independent. The interval that resamples whole classes knows that photos of a class
are alike, but not what is in photos that were never seen. So a difference has the lower one of the
two lower ends, and the higher one of the two higher ends. It is then at least as wide as either,
and holds the truth at least as often. `docs/statistics.md` says how often, from 5 to 50,000 photos.

Tango's interval contains the differences that the score test does not reject. For a difference of
0, that test is McNemar's in its asymptotic form. With few discordant photos the exact form is more
conservative: of 5 that are all one model's, Tango's interval leaves out 0, and the exact test does
not reject it (p = 0.0625). So that no interval claims what the test does not, an interval whose
exact test does not reject 0 reaches to 0. It only becomes wider by that.

Source: Tango, "Equivalence test and confidence interval for the difference in proportions for the
paired-sample design", Statistics in Medicine 17, 1998.
"""

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genset.statistics.intervals import Interval
from genset.statistics.mcnemar import exact_mcnemars

_HALVINGS = 60  # of a range of 2, to the last digit

Floats = NDArray[np.float64]


def paired_interval(
    only_first: float,
    only_second: float,
    photos: float,
    confidence: float = 0.95,
    resampled: Interval | None = None,
) -> Interval:
    """The interval of (only_first - only_second) / photos, from -1 to 1.

    Args:
        only_first: photos that only the first model has right. It may be a mean over several
            trainings, and need not be whole: the interval is then that of one training.
        only_second: the same of the second model.
        photos: all that both models answered.
        confidence: the share of intervals that contain the truth, between 0 and 1.
        resampled: the interval of whole classes resampled; None where classes are given, and only
            photos could have been others: the interval is then Tango's, up to 0 where the exact
            test does not reject that.

    Raises:
        ValueError: a count is negative, there are fewer photos than the counts need, or confidence
            is not between 0 and 1.
    """
    lows, highs = paired_intervals(
        [only_first],
        [only_second],
        [photos],
        confidence,
        None if resampled is None else (np.array([resampled.low]), np.array([resampled.high])),
    )
    return Interval(float(lows[0]), float(highs[0]))


def paired_intervals(
    only_first: ArrayLike,
    only_second: ArrayLike,
    photos: ArrayLike,
    confidence: float = 0.95,
    resampled: tuple[Floats, Floats] | None = None,
) -> tuple[Floats, Floats]:
    """The intervals of many differences: the lower and the higher ends, of shape (K,) each.

    Args:
        only_first, only_second, photos: as for `paired_interval`, of shape (K,) each.
        confidence: the share of intervals that contain the truth, between 0 and 1.
        resampled: the ends of the intervals of classes resampled, in the same form, or None.

    Raises:
        ValueError: as for `paired_interval`.
    """
    lows, highs = tango_intervals(only_first, only_second, photos, confidence)
    may_be_equal = exact_mcnemars(only_first, only_second) >= 1 - confidence
    lows = np.where(may_be_equal, np.minimum(lows, 0), lows)
    highs = np.where(may_be_equal, np.maximum(highs, 0), highs)
    if resampled is None:
        return lows, highs
    return np.minimum(lows, resampled[0]), np.maximum(highs, resampled[1])


def tango_intervals(
    only_first: ArrayLike, only_second: ArrayLike, photos: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Tango's score intervals, in the same form.

    Raises:
        ValueError: as for `paired_interval`.
    """
    first: Floats = np.asarray(only_first, float)
    second: Floats = np.asarray(only_second, float)
    of: Floats = np.asarray(photos, float)
    alone = first + second
    wrong = (np.minimum(first, second) < 0) | ~((alone >= 0) & (alone <= of) & (of > 0))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"no interval for {first[at]:g} and {second[at]:g} of {of[at]:g}")
    if not 0 < confidence < 1:
        raise ValueError(f"no interval at {confidence}")
    z = NormalDist().inv_cdf((1 + confidence) / 2)

    def score(supposed: Floats) -> Floats:
        """How many standard errors the measured differences lie above supposed ones."""
        a = 2 * of
        b = (2 * of - first + second) * supposed - alone
        c = -second * supposed * (1 - supposed)
        # The maximum-likelihood share of the second alone, given the supposed difference.
        share = (np.sqrt(np.maximum(0.0, b * b - 4 * a * c)) - b) / (2 * a)
        variance = of * (2 * share + supposed * (1 - supposed))
        above = first - second - of * supposed
        with np.errstate(divide="ignore", invalid="ignore"):
            # Without a variance nothing but the measured difference is possible.
            return np.where(variance > 0, above / np.sqrt(np.maximum(variance, 0)), above * np.inf)

    difference = (first - second) / of
    low = _crossing(lambda supposed: score(supposed) > z, np.full_like(difference, -1), difference)
    high = _crossing(lambda supposed: score(supposed) >= -z, difference, np.ones_like(difference))
    return low, high


def _crossing(before: Callable[[Floats], NDArray[np.bool_]], low: Floats, high: Floats) -> Floats:
    """Where, between `low` and `high`, `before` turns from true to false."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_before = before(middle)
        low, high = np.where(is_before, middle, low), np.where(is_before, high, middle)
    return (low + high) / 2
