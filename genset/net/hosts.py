"""The hosts that scrapers call: when they may be, how a call is made, and what its failure means.

The state of each is in the store (`genset.net.host_state`), so all scrapers of a store share it,
whatever machine they run on, and one of them asks a host that is down on behalf of all.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import inf
from typing import Any, TypeVar

import requests
from sqlalchemy import text
from tenacity import Retrying, retry_if_exception, stop_after_attempt

from genset.core.errors import GensetError, SourceError, SourceRefused
from genset.db import Store
from genset.net.host_state import DAY, HostReports, Quotas, StoredCondition
from genset.net.pace import Pace, RateLimit, jittered, scaled
from genset.net.transport import (
    USER_AGENT,
    cause,
    is_retryable,
    is_too_many,
    needs_person,
    retry_after,
)

DOWN_AFTER = 3  # calls that fail in a row
TRIES = 4  # of a call that is made patiently
_LONGEST_PAUSE = 30 * DAY

_REMEMBERED = 50  # calls that were answered
_PINGS = 2  # of them that show whether a host is well

_SLEEP = 1.0  # seconds, at most, before the state is read again
_READ_THE_CLOCK = 60.0  # seconds

T = TypeVar("T")
Call = Callable[[int], object]
"""Makes a call, with the quota of a number."""


class HostClosed(GensetError):
    """A host, named by its title, is not to be called now."""

    def __str__(self) -> str:
        return f"{self.args[0]} is not to be called now"


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
        ping: a call that a host which is well answers; those that it answered do as well.
        slots: let this process make so many calls at once; None for any number.
        agent: says who asks.
    """

    def __init__(
        self,
        hosts: Hosts,
        name: str,
        title: str,
        limits: Sequence[RateLimit],
        ping: Call | None = None,
        slots: AbstractContextManager[Any] | None = None,
        agent: str = USER_AGENT,
    ) -> None:
        self.hosts = hosts
        self.title = title
        self.agent = agent
        self.has_answered = False  # in this run
        self.answered = deque([ping] if ping else [], _REMEMBERED)  # calls
        self._slots = slots or nullcontext()
        self._reports = HostReports(title, lambda line: hosts.say(line), hosts.on_event)
        self._condition = StoredCondition(
            hosts.store, name, title, hosts.now, self._reports.recovery
        )
        self._quotas = Quotas(hosts.store, name, title, limits, hosts.now, self._reports.say)
        self._begun = hosts.now()
        self._lock = threading.Lock()
        self._asking = threading.Lock()  # held by who finds out whether it is ill
        self._failing: list[str] = []  # addresses of the calls that failed since it answered last
        self._failing_since = 0.0
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
        self._reports.pause(condition, now, is_first=not self.has_answered)
        return max(0.0, seconds)

    def call(self, function: Callable[[int], T], address: str, *, is_known: bool = False) -> T:
        """Call `function` once, when it is its turn, and note whether the host answered.

        Args:
            function: makes the call, with the quota of the number that it is given.
            address: what is asked for.
            is_known: whether this address failed before.

        Raises:
            HostClosed: the host is not to be called now, and was not; or it is down, and what was
                asked for is not to blame.
            HostGaveUp: it asks for a pause of half a day or more.
            SourceRefused: the first call of a run met what only a person can mend.
            Exception: what `function` raised.
        """
        is_probe = self._admit()
        refused: set[int] = set()
        while True:
            self.wait_for_turn(quota := self._quotas.choose(refused))
            if not is_probe and self.opens_in() > 0:  # another call met trouble meanwhile
                raise HostClosed(self.title)
            begun = time.monotonic()
            try:
                with self._slots:
                    answer = function(quota)
            except Exception as error:
                if self._quotas.may_use_another(error, quota, refused):
                    continue
                self._note_error(error, address, is_known=is_known)
                raise
            self._note_answer()
            if not isinstance(answer, bytes):  # a photo's bytes are asked for once
                self.answered.append(function)
            before = self._pace
            pace = before.after_answer(time.monotonic() - begun, self._quotas.usual_rate)
            self._latency = pace.latency
            if pace.rate != before.rate:
                self._condition.set_pace(pace)
            self._quotas.note_answer(quota)
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

    @property
    def _pace(self) -> Pace:
        """How fast it takes calls."""
        return Pace(self._condition.last.rate, self._condition.last.refused, self._latency)

    def _admit(self) -> bool:
        """Let a call through, of a host that is down when it is found to be back.

        Returns:
            Whether the call itself is to show that, since there is none that was answered before.

        Raises:
            HostClosed: it is not let through.
        """
        if self.opens_in() > 0:
            raise HostClosed(self.title)
        if not self.is_down:
            return False
        if self._condition.take_probe():
            if not self.answered:
                return True
            if error := self._why_ill():
                self._condition.set_error(cause(error, self.title))
                self._end_where_hopeless(error)
        if self.is_down:
            raise HostClosed(self.title)
        return False

    def _why_ill(self) -> Exception | None:
        """None where the host answers one of two calls that it answered before, else the error.

        Another two each time.
        """
        pings = [*self.answered][:_PINGS]
        self.answered.rotate(-_PINGS)
        errors = []
        for call in pings:
            if (error := self._error_of(call)) is None:
                return None
            errors.append(error)
        return errors[-1]

    def _error_of(self, call: Call) -> Exception | None:
        self.wait_for_turn(quota := self._quotas.choose())
        try:
            with self._slots:
                call(quota)
        except Exception as error:  # noqa: BLE001 - a refusal is an answer
            if is_retryable(error) or needs_person(error):
                return error
        self._note_answer()
        return None

    def _end_where_hopeless(self, error: Exception) -> None:
        """Raise SourceRefused for what only a person can mend, where nothing was answered yet."""
        if needs_person(error) and not self.has_answered:
            is_ours = isinstance(error, SourceError)
            raise error if is_ours else SourceRefused(cause(error, self.title), scope="run")

    def wait_for_turn(self, quota: int) -> None:
        """Wait until a quota lets a call through; for whoever makes several within one `call`.

        Raises:
            HostClosed: this process ends.
        """
        now = self.hosts.now()
        interval = scaled(self._pace.interval)
        seconds = self._quotas.reserve(quota, now, interval) - now
        if seconds > 0:  # counted once: the clock may be set back meanwhile
            self._sleep(seconds)

    def _sleep(self, seconds: float) -> None:
        if self.hosts.stopping.wait(seconds):
            raise HostClosed(self.title)

    def _note_answer(self) -> None:
        self.has_answered = True
        self._failing.clear()
        if self.is_down:
            self._condition.mark_up()

    def _note_error(self, error: Exception, address: str, *, is_known: bool) -> None:
        """Note a failure, and find out whether the host is down.

        Where no call was answered yet, several addresses must fail that never failed before: one
        photo that never comes does not stop the others.

        Raises:
            HostClosed: the host is down: it is no fault of the address then.
            SourceRefused: only a person can mend it, and the host has not answered in this run.
        """
        is_grave = needs_person(error)
        if not is_grave and not is_retryable(error):  # a refusal is an answer
            self._note_answer()
            return
        is_paused, reason = self._pause_for(error, is_known=is_known), cause(error, self.title)
        with self._lock:
            if not self._failing:
                self._failing_since = self.hosts.now()
            if self.answered or not (is_known or address in self._failing):
                self._failing.append(address)
            is_suspect = is_grave or len(self._failing) >= DOWN_AFTER
        if self.is_down:  # and this was a probe
            self._condition.set_error(reason)
            self._end_where_hopeless(error)
        elif is_suspect and self._asking.acquire(blocking=False):
            try:
                if is_paused or not self.answered or self._why_ill():
                    self._end_where_hopeless(error)
                    self._condition.mark_down(self._failing_since, reason)
            finally:
                self._asking.release()
        is_of_host = isinstance(error, requests.RequestException) and error.response is None
        is_last = is_grave and not self.has_answered  # the call that asks ends the run, and says it
        if not is_last and (is_of_host or is_grave or not (self.has_answered or is_paused)):
            self._reports.cause(reason)
        if self.is_down:
            raise HostClosed(self.title) from None

    def _pause_for(self, error: Exception, *, is_known: bool) -> bool:
        """Pause for as long as a host asks for, and call it more slowly from then on.

        Returns:
            Whether it asks for a pause.

        Raises:
            HostClosed: it is paused already: who called meanwhile is not to blame.
            HostGaveUp: it asks for a pause that no command waits for.
        """
        seconds = retry_after(error)
        if not seconds and not is_too_many(error):
            return False
        condition, now = self._condition.read(), self.hosts.now()
        was_paused = condition.paused_for(now) > 0
        if is_too_many(error) and not is_known and not was_paused:
            self._condition.set_pace(self._pace.after_refusal(self._quotas.usual_rate))
        self._condition.pause(now, scaled(min(max(seconds, 1.0), _LONGEST_PAUSE)))
        self.opens_in()
        if was_paused:
            raise HostClosed(self.title) from None
        return True
