"""Wilson's interval of a measured share, and the wider one of two intervals."""

from math import inf, sqrt
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    """A confidence interval for a share; both ends from 0 to 1."""

    low: float
    high: float


def quantile(confidence: float, freedom: float = inf) -> float:
    """How many standard errors an interval reaches: the normal's quantile, or Student's.

    Args:
        confidence: the share of intervals that contain the truth, between 0 and 1.
        freedom: degrees of freedom; with less than 1, nothing is known.
    """
    if freedom == inf:
        return NormalDist().inv_cdf((1 + confidence) / 2)
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2)) if freedom >= 1 else inf


def wilson(
    successes: float, trials: float, confidence: float = 0.95, freedom: float = inf
) -> Interval:
    """Wilson's score interval for a binomial share.

    Args:
        successes: how many trials succeeded. It may be a mean, and need not be whole.
        trials: how many there were. Without any, the interval is 0 to 1.
        confidence: the share of intervals that contain the truth, between 0 and 1.
        freedom: degrees of freedom, where the variance was estimated.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    z = quantile(confidence, freedom)
    if trials == 0 or z == inf:
        return Interval(0.0, 1.0)
    share = successes / trials
    scale = 1 + z * z / trials
    middle = (share + z * z / (2 * trials)) / scale
    half = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / scale
    # With no success, or only successes, one end is exactly 0 or 1: rounding must not move it.
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == trials else middle + half
    return Interval(low, high)
