"""Hits at each rank, and what is odd about them.

A classifier's first answer is right more often than its second, and its second more often than its
third. Where that is not so, usually the table of answers is wrong and not the model: the best class
is last, the five classes are in no order, or classes are numbered in another order.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genset.statistics.intervals import wilson
from genset.statistics.paired import exact_mcnemar

GUESSES = "The answers are hardly better than guesses"  # so begins that sentence
_FEWEST_CLASSES = 5  # that are right in another order
_NEVER_RIGHT = 20  # photos none of which is right first
_SMALL = 0.05  # a chance to be right at any rank, with which a hit or two say nothing
_SURE = 1e-4  # how unlikely chance must be before a rank is called odd

Indices = NDArray[np.int64]


def odd_ranks(hits: Sequence[int], photos: int, classes: int) -> str | None:
    """Say what is odd about the hits at each rank.

    Args:
        hits: how many photos have their true class at rank 1, 2, and so on.
        photos: how many there are.
        classes: how many classes the model chooses from.

    Returns:
        One sentence, or None if nothing is odd.
    """
    ranks = len(hits)
    shown = f"hits by rank: {', '.join(f'{count:,}' for count in hits)}"
    found, chance = wilson(sum(hits), photos), ranks / classes
    by_chance = not any(hits) or found.low <= chance < _SMALL
    never = photos >= _NEVER_RIGHT and not hits[0] and by_chance
    if photos == 0 or never or found.high < min(0.5, 10 * chance):
        return f"{GUESSES} ({shown} of {photos:,} photos)."
    if ranks == 1:
        return None
    if hits[-1] > hits[0] and differ(hits[-1], hits[0]):
        if list(hits) == sorted(hits):
            return f"The ranks look reversed, with the best class last ({shown})."
        return f"The last rank is right more often than the first ({shown})."
    for rank in range(1, ranks):
        if hits[rank] > hits[rank - 1] and differ(hits[rank], hits[rank - 1]):
            return f"Rank {rank + 1} is right more often than rank {rank} ({shown})."
    if sum(hits) >= 20 * ranks and not differ(hits[0], hits[-1]):
        return f"The ranks look unordered: the first is no better than the last ({shown})."
    return None


def other_order(truth: Indices, answers: Indices, classes: int = 1000) -> str | None:
    """Name the order of classes with which the answers would be right far more often.

    Args:
        truth: the true class of each photo, shape (N,), int64: its place among the sorted wnids.
        answers: the first answer for each photo, shape (N,), int64, supposedly in the same order.
        classes: how many classes there are.

    Returns:
        One sentence, or None if no known order is far better than the one given.
    """
    if not len(truth):
        return None
    unchanged = truth == answers
    if 3 * unchanged.mean() >= 1:
        return None  # no order is three times as good
    as_text = np.array(sorted(range(classes), key=str))
    inside = np.clip(answers, 0, classes - 1)
    orders = {
        "the numbers 0 to 999 sorted as text (0, 1, 10, 100)": as_text[inside],
        "numbers that were once sorted as text (0, 1, 10, 100)": np.argsort(as_text)[inside],
        "numbers one higher, as after a background class at 0": answers - 1,
        "numbers one lower": answers + 1,
    }
    for order, meant in orders.items():
        right = truth == meant
        share = float(right.mean())
        # Neighbours among the classes are alike, so a few hits, or many of a few classes, may well
        # be one place off.
        gained, lost = right & ~unchanged, unchanged & ~right
        if len(np.unique(truth[gained])) < _FEWEST_CLASSES:
            continue
        many = share > 0.1 and share > 3 * unchanged.mean()
        if many and differ(int(gained.sum()), int(lost.sum())):
            return f"Read as {order}, {100 * share:.1f} % of the first answers would be right."
    return None


def differ(one: int, other: int) -> bool:
    """Whether two ranks are surely not right equally often, by their hits."""
    # A photo's true class is at one rank at most. If two ranks are equally good, it is at either
    # with the same probability, as in McNemar's test.
    return exact_mcnemar(one, other) < _SURE
