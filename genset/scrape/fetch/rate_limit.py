"""How fast a quota is used: one call every so many seconds, whoever makes it."""

from genset.store import RateLimitState, Store

_CLOCKS_DIFFER = 1.0  # seconds that are no sign of a clock that was set back


class RateLimit:
    """Lets one call through every `interval` seconds; 0 means no limit.

    The next free turn stands in the store, so all scrapers that use it share one rate, on however
    many machines they run.

    Args:
        store: the store that all callers share.
        name: the quota's name there.
        interval: seconds between two calls, at least 0.
    """

    def __init__(self, store: Store, name: str, interval: float) -> None:
        self._store = store
        self._name = name
        self.interval = interval

    def reserve(self, now: float) -> float:
        """Take the next free turn, and return when it is; `now` is the store's time."""
        if not self.interval:
            return now
        with self._store.begin() as session:
            state = session.get(RateLimitState, self._name, with_for_update=True)
            if state is None:
                # A row that delays nobody, unless another caller was quicker.
                first = {"name": self._name, "set_at": 0, "next_at": 0}
                insert = self._store.insert(RateLimitState).values(first)
                session.execute(insert.on_conflict_do_nothing())
                state = session.get_one(RateLimitState, self._name, with_for_update=True)
            turn = max(now, self._next(state.set_at, state.next_at, now))
            state.set_at, state.next_at = now, turn + self.interval
            return turn

    def waiting(self, now: float) -> float:
        """Seconds until the next free turn, which stays free."""
        if not self.interval:
            return 0.0
        with self._store.session() as session:
            state = session.get(RateLimitState, self._name)
        return (
            0.0 if state is None else max(0.0, self._next(state.set_at, state.next_at, now) - now)
        )

    def _next(self, set_at: float, next_at: float, now: float) -> float:
        """The next turn by what is stored. What was set later than now was set by a wrong clock."""
        return next_at if set_at <= now + _CLOCKS_DIFFER else now + self.interval
