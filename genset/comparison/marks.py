"""Which answers are right, and which photos count: by the photos' own labels, or by a truth."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.score.results.results import ModelAnswers, Results
from genset.sets.truths.truth import By, Truth

Bools = NDArray[np.bool_]


class Marks(NamedTuple):
    """A model's first answers to N photos, marked.

    Attributes:
        right: N: whether it is right, where it counts; of several models' mean from 0 to 1.
        counted: N: whether the photo counts for the model.
    """

    right: NDArray[Any]
    counted: Bools


def mark(results: Results, model: ModelAnswers, by: By = "original", k: int = 1) -> Marks:
    """Mark a model's first answers; by the original labels, its first `k`.

    Raises:
        BadInput: the set has no truth, and more than the original labels is asked for.
    """
    if by == "original":
        return Marks(results.right(model, k), model.answered)
    truth = truth_of(results)
    correct = _classes(results, "correct")
    right = correct.have(model)
    counted = model.answered & correct.any
    if by != "real" and truth.unclear:
        unclear = _classes(results, "unclear").have(model)
        if by == "multilabel":
            right = right | unclear
        else:
            counted = counted & ~unclear
    return Marks(right & counted, counted)


def mean_of(marks: Sequence[Marks]) -> Marks:
    """The mean of several models, one at least, on the photos that count for all of them."""
    counted = np.logical_and.reduce([of_model.counted for of_model in marks])
    return Marks(np.mean([of_model.right for of_model in marks], axis=0) * counted, counted)


def truth_of(results: Results) -> Truth:
    """The truth of the set.

    Raises:
        BadInput: it has none.
    """
    if (truth := results.photos.truth) is None:
        raise BadInput(
            f"{results.photos.name} has no multi-label truth: give one with genset evaluate SET "
            "--multilabel FILE"
        )
    return truth


class _Classes(NamedTuple):
    """The classes of N photos, as a truth has them.

    Attributes:
        any: N: whether the photo has one.
        keys: of each photo and class, its place times the number of names, plus the class's number.
    """

    any: Bools
    keys: NDArray[np.int64]
    names: int

    def have(self, model: ModelAnswers) -> Bools:
        """N: whether the model's first answer is one of the photo's classes."""
        keys = np.arange(len(self.any)) * self.names + model.answers[:, 0]
        return np.isin(keys, self.keys)


def _classes(results: Results, part: str) -> _Classes:
    """The classes that are right for each photo ("correct"), or may be ("unclear")."""
    if (classes := results.cache.get(part)) is None:
        classes = results.cache[part] = _look_up(results, getattr(truth_of(results), part))
    found: _Classes = classes
    return found


def _look_up(results: Results, of: Mapping[str, frozenset[str]]) -> _Classes:
    number_of = {name: number for number, name in enumerate(results.names.tolist())}
    classes = [of.get(image, ()) for image in results.photos.ids]
    names = len(number_of)
    keys = [
        place * names + number_of[wnid]
        for place, wnids in enumerate(classes)
        for wnid in wnids
        if wnid in number_of  # else no model says so
    ]
    return _Classes(np.array(list(map(bool, classes)), bool), np.array(keys, np.int64), names)


NEARLY_ALL = 0.99
"""The least share, of the photos that any model answered, of a model that is ranked."""


def nearly_all(answered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which models answered nearly all of the photos that any of them answered.

    An accuracy of another model is one on other photos, perhaps on the easy ones: it is set beside
    no other accuracy, and enters no mean and no fit. Two models are still compared on the photos
    that both answered.

    Photos that no model answered count against none. Where models answered different photos, it
    may be that none of them answered nearly all.

    Args:
        answered: N x K: whether a photo is counted for a model.

    Returns:
        K.
    """
    found: NDArray[np.bool_] = answered.sum(axis=0) >= NEARLY_ALL * answered.any(axis=1).sum()
    return found


def answered_in_part(results: Results) -> tuple[ModelAnswers, ...]:
    """The models that did not answer nearly all photos, in the results' order.

    Args:
        results: the models, side by side on one set.
    """
    if not results.models:
        return ()
    whole = nearly_all(np.stack([model.answered for model in results.models], axis=1))
    return tuple(
        model for model, is_whole in zip(results.models, whole, strict=True) if not is_whole
    )


def whole_first(results: Results) -> Results:
    """The same, with models that answered in part behind all others: they are in no order.

    Args:
        results: the models, side by side on one set.
    """
    part = {model.label for model in answered_in_part(results)}
    models = sorted(results.models, key=lambda model: model.label in part)
    return replace(results, models=tuple(models))


_FEWEST_EQUAL = 50  # photos: on fewer, two good models may well give the same answers


def copies(models: Sequence[ModelAnswers]) -> tuple[str, ...]:
    """Which models gave equal answers, with equal scores, in words: a group of them in each."""
    alike: dict[str, list[str]] = {}
    for model in models:
        digest = hashlib.sha256(f"{model.answers.shape}".encode())
        for array in (model.answered, model.answers, model.confidence):
            digest.update(np.ascontiguousarray(array).data)
        if model.answered.sum() >= _FEWEST_EQUAL:
            alike.setdefault(digest.hexdigest(), []).append(clean(model.label, 60))
    return tuple(
        f"{', '.join(labels)}: equal answers and scores on every photo, as copies of one model have"
        for labels in alike.values()
        if len(labels) > 1
    )
