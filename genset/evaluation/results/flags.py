"""Flags: answers of a model that as a whole cannot be right, and what to do about each.

A flagged model says nothing of the set. It is usually a table of answers that is wrong: in another
order, of other classes, of one class, or of no numbers. In a fit or an order of models it would
change what is said of all the others, so a report leaves it out and shows it apart.

`sanity_checks` makes remarks, which are milder: they stand beside a number that counts.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genset.evaluation.results.arrays import Names, Numbers
from genset.evaluation.results.sanity_checks import hits_by_place
from genset.statistics.intervals import wilson
from genset.statistics.ranks import GUESSES, odd_ranks, other_order
from genset.taxonomy import imagenet1k

_FEWEST = 20  # photos, of fewer of which nothing is constant
_NEARLY_ALL = 0.95  # of the answers are one class
_OWN = 0.5  # of the photos may be of that class, and the answers not be odd


def flags_of(
    truth: Numbers,
    ranked: Numbers,
    names: Names,
    classes: int,
    probabilities: NDArray[np.float64] | None = None,
) -> tuple[str, ...]:
    """Why a model is flagged, and what to do: a few sentences for each reason. Mostly none.

    Args:
        truth: the class's number of each photo that it answered, shape (N,).
        ranked: its answers, shape (N, k), the best first; 0 for an answer that is no class.
        names: which numbers stand for which classes.
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
        or _constant(truth, ranked[:, 0], names)
        or _guesses(hits, len(truth), classes)
    )
    return (*found, said) if said else tuple(found)


def _other_order(truth: Numbers, first: Numbers) -> str:
    """Classes are numbered in another order."""
    count = len(imagenet1k())
    of_imagenet = truth <= count  # numbers are places among ImageNet's classes, from 1
    said = other_order(_places(truth[of_imagenet]), _places(first[of_imagenet]), count)
    return f"{said} Write the answers by the sorted wnids, and score it again." if said else ""


def _places(numbers: Numbers) -> NDArray[np.int64]:
    """The places among ImageNet's classes; -2, next to none of them, for any other answer."""
    of_imagenet = (numbers > 0) & (numbers <= len(imagenet1k()))
    return np.where(of_imagenet, numbers.astype(np.int64) - 1, -2)


def _odd_ranks(hits: Sequence[int], photos: int, classes: int) -> str:
    """A later answer is right more often than an earlier one."""
    said = odd_ranks(hits, photos, classes)
    if not said or said.startswith(GUESSES):
        return ""
    return f"{said} Write each photo's answers with the best class first, and score it again."


def _constant(truth: Numbers, first: Numbers, names: Names) -> str:
    """Of a set of several classes, nearly all answers are one class."""
    counts = np.bincount(first)
    answer, times = int(counts.argmax()), int(counts.max())
    own = int((truth == answer).sum())
    if len(truth) < _FEWEST or times < _NEARLY_ALL * len(truth) or own > _OWN * times:
        return ""
    if len(np.unique(truth)) == 1:
        return ""  # photos of one class may well be taken for another one
    named = names.name(answer) or "none"
    return (
        f"{times:,} of {len(truth):,} first answers are one class ({named}), as where "
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
