"""The interval of the difference of two accuracies on the same photos, without resampling.

The interval contains the differences that the score test does not reject. For a difference of 0,
that test is McNemar's in its asymptotic form; with few photos the exact form is more conservative.
The interval also works where two models hardly ever differ. There, a bootstrap or the normal
approximation is far too narrow: with no discordant photo, they give 0 to 0.

Source: Tango, "Equivalence test and confidence interval for the difference in proportions for the
paired-sample design", Statistics in Medicine 17, 1998.
"""

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist

from genset.statistics.intervals import Interval

_HALVINGS = 60  # of a range of 2, to the last digit


def paired_interval(
    only_first: float, only_second: float, photos: float, confidence: float = 0.95
) -> Interval:
    """The interval of (only_first - only_second) / photos, from -1 to 1.

    Args:
        only_first: photos that only the first model has right. It may be a mean over several
            trainings, and need not be whole: the interval is then that of one training.
        only_second: the same of the second model.
        photos: all that both models answered.
        confidence: the share of intervals that contain the truth, between 0 and 1.

    Raises:
        ValueError: a count is negative, there are fewer photos than the counts need, or confidence
            is not between 0 and 1.
    """
    alone = only_first + only_second
    if min(only_first, only_second) < 0 or not 0 <= alone <= photos or not photos > 0:
        raise ValueError(f"no interval for {only_first} and {only_second} of {photos}")
    if not 0 < confidence < 1:
        raise ValueError(f"no interval at {confidence}")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    difference = (only_first - only_second) / photos

    def score(supposed: float) -> float:
        """How many standard errors the measured difference lies above a supposed one."""
        a = 2 * photos
        b = (2 * photos - only_first + only_second) * supposed - only_first - only_second
        c = -only_second * supposed * (1 - supposed)
        # The maximum-likelihood share of only_second, given the supposed difference.
        second = (sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
        variance = photos * (2 * second + supposed * (1 - supposed))
        above = only_first - only_second - photos * supposed
        return above / sqrt(variance) if variance > 0 else above * float("inf")

    low = _crossing(lambda supposed: score(supposed) > z, -1.0, difference)
    high = _crossing(lambda supposed: score(supposed) >= -z, difference, 1.0)
    return Interval(low, high)


def _crossing(before: Callable[[float], bool], low: float, high: float) -> float:
    """Where, between `low` and `high`, `before` turns from true to false."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if before(middle) else (low, middle)
    return (low + high) / 2
