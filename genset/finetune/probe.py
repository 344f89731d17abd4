"""The last layer, fitted on features: multinomial logistic regression with an L2 penalty.

The objective is scikit-learn's: 0.5 ||W||^2 + C times the sum of the photos' log-losses, where the
biases bear no penalty, and each feature is standardized by the training photos' mean and standard
deviation. The strength C is chosen by cross-validation on these photos alone.

The problem does not change when the features are turned, so it is solved along their principal
axes. There the curvature is nearly diagonal and known beforehand: each axis is scaled by it, and
L-BFGS needs tens of steps, whatever the strength, where it needs hundreds on features as they come.
With fewer photos than features there are only as many axes as photos.

Sources: Böhning, "Multinomial logistic regression algorithm", 1992 (the curvature); Liu and
Nocedal, "On the limited memory BFGS method", 1989.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from genset.errors import BadInput, ModelError

# What to choose from. At the upper end photos are told apart wholly, and cross-validation no longer
# tells one strength from the next.
STRENGTHS = (1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 10.0)
FOLDS = 5

# Where one photo a class leaves nothing to validate on.
DEFAULT_STRENGTH = 1e-2

# Fits of fewer multiplications a step run on one thread: others would wait longer than they work.
_FEW = 10**6

# Axes along which photos differ by less than this share of the widest are rounding.
_FLAT = 1e-10
_STEPS = 300

# Where a search ends: the steepest slope, and the least gain of a step, in the mean log-loss. To
# compare strengths less will do, and takes half as long: hardly a photo changes sides after it.
_EXACT = (1e-6, 1e-9)
_ROUGH = (1e-4, 1e-6)

Floats = NDArray[np.float32]
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted last layer.

    Attributes:
        weights: C x D float32, of the features as they come.
        bias: C float32.
        strength: scikit-learn's C: how much the photos weigh against the penalty.
        validation: by strength, the share right in cross-validation; empty where there was none.
        note: what to say of it beside its accuracy; "" for nothing.
    """

    weights: Floats
    bias: Floats
    strength: float
    validation: dict[float, float]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Standard:
    """What makes features standard: less `mean`, by `scale`, both D float64."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, features: Floats) -> "Standard":
        """By these photos' mean and standard deviation; a constant feature is not scaled."""
        scale = features.std(axis=0, dtype=np.float64)
        scale[features.min(axis=0) == features.max(axis=0)] = 1
        return cls(features.mean(axis=0, dtype=np.float64), scale)

    def applied(self, features: Floats) -> Floats:
        """The features made standard: N x D."""
        mean, scale = self.mean.astype(np.float32), self.scale.astype(np.float32)
        standard: Floats = np.divide(features - mean, scale, dtype=np.float32)
        return standard

    def folded(self, weights: Floats, bias: Floats) -> tuple[Floats, Floats]:
        """A layer of standard features (C x D, C) as one of the features as they come."""
        unscaled = weights / self.scale
        return unscaled.astype(np.float32), (bias - unscaled @ self.mean).astype(np.float32)


def fit_probe(
    features: Floats,
    labels: Labels,
    classes: int,
    seed: int = 0,
    strengths: Sequence[float] = STRENGTHS,
    folds: int = FOLDS,
) -> Fit:
    """Fit a last layer to photos, with the strength that does best in cross-validation.

    Best is the strength of the least log-loss, of those that have as many photos right as any,
    within one standard error of the paired difference: past some strength a few photos change
    sides this way and that, and the most right of many strengths would be drawn by lot. A class
    of few photos makes for as few folds; one photo, for none, and `DEFAULT_STRENGTH` is taken (as
    is the only one of a single strength).

    Args:
        features: N x D, as the network gives them.
        labels: N places of classes, 0 to `classes` - 1.
        classes: how many there are; each needs a photo.
        seed: deals the photos out to folds.
        strengths: what to choose from.
        folds: of the cross-validation; all are standardized by all these photos' mean.

    Raises:
        BadInput: a class has no photo.
        ModelError: the features hold NaN or infinity.
    """
    fewest = int(np.bincount(labels, minlength=classes).min())
    if fewest == 0:
        without = int(np.bincount(labels, minlength=classes).argmin())
        raise BadInput(f"class {without} has no photo to train on")
    standard = Standard.of(features)
    rows = standard.applied(features)
    if not np.isfinite(rows).all():
        raise ModelError("the features hold NaN or infinity: broken weights?")
    axes = _axes(rows)
    turned, wanted = torch.from_numpy(rows @ axes), torch.from_numpy(labels)
    validation: dict[float, float] = {}
    note = ""
    with _threads(turned.numel() * classes):
        if len(strengths) == 1:
            strength = strengths[0]
        elif fewest == 1:
            strength = DEFAULT_STRENGTH
            note = f"A class has one photo, which leaves none to choose by: strength {strength:g}."
        else:
            dealt = _dealt(labels, min(folds, fewest), seed)
            found = _validated(turned, wanted, classes, sorted(strengths), dealt)
            validation = {each: float(right.mean()) for each, (right, _) in found.items()}
            strength = _chosen(found)
        path = _Path(turned, wanted, classes, _EXACT)
        path.go(strength)
        weights = path.weights.T.numpy() @ axes.T
    return Fit(*standard.folded(weights, path.bias.numpy()), strength, validation, note)


def penalty(strength: float, photos: int, classes: int) -> float:
    """The factor of 0.5 ||W||^2 where the photos' mean log-loss has the factor 1.

    Of two classes scikit-learn fits the difference W1 - W0 alone, and holds that back: as much as
    twice the penalty does on both.
    """
    return (2 if classes == 2 else 1) / (strength * photos)


def scores(fit: Fit, features: Floats) -> Floats:
    """The logits of photos: N x C float32."""
    answer: Floats = features @ fit.weights.T + fit.bias
    return answer


@contextmanager
def _threads(multiplications: int) -> Iterator[None]:
    """PyTorch's threads for steps of so many multiplications; as before afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(1 if multiplications < _FEW else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _axes(rows: Floats) -> Floats:
    """The principal axes of centred rows: D x R, orthonormal; R is at most N or D."""
    exact = rows.astype(np.float64)
    if len(rows) >= rows.shape[1]:
        every: Floats = np.linalg.eigh(exact.T @ exact)[1].astype(np.float32)
        return every
    squares, turned = np.linalg.eigh(exact @ exact.T)
    there = squares > _FLAT * squares[-1]
    axes: Floats = (exact.T @ (turned[:, there] / np.sqrt(squares[there]))).astype(np.float32)
    return axes


def _dealt(labels: Labels, folds: int, seed: int) -> Labels:
    """The fold of each photo: each class's photos are dealt out in turn, in a drawn order."""
    order = np.random.default_rng(seed).permutation(len(labels))
    by_class = order[np.argsort(labels[order], kind="stable")]
    dealt = np.empty(len(labels), np.int64)
    dealt[by_class] = np.arange(len(labels)) % folds
    return dealt


def _validated(
    rows: Tensor, labels: Tensor, classes: int, strengths: Sequence[float], dealt: Labels
) -> dict[float, tuple[NDArray[np.bool_], float]]:
    """By strength, of photos whose fold is held out: which are right, and their log-losses."""
    right = {strength: np.empty(len(labels), np.bool_) for strength in strengths}
    lost = dict.fromkeys(strengths, 0.0)
    for fold in range(dealt.max() + 1):
        held = torch.from_numpy(dealt == fold)
        path = _Path(rows[~held], labels[~held], classes, _ROUGH)
        for strength in strengths:
            path.go(strength)
            said = rows[held] @ path.weights + path.bias
            right[strength][dealt == fold] = (said.argmax(dim=1) == labels[held]).numpy()
            lost[strength] += functional.cross_entropy(said, labels[held], reduction="sum").item()
    return {strength: (right[strength], lost[strength]) for strength in strengths}


def _chosen(found: dict[float, tuple[NDArray[np.bool_], float]]) -> float:
    """The strength of the least log-loss, of those that are as often right as any."""
    most = max((right for right, _ in found.values()), key=np.count_nonzero)

    def as_good(right: NDArray[np.bool_]) -> bool:
        # The difference's variance is the number of photos that one of the two alone has right.
        less = np.count_nonzero(most) - np.count_nonzero(right)
        return bool(less**2 <= np.count_nonzero(most != right))

    equals = {strength: lost for strength, (right, lost) in found.items() if as_good(right)}
    return min(equals, key=lambda strength: equals[strength])


class _Path:
    """The best layer of some photos for one strength after the other.

    Each search starts from the layer before. `weights` are R x C, `bias` C.
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
        said = (self.rows @ self.weights + self.bias).softmax(dim=1)
        curvature = (said * (1 - said)).mean().clamp(min=1e-6)
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
            # Steps near the end change the sum by less than float32 can tell.
            logits = torch.addmm(bias / curvature.sqrt(), scaled, weights).double()
            held_back = (weights * scale[:, None]).square().sum(dtype=torch.float64)
            loss = functional.cross_entropy(logits, self.labels) + factor / 2 * held_back
            loss.backward()  # type: ignore[no-untyped-call]
            return loss

        search.step(objective)  # type: ignore[no-untyped-call]
        self.weights = weights.detach() * scale[:, None]
        self.bias = bias.detach() / curvature.sqrt()
