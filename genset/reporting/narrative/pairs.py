"""What can be said of two models on few photos, or where hardly a photo is the one's alone."""

from genset.comparison.pairs import FEWEST, Pair
from genset.core.numbers import count, digits, percent, points, span
from genset.core.safe import clean

_CLAIM = 0.1  # an interval within so many hundredths says how near two models are


ONE_CLASS = (
    "Photos of one class show no difference between models, however large it is: they say nothing "
    "of other classes."
)


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
    if is_claim(pair):
        most = points(_bound(pair), places).removeprefix("+")
        return f"But they differ by at most {most} points (95 % interval {_ends(pair)})."
    return f"By the 95 % interval, the difference may be anything from {_ends(pair)} points."


def _ends(pair: Pair) -> str:
    return span(pair.interval, digits(pair.photos))


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
