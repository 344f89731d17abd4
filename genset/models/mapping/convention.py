"""How outputs of one class are pooled, and which outputs compete."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from genset.core.errors import BadInput

Pool = Literal["sum", "max"]
"""What a class gets of the probabilities of its outputs: their sum, or the largest."""

Among = Literal["all", "subset"]
"""What a model chooses among: all its outputs, or those alone that are of the set's classes."""

POOLS: tuple[Pool, ...] = get_args(Pool)
AMONG: tuple[Among, ...] = get_args(Among)


@dataclass(frozen=True, slots=True)
class Convention:
    """How a model with other outputs is scored on a set's own classes.

    Attributes:
        pool: what a class gets of its outputs.
        among: what competes: "all" outputs, so that one of no class may be the answer, which is
            wrong then; or the "subset" of those that are of a class.

    Raises:
        BadInput: a value is none of these.
    """

    pool: Pool = "sum"
    among: Among = "all"

    def __post_init__(self) -> None:
        """Refuse what is not possible."""
        for what, value, known in (("pool", self.pool, POOLS), ("among", self.among, AMONG)):
            if value not in known:
                raise BadInput(f"{what} is {' or '.join(known)}, not {value}")


def name_of(record: Mapping[str, Any]) -> str:
    """What the convention that a run keeps is called: "all", "subset", "all, max" or "subset, max".

    Args:
        record: with its `among` and `pool`.
    """
    return f"{record['among']}, max" if record["pool"] == "max" else str(record["among"])
