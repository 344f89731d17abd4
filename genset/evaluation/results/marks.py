"""Which answers are right, and which photos count: by the photos' own labels, or by a truth."""

from collections.abc import Callable, Sequence
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
    has_right = np.array([bool(truth.correct_of(image)) for image in images], bool)
    right = _among(truth.correct_of, images, first)
    counted = model.answered & has_right
    if by != "real":
        unclear = _among(truth.unclear_of, images, first)
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


def _among(
    classes_of: Callable[[str], frozenset[str]], images: Sequence[str], first: Sequence[str]
) -> Bools:
    """N: whether each photo's first answer is one of its classes."""
    said = zip(images, first, strict=True)
    return np.array([answer in classes_of(image) for image, answer in said], bool)
