"""Flags: answers of a model that as a whole cannot be right, and what to do about each.

A flagged model says nothing of the set. It is usually a table of answers that is wrong: in another
order, of other classes, of one class, or of no numbers. In a fit or an order of models it would
change what is said of all the others, so a report leaves it out and shows it apart.

`sanity_checks` makes remarks, which are milder: they stand beside a number that counts.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from genset.evaluation.results.sanity_checks import hits_by_place
from genset.statistics.intervals import wilson
from genset.statistics.ranks import GUESSES, odd_ranks, other_order
from genset.taxonomy import imagenet1k

_FEWEST = 20  # photos, of fewer of which nothing is constant
_NEARLY_ALL = 0.95  # of the answers are one class
_OWN = 0.5  # of the photos may be of that class, and the answers not be odd


def flags_of(
    truth: NDArray[np.str_],
    ranked: NDArray[np.str_],
    classes: int,
    probabilities: NDArray[np.float64] | None = None,
) -> tuple[str, ...]:
    """Why a model is flagged, and what to do: a few sentences for each reason. Mostly none.

    Args:
        truth: the wnid of each photo that it answered, shape (N,).
        ranked: its answers, shape (N, k), the best first; "" for an answer that is no class.
        classes: how many it chooses among.
        probabilities: of its first answers, shape (N,); None where they are not known.
    """
    if not len(truth):
        return ()
    found = []
    if probabilities is not None and (broken := int((~np.isfinite(probabilities)).sum())):
        found.append(
            f"The probability of {broken:,} of {len(truth):,} answers is no number. Look for NaN "
            "in the weights or, in half precision, for an overflow, and score it again."
        )
    # One of these explains the others: the most particular one is said.
    hits = hits_by_place(truth, ranked)
    said = (
        _other_order(truth, ranked[:, 0])
        or _odd_ranks(hits, len(truth), classes)
        or _constant(truth, ranked[:, 0])
        or _guesses(hits, len(truth), classes)
    )
    return (*found, said) if said else tuple(found)


def _other_order(truth: NDArray[np.str_], first: NDArray[np.str_]) -> str:
    """Classes are numbered in another order."""
    said = other_order(*_places(truth, first), len(_index()))
    return f"{said} Write the answers by the sorted wnids, and score it again." if said else ""


def _odd_ranks(hits: Sequence[int], photos: int, classes: int) -> str:
    """A later answer is right more often than an earlier one."""
    said = odd_ranks(hits, photos, classes)
    if not said or said.startswith(GUESSES):
        return ""
    return f"{said} Write each photo's answers with the best class first, and score it again."


def _constant(truth: NDArray[np.str_], first: NDArray[np.str_]) -> str:
    """Of a set of several classes, nearly all answers are one class."""
    ((answer, times),) = Counter(first.tolist()).most_common(1)
    own = int((truth == answer).sum())
    if len(truth) < _FEWEST or times < _NEARLY_ALL * len(truth) or own > _OWN * times:
        return ""
    if len(np.unique(truth)) == 1:
        return ""  # photos of one class may well be taken for another one
    return (
        f"{times:,} of {len(truth):,} first answers are one class ({answer or 'none'}), as where "
        "weights were not loaded or logits are NaN. Check the checkpoint and its preprocessing, "
        "and score it again."
    )


def _guesses(hits: Sequence[int], photos: int, classes: int) -> str:
    """Not surely better than guesses. A weak model on a hard set is, if only by a little."""
    said = odd_ranks(hits, photos, classes)
    if not said or not said.startswith(GUESSES):
        return ""
    if wilson(sum(hits), photos).low > len(hits) / classes:
        return ""
    return f"{said} Check the order of classes and of photos, and the weights; then score it again."


def _places(
    truth: NDArray[np.str_], first: NDArray[np.str_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of ImageNet's wnids among its classes, for the photos of these classes."""
    index = _index()
    true = np.array([index.get(wnid, -1) for wnid in truth.tolist()])
    said = np.array([index.get(wnid, -2) for wnid in first.tolist()])
    return true[true >= 0], said[true >= 0]


@cache
def _index() -> dict[str, int]:
    return {each.wnid: each.index for each in imagenet1k()}
