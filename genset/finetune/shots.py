"""Draw a few photos of each class, for the learning curve."""

import numpy as np
from numpy.typing import NDArray


def draw_shots(labels: NDArray[np.int64], shots: int, seed: int) -> NDArray[np.int64]:
    """So many photos of each class (all where it has fewer), as rising places in `labels`.

    Draws of one seed are nested: the draw of 5 holds the draw of 2, so that a learning curve tells
    what more photos add, and not what other photos would have been.
    """
    # The place of each photo in its class, in an order that does not depend on `shots`.
    order = np.random.default_rng(seed).permutation(len(labels))
    by_class = order[np.argsort(labels[order], kind="stable")]
    counts = np.bincount(labels)
    first_of_class = np.repeat(np.cumsum(counts) - counts, counts)
    turn = np.arange(len(labels)) - first_of_class
    return np.sort(by_class[turn < shots]).astype(np.int64)
