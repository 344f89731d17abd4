"""A set's multi-label truth in numbers, and how models rank by it."""

from collections.abc import Sequence

from genset.comparison.pairs import Pair
from genset.comparison.standing import truth_ranks
from genset.reporting.data.multilabel import ByTruth, TruthSummary
from genset.score.results.results import Results
from genset.sets.photos import PhotoSet
from genset.sets.truths.truth import Truth
from genset.statistics.bootstrap import Resampling


def by_truth(
    results: Results, by_original: Sequence[Pair], resampling: Resampling
) -> ByTruth | None:
    """How models rank by the set's truth; None where it has none.

    Args:
        results: the models on the set.
        by_original: every two of them, compared by the original labels.
        resampling: how classes are resampled for intervals.
    """
    if (truth := results.photos.truth) is None:
        return None
    found = truth_ranks(results, by_original, resampling)
    return ByTruth(summarize_truth(results.photos, truth), found)


def summarize_truth(photos: PhotoSet, truth: Truth) -> TruthSummary:
    """Count the photos of which a set's truth speaks."""
    correct = [truth.correct_of(image) for image in photos.ids]
    return TruthSummary(
        source=truth.source,
        sha256=truth.sha256,
        photos=len(photos),
        with_correct=sum(map(bool, correct)),
        with_own=sum(photo.wnid in truth.correct_of(photo.id) for photo in photos.photos),
        with_several=sum(len(wnids) > 1 for wnids in correct),
        with_unclear=sum(bool(truth.unclear_of(image)) for image in photos.ids),
        not_named=sum(image not in truth.correct for image in photos.ids),
        proposers=dict(truth.proposers),
        is_own=truth.is_frozen,
    )
