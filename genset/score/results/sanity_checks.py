"""Sanity checks: what of a model's answers as a whole cannot be right, beside its numbers."""

from collections.abc import Sequence

import numpy as np

from genset.classes import imagenet1k
from genset.score.results.arrays import Numbers
from genset.score.results.runs import Prediction
from genset.statistics.ranks import odd_ranks, other_order


def hits_by_rank(predictions: Sequence[Prediction]) -> list[int]:
    """How many photos have their true class at rank 1, 2, ..., as many ranks as are kept."""
    hits = [0] * (len(predictions[0].top) if predictions else 0)
    for prediction in predictions:
        if prediction.wnid in prediction.top:
            hits[prediction.top.index(prediction.wnid)] += 1
    return hits


def hits_by_place(truth: Numbers, ranked: Numbers) -> list[int]:
    """The same of arrays: the true class of N photos, and N x k answers."""
    found: list[int] = (ranked == truth[:, None]).sum(axis=0).tolist()
    return found


def sanity_checks(predictions: Sequence[Prediction], classes: int) -> list[str]:
    """What the hits at each rank give away; nothing for most models.

    `classes` is how many the model chooses among.
    """
    place = {each.wnid: each.index for each in imagenet1k()}
    of_imagenet = [prediction for prediction in predictions if prediction.wnid in place]
    truth = np.array([place[prediction.wnid] for prediction in of_imagenet])
    first = np.array([place.get(prediction.top[0], -2) for prediction in of_imagenet])
    found = (
        odd_ranks(hits_by_rank(predictions), len(predictions), classes),
        other_order(truth, first, len(place)),
    )
    return [sentence for sentence in found if sentence]
