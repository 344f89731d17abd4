"""By date of training: whether models do better on photos that they could have been trained on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date

import numpy as np
from numpy.typing import NDArray

from genset.comparison.unseen import trained_until
from genset.core.dates import earliest_day
from genset.core.numbers import NONE, count, points, span
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.models.spec import last_day
from genset.release.reader import ReleasePhoto
from genset.reporting.blocks import Block, Grid, Heading, Paragraph, Part, sentences
from genset.reporting.format import (
    all_models,
    claim,
    classes_of,
    matched_accuracy,
    matched_difference,
    some_of,
)
from genset.reporting.report import Inputs, ReportData, Section
from genset.score.results.results import ModelAnswers
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import FEWEST, Matched, Mean, match

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ModelAtDate:
    """One model on photos posted after a date (`matched.first`) and until then (`.second`).

    The difference is the accuracy on earlier photos less that on later ones. `beyond` is that
    difference less the mean difference of the models that could have seen no photo of either;
    None where there are none, for these models themselves, and where the classes cannot tell.
    """

    label: str
    trained_until: str
    matched: Matched
    beyond: Mean | None


@dataclass(frozen=True, slots=True)
class DateSplit:
    """The photos of a set, split at the end of a date until which models were trained.

    Attributes:
        until: the date, as it was named.
        trained: the labels of the models that were trained until then.
        earlier, later: photos posted until the date, and after it.
        taken_later: of the later ones, those also taken after the date: they were nowhere before.
        classes: how many have photos of both times.
        photos: of these classes, later and earlier ones.
        blind: the labels of the models that could have seen no photo of the set.
        models: all models of the report, in its order.
    """

    until: str
    trained: tuple[str, ...]
    earlier: int
    later: int
    taken_later: int
    classes: int
    photos: tuple[int, int]
    blind: tuple[str, ...]
    models: tuple[ModelAtDate, ...]

    @property
    def has_numbers(self) -> bool:
        """Whether there are numbers to put in a table."""
        return any(model.matched.first or model.matched.difference for model in self.models)


@dataclass(frozen=True, slots=True)
class ByTraining:
    """A set by the dates until which its models were trained.

    Attributes:
        splits: by date, the first one first; none where photos have no dates.
        without_date: the labels of the models of which no date is known.
    """

    splits: tuple[DateSplit, ...]
    without_date: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Photos:
    """The photos of a release, and each model's answers to them.

    Attributes:
        records: what the release knows of each.
        posted: the day on which each was posted, in UTC.
        classes: by number.
        right, counted: for each model: whether its answer is right, and counts.
    """

    records: Sequence[ReleasePhoto]
    posted: Sequence[date]
    classes: NDArray[np.int64]
    right: Bools
    counted: Bools


# The numbers


def gather(inputs: Inputs, data: ReportData) -> ByTraining | None:
    """Compare each model on photos posted until and after each model's date.

    None where no model's date is known.
    """
    models = inputs.results.models
    dates = sorted({trained_until(model.run)[0] for model in models} - {""})
    if not dates:
        return None
    by_end = {last_day(until): until for until in reversed(dates)}  # 2021 rather than 2021-12
    photos = _photos(inputs) if inputs.records else None
    return ByTraining(
        splits=tuple(
            _split(end, until, photos, models, data.options.resampling)
            for end, until in sorted(by_end.items())
            if photos
        ),
        without_date=tuple(model.label for model in models if not trained_until(model.run)[0]),
    )


def _photos(inputs: Inputs) -> _Photos:
    results = inputs.results
    records = [inputs.records[photo.id] for photo in results.photos.photos]
    return _Photos(
        records=records,
        posted=[record.posted_at.astimezone(UTC).date() for record in records],
        classes=results.classes,
        right=np.stack([results.right(model) for model in results.models], axis=1),
        counted=np.stack([model.answered for model in results.models], axis=1),
    )


def _split(
    end: date, until: str, photos: _Photos, models: Sequence[ModelAnswers], resampling: Resampling
) -> DateSplit:
    classes, earlier = photos.classes, np.array([day <= end for day in photos.posted])
    shared = np.isin(classes, np.intersect1d(classes[earlier], classes[~earlier]))
    first = min(photos.posted)
    # All photos are later than those that such a model was trained on.
    blind = np.array([(_end(model) or date.max) < first for model in models])
    matched = match(classes, photos.right.astype(float), photos.counted, earlier, resampling)
    beyond = _beyond(photos, earlier, blind, resampling)
    later = [photos.records[place] for place in np.flatnonzero(~earlier).tolist()]
    return DateSplit(
        until=until,
        trained=tuple(model.label for model in models if _end(model) == end),
        earlier=int(earlier.sum()),
        later=len(later),
        taken_later=sum(_taken_later(record, end) for record in later),
        classes=len(np.unique(classes[shared])),
        photos=(int((shared & ~earlier).sum()), int((shared & earlier).sum())),
        blind=tuple(model.label for model, is_one in zip(models, blind, strict=True) if is_one),
        models=tuple(
            ModelAtDate(model.label, trained_until(model.run)[0], found, more)
            for model, found, more in zip(models, matched, beyond, strict=True)
        ),
    )


def _end(model: ModelAnswers) -> date | None:
    """The last day of what a model was trained on, if that is known."""
    until, _ = trained_until(model.run)
    return last_day(until) if until else None


def _beyond(
    photos: _Photos, earlier: Bools, blind: Bools, resampling: Resampling
) -> list[Mean | None]:
    """Each model's difference less the blind models' mean one, on photos that all answered."""
    right, counted = photos.right, photos.counted
    found: list[Mean | None] = [None] * right.shape[1]
    others = np.flatnonzero(~blind)
    if not blind.any() or not len(others):
        return found
    of_blind = counted[:, blind].sum(axis=1) == blind.sum()
    for_all = of_blind[:, None] & counted[:, others]
    ahead = (right[:, others] - right[:, blind].mean(axis=1)[:, None]) * for_all
    differences = match(photos.classes, ahead, for_all, earlier, resampling)
    for model, matched in zip(others.tolist(), differences, strict=True):
        found[model] = matched.difference
    return found


def _taken_later(record: ReleasePhoto, end: date) -> bool:
    """Whether a photo posted after a date was surely taken after it too."""
    day = earliest_day(record.taken_at, record.posted_at)
    return day is not None and day > end.isoformat()


# What is shown


def show(found: ByTraining | None, data: ReportData) -> Iterator[Part]:
    """Whether each model does better on photos until its date, a table for each date."""
    if found is None:
        return
    blocks: list[Block] = []
    for split in found.splits:
        blocks += [Heading(f"Trained until {split.until}"), *sentences(_claims(split))]
        if split.has_numbers:
            fold = all_models(len(split.models))
            blocks += [Paragraph(_shared(split), "note"), Grid(_table(split), fold, "named")]
    if any(split.has_numbers for split in found.splits):
        blocks.append(Paragraph(_intervals(found, data.options.resampling), "note"))
    blocks += sentences([_not_compared(found)], "note")
    title = "By date of training: could the models have seen the photos?"
    yield Part("training-dates", title, blocks)


def _table(split: DateSplit) -> Table:
    columns = [
        Column("model", "Model"),
        Column("trained_until", "Trained until"),
        Column("difference", "Difference", "earlier less later, points"),
        Column("earlier", "Earlier", "%"),
        Column("later", "Later", "%"),
        Column("beyond", "Beyond", "points"),
    ]
    return Table(columns, [_row(model) for model in split.models])


def _row(model: ModelAtDate) -> list[object]:
    found, beyond = model.matched, model.beyond
    more = Cell(beyond.value, points(beyond.value, 1), span(beyond.interval, 1)) if beyond else None
    return [
        model.label,
        model.trained_until or None,
        matched_difference(found),
        matched_accuracy(found.second),
        matched_accuracy(found.first),
        more,
    ]


def _claims(split: DateSplit) -> list[str]:
    """Whether each model that was trained until a date does better on photos up to it."""
    names = " and ".join(map(clean, split.trained))
    if not split.earlier:
        return [
            f"None of the {count(split.later, 'photo')} was posted by {split.until}: {names} could "
            "have seen none of them where they were posted."
        ]
    if not split.later:
        return [
            f"All {count(split.earlier, 'photo')} were posted by {split.until}: {names} could have "
            "seen any of them, and there are no later ones to compare with."
        ]
    if split.classes <= FEWEST:
        return [
            f"Photos posted by {split.until} and later ones have {classes_of(split.classes)} in "
            "common: too few to compare."
        ]
    return [_claim(split, model) for model in split.models if model.label in split.trained]


def _claim(split: DateSplit, model: ModelAtDate) -> str:
    matched = model.matched
    where = (
        f"on photos that it could have seen (posted by {split.until}) against later ones, over "
        f"{classes_of(matched.classes)} of both times"
    )
    text = claim(clean(model.label), matched.difference, where)
    if model.beyond is None:
        return text
    blind = f"than for the {count(len(split.blind), 'model')} that could have seen none"
    return f"{text} {claim('Beyond that', model.beyond, f'more {blind}')}"


def _shared(split: DateSplit) -> str:
    """What the accuracies are over, and what "later" means."""
    later, earlier = split.photos
    return (
        f"{classes_of(split.classes)} that both have: {count(earlier, 'photo')} posted by "
        f"{split.until}, {count(later, 'photo')} later. Of the "
        f"{count(split.later, 'later photo')} of the whole set "
        f"{count(split.taken_later, 'was', 'were')} surely taken after it too, so nowhere before; "
        "the others may have been elsewhere."
    )


def _intervals(found: ByTraining, resampling: Resampling) -> str:
    """How the numbers are meant."""
    beyond = " Beyond: less the mean difference of the models that could have seen no photo."
    return (
        "Each class of both times counts once; intervals resample these classes "
        f"({resampling.draws:,} draws, seed {resampling.seed}). “{NONE}”: too few classes. Earlier "
        "and later photos also differ in cameras, in what people photograph, and in what a search "
        f"finds.{beyond if any(split.blind for split in found.splits) else ''}"
    )


def _not_compared(found: ByTraining) -> str:
    """Which photos and models have no part in it; "" where all have."""
    if not found.splits:
        return (
            "This set does not say when its photos were posted, so accuracies cannot be split at "
            "the dates of training. A release says it."
        )
    if not found.without_date:
        return ""
    names = some_of(found.without_date)
    return f"Training date unknown (&trained_until=): {names}."


SECTION = Section("by_training", gather, show)
