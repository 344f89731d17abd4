"""What a series says of a protocol's years, in sentences: no more than its numbers support."""

from collections.abc import Iterator
from datetime import date
from itertools import pairwise

from genset.core.numbers import NONE, count, ends, percent
from genset.core.safe import clean
from genset.reporting.series.conventions import how
from genset.reporting.series.narrative import CANNOT_TELL, difference
from genset.reporting.series.yearly import Drift, Labels, Progress, Year, Years
from genset.statistics.matched import Matched, Mean

# ImageNetV2 is 11 to 14 points harder than ImageNet's validation set (Recht et al., 2019).
LARGE = 0.11
_NEARLY = 1.1  # by which windows differ that are nearly as long

HEADS = ("Year", "Posted", "Mean of the same models", "Change since the first year, points")


def sentences(years: Years) -> list[str]:
    """Drift from the first year to each later one, and progress on each later one."""
    said = [words(each) for each in years.drifts for words in (drift, labels)]
    if not said:
        said = ["No model was scored on every year: nothing here tells drift of the photos."]
    if years.convention:
        said.append(f"The models are those where {how(years.convention)}.")
    return [*said, *map(progress, years.progress), *_beside(years)]


def _beside(years: Years) -> Iterator[str]:
    """Sets that are no year of it, and windows that are not alike."""
    for name, shared in years.others:
        has = f"; {count(shared, 'photo')} of it are in these years" if shared else ""
        yield (
            f"{clean(name)} is no year of {clean(years.protocol)}: it is in none of these "
            f"sentences{has}."
        )
    for one, other in pairwise(years.years):
        if other.posted_after < one.posted_before:
            yield (
                f"The windows of {clean(one.set)} and {clean(other.set)} overlap: photos of the "
                "one that was made first are missing from the other."
            )
    days = [_days(year) for year in years.years]
    if max(days) > _NEARLY * min(days):
        yield (
            f"The windows are not equally long ({min(days):,} to {max(days):,} days): a longer one "
            "has more photos to find the first results among."
        )


def _days(year: Year) -> int:
    """How long its window is; 0 where a manifest says what is no day."""
    try:
        first, last = map(date.fromisoformat, (year.posted_after, year.posted_before))
    except ValueError:
        return 0
    return (last - first).days


def drift(found: Drift) -> str:
    """Whether the photos of a later year are harder or easier for models that did not change."""
    first, second = clean(found.first), clean(found.second)
    same = _models(found.models, "the same ")
    value = found.matched.difference
    if value is None:
        return (
            f"Whether the photos drifted from {first} to {second}, {CANNOT_TELL}: too few classes "
            f"differ for {same}."
        )
    numbers = f"{difference(found.matched)} points"
    if _holds_zero(value) and max(-value.interval.low, value.interval.high) > LARGE:
        return (
            f"Whether the photos drifted from {first} to {second}, {CANNOT_TELL}: for {same}, "
            f"unchanged, they differ by {numbers}, where a drift as large as that of ImageNetV2 "
            "from ImageNet could hide."
        )
    if _holds_zero(value):
        return (
            f"No drift of the photos is shown from {first} to {second}: for {same}, unchanged, "
            f"they differ by {numbers}; a drift within this interval cannot be told from none."
        )
    way = "easier" if value.value > 0 else "harder"
    seen = ""
    if found.seen and value.value < 0:
        seen = (
            f" Of these {_models(found.seen)} could have seen photos of {first} in training, so "
            "that not all of it need be the photos."
        )
    what = "The photos drifted" if _alike(found.labels) else "The photos, or their labels, drifted"
    return (
        f"{what} from {first} to {second}: they are {way} for {same}, unchanged ({numbers}).{seen}"
    )


def labels(found: Drift) -> str:
    """What the labels of two years tell of their difference: it is not the photos' alone."""
    first, second, told = clean(found.first), clean(found.second), found.labels
    said = [f"Whether the same people labeled {first} and {second} is not recorded."]
    if told.votes is not None and told.common is not None:
        said = [
            f"Of {count(told.votes, 'label')} behind the later made of {first} and {second}, "
            f"{count(told.common, 'is', 'are')} by people who labeled photos of the other one, too."
        ]
    frequency = told.frequency
    if frequency is None:
        said.append("Their selection frequencies are not recorded.")
    elif frequency.difference is None:
        said.append(
            "Selection frequency, the share of a photo’s labelers who call it correct, differs in "
            "too few classes for an interval."
        )
    else:
        is_none = _holds_zero(frequency.difference)
        so = "no difference is shown" if is_none else "so part of a change may be of labels"
        said.append(
            "Selection frequency, the share of a photo’s labelers who call it correct, changes by "
            f"{difference(frequency)} points: {so}."
        )
    if not _alike(told):
        said.append(
            "To tell drift of photos from labels, let the same people label photos of both years."
        )
    return " ".join(said)


def _alike(told: Labels) -> bool:
    """Whether nothing speaks for another way of labeling: the same people, as often correct."""
    same = bool(told.votes) and told.common is not None and 2 * told.common >= (told.votes or 0)
    value = told.frequency.difference if told.frequency else None
    return same and (value is None or _holds_zero(value))


def progress(found: Progress) -> str:
    """Whether new models are better than old ones on the photos of one year."""
    name = clean(found.set)
    new, old = "first scored since it was frozen", "scored before"
    if found.named:
        new, old = "called new", "not called new"
    if not found.newer or not found.older or found.matched is None:
        who = "No model" if not found.newer else "Every model"
        how = "" if found.named else " Name the new ones with --new, where they are known."
        return f"{who} on {name} was {new}: nothing on it tells progress of models.{how}"
    older, newer = _models(found.older), _models(found.newer)
    groups = f"{newer} {new} and {older} {old}"
    value = found.matched.difference
    if value is None:
        return f"Whether models made progress on {name}, {CANNOT_TELL}: {groups}."
    numbers = f"{difference(found.matched)} points"
    if _holds_zero(value):
        return (
            f"No progress of models is shown on {name}: on the same photos, {groups} do not differ "
            f"as far as these photos tell ({numbers})."
        )
    made = "Models made progress" if value.value > 0 else "Newer models are worse"
    return (
        f"{made} on {name}: on the same photos, the mean of {newer} {new} differs by {numbers} "
        f"from that of {older} {old}."
    )


def rows(years: Years) -> list[tuple[str, str, str, str]]:
    """For each year: its set, its window, the same models' mean there, and the change."""
    first, *later = years.years
    by_set = {drift.second: drift for drift in years.drifts}
    start = _mean(years.drifts[0].matched, 0) if years.drifts else NONE
    found = [(clean(first.set), window(first), start, "")]
    for year in later:
        there = by_set.get(year.set)
        mean, change = (
            (_mean(there.matched, 1), difference(there.matched)) if there else (NONE, NONE)
        )
        found.append((clean(year.set), window(year), mean, change))
    return found


def window(year: Year) -> str:
    """When its photos were posted."""
    return f"from {clean(year.posted_after, 10)} until before {clean(year.posted_before, 10)}"


def note(years: Years) -> str:
    """How drift and progress are told apart."""
    return (
        f"Protocol {clean(years.protocol)} collected and chose the photos of these years in the "
        "same way, and asked for as many labels. What the same models lose or gain from one year "
        "to another is drift of the photos, where their labels are alike; what newer models have "
        "over older ones on the photos of one year is progress. "
        f"{_who_is_new(years)} Each class counts once; intervals resample whole classes."
    )


def _who_is_new(years: Years) -> str:
    if any(each.named for each in years.progress):
        return "Which models are new was said by whoever asked for this report."
    return (
        "A model counts as newer on a year where its first run here is later than the year’s "
        "release."
    )


def _mean(matched: Matched, side: int) -> str:
    mean = (matched.first, matched.second)[side]
    if mean is None:
        return CANNOT_TELL
    photos = matched.photos[side]
    return f"{percent(mean.value, photos)} % ({ends(mean.interval, photos)} %)"


def _models(labels: tuple[str, ...], lead: str = "") -> str:
    return clean(labels[0]) if len(labels) == 1 else f"{lead}{count(len(labels), 'model')}"


def _holds_zero(mean: Mean) -> bool:
    return mean.interval.low <= 0 <= mean.interval.high
