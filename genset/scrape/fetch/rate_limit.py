"""How fast a quota is used, whoever uses it: calls, bytes, and calls at once.

What is left of a quota stands in the store, so all scrapers that use it share it, on however many
machines they run.
"""

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy.orm import Session

from genset.store import RateLimitState, Store

_CLOCKS_DIFFER = 1.0  # seconds that are no sign of a clock that was set back


class Limit(Protocol):
    """A quota; times are the store's, in seconds."""

    def reserve(self, now: float) -> float:
        """Take the next free turn, and return when it is."""
        ...

    def waiting(self, now: float) -> float:
        """Seconds until the next free turn, which stays free."""
        ...

    def spend(self, now: float, size: int) -> None:
        """Note that a call brought so many bytes."""
        ...


class RateLimit:
    """Lets one call through every `interval` seconds; 0 means no limit.

    Args:
        store: the store that all callers share.
        name: the quota's name there.
        interval: seconds between two calls, at least 0, in the long run.
        burst: calls that may be made beyond that, one after the other, by who made none for long.
    """

    def __init__(self, store: Store, name: str, interval: float, burst: int = 0) -> None:
        self._store = store
        self._name = name
        self.interval = interval
        self._ahead = burst * interval

    def reserve(self, now: float) -> float:
        """As `Limit.reserve`."""
        if not self.interval:
            return now
        with self._store.begin() as session:
            state = _locked(self._store, session, self._name)
            full = max(now, _next(state, now, self.interval))
            state.set_at, state.next_at = now, full + self.interval
            return max(now, full - self._ahead)

    def waiting(self, now: float) -> float:
        """As `Limit.waiting`."""
        if not self.interval:
            return 0.0
        with self._store.session() as session:
            state = session.get(RateLimitState, self._name)
        if state is None:
            return 0.0
        return max(0.0, _next(state, now, self.interval) - self._ahead - now)

    def spend(self, now: float, size: int) -> None:
        """Bytes are not limited."""


class ByteLimit:
    """Lets calls through that bring so many bytes a second in the long run, in any number of calls.

    Args:
        store: the store that all callers share.
        name: the quota's name there.
        bytes_a_second: above 0.
        burst: bytes that may come beyond that to who asked for nothing for long.
        guess: bytes that a call is taken to bring until it is known what it brought. With one that
            no call exceeds, the quota holds however many calls are made at once; a call that fails
            is taken to have brought as many.
    """

    def __init__(
        self, store: Store, name: str, bytes_a_second: float, burst: float, guess: int = 0
    ) -> None:
        self._store = store
        self._name = name
        self._rate = bytes_a_second
        self._ahead = burst / bytes_a_second
        self._guess = guess

    def reserve(self, now: float) -> float:
        """As `Limit.reserve`; what the call brings beyond the guess is counted when it came."""
        if not self._guess:
            return now + self.waiting(now)
        full = self._add(now, self._guess)
        return max(now, full - self._ahead)

    def waiting(self, now: float) -> float:
        """As `Limit.waiting`."""
        with self._store.session() as session:
            state = session.get(RateLimitState, self._name)
        return 0.0 if state is None else max(0.0, _next(state, now, 0.0) - self._ahead - now)

    def spend(self, now: float, size: int) -> None:
        """As `Limit.spend`."""
        self._add(now, size - self._guess)

    def _add(self, now: float, size: int) -> float:
        """Count so many bytes; return the time by which those before them are paid for."""
        with self._store.begin() as session:
            state = _locked(self._store, session, self._name)
            full = max(now, _next(state, now, 0.0))
            state.set_at, state.next_at = now, full + size / self._rate
            return full


class AllOf:
    """Several quotas that each call uses."""

    def __init__(self, limits: Sequence[Limit]) -> None:
        self._limits = limits

    def reserve(self, now: float) -> float:
        """As `Limit.reserve`."""
        return max(limit.reserve(now) for limit in self._limits)

    def waiting(self, now: float) -> float:
        """As `Limit.waiting`."""
        return max(limit.waiting(now) for limit in self._limits)

    def spend(self, now: float, size: int) -> None:
        """As `Limit.spend`."""
        for limit in self._limits:
            limit.spend(now, size)


class Slots:
    """Lets so many calls be made at once, by all scrapers of a store together.

    Args:
        store: the store that all callers share.
        name: the slots' name there.
        count: how many there are, at least 1.
        lease: seconds after which a slot is free again, whatever became of who took it: longer than
            any call.
    """

    def __init__(self, store: Store, name: str, count: int, lease: float = 300.0) -> None:
        self._store = store
        self._names = [f"{name}-slot-{number}" for number in range(count)]
        self._lease = lease

    def take(self, now: float) -> str | None:
        """Take a slot, and return its name; None where none is free."""
        with self._store.begin() as session:
            for name in self._names:
                state = _locked(self._store, session, name)
                if _next(state, now, 0.0) <= now:
                    state.set_at, state.next_at = now, now + self._lease
                    return name
        return None

    def give_back(self, slot: str, now: float) -> None:
        """Let others take a slot."""
        with self._store.begin() as session:
            state = _locked(self._store, session, slot)
            state.set_at, state.next_at = now, 0.0


def _locked(store: Store, session: Session, name: str) -> RateLimitState:
    """A quota's row, which nobody else changes until the transaction ends."""
    state = session.get(RateLimitState, name, with_for_update=True)
    if state is None:
        # A row that delays nobody, unless another caller was quicker.
        first = {"name": name, "set_at": 0, "next_at": 0}
        session.execute(store.insert(RateLimitState).values(first).on_conflict_do_nothing())
        state = session.get_one(RateLimitState, name, with_for_update=True)
    return state


def _next(state: RateLimitState, now: float, interval: float) -> float:
    """The next turn by what is stored. What was set later than now was set by a wrong clock."""
    return state.next_at if state.set_at <= now + _CLOCKS_DIFFER else now + interval
