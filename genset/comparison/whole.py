"""Which models answered nearly all photos, so that their accuracies are of the same photos."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from genset.score.results.results import Results, Scored

NEARLY_ALL = 0.99
"""The least share, of the photos that any model answered, of a model that is ranked."""


def nearly_all(answered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which models answered nearly all of the photos that any of them answered.

    An accuracy of another model is one on other photos, perhaps on the easy ones: it is set beside
    no other accuracy, and enters no mean and no fit. Two models are still compared on the photos
    that both answered.

    Photos that no model answered count against none. Where models answered different photos, it
    may be that none of them answered nearly all.

    Args:
        answered: N x K: whether a photo is counted for a model.

    Returns:
        K.
    """
    found: NDArray[np.bool_] = answered.sum(axis=0) >= NEARLY_ALL * answered.any(axis=1).sum()
    return found


def answered_in_part(results: Results) -> tuple[Scored, ...]:
    """The models that did not answer nearly all photos, in the results' order.

    Args:
        results: the models, side by side on one set.
    """
    if not results.models:
        return ()
    whole = nearly_all(np.stack([model.answered for model in results.models], axis=1))
    return tuple(
        model for model, is_whole in zip(results.models, whole, strict=True) if not is_whole
    )


def whole_first(results: Results) -> Results:
    """The same, with models that answered in part behind all others: they are in no order.

    Args:
        results: the models, side by side on one set.
    """
    part = answered_in_part(results)
    labels = {model.label for model in part}
    whole = tuple(model for model in results.models if model.label not in labels)
    return replace(results, models=(*whole, *part))
