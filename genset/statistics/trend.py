"""Accuracy on this set against accuracy elsewhere: the line that models follow, and who leaves it.

Accuracies on two sets lie near a straight line when both are taken as logits. A model's effective
robustness is how far it is above that line, in accuracy: what it has here beyond what its accuracy
elsewhere lets expect.

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

FEWEST_MODELS = 4  # two make a line, and two more say how far models scatter about it


@dataclass(frozen=True, slots=True)
class Trend:
    """The line ``logit(here) = intercept + slope * logit(elsewhere)`` and its bootstrap draws."""

    intercept: float
    slope: float
    drawn_intercepts: Floats
    drawn_slopes: Floats
    clusters: int

    def expected(self, elsewhere: ArrayLike) -> Floats:
        """The accuracy here that the line gives for accuracies elsewhere, 0 to 1."""
        return expit(self.intercept + self.slope * logit(elsewhere))

    def band(self, elsewhere: ArrayLike) -> list[Interval]:
        """The line's 95 % interval at each of K accuracies elsewhere."""
        return intervals(self._drawn(elsewhere), self.clusters)

    def above(
        self, elsewhere: ArrayLike, here: ArrayLike, drawn_here: Floats
    ) -> tuple[Floats, list[Interval]]:
        """The effective robustness of each of M models (-1 to 1), and its 95 % interval.

        `drawn_here` are the draws x M accuracies that the line was fitted with.
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

    A draw scatters the models about the line as they do (their residuals are drawn with
    replacement) and moves them as another draw of classes does: `drawn_here`, draws x M, is the
    accuracy in each draw of the set's `classes` classes. Accuracies elsewhere are taken as exact.

    Raises:
        ValueError: there are fewer than `FEWEST_MODELS`, or all have one accuracy elsewhere.
    """
    x, y = logit(elsewhere), logit(here)
    models = len(x)
    if models < FEWEST_MODELS or np.ptp(x) == 0:
        raise ValueError(f"no line through {models} models")
    away = x - x.mean()
    slope = float(away @ y / (away @ away))
    intercept = float(y.mean() - slope * x.mean())
    fitted = intercept + slope * x
    # A point that draws the line to itself has too small a residual: its leverage mends that.
    leverage = 1 / models + away**2 / (away @ away)
    residuals = (y - fitted) / np.sqrt(np.maximum(1 - leverage, 1e-9))
    residuals -= residuals.mean()
    rng = np.random.default_rng(seed)
    scatter = rng.choice(residuals, size=(len(drawn_here), models))
    drawn = fitted + scatter + (logit(drawn_here) - y)
    slopes = drawn @ away / (away @ away)
    intercepts = drawn.mean(axis=1) - slopes * x.mean()
    # Two numbers were fitted: Student's quantile of M - 2, which `intervals` takes one more for.
    return Trend(intercept, slope, intercepts, slopes, min(models - 1, classes))


def logit(share: ArrayLike) -> Floats:
    """The logarithm of the odds; a share of 0 or 1 is taken for 0.0005 beside it."""
    from scipy import special

    found: Floats = special.logit(np.clip(np.asarray(share, dtype=np.float64), 0.0005, 0.9995))
    return found


def expit(value: ArrayLike) -> Floats:
    """The share with these log odds."""
    from scipy import special

    found: Floats = special.expit(np.asarray(value, dtype=np.float64))
    return found
