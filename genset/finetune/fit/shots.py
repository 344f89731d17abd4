"""Draw a few photos of each class, for the learning curve."""

import numpy as np
from numpy.typing import NDArray


def draw_shots(labels: NDArray[np.int64], shots: int, seed: int) -> NDArray[np.int64]:
    """Draw `shots` photos of each class, or all of a class that has fewer.

    Draws with one seed are nested: the draw of 5 contains the draw of 2, so that a learning curve
    shows the effect of more photos, not of other photos.

    Args:
        labels: the class of each photo, shape (N,), int64.
        shots: the number of photos of each class.
        seed: of the draw.

    Returns:
        Indices into `labels`, ascending, int64.
    """
    # The rank of each photo in its class, in an order that does not depend on `shots`.
    order = np.random.default_rng(seed).permutation(len(labels))
    by_class = order[np.argsort(labels[order], kind="stable")]
    counts = np.bincount(labels)
    first_of_class = np.repeat(np.cumsum(counts) - counts, counts)
    rank = np.arange(len(labels)) - first_of_class
    return np.sort(by_class[rank < shots]).astype(np.int64)
