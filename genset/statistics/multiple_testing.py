"""Many tests at once: p-values that count how many were made."""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p-value adjusted so that one false find among all is as rare as the level says.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 6, 1979.
    """
    given = np.asarray(p_values, dtype=float)
    order = np.argsort(given, kind="stable")
    steps = np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1))
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(1.0, steps)
    return [float(p) for p in adjusted]


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Each p-value adjusted so that of the finds, no larger share than the level is false.

    Source: Benjamini and Hochberg, "Controlling the false discovery rate", Journal of the Royal
    Statistical Society B 57, 1995. It holds for independent tests and for many dependent ones.
    """
    given = np.asarray(p_values, dtype=float)
    order = np.argsort(given, kind="stable")[::-1]
    steps = np.minimum.accumulate(given[order] * len(given) / np.arange(len(given), 0, -1))
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(1.0, steps)
    return [float(p) for p in adjusted]
