"""Where in a checkpoint the names of a network lie: behind which prefixes."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from torch import Tensor

from genset.core.safe import clean
from genset.models.checkpoints.held import Held

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

    held: Held
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
    def shown(self) -> str:
        return repr(clean(self.prefix.removesuffix("."), 80))

    @property
    def option(self) -> str:
        """The option of a spec that names it."""
        return f"&prefix={quote(clean(self.prefix.removesuffix('.'), 80))}"

    def has_shapes_of(self, wanted: Mapping[str, Tensor]) -> bool:
        """Whether each weight that is here has the shape of the network's."""
        here = self.held.tensors
        return all(
            here[self.prefix + name].shape == value.shape
            for name, value in wanted.items()
            if self.prefix + name in here
        )


def places_of(held: Held, wanted: Mapping[str, Tensor]) -> list[Place]:
    """Each prefix that some name of the network follows."""
    needed = {name for name in wanted if not name.endswith(COUNTER)}
    counts: Counter[str] = Counter()
    for name in held.tensors:
        starts = [0, *(dot + 1 for dot, letter in enumerate(name) if letter == ".")]
        counts.update(name[:start] for start in starts if name[start:] in needed)
    return [Place(held, prefix, count) for prefix, count in counts.items()]


def complete_places(readings: list[Held], wanted: Mapping[str, Tensor]) -> list[Place]:
    """The places with all names of the network; one that both readings find as it is written."""
    needed = [name for name in wanted if not name.endswith(COUNTER)]
    found: list[Place] = []
    for held in readings:
        seen = {id(place.held.tensors[place.prefix + needed[0]]) for place in found}
        found += [
            place
            for place in places_of(held, wanted)
            if place.count == len(needed) and id(held.tensors[place.prefix + needed[0]]) not in seen
        ]
    return found


def likely_home(held: Held, ema: bool | None = None) -> str:
    """The dictionary in which weights usually lie, as it stands before their full names."""
    homes = Counter(held.homes.values())
    places = [Place(held, home, count) for home, count in homes.items()]
    return max(places, key=lambda place: likely(place, ema)).prefix


def likely(place: Place, ema: bool | None) -> tuple[bool, bool, int, int]:
    """How likely a place is meant, to compare with others."""
    rank = place.rank
    return (place.is_averaged is bool(ema), rank is not None, -(rank or 0), place.count)
