"""Whether a model is right as often as it says.

Source: Guo et al., "On calibration of modern neural networks", ICML 2017: 15 bins of equal width.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 15


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Photos whose confidence lies in one range.

    Attributes:
        photos: how many.
        confidence: their mean confidence, 0 to 1.
        accuracy: the share that is right, 0 to 1.
    """

    photos: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far confidence is from accuracy; all numbers from 0 to 1.

    Attributes:
        photos: how many were counted.
        error: the expected calibration error: the mean of |confidence - accuracy| over the bins,
            weighted by their photos. With few photos it is too large, even for a perfect model.
        overconfidence: mean confidence minus accuracy. Below 0, the model is underconfident.
        bins: those with photos, the least confident first.
    """

    photos: int
    error: float
    overconfidence: float
    bins: tuple[ConfidenceBin, ...]


def calibration(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> Calibration:
    """Compare how sure a model is of its first answers with how often they are right.

    Args:
        confidence: the probability of each photo's first answer, shape (N,), float64, 0 to 1.
        right: whether that answer is right, shape (N,), bool.

    Raises:
        ValueError: there are no photos, or a confidence is not from 0 to 1.
    """
    if not len(confidence) or not ((confidence >= 0) & (confidence <= 1)).all():
        raise ValueError("calibration needs confidences from 0 to 1")
    # Bins are open below and closed above, but for the first.
    place = np.maximum(np.ceil(confidence * BINS).astype(int) - 1, 0)
    photos = np.bincount(place, minlength=BINS)
    mean_confidence = np.bincount(place, weights=confidence, minlength=BINS)
    was = np.bincount(place, weights=right, minlength=BINS)
    used = np.flatnonzero(photos)
    means = [(sums[used] / photos[used]).tolist() for sums in (mean_confidence, was)]
    return Calibration(
        photos=len(confidence),
        error=float(np.abs(mean_confidence - was).sum() / len(confidence)),
        overconfidence=float(confidence.mean() - right.mean()),
        bins=tuple(map(ConfidenceBin, photos[used].tolist(), *means)),
    )
