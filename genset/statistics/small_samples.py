"""Intervals for a handful of runs, where the normal approximation does not hold."""

from collections.abc import Callable
from math import comb, exp, inf, lgamma, log, sqrt
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
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"no interval for {successes} of {trials}")
    tail = (1 - confidence) / 2

    def at_least(share: float) -> float:
        return _binomial_tail(successes, trials, share)

    def more(share: float) -> float:
        return _binomial_tail(successes + 1, trials, share)

    low = 0.0 if successes == 0 else _root(at_least, tail, 0.0, 1.0)
    high = 1.0 if successes == trials else _root(more, 1 - tail, 0.0, 1.0)
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
    freedom = count - 1

    def end(quantile: float) -> float:
        factor = ((quantile + 2) / count - 1) * observed**2 + quantile / freedom
        return observed / sqrt(factor) if factor > 0 else inf

    tail = (1 - confidence) / 2
    low, high = (end(_chi_square_quantile(p, freedom)) for p in (1 - tail, tail))
    return Interval(low, high)


def _binomial_tail(least: int, trials: int, share: float) -> float:
    """The probability of at least `least` successes."""
    return sum(
        comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(least, trials + 1)
    )


def _chi_square_quantile(probability: float, freedom: int) -> float:
    high = freedom + 20 * sqrt(2 * freedom) + 20

    def below(x: float) -> float:
        return _lower_gamma(freedom / 2, x / 2)

    return _root(below, probability, 0.0, high)


def _lower_gamma(shape: float, x: float) -> float:
    """The regularized lower incomplete gamma function, by its series."""
    if x <= 0:
        return 0.0
    term = total = 1 / shape
    place = shape
    while term > total * 1e-16:
        place += 1
        term *= x / place
        total += term
    return total * exp(shape * log(x) - x - lgamma(shape))


def _root(rising: Callable[[float], float], value: float, low: float, high: float) -> float:
    """Where a rising function takes a value, by halving."""
    for _ in range(100):
        middle = (low + high) / 2
        if rising(middle) < value:
            low = middle
        else:
            high = middle
    return (low + high) / 2
