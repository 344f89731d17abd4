"""How models rank by one truth and by another, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from genset.evaluation.data.truths.truth import TRUTHS, By
from genset.evaluation.results.compare import Pair, Rank, compare, rank_models
from genset.evaluation.results.marks import Marks, mark
from genset.evaluation.results.results import Results
from genset.statistics.bootstrap import STANDARD, Floats, Resampling, intervals
from genset.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class Turned:
    """Two models whose order changes with the truth.

    Attributes:
        first, second: the one that is ahead by the original labels, and the other.
        by: the truth by which the second is ahead.
        original, other: the first's accuracy less the second's by either, -1 to 1.
        shift: `original` less `other`: what the second gains on the first.
        interval: its 95 % interval, of whole classes resampled.
    """

    first: str
    second: str
    by: By
    original: float
    other: float
    shift: float
    interval: Interval

    @property
    def is_sure(self) -> bool:
        """Whether the second gains on the first for other classes too."""
        return self.interval.low > 0


@dataclass(frozen=True, slots=True)
class Standing:
    """Models by several truths.

    Attributes:
        ranks: of each model, by truth.
        pairs: every two models by each truth beside the original labels.
        turned: pairs whose order changes, the largest shift first.
    """

    ranks: dict[str, dict[By, Rank]]
    pairs: dict[By, tuple[Pair, ...]]
    turned: tuple[Turned, ...]


def standing(
    results: Results, by_original: Sequence[Pair], resampling: Resampling = STANDARD
) -> Standing:
    """Rank the models by each truth that differs from the others.

    Args:
        results: the models on one set, which has a truth.
        by_original: every two of them, compared by the original labels.
        resampling: how classes are resampled for intervals.

    Raises:
        BadInput: the set has no truth.
    """
    truths = truths_of(results)
    others = truths[1:]
    pairs = {by: compare(results, results.models, resampling, by) for by in others}
    marks = {by: [mark(results, model, by) for model in results.models] for by in truths}
    labels = [model.label for model in results.models]
    ranks: dict[str, dict[By, Rank]] = {label: {} for label in labels}
    for by in truths:
        found = by_original if by == "original" else pairs[by]
        shares = list(map(_share, marks[by]))
        for label, rank in zip(labels, rank_models(labels, shares, found), strict=True):
            ranks[label][by] = rank
    return Standing(ranks, pairs, _turned(results, labels, marks, resampling))


def truths_of(results: Results) -> tuple[By, ...]:
    """What models are ranked by: without an unclear class, two of these are the same."""
    truth = results.photos.truth
    return TRUTHS if truth and any(truth.unclear.values()) else TRUTHS[:2]


def _share(marks: Marks) -> float:
    counted = int(marks.counted.sum())
    return int(marks.right.sum()) / counted if counted else 0.0


def _turned(
    results: Results,
    labels: Sequence[str],
    marks: Mapping[By, Sequence[Marks]],
    resampling: Resampling,
) -> tuple[Turned, ...]:
    if len(labels) < 2:
        return ()
    shares = {by: list(map(_share, each)) for by, each in marks.items()}
    drawn = {by: _drawn(results, each, resampling) for by, each in marks.items()}
    found = []
    for by in list(marks)[1:]:
        for a, b in combinations(range(len(labels)), 2):
            original, other = (shares[of][a] - shares[of][b] for of in ("original", by))
            counted = all(marks[by][model].counted.any() for model in (a, b))
            if original * other >= 0 or not counted:
                continue
            first, second = (a, b) if original > 0 else (b, a)
            moved = [drawn[of][:, first] - drawn[of][:, second] for of in ("original", by)]
            (interval,) = intervals(
                (moved[0] - moved[1])[:, None], len(results.wnids), widest=(-2.0, 2.0)
            )
            ahead, behind = abs(original), -abs(other)
            found.append(
                Turned(labels[first], labels[second], by, ahead, behind, ahead - behind, interval)
            )
    return tuple(sorted(found, key=lambda each: -each.shift))


def _drawn(results: Results, marks: Sequence[Marks], resampling: Resampling) -> Floats:
    """Each model's accuracy in each draw: draws x models."""
    right = np.stack([each.right for each in marks], axis=1)
    counted = np.stack([each.counted for each in marks], axis=1)
    return resampling.ratios(results.classes, right, counted)
