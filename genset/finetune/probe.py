"""The last layer, fitted on features: multinomial logistic regression with an L2 penalty.

The objective is scikit-learn's: 0.5 ||W||^2 + C times the sum of the photos' log-losses. Biases are
not penalized, and each feature is standardized by the training photos' mean and standard deviation.
The strength C is chosen by cross-validation on these photos alone.

A few photos cannot tell 1,000 standard deviations. So variances are shrunk towards their mean, as
far as the photos leave them open. For a learning curve, whose photos are few, one scale serves all
features, and each photo's features are first divided by their length.

The problem is invariant to rotations of the features, so it is solved along their principal axes.
There the curvature is nearly diagonal and known in advance. With each axis scaled by it, L-BFGS
needs tens of steps for any strength; on the original features it needs hundreds. With fewer photos
than features there are only as many axes as photos.

Sources: Böhning, "Multinomial logistic regression algorithm", 1992 (the curvature); Liu and
Nocedal, "On the limited memory BFGS method", 1989; Schäfer and Strimmer, "A shrinkage approach to
large-scale covariance matrix estimation", 2005 (target B, variances alone); Wang et al.,
"SimpleShot", 2019 (features of length 1).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from genset.core.errors import BadInput, ModelError

# The strengths to choose from. While the largest is the best, one of ten times as much is tried.
# Beyond the last, training photos are separated completely, and nothing changes any more.
STRENGTHS = (1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 10.0)
_LARGEST = 1e3
_FIRM = 1.0  # a search for the layer of a larger one starts at this one's, or it takes too long
FOLDS = 5

# Used if a class has one photo only, so that nothing is available for validation: scikit-learn's.
DEFAULT_STRENGTH = 1.0

# Fits with fewer multiplications per step run on one thread: more would spend their time waiting.
_FEW = 10**6

# Axes with less than this share of the largest variance are rounding errors.
_FLAT = 1e-10
_STEPS = 300

# When a search ends: the largest gradient, and the smallest gain of a step, in the mean log-loss.
# To compare strengths, less precision is enough and takes half as long: few predictions change.
_EXACT = (1e-6, 1e-9)
_ROUGH = (1e-4, 1e-6)

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted last layer.

    Attributes:
        weights: shape (C, D), float32, for features that are not standardized.
        bias: shape (C,), float32.
        strength: scikit-learn's C: the weight of the photos relative to the penalty.
        validation: the share right in cross-validation, by strength; empty without one.
        note: a remark to show with its accuracy; "" for none.
        unit: whether a photo's features are divided by their length first.
    """

    weights: Floats
    bias: Floats
    strength: float
    validation: dict[float, float]
    note: str = ""
    unit: bool = False


def fit_probe(
    features: Floats,
    labels: Labels,
    classes: int,
    seed: int = 0,
    strengths: Sequence[float] = (),
    folds: int = FOLDS,
    copies: Labels | None = None,
    few: bool = False,
) -> Fit:
    """Fit a last layer to photos, with the strength that does best in cross-validation.

    Candidates are the strengths whose number of right photos is within one standard error (of the
    paired difference) of the highest. Of these, the one with the lowest log-loss is chosen. The
    highest number alone would be a random choice: above some strength, a few photos become right
    and others wrong by chance. If a class has fewer photos than `folds`, there are only as many
    folds; copies count once. If it has one photo, there is no cross-validation, and
    `DEFAULT_STRENGTH` is used. A single strength is used as it is.

    Args:
        features: the network's features, shape (N, D), float32.
        labels: the class of each photo, shape (N,), int64, from 0 to `classes` - 1.
        classes: how many there are; each needs a photo.
        seed: assigns the photos to folds.
        strengths: the strengths to choose from; none: `STRENGTHS`, and larger ones if those are
            better.
        folds: of the cross-validation. All are standardized by the mean and deviation of all
            these photos.
        copies: the same number for photos that are copies of each other, shape (N,), int64; they
            are held out together. None: there are no copies.
        few: whether the photos are few: features of length 1, and one scale for all.

    Raises:
        BadInput: a class has no photo.
        ModelError: the features hold NaN or infinity.
    """
    copies = np.arange(len(labels)) if copies is None else copies
    different, _ = np.unique(np.stack([labels, copies]), axis=1)  # a label for each photo
    photos = np.bincount(different, minlength=classes)
    fewest = int(photos.min())
    if fewest == 0:
        raise BadInput(f"class {int(photos.argmin())} has no photo to train on")
    if few:
        features = unit(features)
    mean, scale = _standard(features, one_scale=few)
    rows: Floats = np.divide(features - mean.astype(np.float32), scale, dtype=np.float32)
    if not np.isfinite(rows).all():
        raise ModelError("the features hold NaN or infinity: broken weights?")
    axes = _axes(rows)
    rotated, targets = torch.from_numpy(rows @ axes), torch.from_numpy(labels)
    validation: dict[float, float] = {}
    note = ""
    with _threads(rotated.numel() * classes):
        if len(strengths) == 1:
            strength = strengths[0]
        elif fewest == 1:
            strength = DEFAULT_STRENGTH
            note = f"A class has one photo, which leaves none to choose by: strength {strength:g}."
        else:
            fold_of = _assign_folds(labels, min(folds, fewest), seed)
            _, first, which = np.unique(copies, return_index=True, return_inverse=True)
            fold_of = fold_of[first][which]
            found = _cross_validate(rotated, targets, strengths or STRENGTHS, fold_of)
            strength = _chosen(found)
            while not strengths and strength == max(found) < _LARGEST:
                further = (_FIRM, strength, 10 * strength)
                found |= _cross_validate(rotated, targets, further, fold_of)
                strength = _chosen(found)
            validation = {value: float(right.mean()) for value, (right, _) in found.items()}
        path = _Path(rotated, targets, classes, _EXACT)
        path.go(min(strength, _FIRM))
        path.go(strength)
        # As a layer for features as they are.
        weights = path.weights.T.numpy() @ axes.T / scale
        bias = path.bias.numpy() - weights @ mean
    layer = weights.astype(np.float32), bias.astype(np.float32)
    return Fit(*layer, strength, validation, note, few)


def _standard(features: Floats, one_scale: bool) -> tuple[Wide, Wide]:
    """Their mean and shrunk standard deviation, or one scale for all: D each."""
    mean = features.mean(axis=0, dtype=np.float64)
    squares = np.square(features - mean.astype(np.float32))
    variance = squares.mean(axis=0, dtype=np.float64)
    apart = np.square(variance - variance.mean()).sum()
    unsure = squares.var(axis=0, dtype=np.float64).sum() / max(len(features) - 1, 1)
    # Of two photos any feature deviates by the same twice, which looks sure and is not.
    share = 1.0 if one_scale or len(features) < 4 else min(1.0, unsure / (apart or 1.0))
    scale: Wide = np.sqrt(share * variance.mean() + (1 - share) * variance)
    scale[scale == 0] = 1
    return mean, scale


def unit(features: Floats) -> Floats:
    """Features of length 1, shape (N, D), float32; a photo without any keeps its zeros."""
    length = np.linalg.norm(features, axis=1, keepdims=True)
    scaled: Floats = np.divide(features, np.where(length == 0, 1, length), dtype=np.float32)
    return scaled


def penalty(strength: float, photos: int, classes: int) -> float:
    """The factor of 0.5 ||W||^2 if the photos' mean log-loss has the factor 1.

    For two classes scikit-learn fits only the difference W1 - W0, and penalizes that. This equals
    twice the penalty on W0 and W1.

    Args:
        strength: scikit-learn's C.
        photos: the number of training photos.
        classes: the number of classes.
    """
    return (2 if classes == 2 else 1) / (strength * photos)


def scores(fit: Fit, features: Floats) -> Floats:
    """The logits of photos, shape (N, C), float32, from features of shape (N, D), float32."""
    rows = unit(features) if fit.unit else features
    logits: Floats = rows @ fit.weights.T + fit.bias
    return logits


@contextmanager
def _threads(multiplications: int) -> Iterator[None]:
    """Set PyTorch's threads by the multiplications per step, and reset them afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(1 if multiplications < _FEW else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _axes(rows: Floats) -> Floats:
    """The principal axes of centred rows: D x R, orthonormal; R is at most min(N, D)."""
    exact = rows.astype(np.float64)
    if len(rows) >= rows.shape[1]:
        every: Floats = np.linalg.eigh(exact.T @ exact)[1].astype(np.float32)
        return every
    squares, vectors = np.linalg.eigh(exact @ exact.T)
    significant = squares > _FLAT * squares[-1]
    axes: Floats = (exact.T @ (vectors[:, significant] / np.sqrt(squares[significant]))).astype(
        np.float32
    )
    return axes


def _assign_folds(labels: Labels, folds: int, seed: int) -> Labels:
    """The fold of each photo: each class's photos, in random order, go to the folds in turn."""
    order = np.random.default_rng(seed).permutation(len(labels))
    by_class = order[np.argsort(labels[order], kind="stable")]
    fold_of = np.empty(len(labels), np.int64)
    fold_of[by_class] = np.arange(len(labels)) % folds
    return fold_of


def _cross_validate(
    rows: Tensor, labels: Tensor, strengths: Sequence[float], fold_of: Labels
) -> dict[float, tuple[NDArray[np.bool_], float]]:
    """By strength: which photos are right with their fold held out, and their summed log-loss."""
    classes = int(labels.max()) + 1  # each has a photo
    right = {strength: np.empty(len(labels), np.bool_) for strength in strengths}
    losses = dict.fromkeys(strengths, 0.0)
    for fold in range(fold_of.max() + 1):
        validation = torch.from_numpy(fold_of == fold)
        targets = labels[validation]
        path = _Path(rows[~validation], labels[~validation], classes, _ROUGH)
        for strength in sorted(strengths):
            path.go(strength)
            logits = rows[validation] @ path.weights + path.bias
            right[strength][fold_of == fold] = (logits.argmax(dim=1) == targets).numpy()
            losses[strength] += functional.cross_entropy(logits, targets, reduction="sum").item()
    return {strength: (right[strength], losses[strength]) for strength in strengths}


def _chosen(found: dict[float, tuple[NDArray[np.bool_], float]]) -> float:
    """The strength with the lowest log-loss, of those within one standard error of the best."""
    most = max((right for right, _ in found.values()), key=np.count_nonzero)

    def as_good(right: NDArray[np.bool_]) -> bool:
        # The difference's variance is the number of photos that only one of the two has right.
        less = np.count_nonzero(most) - np.count_nonzero(right)
        return bool(less**2 <= np.count_nonzero(most != right))

    losses = {strength: loss for strength, (right, loss) in found.items() if as_good(right)}
    return min(losses, key=lambda strength: losses[strength])


class _Path:
    """The best layer for some photos, for one strength after another (a regularization path).

    Each search starts from the previous layer. `weights` are R x C, `bias` C.
    """

    def __init__(
        self, rows: Tensor, labels: Tensor, classes: int, end: tuple[float, float]
    ) -> None:
        self.rows, self.labels, self.end = rows, labels, end
        self.spread = rows.square().mean(dim=0)
        self.weights = torch.zeros(rows.shape[1], classes)
        self.bias = torch.zeros(classes)

    def go(self, strength: float) -> None:
        """Find the best layer for a strength."""
        factor = penalty(strength, len(self.rows), len(self.bias))
        probabilities = (self.rows @ self.weights + self.bias).softmax(dim=1)
        curvature = (probabilities * (1 - probabilities)).mean().clamp(min=1e-6)
        scale = (curvature * self.spread + factor).rsqrt()
        scaled = self.rows * scale
        weights = (self.weights / scale[:, None]).requires_grad_()
        bias = (self.bias * curvature.sqrt()).requires_grad_()
        search = torch.optim.LBFGS(
            [weights, bias],
            max_iter=_STEPS,
            history_size=10,
            tolerance_grad=self.end[0],
            tolerance_change=self.end[1],
            line_search_fn="strong_wolfe",
        )

        def objective() -> Tensor:
            search.zero_grad()
            # Steps near the end change the sum by less than float32 resolves.
            logits = torch.addmm(bias / curvature.sqrt(), scaled, weights).double()
            squares = (weights * scale[:, None]).square().sum(dtype=torch.float64)
            loss = functional.cross_entropy(logits, self.labels) + factor / 2 * squares
            loss.backward()  # type: ignore[no-untyped-call]
            return loss

        search.step(objective)  # type: ignore[no-untyped-call]
        self.weights = weights.detach() * scale[:, None]
        self.bias = bias.detach() / curvature.sqrt()
