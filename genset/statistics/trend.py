"""Accuracy on this set against accuracy elsewhere: the line that models follow, and outliers.

As logits, accuracies of many models on two sets lie near a straight line. A model's effective
robustness is how far it is above the line, in accuracy: the part of its accuracy here that its
accuracy elsewhere does not predict.

Two intervals belong to a line. The band says where the line itself is. The prediction says where a
further model of the same kind is expected, and is wider: models scatter about the line.

Sources: Taori et al., "Measuring robustness to natural distribution shifts in image
classification", NeurIPS 2020; Recht et al., "Do ImageNet classifiers generalize to ImageNet?",
ICML 2019 (there with probits). The bootstrap is that of residuals: Davison and Hinkley, "Bootstrap
methods and their application", 1997, section 6.2.3. Where models share an architecture it is the
wild cluster bootstrap with Webb's weights: Cameron and Miller, "A practitioner's guide to
cluster-robust inference", Journal of Human Resources 50, 2015, section VI.C.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genset.statistics.bootstrap import DRAWS, Floats, intervals
from genset.statistics.intervals import Interval, quantile

FEWEST_MODELS = 4  # two define a line, and two more show how far models scatter about it

# Of the wild bootstrap: mean 0, variance 1, and six values, so that few clusters have many draws.
_WEBB = np.sqrt([0.5, 1.0, 1.5])
_WEIGHTS = np.concatenate([-_WEBB, _WEBB])


@dataclass(frozen=True, slots=True)
class Trend:
    """The line ``logit(here) = intercept + slope * logit(elsewhere)`` and its bootstrap draws.

    Attributes:
        intercept: of the fitted line.
        slope: of the fitted line.
        drawn_intercepts: the intercept in each draw, shape (draws,), float64.
        drawn_slopes: the slope in each draw, shape (draws,), float64.
        clusters: how many clusters `genset.statistics.bootstrap.intervals` widens intervals for.
        models: how many the line was fitted to.
        scatter: the standard deviation of models about the line, as logits.
        center: the mean of logit(elsewhere).
        spread: the sum of squares of logit(elsewhere) about it.
    """

    intercept: float
    slope: float
    drawn_intercepts: Floats
    drawn_slopes: Floats
    clusters: int
    models: int
    scatter: float
    center: float
    spread: float

    def expected(self, reference: ArrayLike) -> Floats:
        """The accuracies here, float64, that the line predicts from those elsewhere (0 to 1)."""
        return expit(self.intercept + self.slope * logit(reference))

    def band(self, reference: ArrayLike) -> list[Interval]:
        """The line's 95 % interval at each accuracy elsewhere: shape (K,), float, 0 to 1."""
        return intervals(self._drawn(reference), self.clusters)

    def prediction(self, reference: ArrayLike) -> list[Interval]:
        """Where 95 % of further models lie at each accuracy elsewhere: shape (K,), float, 0 to 1.

        It supposes that models scatter normally about the line, equally far along it.
        """
        x = logit(reference)
        leverage = 1 / self.models + (x - self.center) ** 2 / self.spread
        off = quantile(0.95, self.models - 2) * self.scatter * np.sqrt(1 + leverage)
        middle = self.intercept + self.slope * x
        ends = expit(middle - off), expit(middle + off)
        return [Interval(float(low), float(high)) for low, high in zip(*ends, strict=True)]

    def slope_interval(self) -> Interval:
        """The slope's 95 % interval; it is unbounded where too few clusters say nothing of it."""
        (found,) = intervals(self.drawn_slopes[:, None], self.clusters, widest=(-inf, inf))
        return found

    def above(
        self,
        reference: ArrayLike,
        here: ArrayLike,
        drawn_here: Floats,
        drawn_reference: Floats | None = None,
    ) -> tuple[Floats, list[Interval]]:
        """The effective robustness of each of M models, and its 95 % interval.

        Args:
            elsewhere: accuracies elsewhere, shape (M,), float, 0 to 1.
            here: accuracies here, shape (M,), float, 0 to 1.
            drawn_here: accuracies here in each draw, shape (draws, M), float64: those that the
                line was fitted with, or of other models, in as many draws.
            drawn_reference: accuracies elsewhere in as many draws, of the same shape; None: they
                are exact.

        Returns:
            The robustness, shape (M,), float64, -1 to 1; and M intervals.
        """
        drawn = drawn_here - self._drawn(reference if drawn_reference is None else drawn_reference)
        above = np.asarray(here) - self.expected(reference)
        return above, intervals(drawn, self.clusters, widest=(-1.0, 1.0))

    def _drawn(self, reference: ArrayLike) -> Floats:
        x = logit(reference)
        return expit(self.drawn_intercepts[:, None] + self.drawn_slopes[:, None] * x)


def fit_trend(
    reference: ArrayLike,
    here: ArrayLike,
    drawn_here: Floats,
    classes: int,
    seed: int = 0,
    *,
    groups: Sequence[str] = (),
    drawn_reference: Floats | None = None,
) -> Trend:
    """Fit the line by least squares over M models, and again for each draw.

    A draw varies how models scatter about the line, and which classes the sets have.

    Args:
        elsewhere: accuracies elsewhere, shape (M,), float, 0 to 1.
        here: accuracies here, shape (M,), float, 0 to 1.
        drawn_here: accuracies here in each draw of the set's classes, shape (draws, M), float64.
        classes: how many classes the set has.
        seed: of the generator that draws residuals.
        groups: M names; models with the same one (an architecture's) scatter together, so that
            each group counts once for intervals. Empty: each model is its own.
        drawn_reference: accuracies elsewhere in as many draws of that set's classes, of the same
            shape; None: they are exact.

    Raises:
        ValueError: there are fewer than `FEWEST_MODELS`, or their accuracies elsewhere are equal.
    """
    x, y = logit(reference), logit(here)
    line = _least_squares(x, y)
    rng = np.random.default_rng(seed)
    # A point pulls the line towards itself, so its residual is too small: correct by leverage.
    residuals = line.residuals / np.sqrt(np.maximum(1 - line.leverage, 1e-9))
    residuals -= residuals.mean()
    members = _members(groups, len(x))
    count = int(members.max()) + 1
    draws = len(drawn_here)
    if count == len(x):
        scatter = rng.choice(residuals, size=(draws, len(x)))
    else:
        scatter = residuals * rng.choice(_WEIGHTS, size=(draws, count))[:, members]
    drawn = line.fitted + scatter + (logit(drawn_here) - y)
    if drawn_reference is not None:  # what moves all models along the line does not move it
        drawn = drawn - line.slope * (logit(drawn_reference) - x)
    slopes = drawn @ line.away / line.spread
    intercepts = drawn.mean(axis=1) - slopes * line.center
    # Two numbers were fitted: M - 2 degrees of freedom, which `intervals` has for M - 1 clusters.
    return line.trend(intercepts, slopes, min(count - 1, classes))


def fit_published(
    reference: ArrayLike,
    here: ArrayLike,
    groups: Sequence[str],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Trend:
    """Fit the line by least squares over M models of which only accuracies are known.

    The draws are normal, with the cluster-robust covariance of intercept and slope (Cameron and
    Miller, section II): for many groups that is what resampling whole groups gives, at no cost.

    Args:
        elsewhere: accuracies elsewhere, shape (M,), float, 0 to 1.
        here: accuracies here, shape (M,), float, 0 to 1.
        groups: M names; models with the same one (an architecture's) scatter together.
        draws: how often the line is drawn.
        seed: of the generator.

    Raises:
        ValueError: there are fewer than `FEWEST_MODELS`, their accuracies elsewhere are equal, or
            there are fewer than three groups.
    """
    x, y = logit(reference), logit(here)
    line = _least_squares(x, y)
    members = _members(groups, len(x))
    count = int(members.max()) + 1
    if count < 3:
        raise ValueError(f"no interval from {count} groups")
    # About the middle, level and slope are uncorrelated but for the groups.
    weights = line.residuals, line.residuals * line.away
    scores = np.stack([np.bincount(members, weights=weight) for weight in weights])
    bread = np.array([1 / len(x), 1 / line.spread])
    few = count / (count - 1) * (len(x) - 1) / (len(x) - 2)
    covariance = few * (scores @ scores.T) * np.outer(bread, bread)
    rng = np.random.default_rng(seed)
    drawn = rng.multivariate_normal([float(y.mean()), line.slope], covariance, draws)
    return line.trend(drawn[:, 0] - drawn[:, 1] * line.center, drawn[:, 1], count - 1)


@dataclass(frozen=True, slots=True)
class _Line:
    """A least-squares line over M points, and what follows from it."""

    intercept: float
    slope: float
    center: float
    spread: float
    away: Floats
    fitted: Floats
    residuals: Floats

    @property
    def leverage(self) -> Floats:
        return 1 / len(self.away) + self.away**2 / self.spread

    def trend(self, intercepts: Floats, slopes: Floats, clusters: int) -> Trend:
        models = len(self.away)
        return Trend(
            intercept=self.intercept,
            slope=self.slope,
            drawn_intercepts=intercepts,
            drawn_slopes=slopes,
            clusters=clusters,
            models=models,
            scatter=sqrt(float(self.residuals @ self.residuals) / (models - 2)),
            center=self.center,
            spread=self.spread,
        )


def _least_squares(x: Floats, y: Floats) -> _Line:
    if len(x) < FEWEST_MODELS or np.ptp(x) == 0:
        raise ValueError(f"no line through {len(x)} models")
    center = float(x.mean())
    away = x - center
    spread = float(away @ away)
    slope = float(away @ y / spread)
    intercept = float(y.mean() - slope * center)
    fitted = intercept + slope * x
    return _Line(intercept, slope, center, spread, away, fitted, y - fitted)


def _members(groups: Sequence[str], models: int) -> NDArray[np.int64]:
    """Each model's group by number: shape (M,), int64."""
    names = np.array(groups) if groups else np.arange(models)
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def logit(share: ArrayLike) -> Floats:
    """The log odds, float64, of shares (0 to 1), which are first clipped to 0.0005 to 0.9995."""
    from scipy import special

    found: Floats = special.logit(np.clip(np.asarray(share, dtype=np.float64), 0.0005, 0.9995))
    return found


def expit(value: ArrayLike) -> Floats:
    """The shares, float64, that have these log odds."""
    from scipy import special

    found: Floats = special.expit(np.asarray(value, dtype=np.float64))
    return found
