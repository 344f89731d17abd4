"""Two models side by side: what can be claimed, in sentences and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from genset.comparison.marks import truth_of
from genset.comparison.pairs import FEWEST, Pair
from genset.comparison.truths import ProposalGain
from genset.core.numbers import count, digits, p_value, percent, points, span
from genset.core.safe import clean
from genset.core.to_json import to_json
from genset.score.results.results import ModelAnswers, Results
from genset.sets.truths.truth import By

_CLAIM = 0.1  # an interval within so many hundredths says how near two models are

_BY: dict[By, str] = {
    "original": "",
    "real": ", by all right classes (ReaL)",
    "multilabel": ", by all right classes and the unclear ones",
    "clear": ", by all right classes, without answers that are unclear ones",
}

ONE_CLASS = (
    "Photos of one class show no difference between models, however large it is: they say nothing "
    "of other classes."
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


def difference(pair: Pair) -> str:
    """A pair's difference in points."""
    return points(pair.difference, digits(pair.photos))


def pair_interval(pair: Pair) -> str:
    """The 95 % interval of a pair's difference, in points."""
    return span(pair.interval, digits(pair.photos))


def cannot_tell(pair: Pair, *, named: bool = False) -> str:
    """Why photos cannot tell which of two models is better, and what they tell all the same.

    Args:
        pair: the two.
        named: say which two.
    """
    alone = pair.only_first + pair.only_second
    if pair.photos < FEWEST:
        why = f"McNemar’s exact test needs {FEWEST} photos that one of the two alone has right"
    else:
        seen = f"{alone} of them" if alone else "none of them"
        why = f"one alone is right on {seen}, and McNemar’s exact test needs {FEWEST}"
    which = "which of the two"
    if named:
        which = f"which of {clean(pair.first)} and {clean(pair.second)}"
    return f"{these(pair.photos)} cannot tell {which} is better: {why}. {_how_far(pair)}"


def these(photos: int) -> str:
    """The photos, at a sentence's beginning."""
    return "This 1 photo" if photos == 1 else f"These {photos:,} photos"


def is_claim(pair: Pair) -> bool:
    """Whether two models are surely near each other, though not in which order."""
    return _bound(pair) <= _CLAIM


def _bound(pair: Pair) -> float:
    return max(-pair.interval.low, pair.interval.high)


def _how_far(pair: Pair) -> str:
    places = digits(pair.photos)
    ends = pair_interval(pair)
    if is_claim(pair):
        most = points(_bound(pair), places).removeprefix("+")
        return f"But they differ by at most {most} points (95 % interval {ends})."
    return f"By the 95 % interval, the difference may be anything from {ends} points."


def shown(pair: Pair) -> str:
    """The smallest difference that such a pair shows."""
    if pair.classes == 1:
        return ONE_CLASS
    if pair.detectable is None:
        return "So few photos show no difference with 80 % power, however large it is."
    least = 100 * pair.detectable
    alone = pair.only_first + pair.only_second
    if pair.detectable * pair.photos <= alone:
        return (
            f"Between such models this set shows a difference of {least:.2f} points with 80 % "
            "power."
        )
    return (
        f"With 80 % power this set shows a difference of {least:.2f} points at best: if one model "
        f"alone is right wherever the two differ. That is assumed here: these two differ on "
        f"{alone or 'none'} of {count(pair.photos, 'photo')}, too few to show any difference four "
        "times in five."
    )


def shown_by_set(difference: float | None, discordant: float, photos: int, classes: int) -> str:
    """The smallest difference that a set shows.

    Args:
        difference: that of the median pair; None where the photos are too few for any.
        discordant: the share of photos that one model alone has right, which this supposes.
        photos: of the set.
        classes: of these photos.
    """
    if classes == 1:
        return ONE_CLASS
    here = f"{these(photos)[0].lower()}{these(photos)[1:]}"
    are, show = ("is", "shows") if photos == 1 else ("are", "show")
    if difference is None:
        return f"With 80 % power, {here} {are} too few to show any difference, however large it is."
    if difference >= discordant:
        return (
            f"With 80 % power, {here} {show} a difference of {100 * difference:.2f} points at "
            "best: if one model alone is right wherever two differ. That is assumed, for the "
            "median pair here differs on too few photos to show any difference four times in five."
        )
    return (
        f"With 80 % power, {here} {show} a difference of {100 * difference:.1f} points between two "
        f"models of which one alone is right on {percent(discordant, 1)} % of photos (the median "
        "pair here)."
    )


def pair_to_json(pair: Pair) -> dict[str, Any]:
    """Two models side by side, as JSON's own types."""
    found: dict[str, Any] = to_json({**asdict(pair), "apart": pair.apart, "too_few": pair.too_few})
    return found


def truth_to_json(results: Results, by: By, proposed: Mapping[str, ProposalGain]) -> dict[str, Any]:
    """What made answers right, and what models gain by it that also proposed classes.

    Args:
        results: of the set.
        by: what two models are compared by; "original": nothing is said.
        proposed: by the models' labels.

    Raises:
        BadInput: the set has no truth.
    """
    if by == "original":
        return {}
    truth = truth_of(results)
    return {
        "truth": by,
        "truth_source": truth.source,
        "truth_sha256": truth.sha256,
        "proposal_gain": {label: to_json(asdict(each)) for label, each in proposed.items()},
    }
