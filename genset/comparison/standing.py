"""How models rank by one truth and by another, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from genset.comparison.marks import Marks, answered_in_part, mark
from genset.comparison.pairs import Pair, Rank, compare, rank_models
from genset.score.results.results import Results
from genset.sets.truths.truth import TRUTHS, By
from genset.statistics.bootstrap import STANDARD, Floats, Resampling, intervals
from genset.statistics.intervals import Interval

_AT_ONCE = 250  # pairs, of which 10,000 draws by two truths are 40 MB


@dataclass(frozen=True, slots=True)
class RankReversal:
    """Two models whose order changes with the truth.

    Attributes:
        first, second: the one that is ahead by the original labels, and the other.
        by: the truth by which the second is ahead.
        original, other: the first's accuracy less the second's by either, on the photos that count
            for both, -1 to 1.
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
class TruthRanks:
    """Models by several truths.

    Attributes:
        ranks: by truth, of each model that answered nearly all photos.
        pairs: every two models by each truth beside the original labels.
        turned: pairs whose order changes, the largest shift first.
    """

    ranks: dict[str, dict[By, Rank]]
    pairs: dict[By, tuple[Pair, ...]]
    turned: tuple[RankReversal, ...]


def truth_ranks(
    results: Results, by_original: Sequence[Pair], resampling: Resampling = STANDARD
) -> TruthRanks:
    """Rank the models by each truth that differs from the others.

    Args:
        results: the models on one set, which has a truth.
        by_original: every two of them, compared by the original labels.
        resampling: how classes are resampled for intervals.

    Raises:
        BadInput: the set has no truth.
    """
    others = truths_of(results)[1:]
    pairs = {by: compare(results, results.models, resampling, by) for by in others}
    part = {model.label for model in answered_in_part(results)}
    labels = [model.label for model in results.models if model.label not in part]
    ranks: dict[str, dict[By, Rank]] = {label: {} for label in labels}
    by_all: dict[By, Sequence[Pair]] = {"original": by_original, **pairs}
    for by, found in by_all.items():
        for label, rank in zip(labels, rank_models(labels, found), strict=True):
            ranks[label][by] = rank
    return TruthRanks(ranks, pairs, _turned(results, by_original, pairs, resampling))


def truths_of(results: Results) -> tuple[By, ...]:
    """What models are ranked by: without an unclear class, two of these are the same."""
    truth = results.photos.truth
    return TRUTHS if truth and any(truth.unclear.values()) else TRUTHS[:2]


def _turned(
    results: Results,
    by_original: Sequence[Pair],
    by_other: Mapping[By, Sequence[Pair]],
    resampling: Resampling,
) -> tuple[RankReversal, ...]:
    before = {(pair.first, pair.second): pair.difference for pair in by_original}
    turned = [
        (by, pair)
        for by, pairs in by_other.items()
        for pair in pairs
        if pair.difference * before[pair.first, pair.second] < 0
    ]
    marks: dict[By, dict[str, Marks]] = {
        by: {model.label: mark(results, model, by) for model in results.models}
        for by in ("original", *by_other)
    }
    found = []
    for start in range(0, len(turned), _AT_ONCE):
        part = turned[start : start + _AT_ONCE]
        by_labels = _leads(results, marks, [("original", pair) for _, pair in part], resampling)
        moved = by_labels - _leads(results, marks, part, resampling)  # what the pair's second gains
        signs = [1 if before[pair.first, pair.second] > 0 else -1 for _, pair in part]
        ends = intervals(moved * signs, len(results.wnids), widest=(-2.0, 2.0))
        for (by, pair), sign, interval in zip(part, signs, ends, strict=True):
            first, second = (pair.first, pair.second)[::sign]
            original = abs(before[pair.first, pair.second])
            other = sign * pair.difference
            shift = original - other
            found.append(RankReversal(first, second, by, original, other, shift, interval))
    return tuple(sorted(found, key=lambda reversal: -reversal.shift))


def _leads(
    results: Results,
    marks: Mapping[By, Mapping[str, Marks]],
    pairs: Sequence[tuple[By, Pair]],
    resampling: Resampling,
) -> Floats:
    """Each pair's difference by its truth in each draw: draws x pairs."""
    ahead, counted = [], []
    for by, pair in pairs:
        one, other = marks[by][pair.first], marks[by][pair.second]
        common = one.counted & other.counted
        ahead.append((one.right.astype(float) - other.right) * common)
        counted.append(common)
    return resampling.ratios(results.classes, np.stack(ahead, axis=1), np.stack(counted, axis=1))
