"""The difference of two accuracies on the same photos, with an interval that has no draws.

Source: Tango, "Equivalence test and confidence interval for the difference in proportions for the
paired-sample design", Statistics in Medicine 17, 1998. The interval holds the differences that the
score test does not refuse; at no difference that test is McNemar's, in its form for many photos
(of few, the exact form is the more cautious of the two). It is sound where models hardly ever
differ, where a bootstrap or the normal's interval is far too narrow (of no discordant photo they
say "0 to 0").
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
        only_first, only_second: photos that one model alone has right. They need not be whole:
            means over several trainings give the interval of one training on such counts.
        photos: all that both answered.
        confidence: of the interval.

    Raises:
        ValueError: a count is negative, or more than there are; or confidence is not inside 0 to 1.
    """
    alone = only_first + only_second
    if min(only_first, only_second) < 0 or not 0 <= alone <= photos or not photos > 0:
        raise ValueError(f"no interval for {only_first} and {only_second} of {photos}")
    if not 0 < confidence < 1:
        raise ValueError(f"no interval at {confidence}")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    difference = (only_first - only_second) / photos

    def score(supposed: float) -> float:
        """How many standard errors what was seen lies above a supposed difference."""
        a = 2 * photos
        b = (2 * photos - only_first + only_second) * supposed - only_first - only_second
        c = -only_second * supposed * (1 - supposed)
        # The likeliest share that the second alone has right, were this the difference.
        second = (sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
        variance = photos * (2 * second + supposed * (1 - supposed))
        above = only_first - only_second - photos * supposed
        return above / sqrt(variance) if variance > 0 else above * float("inf")

    low = _crossing(lambda supposed: score(supposed) > z, -1.0, difference)
    high = _crossing(lambda supposed: score(supposed) >= -z, difference, 1.0)
    return Interval(low, high)


def _crossing(before: Callable[[float], bool], low: float, high: float) -> float:
    """Where, from `low` to `high`, something stops being so."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if before(middle) else (low, middle)
    return (low + high) / 2
