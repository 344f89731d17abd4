"""Split a release's photos at the dates until which its models were trained."""

from collections.abc import Sequence
from datetime import UTC, date

import numpy as np
from numpy.typing import NDArray

from genset.core.dates import earliest_day
from genset.models.spec import last_day
from genset.release.reader import Release, ReleasePhoto
from genset.reporting.data.training import ByTraining, DateSplit, ModelAtDate
from genset.score.results.results import ModelAnswers, Results
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import Mean, match

Bools = NDArray[np.bool_]


def by_training(
    results: Results, release: Release | None, resampling: Resampling
) -> ByTraining | None:
    """Compare each model on photos posted until and after each model's date.

    Args:
        results: the models, side by side on one set.
        release: the set, if it is one; other sets have no dates.
        resampling: how classes are resampled for intervals.

    Returns:
        None where of no model it was said until when it was trained.
    """
    said = sorted({model.run.trained_until for model in results.models} - {""})
    if not said:
        return None
    by_end = {last_day(until): until for until in reversed(said)}  # 2021 rather than 2021-12
    by_id = {photo.file: photo for photo in release.photos} if release else {}
    records = [by_id.get(photo.id) for photo in results.photos.photos]
    posted = [_posted(record) for record in records]
    known = np.array([day is not None for day in posted], bool)
    return ByTraining(
        splits=tuple(
            _split(end, until, results, records, posted, resampling)
            for end, until in sorted(by_end.items())
            if known.any()
        ),
        dated=int(known.sum()),
        undated=int((~known).sum()),
        unsaid=tuple(model.label for model in results.models if not model.run.trained_until),
    )


def _posted(record: ReleasePhoto | None) -> date | None:
    """The day, in UTC, on which a photo was posted, if its record says."""
    return record.posted_at.astimezone(UTC).date() if record else None


def _split(
    end: date,
    until: str,
    results: Results,
    records: Sequence[ReleasePhoto | None],
    posted: Sequence[date | None],
    resampling: Resampling,
) -> DateSplit:
    known = np.array([day is not None for day in posted])
    is_earlier = np.array([day is not None and day <= end for day in posted])
    is_later = known & ~is_earlier
    places = np.flatnonzero(known)
    classes, earlier = results.classes[places], is_earlier[places]
    shared = np.isin(classes, np.intersect1d(classes[earlier], classes[~earlier]))
    right = np.stack([results.right(model)[places] for model in results.models], axis=1)
    counted = np.stack([model.answered[places] for model in results.models], axis=1)
    matched = match(classes, right.astype(np.float64), counted, earlier, resampling)
    first = min(day for day in posted if day is not None)
    blind = [_is_blind(model, first) for model in results.models]
    beyond = _beyond(classes, right, counted, earlier, np.array(blind), resampling)
    rows = zip(results.models, matched, beyond, strict=True)
    return DateSplit(
        until=until,
        trained=tuple(model.label for model in results.models if _end(model) == end),
        earlier=int(is_earlier.sum()),
        later=int(is_later.sum()),
        taken_later=sum(
            _taken_later(record, end)
            for record, later in zip(records, is_later, strict=True)
            if later
        ),
        classes=len(np.unique(classes[shared])),
        photos=(int((shared & ~earlier).sum()), int((shared & earlier).sum())),
        blind=tuple(
            each.label for each, is_one in zip(results.models, blind, strict=True) if is_one
        ),
        models=tuple(
            ModelAtDate(model.label, model.run.trained_until, found, more)
            for model, found, more in rows
        ),
    )


def _is_blind(model: ModelAnswers, first: date) -> bool:
    """Whether all photos are later than those that the model was trained on."""
    end = _end(model)
    return end is not None and end < first


def _end(model: ModelAnswers) -> date | None:
    """The last day of what a model was trained on, if that was said."""
    return last_day(model.run.trained_until) if model.run.trained_until else None


def _beyond(
    classes: NDArray[np.int64],
    right: Bools,
    counted: Bools,
    earlier: Bools,
    blind: Bools,
    resampling: Resampling,
) -> list[Mean | None]:
    """Each model's difference less the blind models' mean one, on photos that all answered."""
    found: list[Mean | None] = [None] * right.shape[1]
    others = np.flatnonzero(~blind)
    if not blind.any() or not len(others):
        return found
    of_blind = counted[:, blind].sum(axis=1) == blind.sum()
    for_all = of_blind[:, None] & counted[:, others]
    ahead = (right[:, others] - right[:, blind].mean(axis=1)[:, None]) * for_all
    for model, each in zip(
        others.tolist(), match(classes, ahead, for_all, earlier, resampling), strict=True
    ):
        found[model] = each.difference
    return found


def _taken_later(record: ReleasePhoto | None, end: date) -> bool:
    """Whether a photo posted after a date was surely taken after it too."""
    if record is None:
        return False
    day = earliest_day(record.taken_at, record.posted_at)
    return day is not None and day > end.isoformat()
