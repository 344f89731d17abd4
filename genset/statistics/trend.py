"""Accuracy on this set against accuracy elsewhere: the line that models follow, and outliers.

As logits, accuracies of many models on two sets lie near a straight line. A model's effective
robustness is how far it is above that line, in accuracy: the part of its accuracy here that its
accuracy elsewhere does not predict.

Sources: Taori et al., "Measuring robustness to natural distribution shifts in image
classification", NeurIPS 2020; Recht et al., "Do ImageNet classifiers generalize to ImageNet?",
ICML 2019 (there with probits). The bootstrap is that of residuals: Davison and Hinkley, "Bootstrap
methods and their application", 1997, section 6.2.3.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from genset.statistics.bootstrap import Floats, intervals
from genset.statistics.intervals import Interval

FEWEST_MODELS = 4  # two define a line, and two more show how far models scatter about it


@dataclass(frozen=True, slots=True)
class Trend:
    """The line ``logit(here) = intercept + slope * logit(elsewhere)`` and its bootstrap draws.

    Attributes:
        intercept: of the fitted line.
        slope: of the fitted line.
        drawn_intercepts: the intercept in each draw, shape (draws,), float64.
        drawn_slopes: the slope in each draw, shape (draws,), float64.
        clusters: how many clusters `genset.statistics.bootstrap.intervals` widens intervals for.
    """

    intercept: float
    slope: float
    drawn_intercepts: Floats
    drawn_slopes: Floats
    clusters: int

    def expected(self, elsewhere: ArrayLike) -> Floats:
        """The accuracies here, float64, that the line predicts from those elsewhere (0 to 1)."""
        return expit(self.intercept + self.slope * logit(elsewhere))

    def band(self, elsewhere: ArrayLike) -> list[Interval]:
        """The line's 95 % interval at each accuracy elsewhere: shape (K,), float, 0 to 1."""
        return intervals(self._drawn(elsewhere), self.clusters)

    def above(
        self, elsewhere: ArrayLike, here: ArrayLike, drawn_here: Floats
    ) -> tuple[Floats, list[Interval]]:
        """The effective robustness of each of M models, and its 95 % interval.

        Args:
            elsewhere: accuracies elsewhere, shape (M,), float, 0 to 1.
            here: accuracies here, shape (M,), float, 0 to 1.
            drawn_here: accuracies here in each draw, shape (draws, M), float64: those that the
                line was fitted with.

        Returns:
            The robustness, shape (M,), float64, -1 to 1; and M intervals.
        """
        drawn = drawn_here - self._drawn(elsewhere)
        above = np.asarray(here) - self.expected(elsewhere)
        return above, intervals(drawn, self.clusters, widest=(-1.0, 1.0))

    def _drawn(self, elsewhere: ArrayLike) -> Floats:
        x = logit(elsewhere)
        return expit(self.drawn_intercepts[:, None] + self.drawn_slopes[:, None] * x)


def fit_trend(
    elsewhere: ArrayLike, here: ArrayLike, drawn_here: Floats, classes: int, seed: int = 0
) -> Trend:
    """Fit the line by least squares over M models, and again for each draw.

    A draw varies two things: how models scatter about the line (their residuals are drawn with
    replacement), and which classes the set has (`drawn_here`). Accuracies elsewhere are treated as
    exact.

    Args:
        elsewhere: accuracies elsewhere, shape (M,), float, 0 to 1.
        here: accuracies here, shape (M,), float, 0 to 1.
        drawn_here: accuracies here in each draw of the set's classes, shape (draws, M), float64.
        classes: how many classes the set has.
        seed: of the generator that draws residuals.

    Raises:
        ValueError: there are fewer than `FEWEST_MODELS`, or their accuracies elsewhere are equal.
    """
    x, y = logit(elsewhere), logit(here)
    models = len(x)
    if models < FEWEST_MODELS or np.ptp(x) == 0:
        raise ValueError(f"no line through {models} models")
    away = x - x.mean()
    slope = float(away @ y / (away @ away))
    intercept = float(y.mean() - slope * x.mean())
    fitted = intercept + slope * x
    # A point pulls the line towards itself, so its residual is too small: correct by leverage.
    leverage = 1 / models + away**2 / (away @ away)
    residuals = (y - fitted) / np.sqrt(np.maximum(1 - leverage, 1e-9))
    residuals -= residuals.mean()
    rng = np.random.default_rng(seed)
    scatter = rng.choice(residuals, size=(len(drawn_here), models))
    drawn = fitted + scatter + (logit(drawn_here) - y)
    slopes = drawn @ away / (away @ away)
    intercepts = drawn.mean(axis=1) - slopes * x.mean()
    # Two numbers were fitted: M - 2 degrees of freedom, which `intervals` has for M - 1 clusters.
    return Trend(intercept, slope, intercepts, slopes, min(models - 1, classes))


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
