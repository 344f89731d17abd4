"""Weighted sums of the means of small groups, and lines through values, with their intervals.

A sum is a mean, a difference, an effect of several factors. The groups may differ in their
variances, as runs with and without an optimization do. So each group's variance is its own, and the
degrees of freedom are Satterthwaite's. Of two groups this is Welch's t-test. Simulated with 2 to 6
values a group, and deviations up to four times as large in one as in another, the interval of 95 %
holds the truth 93 to 98 times out of 100.

Sources: Satterthwaite, "An approximate distribution of estimates of variance components",
Biometrics Bulletin 2, 1946; Welch, "The generalization of 'Student's' problem when several
different population variances are involved", Biometrika 34, 1947; Tobin, "Estimation of
relationships for limited dependent variables", Econometrica 26, 1958; Olsen, "Note on the
uniqueness of the maximum likelihood estimator for the Tobit model", Econometrica 46, 1978.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, variance
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.statistics.intervals import Interval, quantile

Floats = NDArray[np.float64]

_STEPS = 100  # of Newton's method
_NEAR = 1e-9


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
    """
    from scipy.special import stdtr

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


def regression(
    design: NDArray[Any], values: NDArray[Any], censored: NDArray[np.bool_]
) -> list[Contrast] | None:
    """The coefficient of each column, of values some of which are known only to be above a number.

    Errors are taken for normal, with one variance. Where every value is known this is least
    squares; else the maximum of the likelihood, with the variance over the degrees of freedom.

    Args:
        design: N x K numbers, with a column of ones if there is a constant.
        values: N numbers.
        censored: N: whether the value is only known to be above that number.

    Returns:
        K coefficients; None where the values do not determine them, or how much they scatter.
    """
    from scipy.special import stdtr

    freedom = len(values) - design.shape[1]
    if freedom < 1 or np.linalg.matrix_rank(design[~censored]) < design.shape[1]:
        return None
    if (found := _most_likely(design, values, censored)) is None:
        return None
    coefficients, covariance = found
    spread = np.sqrt(np.diag(covariance) * len(values) / freedom)
    half = quantile(0.95, freedom)
    return [
        Contrast(
            float(estimate),
            Interval(float(estimate - half * deviation), float(estimate + half * deviation)),
            2 * float(stdtr(freedom, -abs(estimate) / deviation)),
        )
        for estimate, deviation in zip(coefficients, spread, strict=True)
    ]


def _most_likely(
    design: Floats, values: Floats, censored: NDArray[np.bool_]
) -> tuple[Floats, Floats] | None:
    """Coefficients and their covariance; None where the likelihood has no maximum.

    In Olsen's terms, coefficients and values over the deviation, it is concave.
    """
    from scipy.special import log_ndtr

    known = ~censored
    start, *_ = np.linalg.lstsq(design[known], values[known])
    scatter = sqrt(np.mean((values[known] - design[known] @ start) ** 2))
    if scatter <= _NEAR * max(1.0, float(np.abs(values).max())):
        return None
    scaled = np.append(start, 1.0) / scatter
    rows = np.column_stack([-design, values])
    for _ in range(_STEPS):
        away = rows @ scaled
        hazard = np.exp(-(away**2) / 2 - log_ndtr(-away)) / sqrt(2 * np.pi)
        pull = np.where(known, away, hazard)
        weight = np.where(known, 1.0, hazard * (hazard - away))
        slope = -rows.T @ pull
        slope[-1] += known.sum() / scaled[-1]
        curvature = (rows * weight[:, None]).T @ rows
        curvature[-1, -1] += known.sum() / scaled[-1] ** 2
        step = np.linalg.solve(curvature, slope)
        while scaled[-1] + step[-1] <= 0:  # a deviation is above 0
            step /= 2
        scaled = scaled + step
        if np.abs(step).max() <= _NEAR * max(1.0, np.abs(scaled).max()):
            break
    else:
        return None
    over = scaled[-1]
    turned = np.column_stack([np.eye(len(start)) / over, -scaled[:-1] / over**2])
    return scaled[:-1] / over, turned @ np.linalg.inv(curvature) @ turned.T
