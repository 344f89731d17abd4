"""The quotas of a host, one for each key: whose turn comes first, and whose key is refused."""

from collections.abc import Callable, Collection, Sequence

from sqlalchemy import update

from genset.core.errors import SourceError
from genset.db import HostState, Store
from genset.net.host_state import StoredCondition
from genset.net.pace import RateLimit


class Quotas:
    """What a host's calls use. Of several keys one may be refused, and the others do its work.

    Args:
        store: what all scrapers share.
        name: the host's name there.
        title: its name for people.
        limits: the quotas.
        now: the store's clock, in seconds.
        say: is given a line for each key that is refused.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        title: str,
        limits: Sequence[RateLimit],
        now: Callable[[], float],
        say: Callable[[str], None],
    ) -> None:
        self._limits = limits
        self._now = now
        self._say = say
        self._pace = RateLimit(store, f"{name}-pace", 0)
        others = HostState.name.startswith(f"{name} key ", autoescape=True)
        with store.begin() as session:  # keys of earlier commands, which may have been others
            session.execute(update(HostState).where(others).values(down_since=None, error=""))
        self._keys = [
            StoredCondition(store, f"{name} key {number}", f"key {number} of {title}", now)
            for number in range(1, len(limits) + 1)
            if len(limits) > 1
        ]

    @property
    def usual_rate(self) -> float:
        """Calls a second that the quotas allow; 0 for any."""
        intervals = [limit.spacing or limit.interval for limit in self._limits]
        return sum(1 / interval for interval in intervals) if all(intervals) else 0.0

    def choose(self, refused: Collection[int] = ()) -> int:
        """The number of the quota whose turn comes first, of those whose key is not refused."""
        if not self._keys:
            return 0
        now = self._now()
        others = [number for number in range(len(self._limits)) if number not in refused]
        good = [number for number in others if self._may_use(self._keys[number], now)] or others
        return min(good, key=lambda number: self._limits[number].waiting(now))

    def _may_use(self, key: StoredCondition, now: float) -> bool:
        """Whether a key is good, or it is this caller's turn to try one that was refused."""
        condition = key.read()
        if condition.down_since is None:
            return True
        return condition.opens_in(now) <= 0 and key.take_probe()

    def reserve(self, quota: int, now: float, interval: float) -> float:
        """Take the next turn of a quota, at least `interval` seconds after any call's."""
        self._pace.interval = max(interval, self._limits[quota].spacing)
        return max(self._limits[quota].reserve(now), self._pace.reserve(now))

    def note_answer(self, quota: int) -> None:
        """A call with this quota was answered."""
        if self._keys and self._keys[quota].last.down_since is not None:
            self._keys[quota].mark_up()

    def may_use_another(self, error: Exception, quota: int, refused: set[int]) -> bool:
        """Note that a key is refused, if it is; whether there is another one to use."""
        if not self._keys or not isinstance(error, SourceError) or error.scope != "key":
            return False
        key = self._keys[quota]
        if key.read().down_since is None:
            key.mark_down(self._now(), str(error))
            if len(refused) + 1 < len(self._keys):
                self._say(f"{error}; the other keys are used")
        refused.add(quota)
        return len(refused) < len(self._keys)
