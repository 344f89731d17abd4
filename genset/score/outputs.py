"""What a network's numbers are, and which of them are the best."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # answers that are there already do not need PyTorch
    from torch import Tensor

_NEVER = 1e-38  # stands for a probability of 0, whose logarithm is none

PROBABILITIES = "Its outputs are probabilities: no softmax is taken of them."


def sum_to_1(rows: NDArray[Any]) -> bool:
    """Whether scores, N x classes, are probabilities: none is negative, and each row sums to 1.

    A sum may miss it by what rounding to three decimals, bfloat16 or int8 take from each class.
    """
    if not len(rows) or (rows < 0).any():
        return False
    missed = min(0.25, 1e-3 + 5e-4 * rows.shape[1])
    return bool(np.allclose(rows.sum(axis=1), 1, rtol=0, atol=missed))


def whole_of(rows: NDArray[Any]) -> int:
    """What scores, N x classes, are shares of: 1, or 100 of percents; 0 where they are none."""
    if sum_to_1(rows):
        return 1
    percents = len(rows) and (rows >= 0).all() and np.allclose(rows.sum(axis=1), 100, rtol=0.01)
    return 100 if percents else 0


def as_logits(scores: NDArray[Any]) -> NDArray[Any]:
    """Scores, N x classes, whose softmax is the network's probabilities.

    A network that ends in softmax, as those of Keras do, gives probabilities; their logarithms are
    logits. Logarithms of probabilities are logits already.
    """
    whole = whole_of(scores)
    return np.log(np.maximum(scores / whole, _NEVER)) if whole else scores


def by_name(columns: Sequence[str]) -> list[int]:
    """The places of columns in the order in which equal ones count: by id, those of no class last.

    So equal classes are decided alike in whatever order a model or a table has them.
    """
    return sorted(range(len(columns)), key=lambda place: (not columns[place], columns[place]))


def best_places(scores: "Tensor", count: int) -> "Tensor":
    """The places of the best scores, N x count; of equal ones the first, whatever `count` is."""
    found = scores.topk(min(count + 1, scores.shape[1]), dim=1)
    best = found.indices[:, :count]
    tied = (found.values[:, 1:] == found.values[:, :-1]).any(dim=1)
    if tied.any():  # which topk puts in any order
        best[tied] = scores[tied].argsort(dim=1, descending=True, stable=True)[:, :count]
    return best
