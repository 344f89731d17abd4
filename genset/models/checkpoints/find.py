"""Find a network's weights in what a checkpoint holds, whatever was put before their names.

The prefix that all names of the network follow is found, not listed. Where several are, the usual
one is taken, or else the user has to say.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from torch import Tensor

from genset.core.errors import ModelError
from genset.core.numbers import agree, count
from genset.core.safe import clean

# Put in the middle of names where only a part of the network was wrapped.
_WRAPPER = re.compile(
    r"(?<![^.])(module|_orig_mod|_forward_module|_fsdp_wrapped_module|_checkpoint_wrapped_module)\."
)

# torchvision's own files of DenseNets name a layer norm.1 that its code names norm1.
_DENSENET = re.compile(r"(denselayer\d+\.(?:norm|conv))\.([12]\.)")

_DEEPEST = 6  # dictionaries in dictionaries
_MOST = 1_000_000  # names


@dataclass(frozen=True, slots=True)
class CheckpointTensors:
    """The tensors of a checkpoint by their full names, and the dictionary in which each lies."""

    tensors: dict[str, Tensor] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)


def _plain(name: str) -> str:
    """A name without those of wrappers."""
    return _WRAPPER.sub("", _DENSENET.sub(r"\1\2", name))


def tensors_in(content: Any) -> CheckpointTensors:
    """The tensors in a checkpoint's dictionaries.

    Raises:
        ModelError: there are none, or far too many.
    """
    found = CheckpointTensors()
    _gather(content, "", found, _DEEPEST)
    if not found.tensors:
        raise ModelError("holds no state_dict")
    return found


def _gather(content: Any, home: str, found: CheckpointTensors, deeper: int) -> None:
    for key, value in content.items() if isinstance(content, dict) else ():
        if not isinstance(key, str):
            continue
        if isinstance(value, Tensor) and not value.is_meta:
            name = home + key if _plain(home + key) in found.tensors else _plain(home + key)
            found.tensors[name] = value
            found.homes[name] = home if name.startswith(home) else _plain(home)
        elif deeper:
            _gather(value, f"{home}{key}.", found, deeper - 1)
    if len(found.tensors) > _MOST:
        raise ModelError("holds more weights than any network")


# Where training scripts put the weights, beside the epoch and the optimizer's state, in the order
# in which they are believed; and where the average of the weights over the last steps.
_USUAL = ("state_dict", "model", "model_state_dict", "current_model_state")
_USUAL_AVERAGED = ("state_dict_ema", "model_ema", "ema_state_dict", "ema", "state_dict")
_AVERAGED = re.compile(r"(^|[._])(ema|averaged?|swa)([._]|$)")

# Lightning's WeightAveraging puts the average into state_dict, which it loads by default, and the
# weights of the last step into current_model_state. This lies beside them.
_OF_LIGHTNINGS_AVERAGE = "averaging_state.n_averaged"

# Put before each name by DataParallel, by torch.compile and by a trainer that holds the network.
_USUAL_PREFIX = re.compile(r"^(module\.|_orig_mod\.|model\.)*$")

# BatchNorm's counter of batches has no part in scoring, and old checkpoints lack it.
COUNTER = "num_batches_tracked"


@dataclass(frozen=True, slots=True)
class Place:
    """Where names of the network were found: `count` of them follow this prefix."""

    held: CheckpointTensors
    prefix: str
    count: int

    @property
    def is_averaged(self) -> bool:
        return self.is_lightnings_average or bool(_AVERAGED.search(self.prefix))

    @property
    def is_lightnings_average(self) -> bool:
        """Whether it is an average that stands in the place of the weights themselves."""
        marked = _OF_LIGHTNINGS_AVERAGE in self.held.tensors
        return marked and self.prefix.startswith("state_dict.")

    @property
    def rank(self) -> int | None:
        """How usual the place is, 0 for the most; None for one that has to be said."""
        first, dot, rest = self.prefix.partition(".")
        for rank, name in enumerate(_USUAL_AVERAGED if self.is_averaged else _USUAL):
            if first == name and dot and _USUAL_PREFIX.match(rest):
                return rank
        return len(_USUAL) if _USUAL_PREFIX.match(self.prefix) else None

    @property
    def name(self) -> str:
        return clean(self.prefix.removesuffix("."), 80)

    def has_shapes_of(self, required: Mapping[str, Tensor]) -> bool:
        """Whether each weight that is here has the shape of the network's."""
        here = self.held.tensors
        found = {name: here.get(self.prefix + name) for name in required}
        return all(value is None or value.shape == required[n].shape for n, value in found.items())


def places_of(checkpoint: CheckpointTensors, required: Set[str]) -> list[Place]:
    """Each prefix that some name of the network follows."""
    counts: Counter[str] = Counter()
    for name in checkpoint.tensors:
        starts = [0, *(dot + 1 for dot, letter in enumerate(name) if letter == ".")]
        counts.update(name[:start] for start in starts if name[start:] in required)
    return [Place(checkpoint, prefix, count) for prefix, count in counts.items()]


def likely_home(checkpoint: CheckpointTensors, ema: bool | None = None) -> str:
    """The dictionary in which weights usually lie, as it stands before their full names."""
    homes = Counter(checkpoint.homes.values())
    places = [Place(checkpoint, home, count) for home, count in homes.items()]
    return max(places, key=lambda place: likely(place, ema)).prefix


def likely(place: Place, ema: bool | None) -> tuple[bool, bool, int, int]:
    """How likely a place is meant, to compare with others."""
    rank = place.rank
    return (place.is_averaged is bool(ema), rank is not None, -(rank or 0), place.count)


# These have no part in scoring either, and a network lacks them or makes them anew.
_NOT_LEARNED = ("n_averaged", "relative_position_index", "relative_coords_table", "attn_mask")


@dataclass(frozen=True, slots=True)
class FoundWeights:
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
    checkpoint: CheckpointTensors,
    required: Mapping[str, Tensor],
    ema: bool | None = None,
    prefix: str | None = None,
) -> FoundWeights:
    """Find the weights of a network: those with all its names, or else those that come nearest.

    Args:
        checkpoint: a checkpoint's tensors.
        required: the network's own.
        ema: whether to take averaged weights; None for these only where there are no others.
        prefix: what stands before the names, where it was said.

    Raises:
        ModelError: several places fit and none is the usual one, or there are no averaged weights,
            or nothing with this prefix.
    """
    names = {_plain(name): name for name in required}
    if len(names) < len(required):
        names = dict(zip(required, required, strict=True))
    needed = {name for name in names if not name.endswith(COUNTER)}
    for shared in ("", *common_prefixes(names)):
        network = {name.removeprefix(shared): required[names[name]] for name in names}
        places = places_of(checkpoint, {name.removeprefix(shared) for name in needed})
        if complete := [place for place in places if place.count == len(needed)]:
            place, notes = _choose(complete, network, ema, prefix)
            if shared:
                notes.append(f"The checkpoint's names lack the network's {shared!r}.")
            found = _taken(place, network)
            weights = {names[shared + name]: value for name, value in found.weights.items()}
            return FoundWeights(weights, [], found.unexpected, notes + _remarks(place))
    network = {name: required[names[name]] for name in names}
    found = _taken(_nearest(checkpoint, needed, ema, prefix), network)
    weights = {names[name]: value for name, value in found.weights.items()}
    return FoundWeights(weights, [names[name] for name in found.missing], found.unexpected, [])


def common_prefixes(required: Iterable[str]) -> list[str]:
    """What all names of a network begin with, that a checkpoint of its inner part lacks."""
    first = next(iter(required), "")
    starts = [first[: dot + 1] for dot, letter in enumerate(first) if letter == "."]
    return [start for start in starts if all(name.startswith(start) for name in required)]


def _choose(
    places: list[Place], required: Mapping[str, Tensor], ema: bool | None, prefix: str | None
) -> tuple[Place, list[str]]:
    """The place to take, and what to say of others."""
    if prefix is not None:
        return _named_place(places, prefix), []
    averaged = [place for place in places if place.is_averaged]
    plain = [place for place in places if not place.is_averaged]
    if ema and not averaged:
        raise ModelError("holds no averaged weights (EMA)")
    if ema is False and not plain:
        raise ModelError("holds averaged weights (EMA) alone: &ema=1 scores these")
    first = [place for place in averaged if place.is_lightnings_average] if ema is None else []
    pool = first or (averaged if ema or not plain else plain)
    pool = [place for place in pool if place.has_shapes_of(required)] or pool
    usual = [place for place in pool if place.rank is not None]
    best = min(usual, key=lambda place: place.rank or 0, default=pool[0])
    if len(pool) > 1 and (not usual or [place.rank for place in usual].count(best.rank) > 1):
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


def _named_place(places: list[Place], prefix: str) -> Place:
    start = _plain(f"{prefix.removesuffix('.')}.").removeprefix(".")
    for place in places:
        if place.prefix == start:
            return place
    most = max(place.count for place in places)
    there = _choices([place for place in places if place.count == most])
    raise ModelError(f"has no weights that fit behind {prefix!r}; it has some at {there}")


def _choices(places: list[Place]) -> str:
    options = sorted(f"&prefix={quote(place.name)}" for place in places)
    return " or ".join(options[:6]) + (" or others" if options[6:] else "")


def _nearest(
    checkpoint: CheckpointTensors, needed: Set[str], ema: bool | None, prefix: str | None
) -> Place:
    """The place with most names of the network, to say what it lacks."""
    # A checkpoint of another network may share no name with it.
    homes = dict.fromkeys(checkpoint.homes.values())
    places = places_of(checkpoint, needed) + [Place(checkpoint, home, 0) for home in homes]
    if prefix is not None:
        return _named_place(places, prefix)
    if ema and not any(place.is_averaged for place in places):
        raise ModelError("holds no averaged weights (EMA)")
    most = max(place.count for place in places)
    return max(
        (place for place in places if place.count == most), key=lambda place: likely(place, ema)
    )


def _taken(place: Place, required: Mapping[str, Tensor]) -> FoundWeights:
    """The weights at a place, compared with the network's names."""
    names = [name for name in place.held.tensors if name.startswith(place.prefix)]
    inner = {name: name.removeprefix(place.prefix) for name in names}
    weights = {inner[name]: place.held.tensors[name] for name in names if inner[name] in required}
    homes = {place.held.homes[name] for name in names if inner[name] in required}
    missing = {name for name in required if not name.endswith(COUNTER)} - weights.keys()
    unexpected = [
        inner[name]
        for name in names
        if inner[name] not in required
        and (not homes or place.held.homes[name] in homes)
        and not inner[name].endswith(_NOT_LEARNED)
    ]
    return FoundWeights(weights, sorted(missing), sorted(unexpected), [])


def _remarks(place: Place) -> list[str]:
    """What to say of a place that is not the usual one, and of what lies beside it."""
    checkpoint, notes = place.held, []
    if place.rank is None:
        notes.append(f"The weights are those behind {place.name!r} in the checkpoint.")
    homes = {checkpoint.homes[name] for name in checkpoint.tensors if name.startswith(place.prefix)}
    unused = sorted(
        name
        for name, home in checkpoint.homes.items()
        if home in homes
        and not name.startswith(place.prefix)
        and not name.endswith((*_NOT_LEARNED, COUNTER))
    )
    if unused:
        shown = ", ".join(clean(name, 60) for name in unused[:3]) + ", ..." * (len(unused) > 3)
        other, are = count(len(unused), "other weight"), agree(len(unused), "is", "are")
        notes.append(f"Beside them {other} of the checkpoint {are} left: {shown}.")
    return notes
