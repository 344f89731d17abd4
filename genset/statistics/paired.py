"""The interval of the difference of two accuracies on the same photos.

The interval is Tango's score interval, which holds where two models hardly ever differ, too. Photos
of a class are alike, so counts are divided by the design effect of the difference, and Student's
quantile is taken for so many classes (`genset.statistics.clusters`). `docs/statistics.md` says how
often it holds the truth.

Tango's interval contains the differences that the score test does not reject. For a difference of
0, that test is McNemar's in its asymptotic form. With few discordant photos the exact form is more
conservative: of 5 that are all one model's, Tango's interval leaves out 0, and the exact test does
not reject it (p = 0.0625). So that no interval claims what the test does not, an interval whose
exact test does not reject 0 reaches to 0. It only becomes wider by that. So the test and the
interval always say the same of a pair.

Source: Tango, "Equivalence test and confidence interval for the difference in proportions for the
paired-sample design", Statistics in Medicine 17, 1998.
"""

from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genset.statistics.intervals import Interval, quantile

_HALVINGS = 60  # of a range of 2, to the last digit

Floats = NDArray[np.float64]


def paired_interval(
    only_first: float, only_second: float, photos: float, confidence: float = 0.95
) -> Interval:
    """The interval of (only_first - only_second) / photos of independent photos, from -1 to 1.

    Args:
        only_first: photos that only the first model has right. It may be a mean over several
            trainings, and need not be whole: the interval is then that of one training.
        only_second: the same of the second model.
        photos: all that both models answered.
        confidence: the share of intervals that contain the truth, between 0 and 1.
    """
    counts = np.array([[only_first], [only_second], [photos]], float)
    _, lows, highs = paired_tests(counts[0], counts[1], counts[2], confidence=confidence)
    return Interval(float(lows[0]), float(highs[0]))


def paired_tests(
    only_first: Floats,
    only_second: Floats,
    photos: Floats,
    effects: Floats | float = 1.0,
    freedom: float = inf,
    confidence: float = 0.95,
) -> tuple[Floats, Floats, Floats]:
    """The p-values of many pairs, and the lower and higher ends of the intervals; shape (K,) each.

    Args:
        only_first, only_second, photos: as for `paired_interval`, of shape (K,) each.
        effects: the design effect of each difference, shape (K,), 1 or more.
        freedom: degrees of freedom; 0 where all photos are of one class, and nothing is known.
        confidence: the share of intervals that contain the truth, between 0 and 1.
    """
    first, second = only_first / effects, only_second / effects
    worth = photos / effects
    few = only_first + only_second == photos
    worth = np.where(few, first + second, worth)  # to the last digit
    lows, highs = tango_intervals(first, second, worth, confidence, freedom)
    p_values = _with_freedom(exact_mcnemars(first, second), freedom)
    may_be_equal = p_values >= 1 - confidence
    lows = np.where(may_be_equal, np.minimum(lows, 0), lows)
    highs = np.where(may_be_equal, np.maximum(highs, 0), highs)
    return p_values, lows, highs


def _with_freedom(p_values: Floats, freedom: float) -> Floats:
    """The p-values of the same statistics by Student's distribution."""
    if freedom == inf:
        return p_values
    from scipy.special import ndtri, stdtr

    if freedom < 1:
        return np.ones_like(p_values)
    adjusted: Floats = 2 * stdtr(freedom, ndtri(p_values / 2))
    return adjusted


def tango_intervals(
    only_first: ArrayLike,
    only_second: ArrayLike,
    photos: ArrayLike,
    confidence: float = 0.95,
    freedom: float = inf,
) -> tuple[Floats, Floats]:
    """Tango's score intervals: the lower and the higher ends, of shape (K,) each."""
    first: Floats = np.asarray(only_first, float)
    second: Floats = np.asarray(only_second, float)
    of: Floats = np.asarray(photos, float)
    alone = first + second
    z = quantile(confidence, freedom)

    def score(supposed: Floats) -> Floats:
        """How many standard errors the measured differences lie above supposed ones."""
        a = 2 * of
        b = (2 * of - first + second) * supposed - alone
        c = -second * supposed * (1 - supposed)
        # The maximum-likelihood share of the second alone, given the supposed difference.
        share = (np.sqrt(np.maximum(0.0, b * b - 4 * a * c)) - b) / (2 * a)
        variance = of * (2 * share + supposed * (1 - supposed))
        # Without a variance nothing but the measured difference is possible.
        scores: Floats = (first - second - of * supposed) / np.sqrt(np.maximum(variance, 1e-300))
        return scores

    # Both ends at once, each between two differences of which the score passes its bound.
    difference, bounds = (first - second) / of, np.array([[z], [-z]])
    before = np.stack([np.full_like(difference, -1), difference])
    after = np.stack([difference, np.ones_like(difference)])
    for _ in range(_HALVINGS):
        middle = (before + after) / 2
        is_before = score(middle) > bounds
        before, after = np.where(is_before, middle, before), np.where(is_before, after, middle)
    low, high = (before + after) / 2
    return low, high


def exact_mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of McNemar's exact test, 0 to 1.

    If the models were equally good, then each photo that only one of them has right would be the
    first's with probability 1/2. So this is a binomial test of `only_first` among `only_first` +
    `only_second`. Photos that both have right, or both have wrong, do not count.

    Source: McNemar, "Note on the sampling error of the difference between correlated proportions
    or percentages", Psychometrika 12, 1947; in the exact form of Cochran, 1950.
    """
    return float(exact_mcnemars([only_first], [only_second])[0])


def exact_mcnemars(only_first: ArrayLike, only_second: ArrayLike) -> NDArray[np.float64]:
    """The same of many pairs: counts and p-values of shape (K,).

    Counts may be means over several trainings, and need not be whole. Between whole counts the
    p-value follows the binomial tail's continuation, the incomplete beta function.
    """
    from scipy.special import betainc

    first, second = np.asarray(only_first, float), np.asarray(only_second, float)
    fewer = np.minimum(first, second)
    # The probability of at most `fewer` of all, each with 1/2.
    tails = betainc(np.maximum(first, second), fewer + 1, 0.5)
    p_values: NDArray[np.float64] = np.minimum(1.0, 2 * tails)  # with equal counts, both tails
    return p_values  # hold the middle
