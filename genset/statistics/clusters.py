"""How much less photos are worth because those of one class are alike.

A model tends to be right or wrong on all photos of a class. So an accuracy scatters more between
sets of other classes than it would if photos were independent. By how much is the *design effect*:
the variance of a share by its classes' deviations, over that of independent photos. N photos with
an effect of D are worth N / D independent ones, with Student's quantile for so many classes, or
fewer where a few of them have most of the photos.

On few photos, or where a model is nearly always right, few classes deviate, and these say little
about how alike photos are. So the effect is not taken to be smaller than with `UNSEEN` further
classes, of which two photos have the correlation `ALIKE`. `benchmarks/intervals.py` measures how
often the intervals then hold the truth (docs/statistics.md).

Sources: Kish, "Survey sampling", 1965 (design effect); Rao and Scott, "A simple method for the
analysis of clustered binary data", Biometrics 48, 1992 (counts divided by it); Korn and Graubard,
"Confidence intervals for proportions with small expected number of positive counts estimated from
survey data", Survey Methodology 24, 1998 (Student's quantile); Bell and McCaffrey, "Bias reduction
in standard errors for linear regression with multi-stage samples", Survey Methodology 28, 2002 (the
bias where classes are of unequal sizes).
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genset.statistics.intervals import Interval, wilson

ALIKE, UNSEEN = 0.3, 3

Floats = NDArray[np.float64]


class Effects(NamedTuple):
    """Design effects of K shares.

    Attributes:
        sizes: by how much photos are worth less, shape (K,), 1 or more.
        freedom: degrees of freedom: the number of classes less 1 where all have as many photos,
            fewer where a few classes have most; 0 for one class; infinite where each photo is of a
            class of its own, and photos are independent.
    """

    sizes: Floats
    freedom: float


def design_effects(squares: Floats, independent: Floats, varied: Floats, sizes: Floats) -> Effects:
    """The design effects of K shares over the same photos.

    Args:
        squares: the sum of the squared deviations of the classes' sums, shape (K,).
        independent: what that would be, on average, of independent photos, shape (K,).
        varied: of how many classes the photos vary, shape (K,).
        sizes: the photos of each class, shape (C,); a class without any does not count.
    """
    sizes = sizes[sizes > 0]
    count = len(sizes)
    are_independent = sizes.max(initial=0) <= 1
    if are_independent or count < 2:
        return Effects(np.ones_like(squares), inf if are_independent else 0.0)
    whole = float((sizes**2).sum() / sizes.sum())  # the effect if photos of a class are the same
    correction, freedom = _of_sizes(sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = squares * correction / independent
    expected = 1 + ALIKE * (whole - 1)
    measured = np.where(independent > 0, np.maximum(ratio, 1), expected)
    shrunk = (varied * measured + UNSEEN * expected) / (varied + UNSEEN)
    return Effects(np.maximum(measured, shrunk), freedom)


def _of_sizes(sizes: Floats) -> tuple[float, float]:
    """What makes the sum of squared deviations unbiased, and its degrees of freedom.

    For classes of these numbers of photos, of which two have the correlation `ALIKE`. Of C classes
    of one size these are C / (C - 1) and C - 1; else there are as many degrees of freedom as of so
    many classes of one size as have the same variance (Kish's effective number), less 1.
    """
    freedom = float(sizes.sum() ** 2 / (sizes**2).sum()) - 1
    if np.all(sizes == sizes[0]):  # to the last digit
        return len(sizes) / (len(sizes) - 1), freedom
    parts = sizes / sizes.sum()
    varies = sizes * (1 + ALIKE * (sizes - 1))
    # A class's deviation is from a mean of which it is a part.
    expected = varies * (1 - 2 * parts + (parts**2).sum())
    return float(varies.sum() / expected.sum()), freedom


def clusters(classes: Sequence[str], fixed: bool) -> NDArray[np.int64]:
    """N numbers, equal for photos that are drawn together: of one class, unless these are fixed."""
    if fixed:
        return np.arange(len(classes))
    return np.unique(np.array(classes), return_inverse=True)[1].astype(np.int64)


def share_interval(values: ArrayLike, counted: ArrayLike, classes: NDArray[np.int64]) -> Interval:
    """The 95 % interval of a mean over photos: Wilson's, of the photos that they are worth.

    Args:
        values: of each photo, shape (N,), 0 to 1; for an accuracy, whether it is right.
        counted: whether it counts, shape (N,); without any that does, the interval is 0 to 1.
        classes: which photos are drawn together, shape (N,), from 0 on (`clusters`).
    """
    weight = np.asarray(counted, float)
    hits = np.bincount(classes, np.asarray(values, float) * weight)
    sizes: Floats = np.bincount(classes, weight).astype(float)
    photos, total = float(sizes.sum()), float(hits.sum())
    if not photos:
        return Interval(0.0, 1.0)
    share = min(total / photos, 1.0)
    squares = ((hits - share * sizes) ** 2).sum()
    varied = min((hits > 0).sum(), (hits < sizes).sum())
    independent = photos * share * (1 - share)
    numbers = np.array([[squares], [independent], [varied]], float)
    effects = design_effects(numbers[0], numbers[1], numbers[2], sizes)
    worth = photos / float(effects.sizes[0])
    return wilson(share * worth, worth, freedom=effects.freedom)
