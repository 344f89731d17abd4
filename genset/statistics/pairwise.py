"""All pairs of many models at once: counts and intervals of differences, by products of matrices.

67 models are 2,211 pairs. What a pair needs of the photos are sums over them: of photos that both
have right, and, in each draw of classes, of hits. These are products of the models' hits with each
other and with the draws, so that photos are gone through once for all pairs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genset.statistics.bootstrap import STANDARD, Floats, Resampling, class_sums, interval_ends
from genset.statistics.paired import paired_intervals

_AT_ONCE = 512  # columns of sums, which in 10,000 draws are 40 MB

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
        low, high: the ends of the 95 % interval of the first's accuracy less the second's, -1 to 1,
            shape (K,), float64.
        spread: the standard deviation of that difference over the draws of classes, shape (K,),
            float64.
    """

    first: Ints
    second: Ints
    photos: Ints
    classes: Ints
    both: Ints
    only_first: Ints
    only_second: Ints
    low: Floats
    high: Floats
    spread: Floats


def pairwise(
    right: Bools, counted: Bools, classes: Ints, clusters: int, resampling: Resampling = STANDARD
) -> Pairwise:
    """Compare every two models on the photos that count for both.

    Args:
        right: whether each photo is right, shape (N, M), where it counts.
        counted: whether it counts for the model, shape (N, M).
        classes: the class of each photo, shape (N,), from 0 on.
        clusters: how many classes there are.
        resampling: how they are resampled.
    """
    hits = right.astype(np.float32)  # in which counts of photos are exact
    both = hits.T @ hits
    if counted.all():
        photos = np.full_like(both, len(right))
        alone = hits.sum(axis=0)[:, None] - both
    else:
        counts = counted.astype(np.float32)
        photos, alone = counts.T @ counts, hits.T @ counts - both
    drawn = _drawn(right, counted, classes, clusters, resampling)
    first, second = np.triu_indices(right.shape[1], 1)
    some = photos[first, second] > 0
    first, second = first[some], second[some]
    only = alone[first, second], alone[second, first]
    ends = drawn.low[first, second], drawn.high[first, second]
    low, high = paired_intervals(*only, photos[first, second], resampled=ends)
    return Pairwise(
        first=first,
        second=second,
        photos=photos[first, second].astype(np.int64),
        classes=drawn.classes[first, second].astype(np.int64),
        both=both[first, second].astype(np.int64),
        only_first=only[0].astype(np.int64),
        only_second=only[1].astype(np.int64),
        low=low,
        high=high,
        spread=drawn.spread[first, second],
    )


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The ends and the spread of each difference over the draws, M x M: row less column.

    `classes` is how many the photos of both are of.
    """

    low: Floats
    high: Floats
    spread: Floats
    classes: Floats


@dataclass(frozen=True, slots=True)
class _Block:
    """Models that count the same photos, and others that do: the photos that all of them count.

    `sums` has the hits of these models in each class, and in its last column the photos.
    """

    rows: Sequence[int]
    columns: Sequence[int]
    sums: Floats


def _drawn(
    right: Bools, counted: Bools, classes: Ints, clusters: int, resampling: Resampling
) -> _Drawn:
    count = right.shape[1]
    found = _Drawn(*(np.full((count, count), np.nan) for _ in range(4)))
    waiting: list[_Block] = []
    for block in _blocks(right, counted, classes, clusters):
        waiting.append(block)
        if sum(block.sums.shape[1] for block in waiting) >= _AT_ONCE:
            _take(found, waiting, resampling)
            waiting = []
    _take(found, waiting, resampling)
    return found


def _blocks(right: Bools, counted: Bools, classes: Ints, clusters: int) -> Iterator[_Block]:
    """One for every two groups of models. Mostly all count the same photos, and it is one."""
    groups: dict[bytes, list[int]] = {}
    for model in range(right.shape[1]):
        groups.setdefault(counted[:, model].tobytes(), []).append(model)
    listed = list(groups.values())
    for place, rows in enumerate(listed):
        for columns in listed[place:]:
            common = counted[:, rows[0]] & counted[:, columns[0]]
            models = rows if rows is columns else [*rows, *columns]
            if len(models) < 2 or not common.any():
                continue
            sums = np.zeros((clusters, len(models) + 1))
            hits = class_sums(classes[common], right[common][:, models])
            sums[: len(hits), :-1] = hits
            sums[: len(hits), -1] = np.bincount(classes[common])
            yield _Block(rows, columns, sums)


def _take(found: _Drawn, blocks: Sequence[_Block], resampling: Resampling) -> None:
    """Draw the sums of these blocks, and put down what follows for each pair."""
    if not blocks:
        return
    drawn = resampling.sums(np.hstack([block.sums for block in blocks]))
    start = 0
    for block in blocks:
        part = drawn[start : start + block.sums.shape[1]]
        start += len(part)
        _put(found, block, part)


def _put(found: _Drawn, block: _Block, drawn: Floats) -> None:
    hits, photos = drawn[:-1], drawn[-1]
    is_one = block.rows is block.columns
    clusters = int((block.sums[:, -1] > 0).sum())  # of the other classes no photo counts
    others = hits if is_one else hits[len(block.rows) :]
    for row, model in enumerate(block.rows):
        after = row + 1 if is_one else 0
        if after == len(others):
            continue
        with np.errstate(invalid="ignore", divide="ignore"):
            differences = (hits[row] - others[after:]) / photos
        low, high = interval_ends(differences, clusters, 0.95, (-1.0, 1.0))
        spread = _spread(differences)
        columns = np.array(block.columns[after:])
        found.low[model, columns], found.high[model, columns] = low, high
        found.low[columns, model], found.high[columns, model] = -high, -low
        found.spread[model, columns] = found.spread[columns, model] = spread
        found.classes[model, columns] = found.classes[columns, model] = clusters


def _spread(values: Floats) -> Floats:
    """The standard deviation of each row; NaN is ignored."""
    if np.isnan(values).any():
        ignored: Floats = np.nanstd(values, axis=1)
        return ignored
    mean = values.mean(axis=1)
    squares = np.einsum("ij,ij->i", values, values) / values.shape[1]
    spread: Floats = np.sqrt(np.maximum(0.0, squares - mean**2))
    return spread
