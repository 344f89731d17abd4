"""Whether models do better on photos that they could have seen: no more than numbers support."""

from genset.core.numbers import NONE, between, count, points, span
from genset.core.safe import clean
from genset.reporting.data.report import ReportData
from genset.reporting.data.training import ByTraining, DateSplit, ModelAtDate
from genset.reporting.narrative.sources import accuracy, difference, sign
from genset.statistics.matched import FEWEST, Mean


def undated(found: ByTraining) -> str:
    """Which photos and models have no part in it; "" where all have."""
    said = []
    if not found.dated:
        return (
            "This set does not say when its photos were posted, so accuracies cannot be split at "
            "the dates of training. A release says it."
        )
    if found.undated:
        said.append(f"{count(found.undated, 'photo')} without a date of posting not compared.")
    if found.unsaid:
        names = ", ".join(map(clean, found.unsaid[:8])) + ", ..." * (len(found.unsaid) > 8)
        said.append(f"Until when it was trained is not said of {names} (&trained_until=).")
    return " ".join(said)


def sentences(split: DateSplit) -> list[str]:
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
        few = f"only {_classes(split.classes)}" if split.classes else "no class"
        return [
            f"Photos posted by {split.until} and later ones have {few} in common: these photos "
            f"cannot tell whether {names} could have seen them."
        ]
    return [_told(split, model) for model in split.models if model.label in split.trained]


def shared(split: DateSplit) -> str:
    """What the accuracies are over, and what "later" means."""
    later, earlier = split.photos
    taken = (
        f" Of the {count(split.later, 'later photo')} of the whole set "
        f"{count(split.taken_later, 'was', 'were')} surely taken after it too, so nowhere before; "
        "the others may have been elsewhere."
    )
    return (
        f"{_classes(split.classes)} that both have: {count(earlier, 'photo')} posted by "
        f"{split.until}, {count(later, 'photo')} later.{taken}"
    )


def is_tabled(split: DateSplit) -> bool:
    """Whether there are numbers to put in a table."""
    return any(model.matched.first or model.matched.difference for model in split.models)


def any_tabled(found: ByTraining) -> bool:
    """Whether any date has numbers."""
    return any(map(is_tabled, found.splits))


def cells(model: ModelAtDate) -> list[tuple[str, str]]:
    """A model's difference, its accuracies on earlier and later photos, and what is beyond others'.

    Each with its interval, "" for none.
    """
    found = model.matched
    beyond = model.beyond
    return [
        difference(found),
        accuracy(found.second),
        accuracy(found.first),
        (points(beyond.value, 1), span(beyond.interval, 1)) if beyond else (NONE, ""),
    ]


def intervals(data: ReportData) -> str:
    """How the numbers are meant."""
    how = data.options.resampling
    blind = any(split.blind for split in data.by_training.splits) if data.by_training else False
    beyond = (
        " “Beyond” is a model’s difference less the mean difference of the models that could have "
        "seen no photo of the set: what the photos themselves make of it is taken off."
        if blind
        else " Where the report also has models that were trained before the first photo was "
        "posted, their difference shows what the photos themselves make of it."
    )
    return (
        "Each class that has photos of both times counts once: an accuracy is the mean of these "
        "classes’ accuracies. The 95 % intervals resample these classes "
        f"({how.draws:,} draws, seed {how.seed}), the same for both times. “{NONE}” stands where "
        f"fewer than {FEWEST} classes deviate from the value that most have. Earlier and later "
        "photos differ in more than whether a model could have seen them: in cameras, in what "
        f"people photograph, in what a search finds.{beyond}"
    )


def _told(split: DateSplit, model: ModelAtDate) -> str:
    name, mean = clean(model.label), model.matched.difference
    where = f"on the {_classes(model.matched.classes)} that have photos of both times"
    if mean is None:
        return (
            f"These photos cannot tell whether {name} does better on photos that it could have "
            f"seen: fewer than {FEWEST} classes deviate from the difference that most have."
        )
    if not sign(mean):
        said = (
            f"These photos do not show that {name} does better on photos that it could have seen "
            f"(posted by {split.until}) than on later ones: {_signed(mean)}, {where}"
        )
    else:
        low, high = mean.interval if mean.value > 0 else (-mean.interval.high, -mean.interval.low)
        said = (
            f"{name} is {abs(100 * mean.value):.1f} points "
            f"{'better' if mean.value > 0 else 'worse'} on photos that it could have seen (posted "
            f"by {split.until}) than on later ones (95 % interval {between((low, high))}), {where}"
        )
    if model.beyond is None:
        return f"{said}."
    blind = f"for the {count(len(split.blind), 'model')} that could have seen none"
    more = _signed(model.beyond)
    if sign(model.beyond) > 0:
        return f"{said}. That is more than {blind}: {more}."
    if sign(model.beyond) < 0:
        return f"{said}. That is less than {blind}: {more}."
    return f"{said}. These photos do not show that this is more than {blind}: {more}."


def _signed(mean: Mean) -> str:
    return f"{points(mean.value, 1)} points (95 % interval {span(mean.interval, 1)})"


def _classes(number: int) -> str:
    return count(number, "class", "classes")
