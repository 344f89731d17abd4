"""Many tests at once: p-values adjusted for how many there are."""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p-value adjusted for the family-wise error rate.

    The probability that at least one test without a real difference has an adjusted p-value of L or
    less is at most L.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 6, 1979.
    """
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, steps)
    return [float(p) for p in adjusted]
