"""Flags: answers of a model that as a whole cannot be right, and what to do about each.

A flagged model says nothing of the set. It is usually a table of answers that is wrong: in another
order, of other classes, of one class, or of no numbers. In a fit or an order of models it would
change what is said of all the others, so a report leaves it out and shows it apart.

`sanity_checks` makes remarks, which are milder: they stand beside a number that counts.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.score.results.arrays import Names, Numbers
from genset.score.results.runs import Prediction
from genset.statistics.intervals import wilson
from genset.statistics.ranks import GUESSES, differ, odd_ranks, other_order


def hits_by_rank(predictions: Sequence[Prediction]) -> list[int]:
    """How many photos have their true class at rank 1, 2, ..., as many ranks as are kept."""
    hits = [0] * (len(predictions[0].top) if predictions else 0)
    for prediction in predictions:
        if prediction.wnid in prediction.top:
            hits[prediction.top.index(prediction.wnid)] += 1
    return hits


def sanity_checks(predictions: Sequence[Prediction], classes: int) -> list[str]:
    """What the hits at each rank give away; nothing for most models.

    `classes` is how many the model chooses among.
    """
    place = {cls.wnid: cls.index for cls in imagenet1k()}
    of_imagenet = [prediction for prediction in predictions if prediction.wnid in place]
    truth = np.array([place[prediction.wnid] for prediction in of_imagenet])
    first = np.array([place.get(prediction.top[0], -2) for prediction in of_imagenet])
    found = (
        odd_ranks(hits_by_rank(predictions), len(predictions), classes),
        other_order(truth, first, len(place)),
    )
    return [sentence for sentence in found if sentence]


_FEWEST, _FEWEST_CLASSES = 20, 5  # photos and their classes that flag wrong answers
_PLAINLY_RIGHT = 0.6  # of the first answers
_NEARLY_ALL = 0.95  # of the answers are one class
_TIMES = 3.5  # as often right as any other rank: no second answer is, however photos were chosen
_SECOND = 2 / 3  # of photos that a first answer has wrong: no second answer is right on so many
_MANY_CLASSES = 500  # among few classes a second answer is easily right
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
    if (truth == ranked[:, 0]).mean() > _PLAINLY_RIGHT:
        return tuple(found)  # which all that follows rules out, and takes longer to
    hits: list[int] = (ranked == truth[:, None]).sum(axis=0).tolist()
    # One of these explains the others: the most particular one is said.
    problem = (
        _other_order(truth, ranked[:, 0])
        or _odd_ranks(hits, len(truth), classes)
        or _constant(truth, ranked[:, 0], names)
        or _guesses(truth, hits, classes)
    )
    return (*found, problem) if problem else tuple(found)


def _other_order(truth: Numbers, first: Numbers) -> str:
    """Classes are numbered in another order."""
    if 3 * (truth == first).mean() >= 1:
        return ""  # no other order is three times as good
    count = len(imagenet1k())
    of_imagenet = truth <= count  # numbers are places among ImageNet's classes, from 1
    problem = other_order(_places(truth[of_imagenet]), _places(first[of_imagenet]), count)
    return (
        f"{problem} Write the answers by the sorted wnids, and score it again." if problem else ""
    )


def _places(numbers: Numbers) -> NDArray[np.int64]:
    """The places among ImageNet's classes; -2, next to none of them, for any other answer."""
    of_imagenet = (numbers > 0) & (numbers <= len(imagenet1k()))
    return np.where(of_imagenet, numbers.astype(np.int64) - 1, -2)


def _odd_ranks(hits: Sequence[int], photos: int, classes: int) -> str:
    """The best class is not first, or the classes are in no order.

    Photos may have been chosen because models got them wrong, as ImageNet-A's were. Then a first
    answer is seldom right, and the second one is the best: that is odd, and no error. What tells
    the two apart is by how much. `docs/statistics.md` has the figures of real models.
    """
    problem = odd_ranks(hits, photos, classes)
    if not problem or problem.startswith(GUESSES) or len(hits) < 2:
        return ""
    in_no_order = not differ(max(hits), min(hits)) and 2 * sum(hits) >= photos
    if not in_no_order and not _at_another_rank(hits, photos, classes):
        return ""
    return f"{problem} Write each photo's answers with the best class first, and score it again."


def _at_another_rank(hits: Sequence[int], photos: int, classes: int) -> bool:
    """Whether a model's first answers stand at another rank, such as the last or the second."""
    if not differ(max(hits), hits[0]):
        return False
    if len(hits) == 2:
        return hits[1] > _SECOND * (photos - hits[0])
    if hits[-1] == max(hits):
        return True
    if classes < _MANY_CLASSES:
        return False
    *_, other, most = sorted(hits)
    # Surely so many times: by the lower end of the interval of its share of both.
    return wilson(most, most + other).low > _TIMES / (1 + _TIMES)


def _constant(truth: Numbers, first: Numbers, names: Names) -> str:
    """Of a set of several classes, nearly all answers are one class."""
    counts = np.bincount(first)
    answer, times = int(counts.argmax()), int(counts.max())
    photos = int((truth == answer).sum())
    if times < _NEARLY_ALL * len(truth) or photos > _OWN * times or _are_few(truth):
        return ""
    named = names.name(answer) or "none"
    return (
        f"{times:,} of {len(truth):,} first answers are one class ({named}), as where "
        "weights were not loaded or logits are NaN. Check the checkpoint and its preprocessing, "
        "and score it again."
    )


def _guesses(truth: Numbers, hits: Sequence[int], classes: int) -> str:
    """As good as guesses. A weak model is a little better, one that photos were chosen by worse."""
    problem = odd_ranks(hits, len(truth), classes)
    if not problem or not problem.startswith(GUESSES) or _are_few(truth):
        return ""
    low, high = wilson(sum(hits), len(truth))
    if not low <= len(hits) / classes <= high:
        return ""
    return (
        f"{problem} Check the order of classes and of photos, and the weights; then score it again."
    )


def _are_few(truth: Numbers) -> bool:
    """Whether these are few photos, or of few classes: all may be taken for one other class."""
    return len(truth) < _FEWEST or len(np.unique(truth)) < _FEWEST_CLASSES
