"""Accuracies on two groups of photos, over the classes that both have, and their difference.

Two sources rarely have the same classes, or as many photos of each. Their plain accuracies then
differ even for a model that does equally well on both. So only the classes that both groups have
count, and each of them counts once: a group's accuracy is the mean of its classes' accuracies. Each
draw takes whole classes with all of their photos, the same for both groups, as in
`genset.statistics.bootstrap`; so the difference is paired by class.

Resampling tells little where nearly all classes have the same value: where a model has every photo
right, each draw gives 100 %, and the interval would be 100 to 100 %. As with McNemar's test, what
counts is how many classes deviate. A mean has an interval only if at least `FEWEST` classes have
another value than the commonest one; below that, these photos cannot tell.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genset.statistics.bootstrap import Floats, Resampling, class_sums, intervals
from genset.statistics.intervals import Interval

FEWEST = 5
_DIGITS = 12  # to which equal values are equal: 2/3 - 1/3 and 1/3 - 0

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over classes, and its 95 % interval of classes resampled."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Matched:
    """A model on two groups of photos, over the classes in which it is counted in both.

    Attributes:
        classes: how many these are.
        photos: of these classes, in the first and the second group.
        first, second: the accuracies, 0 to 1; None where the classes cannot tell.
        difference: the second less the first, -1 to 1; None where the classes cannot tell.
    """

    classes: int
    photos: tuple[int, int]
    first: Mean | None
    second: Mean | None
    difference: Mean | None


def match(
    classes: NDArray[np.int64], right: Floats, counted: Bools, second: Bools, resampling: Resampling
) -> list[Matched]:
    """Compare each model's accuracies on two groups of photos.

    Args:
        classes: the class of each photo of either group, shape (N,), int64, from 0 to C - 1.
        right: how right each of K models is on each photo, shape (N, K), 0 or 1; between them for
            the mean of several models.
        counted: whether the photo counts for the model, shape (N, K); 0 in `right` if not.
        second: whether the photo is of the second group, shape (N,).
        resampling: how classes are drawn; the same for all models that have the same classes.

    Returns:
        K results, in the order of the columns.
    """
    sides = [counted & side[:, None] for side in (~second, second)]
    photos = np.stack([class_sums(classes, side) for side in sides])
    hits = np.stack([class_sums(classes, right * side) for side in sides])
    shared = (photos > 0).all(axis=0)
    found: dict[int, Matched] = {}
    # Models that count in the same classes are drawn at once; mostly these are all of them.
    for mask in np.unique(shared, axis=1).T:
        models = np.flatnonzero((shared == mask[:, None]).all(axis=0))
        over, under = hits[:, mask][:, :, models], photos[:, mask][:, :, models]
        found |= zip(models.tolist(), _matched(over, under, resampling), strict=True)
    return [found[model] for model in range(right.shape[1])]


def _matched(hits: Floats, photos: Floats, resampling: Resampling) -> list[Matched]:
    """Each model's result from its sums by side and class: 2 x C x K, no class without a photo."""
    _, count, models = hits.shape
    if not count:
        return [Matched(0, (0, 0), None, None, None)] * models
    shares = hits / photos
    values = np.hstack([*shares, shares[1] - shares[0]])
    drawn = resampling.ratios_of_sums(values, np.ones_like(values))
    places = np.split(np.arange(3 * models), 3)
    ends = intervals(drawn, count)
    means = [
        Mean(float(column.mean()), pair) if _deviating(column) >= FEWEST else None
        for column, pair in zip(values.T, ends, strict=True)
    ]
    first, second = photos.sum(axis=1).astype(int).tolist()
    return [
        Matched(count, (first[model], second[model]), *(means[place[model]] for place in places))
        for model in range(models)
    ]


def _deviating(values: Floats) -> int:
    """How many values are not the commonest one."""
    _, counts = np.unique(values.round(_DIGITS), return_counts=True)
    return len(values) - int(counts.max())
