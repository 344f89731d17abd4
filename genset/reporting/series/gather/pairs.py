"""Models on two sets: how much they lose, and the line that they follow."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.comparison.marks import nearly_all
from genset.reporting.series.data import Among, AtPair, Fit, LinePoint, SetPair
from genset.reporting.series.gather.scores import chooses_among_all, is_of_imagenet
from genset.reporting.series.gather.subsets import RIGHT, UNKNOWN, best_among
from genset.score.results.results import ModelAnswers, Results
from genset.statistics.bootstrap import Floats, Resampling, class_sums
from genset.statistics.matched import Matched, Mean, match
from genset.statistics.trend import FEWEST_MODELS, SCALES, Scale, expit, fit_trend, logit

Bools = NDArray[np.bool_]

_POINTS = 25  # of a line as it is drawn


class Side(NamedTuple):
    """One of two sets: its name, what was scored on it, and the models in the pair's order."""

    name: str
    results: Results
    models: Sequence[ModelAnswers]


class _Marks(NamedTuple):
    """Photos of the shared classes of both sets, with each of K models' answers.

    Attributes:
        classes: N numbers of classes, from 0.
        second: N: whether the photo is of the second set.
        right, counted: N x K.
    """

    classes: NDArray[np.int64]
    second: Bools
    right: Floats
    counted: Bools

    def of(self, models: Bools) -> "_Marks":
        """The same with some of the models."""
        return self._replace(right=self.right[:, models], counted=self.counted[:, models])

    def whole(self) -> Bools:
        """K: which models answered nearly all photos of both sets."""
        sides = [nearly_all(self.counted[side]) for side in (~self.second, self.second)]
        return sides[0] & sides[1]

    def together(self, count: int) -> Bools:
        """K: which models are counted in one of `count` classes on both sets."""
        answered = self.counted.astype(float)
        sides = [
            _sums(self.classes, answered * side[:, None], count) > 0
            for side in (~self.second, self.second)
        ]
        common = np.logical_and(*sides)
        return np.asarray(common.any(axis=0))


def conventions(first: Results, second: Results) -> list[Among]:
    """What models choose among where two sets are compared.

    Where both sets have all 1,000 classes, there is one way alone. So there is where they have
    others than ImageNet's: that of the runs.
    """
    shared = set(first.wnids) & set(second.wnids)
    if not shared:
        return []
    whole = len(shared) == len(imagenet1k())
    of_imagenet = is_of_imagenet(first) and is_of_imagenet(second)
    return ["all", "subset"] if of_imagenet and not whole else ["all"]


def pair_of(
    first: Side,
    second: Side,
    labels: Sequence[str],
    flagged: Sequence[str],
    among: Among,
    how: Resampling,
) -> SetPair:
    """Two sets over the classes that both have.

    Args:
        first, second: the sets, each with the models that were scored on both.
        labels: these models' names in the series.
        flagged: labels of models that have no part in it.
        among: what models choose among; on classes of a user's own, the convention of all of these
            runs, which is not applied again.
        how: how classes are resampled.

    Raises:
        GensetError: logits that were kept cannot be read.
    """
    shared = sorted(set(first.results.wnids) & set(second.results.wnids))
    is_own = not (is_of_imagenet(first.results) and is_of_imagenet(second.results))
    marks, known = _marks((first, second), shared, "all" if is_own else among)
    whole = known.copy()
    whole[known] = marks.of(known).whole()
    together = whole & marks.together(len(shared))
    marks, named = marks.of(together), _chosen(labels, together)
    in_a_class = _of_counted_classes(marks)
    found, mean = _match(marks, how)
    shares, drawn = _by_class(marks, len(shared), how)
    order = sorted(range(len(named)), key=lambda n: (-shares[0, n], named[n]))
    rows = [AtPair(named[n], float(shares[0, n]), float(shares[1, n]), found[n], {}) for n in order]
    rows, fits = _fitted(rows, drawn[:, order], len(shared), how.seed)
    return SetPair(
        first=first.name,
        second=second.name,
        among=among,
        classes=len(np.unique(marks.classes[in_a_class])),
        photos=(int((in_a_class & ~marks.second).sum()), int((in_a_class & marks.second).sum())),
        models=tuple(rows),
        mean=mean,
        fits=fits,
        flagged=tuple(flagged),
        unknown=tuple(_chosen(labels, ~known)),
        partial=tuple(_chosen(labels, known & ~whole)),
        apart=tuple(_chosen(labels, whole & ~together)),
    )


def _of_counted_classes(marks: _Marks) -> Bools:
    """Which photos are of classes that count for a model on both sets; all where no model is."""
    if not marks.counted.any():
        return np.ones(len(marks.classes), bool)
    counts = marks.counted.any(axis=1)
    first, second = marks.classes[counts & ~marks.second], marks.classes[counts & marks.second]
    return np.isin(marks.classes, np.intersect1d(first, second))


def _chosen(labels: Sequence[str], which: Bools) -> list[str]:
    return [label for label, is_chosen in zip(labels, which, strict=True) if is_chosen]


def _marks(sides: tuple[Side, Side], shared: Sequence[str], among: Among) -> tuple[_Marks, Bools]:
    """The answers of all models; of which of these they are known on both sets."""
    known = np.ones(len(sides[0].models), bool)
    classes, second, right, counted = [], [], [], []
    for number, (_, results, models) in enumerate(sides):
        places = np.flatnonzero(np.isin(results.truth, shared))
        hits = np.zeros((len(places), len(models)))
        for column, model in enumerate(models):
            if among == "all":
                known[column] &= chooses_among_all(results, model)
                hits[:, column] = results.right(model)[places]
            else:
                found = best_among(results, model, shared)[places]
                known[column] &= UNKNOWN not in found[model.answered[places]]
                hits[:, column] = (found == RIGHT) & model.answered[places]
        classes.append(np.searchsorted(shared, results.truth[places]))
        second.append(np.full(len(places), bool(number)))
        right.append(hits)
        counted.append(np.stack([model.answered[places] for model in models], axis=1))
    return _Marks(
        classes=np.concatenate(classes),
        second=np.concatenate(second),
        right=np.concatenate(right),
        counted=np.concatenate(counted),
    ), known


def _by_class(marks: _Marks, count: int, how: Resampling) -> tuple[Floats, Floats]:
    """Accuracies where each class counts once: 2 x K; and the second set's in each draw.

    Classes are those in which a model is counted on both sets.
    """
    sides = [~marks.second, marks.second]
    hits, photos = (
        np.stack([_sums(marks.classes, values * side[:, None], count) for side in sides])
        for values in (marks.right, marks.counted.astype(float))
    )
    usable = (photos > 0).all(axis=0).astype(float)
    shares = np.divide(hits, photos, out=np.zeros_like(hits), where=photos > 0) * usable
    with np.errstate(invalid="ignore", divide="ignore"):
        means = shares.sum(axis=1) / usable.sum(axis=0)
    return means, how.ratios_of_sums(shares[1], usable)


def _sums(classes: NDArray[np.int64], values: Floats, count: int) -> Floats:
    """Sums by class, also where the last classes have no photo."""
    found = class_sums(classes, values)
    return np.vstack([found, np.zeros((count - len(found), values.shape[1]))])


def _match(marks: _Marks, how: Resampling) -> tuple[list[Matched], Matched | None]:
    """Each model on both sets; and the mean of several, on the photos that count for all."""
    models = marks.right.shape[1]
    right, counted = marks.right, marks.counted
    if models > 1:
        for_all = counted.all(axis=1, keepdims=True)
        right = np.hstack([right, right.mean(axis=1, keepdims=True) * for_all])
        counted = np.hstack([counted, for_all])
    found = match(marks.classes, right, counted, marks.second, how)
    return found[:models], found[models] if models > 1 else None


def _fitted(
    rows: list[AtPair], drawn: Floats, classes: int, seed: int
) -> tuple[list[AtPair], tuple[Fit, ...]]:
    """The rows with what each is above the lines through them; the lines."""
    x, y = (np.array([getattr(row, side) for row in rows]) for side in ("first", "second"))
    if len(rows) < FEWEST_MODELS or np.ptp(x) == 0:
        return rows, ()
    fits = []
    for scale in SCALES:
        trend = fit_trend(x, y, drawn, classes, seed, scale=scale)
        rows = [
            replace(row, above={**row.above, scale: Mean(float(value), interval)})
            for row, value, interval in zip(rows, *trend.above(x, y, drawn), strict=True)
        ]
        ladder = _ladder(scale, x)
        line = zip(
            ladder,
            trend.expected(ladder),
            trend.band(ladder),
            trend.prediction(ladder),
            strict=True,
        )
        fits.append(
            Fit(
                scale=scale,
                intercept=trend.intercept,
                slope=trend.slope,
                slope_interval=trend.slope_interval(),
                line=tuple(LinePoint(float(a), float(b), *ends) for a, b, *ends in line),
            )
        )
    return rows, tuple(fits)


def _ladder(scale: Scale, x: Floats) -> Floats:
    """Accuracies from the lowest to the highest, in even steps of the scale."""
    if scale == "linear":
        return np.linspace(x.min(), x.max(), _POINTS)
    first, last = logit([x.min(), x.max()]).tolist()
    return expit(np.linspace(first, last, _POINTS))
