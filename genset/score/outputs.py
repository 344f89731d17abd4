"""What a network's numbers are, and which of them are the best."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # answers that are there already do not need PyTorch
    from torch import Tensor

_NEVER = 1e-38  # stands for a probability of 0, whose logarithm is none
_NEAR_1 = 1e-8  # stands for what a probability of 1 leaves to others

NOTES = {
    "probabilities": "Its outputs are probabilities: no softmax is taken of them.",
    "percent": "Its outputs are probabilities in percent: no softmax is taken of them.",
    "log-probabilities": "Its outputs are logarithms of probabilities.",
    "sigmoid": "Its outputs are from 0 to 1 and do not sum to 1: each is taken for the probability "
    "of its class alone (sigmoid).",
}
"""What to say of outputs that are no logits, by their kind (`kind_of`)."""

WHOLES = {"probabilities": 1, "percent": 100}
"""What outputs of these kinds sum to."""


def sum_to_1(rows: NDArray[Any]) -> bool:
    """Whether scores, N x classes, are probabilities: none is negative, and each row sums to 1.

    A sum may miss it by what rounding to three decimals, bfloat16 or int8 take from each class.
    """
    if not len(rows) or (rows < 0).any():
        return False
    missed = min(0.25, 1e-3 + 5e-4 * rows.shape[1])
    return bool(np.allclose(rows.sum(axis=1), 1, rtol=0, atol=missed))


def kind_of(rows: NDArray[Any]) -> str:
    """What scores, N x classes, are: "logits", or one of `NOTES`."""
    if len(rows) and (rows <= 0).all():
        return "log-probabilities" if sum_to_1(np.exp(rows)) else "logits"
    if not len(rows) or (rows < 0).any():
        return "logits"
    if sum_to_1(rows):
        return "probabilities"
    if np.allclose(rows.sum(axis=1), 100, rtol=0.01):
        return "percent"
    return "sigmoid" if (rows <= 1).all() else "logits"


def as_logits(scores: NDArray[Any], kind: str) -> NDArray[Any]:
    """Scores of a kind, N x classes, whose softmax is the network's probabilities.

    A network that ends in softmax, as those of Keras do, gives probabilities; their logarithms are
    logits. Logarithms of probabilities are logits already.
    """
    if kind == "sigmoid":
        log_odds: NDArray[Any] = np.log(scores.clip(_NEVER)) - np.log((1 - scores).clip(_NEAR_1))
        return log_odds
    if whole := WHOLES.get(kind):
        return np.log(np.maximum(scores / whole, _NEVER))
    return scores


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
