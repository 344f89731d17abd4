"""How models do by a set's multi-label truth, and how they rank by it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genset.comparison.logits import find_logits
from genset.comparison.marks import mark, truth_of
from genset.comparison.pairs import Pair, Rank, compare, rank_models
from genset.score.results.results import ModelAnswers, Results
from genset.score.results.runs import Accuracy
from genset.sets.truths.truth import TRUTHS, By
from genset.statistics.average_precision import average_precision
from genset.statistics.clusters import share_interval
from genset.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class AveragePrecision:
    """A model's mean average precision over the right classes; all numbers from 0 to 1.

    Attributes:
        photos: that count.
        value: the mean over them.
        interval: its 95 % interval. It is too wide rather than too narrow: no values from 0 to 1
            scatter more than hits and misses with the same mean.
    """

    photos: int
    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class MultiLabel:
    """One model against all classes that photos show.

    Attributes:
        original: the first answer is the photo's own class.
        real: it is one of the right classes; photos without any are left out.
        multilabel: it is one of the right or the unclear classes; the same photos.
        clear: it is one of the right classes; photos whose first answer is an unclear class are
            left out too.
        average_precision: of all classes ranked by logit; None where no logits are kept.
        none_right: photos that the model answered and that have no right class.
    """

    original: Accuracy
    real: Accuracy
    multilabel: Accuracy
    clear: Accuracy
    average_precision: AveragePrecision | None
    none_right: int


def measure(results: Results) -> dict[str, MultiLabel]:
    """Every model against the set's truth, by the model's label.

    Raises:
        BadInput: the set has no truth.
        GensetError: a run's logits cannot be read.
    """
    truth_of(results)
    ranked = {model.label: _ranked(results, model) for model in results.models}
    marked = {
        by: {
            model.label: Accuracy.measured(*mark(results, model, by), results.clusters)
            for model in results.models
        }
        for by in _ALL
    }
    return {
        model.label: MultiLabel(
            **{by: marked[by][model.label] for by in _ALL},
            average_precision=ranked[model.label],
            none_right=int(model.answered.sum()) - marked["real"][model.label].photos,
        )
        for model in results.models
    }


_ALL: tuple[By, ...] = ("original", "real", "multilabel", "clear")


def _ranked(results: Results, model: ModelAnswers) -> AveragePrecision | None:
    if (logits := find_logits(model)) is None:
        return None
    counted = mark(results, model, "real").counted
    truth = truth_of(results)
    column = {wnid: place for place, wnid in enumerate(logits.classes) if wnid}
    values = np.zeros(len(counted))  # 0 where a photo does not count
    for place, row in zip(logits.photos.tolist(), logits.values, strict=True):
        if counted[place]:
            wnids = truth.correct_of(results.photos.photos[place].id)
            known = [column[wnid] for wnid in wnids if wnid in column]
            values[place] = average_precision(row, known, len(wnids) - len(known))
    photos = int(counted.sum())
    return AveragePrecision(
        photos=photos,
        value=float(values.sum() / photos) if photos else 0.0,
        interval=share_interval(values, counted, results.clusters),
    )


# How models rank by one truth and by another


def truth_ranks(
    results: Results, by_original: Sequence[Pair]
) -> tuple[dict[str, dict[By, Rank]], dict[By, tuple[Pair, ...]]]:
    """Rank the models by each truth that differs from the others.

    Args:
        results: the models on one set, which has a truth.
        by_original: every two of them, compared by the original labels.

    Returns:
        By truth, the rank of each model that answered nearly all photos; and every two models by
        each truth beside the original labels.

    Raises:
        BadInput: the set has no truth.
    """
    # Without an unclear class, two of these are the same.
    others = TRUTHS[1:] if any(truth_of(results).unclear.values()) else TRUTHS[1:2]
    pairs = {by: compare(results, results.models, by) for by in others}
    by_all: dict[By, Sequence[Pair]] = {"original": by_original, **pairs}
    ranks_by = {by: rank_models(results, found) for by, found in by_all.items()}
    ranks = {
        label: {by: ranks[label] for by, ranks in ranks_by.items()}
        for label in ranks_by["original"]
    }
    return ranks, pairs
