"""Tells values that stand under each other's names, where their course gives that away.

Epochs count up by one. Time runs on evenly, while scores rise ever more slowly.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

# As many steps from row to row at least, and how even they are.
_FEWEST = 2
_EVEN, _UNEVEN = 1.2, 3.0
# What a training comes to, in fractions of 1 or in per cent.
_SCORES = ((0.2, 1.0), (20.0, 100.0))


def swapped(
    epochs: Sequence[float],
    times: Sequence[float],
    scores: Mapping[str, Sequence[float | None]],
    names: tuple[str, str] = ("epoch", "hours"),
) -> tuple[str, int] | None:
    """Why a log's columns look swapped, and in which row (from 0); None if they do not.

    Args:
        times: in the log's own unit, which scores under their name have.
        scores: by column; None where one was not measured.
        names: of the columns of epochs and of time.
    """
    epoch, clock = names
    measured = {name: _steps(values) for name, values in scores.items()}
    elapsed = _steps(times)
    odd = next((at for at, value in enumerate(epochs) if value % 1), None)
    if odd is not None:
        for name, steps in {clock: elapsed, **measured}.items():
            if len(steps) >= _FEWEST and set(steps) == {1.0}:
                why = f"{name} counts up by one and {epoch} does not"
                return f"{why}: are the two columns swapped?", odd
    for name, steps in measured.items():
        if len(steps) < 2 * _FEWEST:
            continue
        like_scores = any(low <= times[-1] <= high for low, high in _SCORES)
        if like_scores and elapsed[0] > _UNEVEN * elapsed[-1] and _spread(steps) < _EVEN:
            why = f"{name} rises evenly and {clock} does not"
            return f"{why}: are the two columns swapped?", len(times) - 1
    return None


def _steps(values: Sequence[float | None]) -> list[float]:
    """How much a column grows from row to row; empty if a row has nothing in it."""
    there = [value for value in values if value is not None]
    return [b - a for a, b in pairwise(there)] if len(there) == len(values) else []


def _spread(steps: list[float]) -> float:
    """How many times as large the largest step is as the smallest; endless if one is none."""
    return max(steps) / min(steps) if min(steps) > 0 else math.inf
