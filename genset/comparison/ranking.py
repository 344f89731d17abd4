"""How models rank by one truth and by another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genset.comparison.marks import answered_in_part
from genset.comparison.pairs import Pair, Rank, compare, rank_models
from genset.score.results.results import Results
from genset.sets.truths.truth import TRUTHS, By
from genset.statistics.bootstrap import STANDARD, Resampling


@dataclass(frozen=True, slots=True)
class RankReversal:
    """Two models whose order changes with the truth.

    Attributes:
        first, second: the one that is ahead by the original labels, and the other.
        by: the truth by which the second is ahead.
        original, other: the first's accuracy less the second's by either, on the photos that count
            for both, -1 to 1.
    """

    first: str
    second: str
    by: By
    original: float
    other: float

    @property
    def shift(self) -> float:
        """What the second gains on the first."""
        return self.original - self.other


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
    return TruthRanks(ranks, pairs, _turned(by_original, pairs))


def truths_of(results: Results) -> tuple[By, ...]:
    """What models are ranked by: without an unclear class, two of these are the same."""
    truth = results.photos.truth
    return TRUTHS if truth and any(truth.unclear.values()) else TRUTHS[:2]


def _turned(
    by_original: Sequence[Pair], by_other: Mapping[By, Sequence[Pair]]
) -> tuple[RankReversal, ...]:
    before = {(pair.first, pair.second): pair.difference for pair in by_original}
    found = []
    for by, pairs in by_other.items():
        for pair in pairs:
            original = before[pair.first, pair.second]
            if pair.difference * original < 0:
                sign = 1 if original > 0 else -1
                first, second = (pair.first, pair.second)[::sign]
                reversal = RankReversal(first, second, by, abs(original), sign * pair.difference)
                found.append(reversal)
    return tuple(sorted(found, key=lambda reversal: -reversal.shift))
