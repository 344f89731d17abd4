"""The hosts that scrapers call: when they may be, how a call is made, and what its failure means.

The state of each stands in the store (`genset.net.host_state`), so all scrapers of a store share
it, whatever machine they run on, and one of them asks a host that is down on behalf of all.
"""

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

import requests
from sqlalchemy import text

from genset.core.errors import GensetError, SourceError, SourceRefused, SourceUnavailable
from genset.db import Store
from genset.db.database import HEAD
from genset.net.host_state import Condition, StoredCondition
from genset.net.pace import Limit, Slots, jittered, scaled
from genset.net.transport import (
    USER_AGENT,
    cause,
    is_retryable,
    is_too_many,
    needs_person,
    retry_after,
)

DOWN_AFTER = 5  # different addresses that fail in a row: one photo never stops its host's others
_PING_AFTER = 3  # failed calls, where there is a call that shows whether the host is well
TRIES = 4  # of a call that is made patiently
LONGEST_PAUSE = 86_400.0  # seconds
LONG = 60.0  # seconds: longer pauses are told

_SLOT_PAUSE = 0.05  # seconds
_SLEEP = 1.0  # seconds, at most, before the state is read again
_READ_THE_CLOCK = 60.0  # seconds

T = TypeVar("T")


class HostClosed(GensetError):
    """A host is not to be called now; `until` is the store's time from which it may be."""

    def __init__(self, title: str, until: float) -> None:
        super().__init__(f"{title} is not to be called now")
        self.until = until


class HostGaveUp(GensetError):
    """A host is not to be waited for."""


class Hosts:
    """All hosts that a process calls, by what a store knows of them.

    Args:
        store: what all scrapers share.
        say: is given each line that somebody who watches should read.
        give_up_after: seconds after which a host that is down is not waited for; None for ever.
    """

    def __init__(
        self,
        store: Store,
        say: Callable[[str], None] = lambda line: None,
        give_up_after: float | None = None,
    ) -> None:
        self.store = store
        self.say = say
        self.give_up_after = give_up_after
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
        limits: its quotas; a call uses the one whose turn comes first.
        ping: a call that a host which is well always answers, given the number of a quota. With it
            a few calls in vain, of whatever addresses, are enough to ask whether the host is down.
        slots: let so many calls be made at once; None for any number.
        agent: says who asks.
    """

    def __init__(
        self,
        hosts: Hosts,
        name: str,
        title: str,
        limits: Sequence[Limit],
        ping: Callable[[int], object] | None = None,
        slots: Slots | None = None,
        agent: str = USER_AGENT,
    ) -> None:
        self.hosts = hosts
        self.title = title
        self.agent = agent
        self.ping = ping
        self._limits = limits
        self._slots = slots
        self._condition = StoredCondition(
            hosts.store, name, hosts.now, lambda: hosts.say(f"{title} answers again")
        )
        self._begun = hosts.now()
        self._lock = threading.Lock()
        self._one_ping = threading.Lock()
        self._failures = 0  # calls since it answered last
        self._failing: dict[str, float] = {}  # the addresses of these, and when each failed first
        self._reported: tuple[float, float | None] = 0.0, None

    @property
    def is_down(self) -> bool:
        """Whether it has not answered for a while."""
        return self._condition.read().down_since is not None

    def opens_in(self) -> float:
        """Seconds until it may be called; 0 for now.

        Raises:
            HostGaveUp: it is down for longer than it is to be waited for.
        """
        condition, now = self._condition.read(), self.hosts.now()
        seconds = max(0.0, condition.opens_at(now) - now)
        if seconds > 0 and self.hosts.give_up_after is not None:
            self._give_up(condition, now, self.hosts.give_up_after)
        self._report(condition, now)
        return seconds

    def _give_up(self, condition: Condition, now: float, patience: float) -> None:
        """Raise HostGaveUp where this process has waited, or would wait, for longer than that."""
        since = condition.down_since
        if since is not None and now - max(since, self._begun) > patience:
            raise HostGaveUp(
                f"{self.title} has not answered since {_clock(since)} ({condition.error}): run the "
                "same command again later"
            )
        if condition.paused_until - now > patience:
            raise HostGaveUp(
                f"{self.title} asked for a pause until {_clock(condition.paused_until)}: run the "
                "same command again then"
            )

    def call(self, function: Callable[[int], T], address: str, *, is_known: bool = False) -> T:
        """Call `function` once, when it is its turn, and note whether the host answered.

        Args:
            function: makes the call, with the quota of the number that it is given.
            address: what is asked for: several that fail in a row show that the host is down.
            is_known: whether this address failed before: it then says nothing of the host.

        Raises:
            HostClosed: the host is not to be called now, and was not.
            HostGaveUp: it asks for a pause of more than a day.
            Exception: what `function` raised.
        """
        is_probe = self._admit()
        if is_probe and self.ping is not None:
            is_probe = False
            if not self._answers_ping():
                raise self._closed()
        self.wait_for_turn(quota := self._quota())
        if not is_probe and self.opens_in() > 0:  # while it waited, another call met trouble
            raise self._closed()
        try:
            with self._slot():
                answer = function(quota)
        except Exception as error:
            if is_retryable(error):
                self._note_failure(error, None if is_known else address, is_probe=is_probe)
            else:
                self._note_answer(is_probe=is_probe)
            raise
        self._note_answer(is_probe=is_probe)
        if isinstance(answer, bytes):
            self._limits[quota].spend(self.hosts.now(), len(answer))
        return answer

    @contextmanager
    def _slot(self) -> Iterator[None]:
        """Take one of the slots for a call, where there are any."""
        if self._slots is None:
            yield
            return
        while (slot := self._slots.take(self.hosts.now())) is None:
            self._sleep(_SLOT_PAUSE)
        try:
            yield
        finally:
            self._slots.give_back(slot, self.hosts.now())

    def call_patiently(self, function: Callable[[int], T], address: str) -> T:
        """Call `function` as `call` does, but wait while the host is closed, and try `TRIES` times.

        Raises what the last try raised.
        """
        tries = 0
        while True:
            while (seconds := self.opens_in()) > 0:
                self._sleep(min(seconds, _SLEEP))
            try:
                return self.call(function, address)
            except HostClosed:
                continue
            except Exception as error:
                tries += 1
                if not is_retryable(error) or tries == TRIES:
                    raise
                self._sleep(jittered(2.0 ** (tries - 1)))

    def _closed(self) -> HostClosed:
        """That it is not to be called now, with the time from which it may be."""
        return HostClosed(self.title, self._condition.last.opens_at(self.hosts.now()))

    def _admit(self) -> bool:
        """Let a call through; whether it is the one that asks if the host is back.

        Raises HostClosed where it is not let through.
        """
        if self.opens_in() > 0:
            raise self._closed()
        if not self.is_down:
            return False
        later = self._condition.take_probe()
        if later is None:
            return True
        raise HostClosed(self.title, later)

    def _answers_ping(self) -> bool:
        """Ping a host that may be down, and note what comes of it."""
        ping = self.ping
        if ping is None:
            return False
        self.wait_for_turn(quota := self._quota())
        try:
            with self._slot():
                ping(quota)
        except Exception as error:  # noqa: BLE001 - a refusal is an answer
            if is_retryable(error):
                self._condition.put_off_probe(reason_of(error, self.title))
                return False
        self._note_answer(is_probe=True)
        return True

    def _quota(self) -> int:
        """The number of the quota whose turn comes first."""
        now = self.hosts.now()
        return min(range(len(self._limits)), key=lambda place: self._limits[place].waiting(now))

    def wait_for_turn(self, quota: int) -> None:
        """Wait until a quota lets a call through; for whoever makes several within one `call`.

        Raises:
            HostClosed: this process ends.
        """
        now = self.hosts.now()
        seconds = self._limits[quota].reserve(now) - now
        if seconds > 0:  # counted once: the clock may be set back meanwhile
            self._sleep(seconds)

    def _sleep(self, seconds: float) -> None:
        if self.hosts.stopping.wait(seconds):
            raise HostClosed(self.title, self.hosts.now())

    def _note_answer(self, *, is_probe: bool) -> None:
        was_down = self._condition.last.down_since is not None
        if self._failures or is_probe or was_down:
            with self._lock:
                self._failing.clear()
                self._failures = 0
            self._condition.mark_up()

    def _note_failure(self, error: Exception, address: str | None, *, is_probe: bool) -> None:
        """Note a failure, of an address that may say something of the host.

        Raises HostClosed where the host was known to be down: it is no fault of the address then.
        """
        now, was_down = self.hosts.now(), self.is_down
        self._pause_for(error, now)
        with self._lock:
            self._failures += 1
            if address is not None or self.ping is not None:
                self._failing.setdefault(address or "", now)
            since = min(self._failing.values(), default=now)
            is_down = len(self._failing) >= DOWN_AFTER
            needs_ping = self.ping is not None and self._failures >= _PING_AFTER and not was_down
        if is_probe:
            self._condition.put_off_probe(reason_of(error, self.title))
            return
        if self.ping is not None:
            is_down = False
        if needs_ping and self._one_ping.acquire(blocking=False):
            try:
                is_down = not self._answers_ping()
            finally:
                self._one_ping.release()
        if is_down:
            self._condition.mark_down(since, reason_of(error, self.title))
        if was_down:
            raise self._closed() from None

    def _pause_for(self, error: Exception, now: float) -> None:
        """Pause for as long as a host asks for.

        Raises:
            HostGaveUp: that is more than a day.
        """
        seconds = retry_after(error)
        if seconds > LONGEST_PAUSE:
            length = timedelta(seconds=int(min(seconds, 1e9)))
            raise HostGaveUp(
                f"{self.title} asked for a pause of {length} (Retry-After), which is more than a "
                "day: run the same command again then"
            ) from None
        if seconds or is_too_many(error):
            self._condition.pause(now, scaled(max(seconds, 1.0)))

    def _report(self, condition: Condition, now: float) -> None:
        """Say once that there is a pause, where it is long."""
        since = condition.down_since
        if since is not None:
            until, is_new = condition.probe_at, self._reported[1] != since
            line = (
                f"{self.title} has not answered since {_clock(since)} ({condition.error}); next "
                f"try at {_clock(until)}"
            )
        elif condition.paused_until - now > scaled(LONG):
            until, is_new = condition.paused_until, True
            line = f"{self.title} asked for a pause until {_clock(until)}"
        else:
            return
        is_long = until - now > scaled(LONG)
        if until > now and self._reported != (until, since) and (is_new or is_long):
            self._reported = until, since
            self.hosts.say(line)


def as_source_error(error: requests.RequestException, title: str) -> SourceError:
    """What a failed call of a source's API is called: worth another try, or not."""
    kind = SourceUnavailable if is_retryable(error) else SourceRefused
    return kind(cause(error, title), scope="host" if needs_person(error) else None)


def reason_of(error: Exception, title: str) -> str:
    """What went wrong, in a few words of ours."""
    return cause(error, title) if isinstance(error, requests.RequestException) else str(error)


def _clock(moment: float) -> str:
    """A time of day for people here, with the day where it is not today."""
    when = datetime.fromtimestamp(moment).astimezone()
    today = when.date() == datetime.now().astimezone().date()
    return when.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")


def user_store() -> Store:
    """What those who work outside of any workspace share with others of the same user."""
    folder = Path(tempfile.gettempdir()) / f"genset-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return Store.open(f"sqlite:///{folder / f'hosts-{HEAD}.db'}")
