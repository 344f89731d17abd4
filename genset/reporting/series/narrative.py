"""What a series says in sentences: no more than its numbers support."""

from genset.classes import imagenet1k
from genset.core.numbers import NONE, count, digits, ends, percent, points, span
from genset.core.safe import clean
from genset.reporting.series.conventions import all_of, how, is_own, mixed, on_set
from genset.reporting.series.data import (
    Among,
    Between,
    Fit,
    Gap,
    Grouping,
    GroupOnSet,
    OnSet,
    Score,
    Series,
    SetInSeries,
    SetPair,
)
from genset.statistics.matched import Matched, Mean
from genset.statistics.trend import FEWEST_MODELS

CANNOT_TELL = "these photos cannot tell"


def title(series: Series) -> str:
    """The sets, by name."""
    return ", ".join(clean(each.name) for each in series.sets)


def headline(series: Series) -> str:
    """How much was scored."""
    whole = sum(all(model.on) for model in series.models)
    models = count(len(series.models), "model")
    if not series.models:
        return f"No model was scored on these {len(series.sets)} sets yet."
    if whole == len(series.models):
        return f"{models} on {len(series.sets)} sets, each scored on all of them."
    return f"{models} on {len(series.sets)} sets; {whole} of them were scored on all sets."


def changes(series: Series) -> list[str]:
    """How much is lost from the first set to each other one."""
    first = series.sets[0].name
    found = []
    for pair in series.pairs:
        if pair.first == first and (pair.among == "all" or is_own(series, pair)):
            said = _change(pair)
            if is_own(series, pair) and len(all_of(series)) > 1:
                said = f"Where {how(pair.among)}: {said[0].lower()}{said[1:]}"
            found.append(said)
    return found


def among_all(each: SetInSeries) -> str:
    """What first answers on a set are chosen among, in words."""
    if each.is_of_imagenet:
        return f"choosing among all {len(imagenet1k()):,} classes"
    if each.conventions:
        return on_set(each)
    return "choosing among the classes that each model knows"


def changes_over(series: Series, each: SetInSeries) -> str:
    """Over which classes a set's changes since the first one are; "" where it has none.

    The accuracies beside them are of all classes of each set: they differ by another number.
    """
    first = series.sets[0].name
    for pair in series.pairs:
        if (pair.first, pair.second) == (first, each.name):
            return f"over the {count(pair.classes, 'class', 'classes')} that both have"
    return ""


def column(series: Series, each: SetInSeries) -> str:
    """What the numbers in a set's column are."""
    said = f"top-1, {among_all(each)}"
    if over := changes_over(series, each):
        said += f"; change since {clean(series.sets[0].name, 60)} {over}"
    return said


def among_own(classes: int) -> str:
    """The same of answers among some classes alone."""
    return f"choosing among these {count(classes, 'class', 'classes')} alone"


def pair_name(series: Series, pair: SetPair) -> str:
    """Both sets, and what models choose among."""
    said = among_all(series.set(pair.second))
    way = among_own(pair.classes) if pair.among == "subset" else said
    if is_own(series, pair):
        way = how(pair.among)
    return f"{clean(pair.first)} and {clean(pair.second)}, {way}"


def score(found: Score | Between | None) -> str:
    """An accuracy in per cent; a range where the kept answers do not settle it."""
    if found is None:
        return NONE
    if isinstance(found, Between):
        return f"{percent(found.low, found.photos)} to {percent(found.high, found.photos)} %"
    return f"{percent(found.accuracy.share, found.accuracy.photos)} %"


def beside(found: Score | Between | None) -> str:
    """What stands beside it: its interval, or why there is none."""
    if found is None:
        return ""
    if isinstance(found, Between):
        return f"{found.unknown:,} of {found.photos:,} not known"
    return f"{ends(found.interval, found.accuracy.photos)} %"


def group(found: GroupOnSet | None) -> str:
    """The mean accuracy on photos that share something."""
    if found is None:
        return NONE
    photos = count(found.photos, "photo")
    if found.mean is None:
        return f"{photos} cannot tell"
    value = percent(found.mean.value, found.photos)
    return f"{value} % ({ends(found.mean.interval, found.photos)} %), {photos}"


def flagged(series: Series) -> list[tuple[str, str, str]]:
    """Runs that are left out: the model, the set, and why."""
    return [
        (clean(model.label), clean(each.name), reasons(on))
        for model in series.models
        for each, on in zip(series.sets, model.on, strict=True)
        if on and on.flags
    ]


def reasons(on: OnSet) -> str:
    """Why a run is left out."""
    return " ".join(clean(flag, 500) for flag in on.flags)


def partial(on: OnSet) -> str:
    """How many photos a model answered, where it is not nearly all; else ""."""
    if on.partial is None:
        return ""
    answered, of = on.partial
    return f"answered {answered:,} of {of:,} photos"


def difference(found: Matched | None) -> str:
    """A difference of two sets in points with its interval."""
    if found is None or not found.classes:
        return NONE
    if found.difference is None:
        return CANNOT_TELL
    return f"{_points(found.difference, found)} ({_span(found.difference, found)})"


def pair_summary(pair: SetPair) -> list[str]:
    """What is compared, on what, and without whom."""
    said = [
        f"{count(pair.classes, 'class', 'classes')} that both have, each counted once: "
        f"{count(pair.photos[0], 'photo')} in {clean(pair.first)}, "
        f"{pair.photos[1]:,} in {clean(pair.second)}. Differences are paired by class: their "
        "intervals resample whole classes, the same in both sets. The photos are not the same."
    ]
    if pair.flagged:
        said.append(f"Left out, because a run is flagged: {_names(pair.flagged)}.")
    if pair.unknown:
        said.append(f"Left out, because {_unknown(pair.among)}: {_names(pair.unknown)}.")
    if pair.partial:
        said.append(_left_out_in_part(pair.partial))
    if pair.apart:
        they = "it" if len(pair.apart) == 1 else "they"
        said.append(f"Left out, because {they} answered no class on both: {_names(pair.apart)}.")
    return said


def fits(pair: SetPair) -> list[str]:
    """The lines through the models."""
    if not pair.fits:
        return [_no_line(pair)] if pair.models else []
    lines = "; ".join(_line(pair, fit) for fit in pair.fits)
    return [
        f"The lines through {len(pair.models)} models: {lines}. What a model has above a line is "
        "what its accuracy on the first set does not let expect. Intervals resample the second "
        "set’s classes and the models’ scatter about the line, and take accuracies on the first "
        "set for exact. The inner band is the line’s 95 % interval, the outer one where 95 % of "
        "further models are expected."
    ]


def intervals(series: Series) -> str:
    """How the intervals are meant."""
    drawn = series.options.resampling
    return (
        "Each interval is the wider of two at either end: Wilson’s, which takes each photo for an "
        "independent draw, and that of whole classes resampled with their photos "
        f"({drawn.draws:,} draws, seed {drawn.seed})."
    )


def joined(series: Series) -> list[str]:
    """How it is known which runs are of one model."""
    said = [
        "Runs on several sets are of one model where weights, preprocessing and precision are the "
        "same, whatever it is called."
    ]
    by_name = [model.label for model in series.models if model.by_name]
    if by_name:
        what = "model's" if len(by_name) == 1 else "models'"
        said.append(
            f"{len(by_name)} {what} answers were computed elsewhere, so that only the name joins "
            f"them: {_names(by_name)}."
        )
    if series.older:
        said.append(
            f"Left out: {count(series.older, 'run')} of models that have a later run on the same "
            "set."
        )
    return [*said, *mixed(series)]


def kept_answers(classes: int) -> str:
    """What can be done where the answers kept do not settle a subset."""
    return (
        f"The best answer among {count(classes, 'class', 'classes')} is known where one of the "
        "kept answers is of these classes, or all logits are kept. Where it is not, the accuracy "
        "is given as a range, and enters no fit; genset evaluate with --logits, or with --k 1000, "
        "settles it. Of answers that were computed elsewhere this takes a score for each class, or "
        "more of the best classes than were given."
    )


def grouped(grouping: Grouping) -> str:
    """Whose mean the numbers are."""
    left_out = f" {_left_out_in_part(grouping.partial)}" if grouping.partial else ""
    if not grouping.models:
        none = "No model was scored on all of these releases, so there is no mean to compare."
        return none + left_out
    where = f", where {how(grouping.convention)}" if grouping.convention else ""
    return (
        f"The mean top-1 accuracy of {_mean_of(grouping.models)}, which {_was(grouping.models)} "
        f"scored on every release here{where}, with the wider at either end of two 95 % intervals: "
        f"Wilson’s, and that of classes resampled.{left_out}"
    )


def by_hand(gap: Gap) -> str:
    """Models that no command can score."""
    their = "its" if len(gap.by_hand) == 1 else "their"
    return (
        f"{_names(gap.by_hand)}: {their} answers were computed elsewhere; give those on this set "
        "under the same name, as in predictions:FILE?name=NAME."
    )


def _left_out_in_part(labels: tuple[str, ...]) -> str:
    they = "it" if len(labels) == 1 else "they"
    return f"Left out, because {they} did not answer all photos: {_names(labels)}."


def _mean_of(labels: tuple[str, ...]) -> str:
    return clean(labels[0]) if len(labels) == 1 else f"{len(labels)} models"


def _was(labels: tuple[str, ...]) -> str:
    return "was" if len(labels) == 1 else "were"


def _change(pair: SetPair) -> str:
    first, second = clean(pair.first), clean(pair.second)
    over = f"over the {count(pair.classes, 'class', 'classes')} that both have"
    if not pair.models:
        return f"No model can be compared on {first} and {second}, {over}."
    if pair.mean is None:
        (model,) = pair.models
        who, found = clean(model.label), model.matched
    else:
        who, found = f"the mean of {len(pair.models)} models", pair.mean
    if found.difference is None:
        return f"Whether {who} does better on {first} or on {second}, {CANNOT_TELL}."
    value, interval = found.difference.value, found.difference.interval
    if interval.low <= 0 <= interval.high:
        return (
            f"From {first} to {second} no change of {who} can be shown, {over}: "
            f"{difference(found)} points."
        )
    way = "rises" if value > 0 else "falls"
    return (
        f"From {first} to {second}, {over}, {who} {way} by "
        f"{points(abs(value), _digits(found)).lstrip('+')} points "
        f"({_span(found.difference, found)})."
    )


def _no_line(pair: SetPair) -> str:
    return (
        f"{count(len(pair.models), 'model')} cannot show a line: it takes {FEWEST_MODELS} of "
        "different accuracy."
    )


def _line(pair: SetPair, fit: Fit) -> str:
    start = f"{fit.intercept:.3f}".replace("-", "−")
    low, high = (f"{end:.3f}".replace("-", "−") for end in fit.slope_interval)
    f = "logit({})" if fit.scale == "logit" else "{}"
    first, second = (f.format(clean(name)) for name in (pair.first, pair.second))
    return f"{second} = {start} + {fit.slope:.3f} {first} (slope {low} to {high})"


def _unknown(convention: Among) -> str:
    if convention == "all":
        return f"they choose among other classes than the {len(imagenet1k()):,}"
    return "the answers kept do not tell which of these classes is the best one"


def _names(labels: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(labels) - 8} more" if len(labels) > 8 else ""
    return ", ".join(clean(label) for label in labels[:8]) + more


def _digits(found: Matched) -> int:
    return digits(min(found.photos))


def _points(mean: Mean, found: Matched) -> str:
    return points(mean.value, _digits(found))


def _span(mean: Mean, found: Matched) -> str:
    return span(mean.interval, _digits(found))
