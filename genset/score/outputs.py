"""What a network's numbers are, and which of them are the best."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # answers that are there already do not need PyTorch
    from torch import Tensor

_NEVER = 1e-38  # stands for a probability of 0, whose logarithm is none

PROBABILITIES = "Its outputs are probabilities: no softmax is taken of them."


def sum_to_1(rows: NDArray[Any]) -> bool:
    """Whether scores, N x classes, are probabilities: none is negative, and each row sums to 1."""
    return bool(len(rows) and (rows >= 0).all() and np.allclose(rows.sum(axis=1), 1, atol=1e-3))


def as_logits(scores: NDArray[Any]) -> NDArray[Any]:
    """Scores, N x classes, whose softmax is the network's probabilities.

    A network that ends in softmax, as those of Keras do, gives probabilities; their logarithms are
    logits. Logarithms of probabilities are logits already.
    """
    return np.log(np.maximum(scores, _NEVER)) if sum_to_1(scores) else scores


def best_places(scores: "Tensor", count: int) -> "Tensor":
    """The places of the best scores, N x count; of equal ones the first, whatever `count` is."""
    found = scores.topk(min(count + 1, scores.shape[1]), dim=1)
    best = found.indices[:, :count]
    tied = (found.values[:, 1:] == found.values[:, :-1]).any(dim=1)
    if tied.any():  # which topk puts in any order
        best[tied] = scores[tied].argsort(dim=1, descending=True, stable=True)[:, :count]
    return best
