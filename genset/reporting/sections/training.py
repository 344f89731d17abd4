"""By date of training: whether models do better on photos that they could have been trained on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date

import numpy as np

from genset.comparison.classes import TwoGroups, two_groups
from genset.comparison.marks import Marks, mark, mean_of
from genset.comparison.unseen import trained_until
from genset.core.dates import earliest_day
from genset.core.numbers import count
from genset.core.table import Column
from genset.models.spec import last_day
from genset.release.reader import ReleasePhoto
from genset.reporting.blocks import Block, Paragraph, Part, sentences
from genset.reporting.format import (
    claim,
    group_claim,
    groups_shown,
    matched_difference,
    resampled,
    some_of,
)
from genset.reporting.report import Inputs, ReportData, Section
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import FEWEST, Mean


@dataclass(frozen=True, slots=True)
class DateSplit:
    """The photos of a set, split at the end of a date until which models were trained.

    Attributes:
        until: the date, as it was named.
        trained: the labels of the models that were trained until then.
        earlier, later: photos posted until the date, and after it.
        taken_later: of the later ones, those also taken after the date: they were nowhere before.
        groups: all models on the later photos and on the earlier ones: a difference is the accuracy
            on earlier photos less that on later ones.
        blind: the labels of the models that could have seen no photo of the set.
        beyond: by label of the others, the difference less the mean difference of the blind ones;
            None where the classes cannot tell; empty where no model is blind.
    """

    until: str
    trained: tuple[str, ...]
    earlier: int
    later: int
    taken_later: int
    groups: TwoGroups
    blind: tuple[str, ...]
    beyond: dict[str, Mean | None]


@dataclass(frozen=True, slots=True)
class ByTraining:
    """A set by the dates until which its models were trained.

    Attributes:
        dates: until when each model was trained, by its label; "" where that is not known.
        splits: by date, the first one first; none where photos have no dates.
    """

    dates: dict[str, str]
    splits: tuple[DateSplit, ...]


# The numbers


def gather(inputs: Inputs, data: ReportData) -> ByTraining | None:
    """Compare each model on photos posted until and after each model's date.

    None where no model's date is known.
    """
    results = inputs.results
    dates = {model.label: trained_until(model.run)[0] for model in results.models}
    if not any(dates.values()):
        return None
    marks = {model.label: mark(results, model) for model in results.models}
    ends = sorted({last_day(until) for until in dates.values() if until})
    splits = (_split(end, dates, marks, inputs, data) for end in ends if inputs.records)
    return ByTraining(dates, tuple(splits))


def _split(
    end: date,
    dates: Mapping[str, str],
    marks: Mapping[str, Marks],
    inputs: Inputs,
    data: ReportData,
) -> DateSplit:
    classes, resampling = inputs.results.classes, data.options.resampling
    records = [inputs.records[photo.id] for photo in inputs.results.photos.photos]
    posted = [record.posted_at.astimezone(UTC).date() for record in records]
    earlier = np.array([day <= end for day in posted])
    times = {"later": ~earlier, "earlier": earlier}
    trained = tuple(label for label, until in dates.items() if until and last_day(until) == end)
    # All photos are later than those that such a model was trained on.
    blind = tuple(m for m, until in dates.items() if until and last_day(until) < min(posted))
    ahead = _ahead(marks, blind)
    beyond = two_groups(classes, ahead, times, resampling).models if ahead else {}
    later = [record for record, is_early in zip(records, earlier, strict=True) if not is_early]
    return DateSplit(
        until=min(dates[label] for label in trained),  # 2021 rather than 2021-12
        trained=trained,
        earlier=int(earlier.sum()),
        later=len(later),
        taken_later=sum(_taken_later(record, end) for record in later),
        groups=two_groups(classes, marks, times, resampling),
        blind=blind,
        beyond={label: found.difference for label, found in beyond.items()},
    )


def _ahead(marks: Mapping[str, Marks], blind: Sequence[str]) -> dict[str, Marks]:
    """How far the other models are ahead of the blind ones' mean, on photos that all answered."""
    if not blind:
        return {}
    mean, found = mean_of([marks[label] for label in blind]), dict[str, Marks]()
    for label, (right, counted) in marks.items():
        if label not in blind:
            both = counted & mean.counted
            found[label] = Marks((right - mean.right) * both, both)
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
        names = "later photos", f"photos posted by {split.until}"
        title, claims = f"Trained until {split.until}", list(_claims(split))
        blocks += groups_shown(split.groups, title, names, claims, _further(found, split))
        blocks.append(Paragraph(_photos(split), "note"))
    if any(split.groups.largest.classes > FEWEST for split in found.splits):
        blocks.append(Paragraph(_intervals(found, data.options.resampling), "note"))
    blocks += sentences([_not_compared(found)], "note")
    title = "By date of training: could the models have seen the photos?"
    yield Part("training-dates", title, blocks)


def _further(found: ByTraining, split: DateSplit) -> list[tuple[Column, Mapping[str, object]]]:
    return [
        (Column("trained_until", "Trained until", missing="not known"), found.dates),
        (
            Column("beyond", "Beyond", "points"),
            {label: matched_difference(mean) for label, mean in split.beyond.items()},
        ),
    ]


def _claims(split: DateSplit) -> Iterator[str]:
    """Whether each model that was trained until a date does better on photos up to it."""
    where = f"on photos that it could have seen (posted by {split.until}) against later ones"
    blind = f"than for the {count(len(split.blind), 'model')} that could have seen none"
    for label in split.trained:
        yield group_claim(split.groups, label, where)
        if label in split.beyond:
            yield claim("Beyond that", split.beyond[label], f"more {blind}")


def _photos(split: DateSplit) -> str:
    """How many photos are of either time, and what "later" means."""
    return (
        f"{count(split.earlier, 'photo was', 'photos were')} posted by {split.until}, "
        f"{split.later:,} later; of these {split.taken_later:,} surely taken after it too, so "
        "nowhere before; the others may have been elsewhere."
    )


def _intervals(found: ByTraining, resampling: Resampling) -> str:
    """How the numbers are meant."""
    beyond = " Beyond: less the mean difference of the models that could have seen no photo."
    return (
        f"{resampled(resampling)} Earlier and later photos also differ in cameras, in what people "
        "photograph, and in what a search finds."
        f"{beyond if any(split.blind for split in found.splits) else ''}"
    )


def _not_compared(found: ByTraining) -> str:
    """Which photos and models have no part in it; "" where all have."""
    if not found.splits:
        return (
            "This set does not say when its photos were posted, so accuracies cannot be split at "
            "the dates of training. A release says it."
        )
    if not (unknown := [label for label, until in found.dates.items() if not until]):
        return ""
    return f"Training date unknown (&trained_until=): {some_of(unknown)}."


SECTION = Section("by_training", gather, show)
