"""Means and intervals for a handful of runs, where the normal approximation does not hold."""

from math import inf, sqrt
from statistics import fmean, stdev

from genset.statistics.intervals import Interval


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The exact interval for a binomial share: it contains the truth at least as often as it says.

    With 4 to 10 runs, Wilson's interval does so too rarely for some shares near 0 and 1, which are
    the usual ones of a training recipe. In exchange, this one is wider than necessary for others.

    Args:
        successes: how many trials succeeded.
        trials: how many there were, at least 1.
        confidence: the share of intervals that contain the truth, between 0 and 1.

    Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case
    of the binomial", 1934.
    """
    from scipy.special import betaincinv

    tail, misses = (1 - confidence) / 2, trials - successes
    # A binomial tail is a beta distribution of the share: the ends are quantiles of two of these.
    low = 0.0 if successes == 0 else float(betaincinv(successes, misses + 1, tail))
    high = 1.0 if misses == 0 else float(betaincinv(successes + 1, misses, 1 - tail))
    return Interval(low, high)


def variation(values: list[float]) -> float:
    """The coefficient of variation: the standard deviation (n - 1) over the mean.

    Raises:
        ValueError: there are fewer than two values, or their mean is not above 0.
    """
    if len(values) < 2 or fmean(values) <= 0:
        raise ValueError("a coefficient of variation needs two values above 0")
    return stdev(values) / fmean(values)


def mean_without_ends(values: list[float], failures: int = 0, dropped: int = 1) -> float | None:
    """The mean without the least and the greatest values, as MLPerf counts the times of runs.

    Args:
        values: of the trials that succeeded.
        failures: how many others failed; they count as the greatest.
        each: how many values are left out at each end, at least 1.

    Returns:
        None with more failures than are left out, or where no value is left.

    Source: MLPerf's training rules, "Benchmark results".
    """
    middle = sorted(values)[dropped : len(values) + failures - dropped]
    return fmean(middle) if failures <= dropped and middle else None


def variation_interval(observed: float, count: int, confidence: float = 0.95) -> Interval:
    """The modified McKay interval for the coefficient of variation of normal values.

    It is close to exact for coefficients below a third, even with two values. For a larger one, the
    upper end may be infinite.

    Args:
        observed: the measured coefficient, as `variation` returns it.
        count: how many values it was measured on, at least 2.
        confidence: the share of intervals that contain the truth, between 0 and 1.

    Source: Vangel, "Confidence intervals for a normal coefficient of variation", The American
    Statistician 50, 1996, equation 16.
    """
    from scipy.special import chdtri

    freedom = count - 1

    def end(quantile: float) -> float:
        factor = ((quantile + 2) / count - 1) * observed**2 + quantile / freedom
        return observed / sqrt(factor) if factor > 0 else inf

    tail = (1 - confidence) / 2
    # `chdtri` takes the probability above the quantile.
    low, high = (end(float(chdtri(freedom, above))) for above in (tail, 1 - tail))
    return Interval(low, high)
