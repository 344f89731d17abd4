"""How long to wait before something is tried again.

GENSET_PAUSE_FACTOR in the environment scales every pause (not the rate limits): 0.01 lets tests,
and whoever tries out an outage, see in seconds what takes half an hour.
"""

import os
import random
from dataclasses import dataclass
from functools import cache

from genset.core.errors import BadInput

_FIRST = 1.0  # seconds
_JITTER = 0.1  # so that what failed together does not come back together


def scaled(seconds: float) -> float:
    """A pause as the environment scales it.

    Raises:
        BadInput: GENSET_PAUSE_FACTOR is no number, or below 0.
    """
    word = os.environ.get("GENSET_PAUSE_FACTOR", "1")
    try:
        factor = float(word)
    except ValueError:
        factor = -1.0
    if not 0 <= factor < 1e6:
        raise BadInput(f"GENSET_PAUSE_FACTOR is no factor: {word!r}; write a number, such as 0.01")
    return seconds * factor


def jittered(seconds: float) -> float:
    """A scaled pause, up to a tenth longer by chance."""
    return scaled(seconds) * random.uniform(1, 1 + _JITTER)  # noqa: S311 - no secret


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often something that fails is tried: `tries` times, over at least `hours`.

    The first pause is a second, and each is longer than the last by the same factor, so that a
    fault that passes costs little and one that stays is not asked about all day.
    """

    tries: int = 8
    hours: float = 2.0

    def pause(self, attempts: int) -> float | None:
        """Seconds to wait after so many tries in vain, from 1; None where no further one is due."""
        pauses = _pauses(self.tries, self.hours)
        return jittered(pauses[attempts - 1]) if attempts <= len(pauses) else None


@cache
def _pauses(tries: int, hours: float) -> tuple[float, ...]:
    """The pauses between so many tries, in seconds: together at least `hours`."""
    count, total = tries - 1, hours * 3600
    if count <= 1:
        return (max(_FIRST, total),) * count
    low, high = 1.0, max(1.0, total)  # the factor by which they grow lies between
    for _ in range(60):
        middle = (low + high) / 2
        enough = sum(_FIRST * middle**place for place in range(count)) >= total
        low, high = (low, middle) if enough else (middle, high)
    return tuple(_FIRST * high**place for place in range(count))
