"""Models' places among the published weights, on a set whose accuracies timm publishes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genset.comparison.references.find import weights_of
from genset.comparison.references.published import (
    PublishedWeights,
    one_a_weights,
    places,
    published,
)
from genset.score.results.results import ModelAnswers
from genset.score.results.runs import Accuracy, Run


@dataclass(frozen=True, slots=True)
class PlaceAmong:
    """A model's place by accuracy here among published weights: 1 is the best.

    `best` and `worst` are its places at the ends of Wilson's 95 % interval of its accuracy.
    `of` is how many are ranked, with the model itself. `published` is its own weights' accuracy
    here as published, 0 to 1; None where they are not.
    """

    label: str
    accuracy: float
    place: int
    best: int
    worst: int
    of: int
    published: float | None


def places_among(models: Sequence[ModelAnswers], column: str) -> tuple[PlaceAmong, ...]:
    """Each model among the published weights, itself left out where it is one of them."""
    return tuple(_place(model.run, model.label, column) for model in models)


def _place(run: Run, label: str, column: str) -> PlaceAmong:
    same = _published_as(run)
    others = [
        weight.top1[column]
        for weight in one_a_weights()
        if same is None or weight.weights != same.weights
    ]
    accuracy = run.top1
    return PlaceAmong(
        label=label,
        accuracy=accuracy.share,
        place=places(others, accuracy.share),
        best=places(others, accuracy.high),
        worst=places(others, _just_below(accuracy)),
        of=len(others) + 1,
        published=same.top1.get(column) if same else None,
    )


def _just_below(accuracy: Accuracy) -> float:
    """The lower end; one that equals a published accuracy must count that one as better."""
    return float(np.nextafter(accuracy.low, -1))


def _published_as(run: Run) -> PublishedWeights | None:
    """The published row of a run's own weights at its image size, if there is one."""
    name = weights_of(run)
    if not name.full or name.changed:
        return None
    rows = [
        row
        for row in published()
        if row.weights == name.full or (row.is_default and row.architecture == name.full)
    ]
    fits = [row for row in rows if name.pixels in (None, row.pixels)]
    return fits[0] if len(fits) == 1 else None
