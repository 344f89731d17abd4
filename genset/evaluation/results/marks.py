"""Which answers are right, and which photos count: by the photos' own labels, or by a truth."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.errors import BadInput
from genset.evaluation.data.truths.truth import By, Truth
from genset.evaluation.results.results import Results, Scored

Bools = NDArray[np.bool_]


class Marks(NamedTuple):
    """A model's first answers to N photos, marked.

    Attributes:
        right: N: whether it is right, where it counts.
        counted: N: whether the photo counts for the model.
    """

    right: Bools
    counted: Bools


def mark(results: Results, model: Scored, by: By = "original") -> Marks:
    """Mark a model's first answers.

    Raises:
        BadInput: the set has no truth, and more than the original labels is asked for.
    """
    if by == "original":
        return Marks(results.right(model), model.answered)
    truth = truth_of(results)
    images, first = results.photos.ids, model.ranked[:, 0].tolist()
    correct = _sets(truth.correct, images)
    right = _among(correct, first)
    counted = model.answered & np.array(list(map(bool, correct)), bool)
    if by != "real" and truth.unclear:
        unclear = _among(_sets(truth.unclear, images), first)
        if by == "multilabel":
            right = right | unclear
        else:
            counted = counted & ~unclear
    return Marks(right & counted, counted)


def truth_of(results: Results) -> Truth:
    """The truth of the set.

    Raises:
        BadInput: it has none.
    """
    if (truth := results.photos.truth) is None:
        raise BadInput(
            f"it is not known of {results.photos.name} which classes its photos show beside their "
            "own: say so with genset evaluate SET --multilabel FILE"
        )
    return truth


def _sets(of: Mapping[str, frozenset[str]], images: Sequence[str]) -> list[frozenset[str]]:
    """The classes of each photo."""
    none: frozenset[str] = frozenset()
    return [of.get(image, none) for image in images]


def _among(classes: Sequence[frozenset[str]], first: Sequence[str]) -> Bools:
    """N: whether each photo's first answer is one of its classes."""
    return np.array([said in each for said, each in zip(first, classes, strict=True)], bool)
