"""Draws of whole classes, which all who ask for the same numbers share."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

_AT_ONCE = 500  # draws
_MOST_STORED = 2 * 10**7  # weights, which are 80 MB: 10,000 draws of 2,000 classes
_EXACT = 2**24  # up to here whole numbers are exact in four bytes

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]


def redrawn_sums(seed: int, draws: int, of_classes: Floats) -> Floats:
    """`Resampling.sums`."""
    count, columns = of_classes.shape
    # Counts of photos are exact in four bytes, which are multiplied twice as fast.
    are_counts = bool((of_classes == np.rint(of_classes)).all())
    are_counts = are_counts and count * np.abs(of_classes).max(initial=0) < _EXACT
    table = of_classes.astype(np.float32 if are_counts else np.float64).T
    drawn = np.empty((columns, draws))
    start = 0
    for weights in _weights(seed, draws, count):
        part = slice(start, start := start + len(weights))
        drawn[:, part] = table @ weights.astype(table.dtype, copy=False).T
    return drawn


def class_sums(classes: NDArray[np.int64], values: ArrayLike) -> Floats:
    """Sum values by class.

    Args:
        classes: the class of each photo, shape (N,), int64, from 0 to C - 1.
        values: shape (N, K), bool, int or float.

    Returns:
        The sums, shape (C, K), float64.
    """
    table = np.asarray(values, dtype=np.float64)
    count = int(classes.max(initial=-1)) + 1
    columns = [np.bincount(classes, weights=column, minlength=count) for column in table.T]
    return np.stack(columns, axis=1) if columns else np.empty((count, 0))


def _weights(seed: int, draws: int, clusters: int) -> Iterable[Weights]:
    """How often each draw takes each cluster: arrays of some draws, of all clusters.

    They are kept for whoever asks next, unless they are very many.
    """
    if draws * clusters <= _MOST_STORED:
        return _stored_weights(seed, draws, clusters)
    return _new_weights(seed, draws, clusters)


@lru_cache(maxsize=2)  # a set, and the classes that two of its groups share
def _stored_weights(seed: int, draws: int, clusters: int) -> tuple[Weights, ...]:
    return tuple(_new_weights(seed, draws, clusters))


def _new_weights(seed: int, draws: int, clusters: int) -> Iterator[Weights]:
    rng = np.random.default_rng(seed)
    for start in range(0, draws, _AT_ONCE):
        size = min(_AT_ONCE, draws - start)
        taken = rng.integers(clusters, size=(size, clusters))
        taken += clusters * np.arange(size)[:, None]
        counts = np.bincount(taken.ravel(), minlength=size * clusters)
        yield counts.reshape(size, clusters).astype(np.float32)
