"""The models' mean accuracy by source and by year posted, in each set that says so."""

from collections.abc import Callable, Sequence

import numpy as np

from genset.release.reader import Release, ReleasePhoto
from genset.reporting.series.data import GroupOnSet
from genset.score.results.results import ModelAnswers, Results
from genset.statistics.bootstrap import Floats, Resampling, intervals
from genset.statistics.intervals import widest, wilson
from genset.statistics.matched import Mean

FEWEST = 10  # photos; of fewer, an interval of a share is wider than 60 points

_KINDS: dict[str, Callable[[ReleasePhoto], str]] = {
    "source": lambda photo: photo.source,
    "year posted": lambda photo: f"{photo.posted_at:%Y}",
}


def groupings(
    sets: Sequence[Results],
    releases: Sequence[Release | None],
    models: Sequence[Sequence[ModelAnswers]],
    how: Resampling,
) -> dict[str, dict[str, tuple[GroupOnSet | None, ...]]]:
    """Take the sets apart by each thing that a release records, if it is not the same for all.

    Args:
        sets: the sets.
        releases: the release that each of them is; None for what is none.
        models: for each set, the runs of the same models, each to nearly all photos.
        how: how classes are resampled.

    Returns:
        By what is recorded, the rows of `Grouping`.
    """
    found = {}
    for by, value in _KINDS.items():
        columns = []
        for results, release, runs in zip(sets, releases, models, strict=True):
            record = {photo.file: value(photo) for photo in release.photos} if release else {}
            names = [record[photo.id] for photo in results.photos.photos] if record else []
            columns.append(_groups(results, names, runs, how) if names else {})
        rows = sorted({name for column in columns for name in column})
        if len(rows) > 1:
            found[by] = {name: tuple(column.get(name) for column in columns) for name in rows}
    return found


def _groups(
    results: Results, names: Sequence[str], models: Sequence[ModelAnswers], how: Resampling
) -> dict[str, GroupOnSet]:
    """One set's photos by what they are called."""
    values, places = np.unique(np.array(names), return_inverse=True)
    if not models:
        of_all = np.bincount(places).tolist()
        return {
            str(value): GroupOnSet(count, None) for value, count in zip(values, of_all, strict=True)
        }
    any_counts = np.logical_or.reduce([model.answered for model in models])
    # A class without an output is in no number.
    is_known = np.isin(results.classes, np.unique(results.classes[any_counts]))
    counts = np.bincount(places[is_known], minlength=len(values)).tolist()
    counted = np.logical_and.reduce([model.answered for model in models])
    right = np.mean([results.right(model) for model in models], axis=0) * counted
    member = places[:, None] == np.arange(len(values))
    drawn = how.ratios(results.classes, member * right[:, None], member * counted[:, None])
    return {
        str(value): GroupOnSet(
            counts[number],
            _mean(results, right, member[:, number] & counted, drawn[:, [number]]),
        )
        for number, value in enumerate(values)
    }


def _mean(results: Results, right: Floats, which: np.ndarray, drawn: Floats) -> Mean | None:
    photos = int(which.sum())
    if photos < FEWEST:
        return None
    hits = float(right[which].sum())
    (clustered,) = intervals(drawn, len(np.unique(results.classes[which])))
    return Mean(hits / photos, widest(wilson(hits, photos), clustered))
