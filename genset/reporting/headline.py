"""What a report says first: which model is best and how sure that is, no more than is shown."""

from genset.core.numbers import agree, count, percent
from genset.core.safe import clean
from genset.reporting.format import interval, some_of
from genset.reporting.report import ReportData
from genset.reporting.verdict import detectable, verdict
from genset.score.results.runs import Accuracy


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
    best = models[0].top1.accuracy
    tied = [model.label for model in models if model.top1.accuracy.share == best.share]
    if len(models) == 1:
        return f"{clean(tied[0])}: top-1 accuracy {_share(best)}, 95 % interval {interval(best)} %."
    if len(tied) > 1:
        share = percent(best.share, best.photos)
        return f"{some_of(tied)} have the same, highest top-1 accuracy: {share} %."
    return _two_best(data)


def _two_best(data: ReportData) -> str:
    first, second = data.ranked[:2]
    best, next_best = first.top1.accuracy, second.top1.accuracy
    names = clean(first.label), clean(second.label)
    pair = data.pairs[0]
    if pair.too_few:
        return (
            f"{names[0]}: {best.correct:,} of {count(best.photos, 'photo')} correct; {names[1]}: "
            f"{next_best.correct:,} of {next_best.photos:,}. They disagree on too few photos to "
            "say which is better."
        )
    gap = percent(abs(pair.difference), pair.photos)
    if {best.photos, next_best.photos} != {pair.photos}:
        where = "above" if pair.difference > 0 else "below"
        than = f"{gap} points {where}" if pair.difference else "as good as"
        return (
            f"{names[0]} has the highest top-1 accuracy, {_share(best)}; {names[1]} has "
            f"{_share(next_best)}. On the {count(pair.photos, 'photo')} that both answered, the "
            f"first is {than} the second."
        )
    return (
        f"{names[0]} has the highest top-1 accuracy, {_share(best)}: {gap} points above "
        f"{names[1]} with {_share(next_best)}."
    )


def _share(found: Accuracy) -> str:
    return f"{percent(found.share, found.photos)} % ({found.correct:,} of {found.photos:,})"


def certainty(data: ReportData) -> list[str]:
    """What the numbers say, and what they do not, on whether the first model is the best one."""
    part = _in_part(data)
    if not data.pairs or not data.power:
        return part
    best, *others = data.ranked
    close = data.near()[best.label]
    near = [model.label for model in others if model.label in close]
    name = clean(best.label)
    if not near:
        first = f"{name} can be told apart from every other model."
    elif len(near) <= 3:
        first = f"{name} cannot be told apart from {some_of(near)}."
    elif len(near) == len(others):
        first = f"{name} cannot be told apart from any of the other {len(others)} models."
    else:
        first = f"{name} cannot be told apart from {len(near)} of the other {len(others)} models."
    shown = detectable(
        data.power.difference,
        data.power.discordant,
        data.set.classes,
        " between models as alike as the median pair",
    )
    return [first, verdict(data.pairs[0], named=True), shown, *part]


def _in_part(data: ReportData) -> list[str]:
    """Which models are in no order, because they answered other photos; nothing where all are."""
    if not data.in_part:
        return []
    they_have = agree(len(data.in_part), "it has", "they have")
    names = some_of([model.label for model in data.in_part])
    return [
        f"{names} answered only a part of the photos, so {they_have} no rank; two models are "
        "compared on the photos that both answered."
    ]
