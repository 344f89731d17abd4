"""What a report says first: which model is best and how sure that is, no more than is shown."""

from collections.abc import Sequence

from genset.comparison.pairs import Pair
from genset.core.numbers import count, p_value, percent
from genset.core.safe import clean
from genset.reporting.format import interval
from genset.reporting.report import ReportData
from genset.reporting.verdict import (
    cannot_tell,
    difference,
    is_claim,
    pair_interval,
    shown_by_set,
    these,
)
from genset.score.results.runs import Accuracy

_NAMED = 8  # models that a sentence lists


def headline(data: ReportData) -> str:
    """Which model is best here and by how much."""
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
    if len(models) == 1:
        return (
            f"{tied[0]} gets {_share(best)} of the photos right at its first answer; "
            f"95 % interval {interval(best)} %."
        )
    if len(tied) > 1:
        share = percent(best.share, best.photos)
        few = f" {these(best.photos)} cannot tell them apart." if _say_nothing(data) else ""
        return f"{_all_of(tied)} have the same, highest top-1 accuracy here: {share} %.{few}"
    return _two_best(data)


def _two_best(data: ReportData) -> str:
    first, second = data.ranked[:2]
    best, next_best = first.run.top1, second.run.top1
    names = clean(first.label), clean(second.label)
    if _say_nothing(data):
        return (
            f"{names[0]} is right on {best.correct:,} of {count(best.photos, 'photo')} and "
            f"{names[1]} on {next_best.correct:,} of {next_best.photos:,}: so few cannot tell "
            "which of the two is better."
        )
    pair = data.pairs[0]
    gap = percent(abs(pair.difference), pair.photos)
    if {best.photos, next_best.photos} != {pair.photos}:
        where = "above" if pair.difference > 0 else "below"
        than = f"{gap} points {where}" if pair.difference else "as good as"
        return (
            f"{names[0]} has the highest top-1 accuracy here, {_share(best)}; {names[1]} has "
            f"{_share(next_best)}. On the {count(pair.photos, 'photo')} that count for both, the "
            f"first is {than} the second."
        )
    return (
        f"{names[0]} has the highest top-1 accuracy here, {_share(best)}: {gap} points above "
        f"{names[1]} with {_share(next_best)}."
    )


def _share(found: Accuracy) -> str:
    return f"{percent(found.share, found.photos)} % ({found.correct:,} of {found.photos:,})"


def _say_nothing(data: ReportData) -> bool:
    """Whether the photos say nothing of the two best models: not even that they are near."""
    best = next(iter(data.pairs), None)
    names = {model.label for model in data.ranked[:2]}
    if best is None or {best.first, best.second} != names:
        return False
    return best.too_few and not is_claim(best)


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
        first = f"{name} can be told apart from every other model."
    elif len(near) <= 3:
        first = f"{name} cannot be told apart from {_all_of(near)}."
    elif len(near) == len(others):
        first = f"{name} cannot be told apart from any of the other {len(others)} models."
    else:
        first = f"{name} cannot be told apart from {len(near)} of the other {len(others)} models."
    side_by_side = []
    if data.pairs[0].second == others[0].label:
        side_by_side = [_side_by_side(data.pairs[0])]
    power = shown_by_set(
        data.power.difference, data.power.discordant, data.set.photos, data.set.classes
    )
    return [first, *side_by_side, power, *part]


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


def _side_by_side(pair: Pair) -> str:
    if pair.too_few:
        return cannot_tell(pair, named=True)
    return (
        f"Of the {count(pair.photos, 'photo')} that count for both, {clean(pair.first)} alone is "
        f"right on {pair.only_first:,} and {clean(pair.second)} alone on {pair.only_second:,}: "
        f"{difference(pair)} points ({pair_interval(pair)}), {p_value(pair.p_value)} by McNemar’s "
        "exact test."
    )


def _all_of(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
