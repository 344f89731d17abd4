"""What a report says in sentences: no more than its numbers support."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from genset.classes import hash_of
from genset.comparison.pairs import Pair, Rank
from genset.core.numbers import count, digits, p_value, percent, points, span
from genset.core.safe import clean
from genset.reporting.data.report import Power, ReportData, ScoredModel, SetSummary
from genset.reporting.format import interval, settings
from genset.reporting.narrative.pairs import (
    cannot_tell,
    is_claim,
    shown,
    shown_by_set,
    these,
)
from genset.score.results.count import remarks as remarks_of
from genset.score.results.results import ModelAnswers
from genset.sets.truths.truth import By

LEFT_OUT = (
    "Their answers cannot be right as a whole, so nothing else here counts them: no rank, no pair, "
    "no fit. To count them all the same: --include-flagged."
)
_IN_WORDS = "answers:"  # specs of answers in free text, which name the set's own classes
_NAMED = 8  # models that a sentence lists
ALL_PAIRS = 6  # of so many models every pair is listed, 15 of them


def headline(data: ReportData) -> str:
    """Which model is best here and by how much: no more than the numbers support."""
    models = data.ranked
    if not data.models:
        if data.flagged:
            return f"{count(len(data.flagged), 'model')} scored here, all left out: see why below."
        return "No model was scored on this set yet."
    if not models:
        return (
            f"{count(len(data.models), 'model')} scored here, none on nearly all photos. "
            "Accuracies on different photos have no order."
        )
    best = models[0].run.top1
    tied = [clean(model.label) for model in models if model.run.top1.share == best.share]
    ours = f"{percent(best.share, best.photos)} % ({best.correct:,} of {best.photos:,})"
    if len(models) == 1:
        return (
            f"{tied[0]} gets {ours} of the photos right at its first answer; "
            f"95 % interval {interval(best)} %."
        )
    if len(tied) > 1:
        share = percent(best.share, best.photos)
        few = f" {these(best.photos)} cannot tell them apart." if _say_nothing(data) else ""
        return f"{_all_of(tied)} have the same, highest top-1 accuracy here: {share} %.{few}"
    next_best = models[1].run.top1
    if _say_nothing(data):
        return (
            f"{tied[0]} is right on {best.correct:,} of {count(best.photos, 'photo')} and "
            f"{clean(models[1].label)} on {next_best.correct:,} of {next_best.photos:,}: so few "
            "cannot tell which of the two is better."
        )
    pair = data.pairs[0]
    gap = percent(abs(pair.difference), pair.photos)
    theirs = (
        f"{percent(next_best.share, next_best.photos)} % "
        f"({next_best.correct:,} of {next_best.photos:,})"
    )
    if {best.photos, next_best.photos} != {pair.photos}:
        where = "above" if pair.difference > 0 else "below"
        than = f"{gap} points {where}" if pair.difference else "as good as"
        return (
            f"{tied[0]} has the highest top-1 accuracy here, {ours}; {clean(models[1].label)} has "
            f"{theirs}. On the {count(pair.photos, 'photo')} that count for both, the first is "
            f"{than} the second."
        )
    return (
        f"{tied[0]} has the highest top-1 accuracy here, {ours}: {gap} points above "
        f"{clean(models[1].label)} with {theirs}."
    )


def _say_nothing(data: ReportData) -> bool:
    """Whether the photos say nothing of the two best models: not even that they are near."""
    best = next(iter(data.pairs), None)
    names = {model.label for model in data.ranked[:2]}
    found = best is not None and {best.first, best.second} == names
    return found and best is not None and best.too_few and not is_claim(best)


def certainty(data: ReportData) -> list[str]:
    """What the numbers say, and what they do not, on whether the first model is the best one."""
    part = _in_part(data)
    if not data.pairs or not data.power:
        return part
    best, *others = data.ranked
    apart = {pair.second for pair in data.pairs if pair.first == best.label and pair.apart}
    near = [clean(model.label) for model in others if model.label not in apart]
    name = clean(best.label)
    if not near:
        said = [f"{name} can be told apart from every other model."]
    elif len(near) <= 3:
        said = [f"{name} cannot be told apart from {_all_of(near)}."]
    elif len(near) == len(others):
        said = [f"{name} cannot be told apart from any of the other {len(others)} models."]
    else:
        said = [f"{name} cannot be told apart from {len(near)} of the other {len(others)} models."]
    if data.pairs[0].second == others[0].label:
        said.append(_side_by_side(data.pairs[0]))
    return [*said, power(data.power, data.set), *part]


def _in_part(data: ReportData) -> list[str]:
    """Which models are in no order, because they answered other photos; nothing where all are."""
    if not data.in_part:
        return []
    more = len(data.in_part) - _NAMED
    names = [clean(model.label) for model in data.in_part[:_NAMED]]
    if more > 0:
        names.append(f"{more:,} more")
    one = len(names) == 1
    its, it = ("Its accuracy is", "it is") if one else ("Their accuracies are", "they are")
    return [
        f"{_all_of(names)} answered a part of the photos. {its} of other photos than the others’, "
        f"so {it} in no rank; two models are compared on the photos that both answered."
    ]


def answered(model: ScoredModel, data: ReportData) -> list[str]:
    """What must stand beside the accuracy of a model that answered a part of the photos."""
    if model.rank or model.flags:
        return []
    photos = model.top1.accuracy.photos
    return [f"answered {photos:,} of {count(data.set.photos, 'photo')}: in no rank"]


def remarks(model: ScoredModel, data: ReportData) -> list[str]:
    """What must stand beside the numbers of a model, but for `answered`."""
    own, mapping = data.taxonomy, model.run.mapping
    said = []
    if own is not None and mapping is None and not model.run.spec.startswith(_IN_WORDS):
        said.append("was not scored by the set’s own classes: score it again with --taxonomy")
    elif own is not None and mapping and mapping["taxonomy_hash"] != hash_of(own):
        said.append("was scored by another version of the classes: score it again")
    return [*said, *remarks_of(model.run)]


def _side_by_side(pair: Pair) -> str:
    if pair.too_few:
        return cannot_tell(pair, named=True)
    return (
        f"Of the {count(pair.photos, 'photo')} that count for both, {clean(pair.first)} alone is "
        f"right on {pair.only_first:,} and {clean(pair.second)} alone on {pair.only_second:,}: "
        f"{difference(pair)} points ({pair_interval(pair)}), {p_value(pair.p_value)} by McNemar’s "
        "exact test."
    )


def verdict(pair: Pair, set_name: str, by: By = "original") -> str:
    """Two models side by side, in lines for a terminal.

    Args:
        pair: the two.
        set_name: of the set.
        by: what made an answer right.
    """
    names = [clean(pair.first), clean(pair.second)]
    width = max(map(len, names))
    lines = [f"{set_name}: {count(pair.photos, 'photo')} that count for both{_BY[by]}"]
    for name, alone in zip(names, (pair.only_first, pair.only_second), strict=True):
        right = pair.both + alone
        share = percent(right / pair.photos, pair.photos)
        lines.append(f"{name:{width}}  {share} % right ({right:,}), on {alone:,} of them alone")
    if pair.too_few:
        return "\n".join([*lines, cannot_tell(pair), shown(pair)])
    lines += [
        f"difference: {difference(pair)} points, 95 % interval {pair_interval(pair)}",
        f"McNemar’s exact test: {p_value(pair.p_value)}",
        "They can be told apart." if pair.apart else "They cannot be told apart.",
        shown(pair),
    ]
    return "\n".join(lines)


def unlike_conventions(first: ModelAnswers, second: ModelAnswers) -> str:
    """That two models' outputs came to a user's own classes in two ways; "" where in one."""
    ways = {model.run.convention for model in (first, second)}
    if len(ways) < 2 or "" in ways:
        return ""
    return (
        f"{first.label} was scored by ({first.run.convention}) and {second.label} by "
        f"({second.run.convention}): a part of the difference may be that. Score both in one way, "
        "by --pool and --among."
    )


def left_out(label: str, flags: Sequence[str]) -> list[str]:
    """That a report leaves a model out, and why; nothing of a model without flags."""
    return [f"{clean(label)} is flagged, and left out of reports. {flag}" for flag in flags]


_BY: dict[By, str] = {
    "original": "",
    "real": ", by all right classes (ReaL)",
    "multilabel": ", by all right classes and the unclear ones",
    "clear": ", by all right classes, without answers that are unclear ones",
}


def power(found: Power, about: SetSummary) -> str:
    """The smallest difference that a set shows."""
    return shown_by_set(found.difference, found.discordant, about.photos, about.classes)


def rank(found: Rank | None, models: int) -> str:
    """A rank as the range of those that it can be: "3 to 7 of 67"."""
    if not found:
        return "–"
    many = found.best != found.worst
    return f"{found.best} to {found.worst} of {models}" if many else f"{found.best} of {models}"


def difference(pair: Pair) -> str:
    """A pair's difference in points."""
    return points(pair.difference, digits(pair.photos))


def pair_interval(pair: Pair) -> str:
    """The 95 % interval of a pair's difference, in points."""
    return span(pair.interval, digits(pair.photos))


def shown_pairs(data: ReportData) -> list[Pair]:
    """The pairs to list: all of few models, of many each model with the next."""
    if len(data.models) <= ALL_PAIRS:
        return list(data.pairs)
    order = [model.label for model in data.models]
    beside = set(pairwise(order))
    return [pair for pair in data.pairs if (pair.first, pair.second) in beside]


def intervals(data: ReportData) -> str:
    """How the intervals are meant."""
    how = data.options.resampling
    return (
        "Two 95 % intervals stand beside each accuracy. Wilson’s takes each photo for an "
        "independent draw. The other resamples whole classes with all of their photos "
        f"({how.draws:,} draws, seed {how.seed}): how the model would do on other classes, found "
        "in the same way; it has Wilson’s end wherever that one is farther out. A model’s rank is "
        "a range: below all models that are surely better, and above all that are surely worse. "
        "That is sure where two models can be told apart: McNemar’s exact test, adjusted by Holm "
        "for all pairs, is below 0.05, and the interval of their difference leaves out 0."
    )


def per_class(the_set: SetSummary) -> str:
    """How many photos a class has."""
    fewest = min(the_set.photos_per_class, default=0)
    most = max(the_set.photos_per_class, default=0)
    if fewest == most:
        return f"{fewest:,} a class"
    return f"{fewest:,} to {most:,} a class, {the_set.photos / the_set.classes:.1f} on average"


def strategy(values: Mapping[str, Any]) -> str:
    """A strategy's name, and its parameters where it has any."""
    parameters = {name: value for name, value in values.items() if name != "name"}
    name = str(values.get("name", "unnamed"))
    return f"{name} ({settings(parameters)})" if parameters else name


def _all_of(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
