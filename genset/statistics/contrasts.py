"""Weighted sums of the means of small groups: a mean, a difference, an effect of several factors.

The groups may differ in their variances, as runs with and without an optimization do. So each
group's variance is its own, and the degrees of freedom are Satterthwaite's. Of two groups this is
Welch's t-test. Simulated with 2 to 6 values a group, and deviations up to four times as large in
one as in another, the interval of 95 % holds the truth 93 to 98 times out of 100.

Sources: Satterthwaite, "An approximate distribution of estimates of variance components",
Biometrics Bulletin 2, 1946; Welch, "The generalization of 'Student's' problem when several
different population variances are involved", Biometrika 34, 1947.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, variance
from typing import NamedTuple

from genset.statistics.intervals import Interval, quantile


class Contrast(NamedTuple):
    """A weighted sum of means.

    Attributes:
        estimate: the sum.
        interval: its confidence interval; None where a group has one value, or where all values of
            each group are equal: how much they scatter is then not known.
        p: of the two-sided test that the sum is 0; None where there is no interval.
    """

    estimate: float
    interval: Interval | None = None
    p: float | None = None


def contrast(
    groups: Sequence[Sequence[float]], weights: Sequence[float], confidence: float = 0.95
) -> Contrast:
    """The sum of the groups' means, each times its weight.

    Args:
        groups: at least one, of at least one value each, taken for normally distributed.
        weights: one a group, not 0. With 1 alone it is a mean, with 1 and -1 a difference.
        confidence: the share of intervals that contain the truth, between 0 and 1.

    Raises:
        ValueError: there is no group, an empty one, or another number of weights; or confidence is
            not between 0 and 1.
    """
    from scipy.special import stdtr

    if not groups or not all(groups) or not 0 < confidence < 1:
        raise ValueError(f"no contrast of {len(groups)} groups at {confidence}")
    pairs = list(zip(groups, weights, strict=True))
    estimate = sum(weight * fmean(group) for group, weight in pairs)
    if any(len(group) < 2 for group in groups):
        return Contrast(estimate)
    parts = [(weight**2 * variance(group) / len(group), len(group) - 1) for group, weight in pairs]
    squared = sum(part for part, _ in parts)
    divided = sum(part**2 / freedom for part, freedom in parts)
    if divided == 0:  # also where the variances are too small for their squares
        return Contrast(estimate)
    freedom, deviation = squared**2 / divided, sqrt(squared)
    half = quantile(confidence, freedom) * deviation
    p = 2 * float(stdtr(freedom, -abs(estimate) / deviation))
    return Contrast(estimate, Interval(estimate - half, estimate + half), p)
