"""Intervals for a handful of runs, where the normal approximation does not hold."""

from math import inf, sqrt
from statistics import fmean, stdev

from genset.statistics.intervals import Interval


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The exact interval for a binomial share: it holds the truth at least as often as it says.

    With 4 to 10 runs, Wilson's falls short of that for some shares near 0 and 1, which is where
    a training recipe's are; the price is an interval that is wider than need be for others.

    Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case
    of the binomial", 1934.

    Raises:
        ValueError: not 0 <= successes <= trials with trials above 0.
    """
    from scipy.special import betaincinv

    if not 0 <= successes <= trials or trials == 0 or not 0 < confidence < 1:
        raise ValueError(f"no interval for {successes} of {trials} at {confidence}")
    tail, misses = (1 - confidence) / 2, trials - successes
    # A binomial tail is a beta distribution of the share: the ends are quantiles of two of these.
    low = 0.0 if successes == 0 else float(betaincinv(successes, misses + 1, tail))
    high = 1.0 if misses == 0 else float(betaincinv(successes + 1, misses, 1 - tail))
    return Interval(low, high)


def variation(values: list[float]) -> float:
    """The coefficient of variation: the standard deviation (n - 1) over the mean.

    Raises:
        ValueError: fewer than two values, or their mean is not above 0.
    """
    if len(values) < 2 or fmean(values) <= 0:
        raise ValueError("a coefficient of variation needs two values above 0")
    return stdev(values) / fmean(values)


def variation_interval(observed: float, count: int, confidence: float = 0.95) -> Interval:
    """An interval for the coefficient of variation of normal values, good from two of them on.

    It is the modified McKay interval, which is close to exact for coefficients below a third; of
    a larger one, the upper end may be infinite.

    Source: Vangel, "Confidence intervals for a normal coefficient of variation", The American
    Statistician 50, 1996, equation 16.

    Args:
        observed: `variation` of the values.
        count: how many values, at least 2.
    """
    from scipy.special import chdtri

    if count < 2 or not 0 < confidence < 1:
        raise ValueError(f"no interval of the variation of {count} values at {confidence}")
    freedom = count - 1

    def end(quantile: float) -> float:
        factor = ((quantile + 2) / count - 1) * observed**2 + quantile / freedom
        return observed / sqrt(factor) if factor > 0 else inf

    tail = (1 - confidence) / 2
    # `chdtri` takes the probability above the quantile.
    low, high = (end(float(chdtri(freedom, above))) for above in (tail, 1 - tail))
    return Interval(low, high)
