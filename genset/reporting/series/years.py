"""What a series says of a protocol's years, in sentences: no more than its numbers support."""

from genset.reporting.series.narrative import CANNOT_TELL, difference
from genset.reporting.series.yearly import Drift, Progress, Year, Years
from genset.statistics.matched import Matched, Mean
from genset.text.numbers import NONE, count, ends, percent
from genset.text.safe import clean

HEADS = ("Year", "Posted", "Mean of the same models", "Change since the first year, points")


def sentences(years: Years) -> list[str]:
    """Drift from the first year to each later one, and progress on each later one."""
    said = [drift(each) for each in years.drifts]
    if not said:
        said = ["No model was scored on every year: nothing here tells drift of the photos."]
    return said + [progress(each) for each in years.progress]


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
    if _holds_zero(value):
        return (
            f"No drift of the photos is shown from {first} to {second}: {same}, unchanged, did as "
            f"well on both as far as these photos tell ({numbers})."
        )
    way = "easier" if value.value > 0 else "harder"
    seen = ""
    if found.seen and value.value < 0:
        seen = (
            f" Of these {_models(found.seen)} could have seen photos of {first} in training, so "
            "that not all of it need be the photos."
        )
    return (
        f"The photos drifted from {first} to {second}: they are {way} for {same}, unchanged "
        f"({numbers}).{seen}"
    )


def progress(found: Progress) -> str:
    """Whether new models are better than old ones on the photos of one year."""
    name = clean(found.set)
    if not found.newer or not found.older or found.matched is None:
        who = "No model" if not found.newer else "Every model"
        return (
            f"{who} on {name} was first scored since it was frozen: nothing on it tells progress "
            "of models."
        )
    older, newer = _models(found.older), _models(found.newer)
    groups = f"{newer} first scored since it was frozen and {older} scored before"
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
        f"{made} on {name}: on the same photos, the mean of {newer} first scored since it was "
        f"frozen differs by {numbers} from that of {older} scored before."
    )


def rows(years: Years) -> list[tuple[str, str, str, str]]:
    """For each year: its set, its window, the same models' mean there, and the change."""
    first, *later = years.years
    by_set = {each.second: each for each in years.drifts}
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
        f"Protocol {clean(years.protocol)} collected, labeled and chose the photos of these years "
        "in the same way. What the same models lose or gain from one year to another is drift of "
        "the photos; what newer models have over older ones on the photos of one year is progress. "
        "A model counts as newer on a year where its first run here is later than the year’s "
        "release. Each class counts once; intervals resample whole classes."
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
