"""How high a model ranks all right classes of a photo, not its first answer alone.

A photo's average precision is the mean, over its right classes, of the share of right ones among
the classes that are ranked as high or higher. It is 1 where all right classes come first, whatever
their order; with one right class it is 1 / its rank. Equal scores count as ranked above: a model
gains nothing by giving all classes the same score.

Sources: Schapire and Singer, "BoosTexter: a boosting-based system for text categorization", Machine
Learning 39, 2000, section 4 (a set of labels ranked for one document); Everingham et al., "The
PASCAL visual object classes challenge", IJCV 88, 2010, has the same over the photos of one class.
scikit-learn calls its mean over photos label ranking average precision.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def average_precision(
    scores: NDArray[np.floating], right: Sequence[int], missing: int = 0
) -> float:
    """The average precision of one photo, 0 to 1.

    Args:
        scores: of each class, shape (C,), the highest first in the ranking.
        right: places of the right classes among these, each once.
        missing: right classes that the model does not have. It never finds them, so each counts 0.

    Raises:
        ValueError: there is no right class.
    """
    if not len(right) + missing:
        raise ValueError("no average precision without a right class")
    if not len(right):
        return 0.0
    of_right = scores[list(right)]
    ranks = (scores[None, :] >= of_right[:, None]).sum(axis=1)
    above = (of_right[None, :] >= of_right[:, None]).sum(axis=1)
    return float((above / ranks).sum() / (len(right) + missing))
