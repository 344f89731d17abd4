"""Find a network's weights in what a checkpoint holds, whatever was put before their names.

The prefix that all names of the network follow is found, not listed. Where several are, the usual
one is taken, or else the user has to say.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from genset.core.errors import ModelError
from genset.core.numbers import agree, count
from genset.core.safe import clean
from genset.models.checkpoints.held import Held
from genset.models.checkpoints.places import COUNTER, Place, complete_places, likely, places_of

# These have no part in scoring either, and a network lacks them or makes them anew.
_NOT_LEARNED = ("n_averaged", "relative_position_index", "relative_coords_table", "attn_mask")


@dataclass(frozen=True, slots=True)
class Found:
    """What a checkpoint has for a network.

    Attributes:
        weights: by the network's own names.
        missing: names of the network that are not there, sorted.
        unexpected: names beside them that the network does not have, sorted.
        notes: what to say of the place where they lay.
    """

    weights: dict[str, Tensor]
    missing: list[str]
    unexpected: list[str]
    notes: list[str]


def find_weights(
    held: Held, wanted: Mapping[str, Tensor], ema: bool | None = None, prefix: str | None = None
) -> Found:
    """Find the weights of a network: those with all its names, or else those that come nearest.

    Args:
        held: a checkpoint's tensors.
        wanted: the network's own.
        ema: whether to take averaged weights; None for these only where there are no others.
        prefix: what stands before the names, where it was said.

    Raises:
        ModelError: several places fit and none is the usual one, or there are no averaged weights,
            or nothing with this prefix.
    """
    readings = [held, held.renamed()]
    for own in ("", *_common_prefixes(wanted)):
        network = {name.removeprefix(own): value for name, value in wanted.items()}
        places = complete_places(readings, network)
        if places:
            place, notes = _choose(places, network, ema, prefix)
            found = _taken(place, network)
            if own:
                notes.append(f"The checkpoint's names lack the network's {own!r}.")
            return Found(
                {own + name: value for name, value in found.weights.items()},
                [],
                found.unexpected,
                notes + _beside(place),
            )
    return _taken(_nearest(readings, wanted, ema, prefix), wanted)


def _common_prefixes(wanted: Mapping[str, Tensor]) -> list[str]:
    """What all names of a network begin with, that a checkpoint of its inner part lacks."""
    first = next(iter(wanted), "")
    starts = [first[: dot + 1] for dot, letter in enumerate(first) if letter == "."]
    return [start for start in starts if all(name.startswith(start) for name in wanted)]


def _choose(
    places: list[Place], wanted: Mapping[str, Tensor], ema: bool | None, prefix: str | None
) -> tuple[Place, list[str]]:
    """The place to take, and what to say of others."""
    if prefix is not None:
        return _said(places, prefix), []
    averaged = [place for place in places if place.is_averaged]
    plain = [place for place in places if not place.is_averaged]
    if ema and not averaged:
        raise ModelError("holds no averaged weights (EMA)")
    if ema is False and not plain:
        raise ModelError("holds averaged weights (EMA) alone: &ema=1 scores these")
    first = [place for place in averaged if place.is_lightnings_average] if ema is None else []
    pool = first or (averaged if ema or not plain else plain)
    pool = [place for place in pool if place.has_shapes_of(wanted)] or pool
    usual = [place for place in pool if place.rank is not None]
    best = min(usual, key=lambda place: place.rank or 0, default=pool[0])
    if len(pool) > 1 and (not usual or [each.rank for each in usual].count(best.rank) > 1):
        raise ModelError(f"has weights that fit at {len(pool)} places: say {_choices(pool)}")
    notes = []
    if best.is_averaged:
        notes.append("These are the averaged weights (EMA) of the checkpoint.")
    if first and plain:
        notes.append("The checkpoint also holds those of the last step: &ema=0 scores these.")
    elif averaged and plain and ema is None:
        notes.append("The checkpoint also holds averaged weights (EMA): &ema=1 scores these.")
    if others := [place for place in pool if place is not best]:
        notes.append(f"Other weights that fit: {_choices(others)}.")
    return best, notes


def _said(places: list[Place], prefix: str) -> Place:
    for place in places:
        if place.prefix.removesuffix(".") == prefix.removesuffix("."):
            return place
    most = max(place.count for place in places)
    there = _choices([place for place in places if place.count == most])
    raise ModelError(f"has no weights that fit behind {prefix!r}; it has some at {there}")


def _choices(places: list[Place]) -> str:
    options = sorted(place.option for place in places)
    return " or ".join(options[:6]) + (" or others" if options[6:] else "")


def _nearest(
    readings: list[Held], wanted: Mapping[str, Tensor], ema: bool | None, prefix: str | None
) -> Place:
    """The place with most names of the network, to say what it lacks."""
    places = [place for held in readings for place in places_of(held, wanted)]
    # A checkpoint of another network may share no name with it.
    places += [Place(readings[0], home, 0) for home in dict.fromkeys(readings[0].homes.values())]
    if prefix is not None:
        return _said(places, prefix)
    if ema and not any(place.is_averaged for place in places):
        raise ModelError("holds no averaged weights (EMA)")
    most = max(place.count for place in places)
    return max(
        (place for place in places if place.count == most), key=lambda place: likely(place, ema)
    )


def _taken(place: Place, wanted: Mapping[str, Tensor]) -> Found:
    """The weights at a place, compared with the network's names."""
    names = [name for name in place.held.tensors if name.startswith(place.prefix)]
    inner = {name: name.removeprefix(place.prefix) for name in names}
    weights = {inner[name]: place.held.tensors[name] for name in names if inner[name] in wanted}
    homes = {place.held.homes[name] for name in names if inner[name] in wanted}
    missing = {name for name in wanted if not name.endswith(COUNTER)} - weights.keys()
    unexpected = [
        inner[name]
        for name in names
        if inner[name] not in wanted
        and (not homes or place.held.homes[name] in homes)
        and not inner[name].endswith(_NOT_LEARNED)
    ]
    return Found(weights, sorted(missing), sorted(unexpected), [])


def _beside(place: Place) -> list[str]:
    """What to say of a place that is not the usual one, and of what lies beside it."""
    held, notes = place.held, []
    if place.rank is None:
        notes.append(f"The weights are those behind {place.shown} in the checkpoint.")
    homes = {held.homes[name] for name in held.tensors if name.startswith(place.prefix)}
    left = sorted(
        name
        for name, home in held.homes.items()
        if home in homes
        and not name.startswith(place.prefix)
        and not name.endswith((*_NOT_LEARNED, COUNTER))
    )
    if left:
        shown = ", ".join(clean(name, 60) for name in left[:3]) + (", ..." if left[3:] else "")
        other, are = count(len(left), "other weight"), agree(len(left), "is", "are")
        notes.append(f"Beside them {other} of the checkpoint {are} left: {shown}.")
    return notes
