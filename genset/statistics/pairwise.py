"""All pairs of many models at once: counts, tests and intervals, by products of matrices.

67 models are 2,211 pairs. What a pair needs of the photos are sums over them: of photos that both
have right, and of its classes' squared deviations. These are products of the models' hits with each
other, so that photos are gone through once for all pairs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.statistics.bootstrap import class_sums
from genset.statistics.clusters import Floats, design_effects
from genset.statistics.paired import paired_tests

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pairwise:
    """K pairs of models, in the order of `itertools.combinations`, without those of no photo.

    Attributes:
        first, second: their numbers, shape (K,), int64.
        photos: how many count for both, shape (K,), int64.
        classes: of how many classes these are, shape (K,), int64.
        both: photos that both have right, shape (K,), int64.
        only_first, only_second: photos that one alone has right, shape (K,), int64.
        effect: the design effect of the difference, shape (K,), float64.
        freedom: degrees of freedom (`genset.statistics.clusters`), shape (K,), float64.
        p_value: of McNemar's exact test on the photos that these are worth, shape (K,), float64.
        low, high: the ends of the 95 % interval of the first's accuracy less the second's, -1 to 1,
            shape (K,), float64.
    """

    first: Ints
    second: Ints
    photos: Ints
    classes: Ints
    both: Ints
    only_first: Ints
    only_second: Ints
    effect: Floats
    freedom: Floats
    p_value: Floats
    low: Floats
    high: Floats

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Each pair's numbers, in the order of the attributes."""
        return zip(*(getattr(self, name).tolist() for name in self.__slots__), strict=True)


def pairwise(right: Bools, counted: Bools, classes: Ints) -> Pairwise:
    """Compare every two models on the photos that count for both.

    Args:
        right: whether each photo is right, shape (N, M), where it counts.
        counted: whether it counts for the model, shape (N, M).
        classes: the class of each photo, shape (N,), from 0 on. A number for each photo where
            classes are fixed, and only photos could have been others.
    """
    table = np.concatenate([np.empty((0, 12)), *_blocks(right, counted, classes)])
    rows = table[np.lexsort((table[:, 1], table[:, 0]))].T
    numbers = rows[:7].astype(np.int64)
    return Pairwise(*numbers, *rows[7:])


def _blocks(right: Bools, counted: Bools, classes: Ints) -> Iterator[Floats]:
    """The rows of every two groups of models. Mostly all count the same photos, and it is one."""
    groups: dict[bytes, list[int]] = {}
    for model in range(right.shape[1]):
        groups.setdefault(counted[:, model].tobytes(), []).append(model)
    for rows, columns in combinations_with_replacement(groups.values(), 2):
        common = counted[:, rows[0]] & counted[:, columns[0]]
        models = np.array(rows if rows is columns else [*rows, *columns])
        if len(models) < 2 or not common.any():
            continue
        first, second = np.triu_indices(len(models), 1)
        if rows is not columns:
            across = (first < len(rows)) & (second >= len(rows))
            first, second = first[across], second[across]
        # Each pair once, with the model of the lower number first.
        swapped = models[first] > models[second]
        first, second = np.where(swapped, second, first), np.where(swapped, first, second)
        yield _compared(right[common][:, models], classes[common], models, first, second)


def _compared(right: Bools, classes: Ints, models: Ints, first: Ints, second: Ints) -> Floats:
    """The rows of these pairs, all on the same photos: the columns are those of `Pairwise`."""
    hits = right.astype(np.float32)  # in which counts of photos are exact
    shared = (hits.T @ hits).astype(float)
    photos, total, both = len(right), shared.diagonal(), shared[first, second]
    only_first, only_second = total[first] - both, total[second] - both
    sizes = np.bincount(classes).astype(float)
    sums = class_sums(classes, right)
    apart = sums - np.outer(sizes, sums.sum(axis=0) / photos)
    products = apart.T @ apart
    squares = products.diagonal()[first] + products.diagonal()[second] - 2 * products[first, second]
    difference = (only_first - only_second) / photos
    independent = only_first + only_second - photos * difference**2
    varied = np.array(
        [(sums[:, a] != sums[:, b]).sum() for a, b in zip(first, second, strict=True)], float
    )
    effects = design_effects(squares, independent, varied, sizes)
    ends = paired_tests(only_first, only_second, np.full(len(first), float(photos)), *effects)
    count = np.full(len(first), (sizes > 0).sum())
    freedom = np.full(len(first), effects.freedom)
    of_photos = (np.full(len(first), photos), count, both, only_first, only_second)
    return np.column_stack(
        [models[first], models[second], *of_photos, effects.sizes, freedom, *ends]
    )
