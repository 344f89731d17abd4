"""Each model's accuracy on each set, by each convention."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.reporting.series.data import Between, Score
from genset.reporting.series.gather.subsets import RIGHT, UNKNOWN, best_among
from genset.score.results.results import ModelAnswers, Results
from genset.score.results.runs import Accuracy
from genset.statistics.bootstrap import Resampling, intervals
from genset.statistics.intervals import Interval, widest

Bools = NDArray[np.bool_]
_AT_ONCE = 250  # models, of which 10,000 draws are 20 MB


def is_of_imagenet(results: Results) -> bool:
    """Whether all classes of a set are ImageNet's."""
    return results.is_of_imagenet


def is_subset(results: Results) -> bool:
    """Whether a set has some of ImageNet's 1,000 classes and no other, and not all of them."""
    return is_of_imagenet(results) and len(results.wnids) < len(imagenet1k())


def chooses_among_all(results: Results, model: ModelAnswers) -> bool:
    """Whether a model's first answers belong in the column of those among all 1,000 classes.

    On a set of other classes there is no such number to hold to: each model has its own.
    """
    return model.run.classes == len(imagenet1k()) or not is_of_imagenet(results)


def score_all(results: Results, models: Sequence[ModelAnswers], how: Resampling) -> list[Score]:
    """Top-1 accuracies as they are."""
    right = [results.right(model) for model in models]
    return _scores(results, right, [model.answered for model in models], how)


def score_subset(
    results: Results, models: Sequence[ModelAnswers], how: Resampling
) -> list[Score | Between]:
    """Accuracies of the best answers among the set's own classes.

    Raises:
        GensetError: logits that were kept cannot be read.
    """
    marks = [best_among(results, model, results.wnids) for model in models]
    counted = [model.answered for model in models]
    scores = _scores(
        results,
        [(mark == RIGHT) & which for mark, which in zip(marks, counted, strict=True)],
        counted,
        how,
    )
    unknown = [
        int((mark[which] == UNKNOWN).sum()) for mark, which in zip(marks, counted, strict=True)
    ]
    return [
        _between(score.accuracy, missing) if missing else score
        for score, missing in zip(scores, unknown, strict=True)
    ]


def _between(right: Accuracy, unknown: int) -> Between:
    return Between(right.share, (right.correct + unknown) / right.photos, unknown, right.photos)


def _scores(
    results: Results, right: Sequence[Bools], counted: Sequence[Bools], how: Resampling
) -> list[Score]:
    found: list[Score] = []
    for start in range(0, len(right), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        over, under = np.stack(right[part], axis=1), np.stack(counted[part], axis=1)
        ends = intervals(how.ratios(results.classes, over, under), len(results.wnids))
        counts = zip(over.sum(axis=0).tolist(), under.sum(axis=0).tolist(), ends, strict=True)
        for hits, photos, clustered in counts:
            accuracy = Accuracy.of(hits, photos)
            found.append(Score(accuracy, widest(Interval(accuracy.low, accuracy.high), clustered)))
    return found
