"""The hosts that scrapers call: when they may be, how a call is made, and what its failure means.

The state of each is in the store (`genset.net.host_state`), so all scrapers of a store share it,
whatever machine they run on, and one of them asks a host that is down on behalf of all.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import inf
from typing import Any, TypeVar

import requests
from sqlalchemy import text
from tenacity import Retrying, retry_if_exception, stop_after_attempt

from genset.core.errors import GensetError, SourceError, SourceRefused
from genset.db import Store
from genset.net.api import reason_of
from genset.net.host_state import DAY, HostReports, StoredCondition
from genset.net.pace import Limit, jittered, scaled
from genset.net.quotas import Quotas
from genset.net.transport import (
    USER_AGENT,
    is_retryable,
    is_too_many,
    needs_person,
    retry_after,
)

DOWN_AFTER = 5  # different addresses that fail in a row: one photo never stops its host's others
_PING_AFTER = 3  # failed calls, where there is a call that shows whether the host is well
TRIES = 4  # of a call that is made patiently
_LONGEST_PAUSE = 30 * DAY

_REMEMBERED = 50  # calls that were answered

_SLEEP = 1.0  # seconds, at most, before the state is read again
_READ_THE_CLOCK = 60.0  # seconds

T = TypeVar("T")


class HostClosed(GensetError):
    """A host is not to be called now; `until` is the store's time from which it may be."""

    def __init__(self, title: str, until: float) -> None:
        super().__init__(f"{title} is not to be called now")
        self.until = until


class Hosts:
    """All hosts that a process calls, by what a store knows of them.

    Args:
        store: what all scrapers share.
        say: is given each line that somebody who watches should read.
        give_up_after: seconds after which a host that is down is not waited for; None for ever.
        on_event: is given what came of each call, and when a host pauses, is down or is back: its
            `host`, `status` and `decision`, of a call also its `class` and `query` or `photo`.
    """

    def __init__(
        self,
        store: Store,
        say: Callable[[str], None] = lambda line: None,
        give_up_after: float | None = None,
        on_event: Callable[[dict[str, str]], None] = lambda event: None,
    ) -> None:
        self.store = store
        self.say = say
        self.give_up_after = give_up_after
        self.on_event = on_event
        self.stopping = threading.Event()
        self.is_ending = False
        self._lock = threading.Lock()
        self._clock_read_at, self._ahead = -_READ_THE_CLOCK, 0.0

    def now(self) -> float:
        """The store's time, in seconds since 1970: PostgreSQL's clock, or this machine's."""
        if self.store.engine.dialect.name == "sqlite":
            return time.time()
        with self._lock:
            if time.monotonic() - self._clock_read_at >= _READ_THE_CLOCK:
                with self.store.session() as session:
                    query = text("SELECT extract(epoch FROM clock_timestamp())")
                    moment = float(session.scalar(query) or 0)
                self._clock_read_at = time.monotonic()
                self._ahead = moment - self._clock_read_at
            return time.monotonic() + self._ahead

    def stop(self) -> None:
        """Let nobody wait any longer: this process ends."""
        self.stopping.set()

    def end(self) -> None:
        """Have whoever works with these hosts end soon, as an interrupt would."""
        self.is_ending = True
        self.stop()


class Host:
    """One host, as many threads and processes as like may call it.

    Args:
        hosts: what all hosts of this process share.
        name: its name in the store.
        title: its name for people.
        limits: its quotas, one for each key; a call uses the one whose turn comes first.
        ping: a call that a host which is well always answers, given the number of a quota; where
            there is none, calls that it answered before are made again, another one each time.
            With either, a few calls in vain are enough to ask whether the host is down.
        slots: let this process make so many calls at once; None for any number.
        agent: says who asks.
    """

    def __init__(
        self,
        hosts: Hosts,
        name: str,
        title: str,
        limits: Sequence[Limit],
        ping: Callable[[int], object] | None = None,
        slots: AbstractContextManager[Any] | None = None,
        agent: str = USER_AGENT,
    ) -> None:
        self.hosts = hosts
        self.title = title
        self.agent = agent
        self.ping = ping
        self.has_answered = False  # in this run
        self.answered: deque[Callable[[int], object]] = deque(maxlen=_REMEMBERED)  # calls
        self._slots = slots or nullcontext()
        self._reports = HostReports(title, lambda line: hosts.say(line), hosts.on_event)
        self._condition = StoredCondition(
            hosts.store, name, title, hosts.now, self._reports.recovery
        )
        self._quotas = Quotas(hosts.store, name, title, limits, hosts.now, self._reports.say)
        self._begun = hosts.now()
        self._lock = threading.Lock()
        self._one_ping = threading.Lock()
        self._failures = 0  # calls since it answered last
        self._failing: dict[str, float] = {}  # the addresses of these, and when each failed first
        self._latency = 0.0

    @property
    def is_down(self) -> bool:
        """Whether it has not answered for a while."""
        return self._condition.read().down_since is not None

    def opens_in(self) -> float:
        """Seconds until it may be called; 0 for now.

        Raises:
            HostGaveUp: it is down, or asked for a pause, for longer than it is to be waited for.
        """
        condition, now = self._condition.read(), self.hosts.now()
        seconds = condition.opens_in(now)
        if seconds > 0:
            patience = self.hosts.give_up_after
            self._reports.give_up(
                condition, now, self._begun, inf if patience is None else patience
            )
        self._reports.pause(condition, now)
        return max(0.0, seconds)

    def call(self, function: Callable[[int], T], address: str, *, is_known: bool = False) -> T:
        """Call `function` once, when it is its turn, and note whether the host answered.

        Args:
            function: makes the call, with the quota of the number that it is given.
            address: what is asked for: several that fail in a row show that the host is down.
            is_known: whether this address failed before: it then says nothing of the host.

        Raises:
            HostClosed: the host is not to be called now, and was not; or it is down, and what was
                asked for is not to blame.
            HostGaveUp: it asks for a pause of a day or more.
            SourceRefused: the first call of a run met what only a person can mend.
            Exception: what `function` raised.
        """
        is_probe = self._admit(address, is_known=is_known)
        refused: set[int] = set()
        while True:
            self.wait_for_turn(quota := self._quotas.choose(refused))
            if not is_probe and self.opens_in() > 0:  # another call met trouble meanwhile
                raise self._closed()
            begun = time.monotonic()
            try:
                with self._slots:
                    answer = function(quota)
            except Exception as error:
                if self._quotas.may_use_another(error, quota, refused):
                    continue
                self._note_error(error, None if is_known else address, is_probe=is_probe)
                raise
            self._note_answer(is_probe=is_probe)
            if not isinstance(answer, bytes):
                self.answered.append(function)
            self._adapt(time.monotonic() - begun)
            self._quotas.note_answer(quota, len(answer) if isinstance(answer, bytes) else 0)
            return answer

    def call_patiently(self, function: Callable[[int], T], address: str) -> T:
        """Call `function` as `call` does, but wait while the host is closed, and try `TRIES` times.

        Raises what the last try raised.
        """
        retrying = Retrying(
            retry=retry_if_exception(is_retryable),  # type: ignore[arg-type]
            stop=stop_after_attempt(TRIES),
            wait=lambda state: jittered(2.0 ** (state.attempt_number - 1)),
            sleep=self._sleep,
            reraise=True,
        )
        answer: T = retrying(self._call_when_open, function, address)
        return answer

    def _call_when_open(self, function: Callable[[int], T], address: str) -> T:
        while True:
            while (seconds := self.opens_in()) > 0:
                self._sleep(min(seconds, _SLEEP))
            try:
                return self.call(function, address)
            except HostClosed:
                if self.hosts.stopping.is_set():
                    raise

    def _closed(self) -> HostClosed:
        """That it is not to be called now, with the time from which it may be."""
        now = self.hosts.now()
        return HostClosed(self.title, now + max(0.0, self._condition.last.opens_in(now)))

    def _admit(self, address: str, *, is_known: bool) -> bool:
        """Let a call through; whether it is the one that asks if the host is back.

        What failed before does not ask, where something else can: it may fail for ever.

        Raises HostClosed where it is not let through.
        """
        if self.opens_in() > 0:
            raise self._closed()
        if not self.is_down:
            return False
        later = self._condition.take_probe()
        if later is not None:
            raise HostClosed(self.title, later)
        if not is_known or not self._can_ping:
            return True
        if not self._answers_ping():
            raise self._closed()
        return False

    @property
    def _can_ping(self) -> bool:
        return self.ping is not None or bool(self.answered)

    def _answers_ping(self) -> bool:
        """Make a call that a host which is well answers, and note what comes of it."""
        ping = self.ping
        if ping is None:  # the oldest, which is the newest then
            ping = self.answered[0]
            self.answered.rotate(-1)
        self.wait_for_turn(quota := self._quotas.choose())
        try:
            with self._slots:
                ping(quota)
        except Exception as error:  # noqa: BLE001 - a refusal is an answer
            if is_retryable(error) or _is_hopeless(error):
                self._condition.put_off_probe(reason_of(error, self.title))
                return False
        self._note_answer(is_probe=True)
        return True

    def wait_for_turn(self, quota: int) -> None:
        """Wait until a quota lets a call through; for whoever makes several within one `call`.

        Raises:
            HostClosed: this process ends.
        """
        now = self.hosts.now()
        interval = scaled(self._condition.last.pace.interval)
        seconds = self._quotas.reserve(quota, now, interval) - now
        if seconds > 0:  # counted once: the clock may be set back meanwhile
            self._sleep(seconds)

    def _sleep(self, seconds: float) -> None:
        if self.hosts.stopping.wait(seconds):
            raise HostClosed(self.title, self.hosts.now())

    def _note_answer(self, *, is_probe: bool) -> None:
        self.has_answered = True
        if self._failures or is_probe or self._condition.last.down_since is not None:
            with self._lock:
                self._failing.clear()
                self._failures = 0
            self._condition.mark_up()

    def _note_error(self, error: Exception, address: str | None, *, is_probe: bool) -> None:
        """Note a failure, of an address that may say something of the host.

        Raises:
            HostClosed: the host is down: it is no fault of the address then.
            SourceRefused: only a person can mend it, and the host has not answered in this run.
        """
        is_hopeless = _is_hopeless(error)
        if not is_hopeless and not is_retryable(error):  # a refusal is an answer
            self._note_answer(is_probe=is_probe)
            return
        now, was_down = self.hosts.now(), self.is_down
        reason = reason_of(error, self.title)
        if is_hopeless and not (self.has_answered or (self._can_ping and self._answers_ping())):
            if isinstance(error, SourceError):
                return
            raise SourceRefused(reason, scope="run") from None
        self._pause_for(error, now, is_new=address is not None)
        is_of_host = isinstance(error, requests.RequestException) and error.response is None
        if is_of_host or is_hopeless or not self.has_answered:
            self._reports.cause(reason)
        with self._lock:
            self._failures += 1
            if address is not None or self._can_ping:
                self._failing.setdefault(address or "", now)
            since = min(self._failing.values(), default=now)
            is_down = is_hopeless or (len(self._failing) >= DOWN_AFTER and not self._can_ping)
            needs_ping = self._can_ping and self._failures >= _PING_AFTER and not was_down
        is_grave = self._can_ping and (is_probe or is_hopeless)
        if (needs_ping or is_grave) and self._one_ping.acquire(blocking=is_grave):
            try:
                # One photo that came before, and now fails, shows as little as any other.
                is_enough = self.ping or len(self.answered) > 1 or len(self._failing) >= DOWN_AFTER
                is_well = self._answers_ping() or self._answers_ping()
                is_down = bool(is_enough or is_grave) and not is_well
            finally:
                self._one_ping.release()
        elif is_probe:
            self._condition.put_off_probe(reason)
        if is_down:
            self._condition.mark_down(since, reason)
        if is_down if is_grave else was_down or is_hopeless:  # while others get answers it is open
            raise self._closed() from None

    def _pause_for(self, error: Exception, now: float, *, is_new: bool) -> None:
        """Pause for as long as a host asks for, and call it more slowly from then on.

        Raises:
            HostClosed: it is paused already: who called meanwhile is not to blame.
            HostGaveUp: it asks for a day or more, which no command waits for.
        """
        seconds = retry_after(error)
        if not seconds and not is_too_many(error):
            return
        if seconds > _LONGEST_PAUSE:
            self.hosts.say(f"{self.title} asked for a pause of more than 30 days: 30 are kept")
        condition = self._condition.read()
        was_paused = condition.paused_for(now) > 0
        if is_too_many(error) and is_new and not was_paused:
            self._condition.set_pace(condition.pace.after_refusal(self._quotas.usual_rate))
        self._condition.pause(now, scaled(min(max(seconds, 1.0), _LONGEST_PAUSE)))
        self.opens_in()
        if was_paused:
            raise self._closed() from None

    def _adapt(self, seconds: float) -> None:
        """Follow the time that an answer took; what others need not know is not stored."""
        stored = self._condition.last.pace
        pace = replace(stored, latency=self._latency).after_answer(seconds, self._quotas.usual_rate)
        self._latency = pace.latency
        if pace.differs_from(stored):
            self._condition.set_pace(pace)


def _is_hopeless(error: Exception) -> bool:
    """Whether no waiting mends it, whatever is asked of the host."""
    if isinstance(error, SourceRefused):
        return error.scope in ("key", "host", "run")
    return needs_person(error)
