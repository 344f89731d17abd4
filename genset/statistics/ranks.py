"""Hits at each rank, and what is odd about them.

A classifier's first answer is right more often than its second, its second than its third. Where
hits fall otherwise, the table was made wrongly far more often than the model: best class last,
five classes in no order, or classes numbered in another order.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genset.statistics.intervals import wilson
from genset.statistics.mcnemar import exact_mcnemar

_SURE = 1e-4  # how unlikely chance must be before a rank is called odd

Indices = NDArray[np.int64]


def odd_ranks(hits: Sequence[int], photos: int, classes: int) -> str | None:
    """What is odd about the hits at each rank, in one sentence; None where nothing is.

    `hits` counts photos whose true class is at rank 1, 2, ...; `classes` is how many the model
    chooses among.
    """
    ranks = len(hits)
    shown = f"hits by rank: {', '.join(f'{count:,}' for count in hits)}"
    if photos == 0 or wilson(sum(hits), photos).high < min(0.5, 10 * ranks / classes):
        return f"The answers are hardly better than guesses ({shown} of {photos:,} photos)."
    if ranks == 1:
        return None
    if hits[-1] > hits[0] and _differ(hits[-1], hits[0]):
        if list(hits) == sorted(hits):
            return f"The ranks look reversed, with the best class last ({shown})."
        return f"The last rank is right more often than the first ({shown})."
    for rank in range(1, ranks):
        if hits[rank] > hits[rank - 1] and _differ(hits[rank], hits[rank - 1]):
            return f"Rank {rank + 1} is right more often than rank {rank} ({shown})."
    if sum(hits) >= 20 * ranks and not _differ(hits[0], hits[-1]):
        return f"The ranks look unordered: the first is no better than the last ({shown})."
    return None


def other_order(truth: Indices, answers: Indices, classes: int = 1000) -> str | None:
    """The order of classes under which the answers would be right far more often, in words.

    Args:
        truth: N indices of the true classes, in the sorted order of the wnids.
        answers: N indices of the first answers, in what is taken for the same order.
        classes: how many there are.

    Returns:
        A sentence, or None where no such order is known, or the answers are good as they are.
    """
    if not len(truth):
        return None
    as_text = np.array(sorted(range(classes), key=str))
    inside = np.clip(answers, 0, classes - 1)
    orders = {
        "the numbers 0 to 999 sorted as text (0, 1, 10, 100)": as_text[inside],
        "numbers that were once sorted as text (0, 1, 10, 100)": np.argsort(as_text)[inside],
        "numbers one higher, as after a background class at 0": answers - 1,
        "numbers one lower": answers + 1,
    }
    as_given = float((truth == answers).mean())
    for order, meant in orders.items():
        share = float((truth == meant).mean())
        if share > 0.1 and share > 3 * as_given:
            return f"Read as {order}, {100 * share:.1f} % of the first answers would be right."
    return None


def _differ(one: int, other: int) -> bool:
    # Each photo has its true class at one rank at most: of equal ranks, either is as likely.
    return exact_mcnemar(one, other) < _SURE
