"""Lines through accuracies on two sets, as a report draws and says them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genset.statistics.bootstrap import Floats, Resampling
from genset.statistics.intervals import Interval
from genset.statistics.trend import (
    FEWEST_MODELS,
    Trend,
    expit,
    fit_trend,
    logit,
)

_POINTS = 25  # of a drawn line
_FEWEST_ARCHITECTURES = 3  # of two nothing can be said about how architectures scatter


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A fitted line at one accuracy elsewhere: the accuracy here, all from 0 to 1.

    `band` is the line's 95 % interval, `prediction` where 95 % of further models lie.
    """

    there: float
    here: float
    band: Interval
    prediction: Interval


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted line.

    Attributes:
        intercept, slope: of logit(here) over logit(there).
        slope_interval: 95 %; None where too few architectures tell.
        scatter: the standard deviation of models about the line, in accuracy, 0 to 1.
        inside: the share of the fitted models that lie inside the prediction band.
        models: how many it was fitted to.
        architectures: how many different ones these have.
        line: the line where the models are.
    """

    intercept: float
    slope: float
    slope_interval: Interval | None
    scatter: float
    inside: float
    models: int
    architectures: int
    line: tuple[LinePoint, ...]


@dataclass(frozen=True, slots=True)
class Points:
    """M models with both accuracies, 0 to 1.

    Attributes:
        there, here: shape (M,), float64.
        drawn: `here` in each draw of classes, shape (draws, M), float64.
        drawn_there: `there` in as many draws; None where it is exact.
    """

    there: Floats
    here: Floats
    drawn: Floats
    drawn_there: Floats | None = None


def through_models(
    points: Points, architectures: Sequence[str], classes: int, resampling: Resampling
) -> Trend | None:
    """The line through models that were scored here; None where these are too few.

    Args:
        points: the models' accuracies.
        architectures: of each model; those that share one scatter together.
        classes: of the set.
        resampling: how classes were drawn.
    """
    few = len(architectures) < FEWEST_MODELS or len(set(architectures)) < _FEWEST_ARCHITECTURES
    if few or np.ptp(points.there) == 0:
        return None
    return fit_trend(
        points.there,
        points.here,
        points.drawn,
        classes,
        resampling.seed,
        groups=architectures,
        drawn_reference=points.drawn_there,
    )


def fit_of(trend: Trend, there: Floats, here: Floats, architectures: int) -> Fit:
    """A line as a report has it.

    Args:
        trend: the line.
        there, here: the accuracies that it was fitted to.
        architectures: how many different ones these are of.
    """
    low, high = logit([there.min(), there.max()])
    across = expit(np.linspace(low, high, _POINTS))
    expected = trend.expected(there)
    inside = [
        ends.low <= share <= ends.high
        for ends, share in zip(trend.prediction(there), here, strict=True)
    ]
    line = zip(
        across, trend.expected(across), trend.band(across), trend.prediction(across), strict=True
    )
    slope = trend.slope_interval()
    return Fit(
        intercept=trend.intercept,
        slope=trend.slope,
        slope_interval=slope if np.isfinite(slope).all() else None,
        scatter=float(np.sqrt(((here - expected) ** 2).sum() / (trend.models - 2))),
        inside=float(np.mean(inside)),
        models=trend.models,
        architectures=architectures,
        line=tuple(LinePoint(float(x), float(y), *both) for x, y, *both in line),
    )
