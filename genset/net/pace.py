"""How fast a quota is used, how a host's pace adapts, and how long to wait between tries.

What is left of a quota is in the store, so all scrapers that use it share it, on however many
machines they run.
"""

import random
from dataclasses import dataclass, replace
from typing import Self

from sqlalchemy.orm import Session

from genset.db import RateLimitState, Store
from genset.workspace import pause_factor


class RateLimit:
    """Lets one call through every `interval` seconds; 0 means no limit.

    Times are the store's, in seconds.

    Args:
        store: the store that all callers share.
        name: the quota's name there.
        interval: seconds between two calls, at least 0, in the long run.
        burst: calls that may be made beyond that, one after the other, by who made none for long.
        spacing: seconds between two of these, which `genset.net.host_state` sees to.
    """

    def __init__(
        self, store: Store, name: str, interval: float, burst: int = 0, spacing: float = 0
    ) -> None:
        self._store = store
        self.name = name
        self.interval = interval
        self.spacing = spacing
        self._ahead = burst * interval

    def reserve(self, now: float) -> float:
        """Take the next free turn, and return when it is."""
        if not self.interval:
            return now
        with self._store.begin() as session:
            state = _locked(self._store, session, self.name)
            full = max(now, state.next_at)
            state.next_at = full + self.interval
        return max(now, full - self._ahead)

    def waiting(self, now: float) -> float:
        """Seconds until the next free turn, which stays free."""
        with self._store.session() as session:
            state = session.get(RateLimitState, self.name)
        return 0.0 if state is None else max(0.0, state.next_at - self._ahead - now)


def _locked(store: Store, session: Session, name: str) -> RateLimitState:
    """A quota's row, which nobody else changes until the transaction ends."""
    state = session.get(RateLimitState, name, with_for_update=True)
    if state is None:
        # A row that delays nobody, unless another caller was quicker.
        first = store.insert(RateLimitState).values(name=name, next_at=0)
        session.execute(first.on_conflict_do_nothing())
        state = session.get_one(RateLimitState, name, with_for_update=True)
    return state


_SLOW, _SLOWEST = 1.0, 1 / 600  # calls a second after a refusal: at most, at least
_USUAL = 10.0  # calls a second that a host without a quota is taken to have been sent
_ENOUGH = 20.0  # calls a second at which a host without a quota is not held back any more
_NEAR, _PAST = 0.9, 1.1  # of the rate that was refused: between these it rises slowly
_FAST_STEP, _SLOW_STEP = 0.05, 0.0015  # of the rate that was refused, for each answer
_LATE = 1.0  # seconds: answers that come sooner slow nothing down
_AT_ONCE = 4  # calls under way at a host that answers late
_SMOOTH = 0.2  # weight of the newest answer's time


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a host takes calls, by its answers: additive increase, multiplicative decrease.

    A refusal (HTTP 429) halves the rate. Answers raise it: fast up to 90 % of the rate that was
    refused, slowly from there, so that the limit is tried again once a minute and not once a
    second. And where answers take long, calls are spaced so that about four are under way, as
    Scrapy's AutoThrottle does.

    Attributes:
        rate: calls a second; None for as many as the quotas allow.
        refused: the rate that was refused last.
        latency: seconds that answers take, smoothed.
    """

    rate: float | None = None
    refused: float | None = None
    latency: float = 0.0

    @property
    def interval(self) -> float:
        """Seconds between two calls, unscaled; 0 for no more than the quotas ask for."""
        late = self.latency / _AT_ONCE if self.latency > _LATE else 0.0
        return max(late, 1 / self.rate if self.rate else 0.0)

    def after_refusal(self, usual: float) -> Self:
        """The pace after HTTP 429; `usual` calls a second are what the quotas allow, 0 for any."""
        rate = self.rate or usual or _USUAL
        return replace(self, rate=max(_SLOWEST, min(_SLOW, rate / 2)), refused=rate)

    def after_answer(self, seconds: float, usual: float) -> Self:
        """The pace after an answer that took so long."""
        latency = self.latency + _SMOOTH * (seconds - self.latency) if self.latency else seconds
        rate, refused = self.rate, self.refused
        if rate is not None and refused is not None:
            rate += refused * (_FAST_STEP if rate < _NEAR * refused else _SLOW_STEP)
            if rate > _PAST * refused:  # what was refused once is not any more
                refused = 2 * rate
            if rate >= (usual or _ENOUGH):
                rate = refused = None
        return replace(self, rate=rate, refused=refused, latency=latency)


_JITTER = 0.1  # so that what failed together does not come back together


def scaled(seconds: float) -> float:
    """A pause as the environment scales it.

    Raises:
        BadInput: GENSET_PAUSE_FACTOR is no number, or below 0.
    """
    return seconds * pause_factor()


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
        if attempts >= self.tries:
            return None
        last = max(1.0, self.hours * 3600)
        exponent = (attempts - 1) / (self.tries - 2) if self.tries > 2 else 1.0
        return jittered(last**exponent)
