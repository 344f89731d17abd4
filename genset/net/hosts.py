"""The hosts that scrapers call: when they may be, and whether they answer.

A host is *open*, *held* (it asked to be left alone for a while) or *down*:

                +---- 5 different addresses fail in a row ----+
                |                                             v
    held <---- open                                          down ---- one call after a growing
      |         ^ ^                                           |        pause asks whether it is
      +-in time-+ +------------- it answers a call -----------+        back

Where there is a call that every host that is well answers (a ping), three calls in vain are enough
to make it: whether the ping is answered decides. Then even the last search of a scrape tells an
outage from a search that fails for ever.

Which of them it is stands in the store, so all scrapers of a store share it, whatever machine they
run on, and one of them asks a host that is down on behalf of all.
"""

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, cast

import requests
from sqlalchemy import CursorResult, select, text, update

from genset.core.errors import GensetError, SourceError, SourceRefused, SourceUnavailable
from genset.db import HostState, Store
from genset.db.database import HEAD
from genset.net.http import USER_AGENT, in_short, is_retryable, is_too_many, retry_after
from genset.net.pauses import jittered, scaled
from genset.net.rate_limit import Limit, Slots

OPENS_AFTER = 5  # different addresses that fail in a row: one photo never stops its host's others
_ASKS_AFTER = 3  # calls in vain, where there is a call that shows whether the host is well
TRIES = 4  # of a call that is made patiently
LONGEST_HOLD = 86_400.0  # seconds
LONG = 60.0  # seconds: longer pauses are told

_FIRST_PROBE, _LAST_PROBE = 30.0, 600.0  # seconds, each pause twice as long as the last
_LOOK_AGAIN = 0.2  # seconds for which what the store said is believed
_SLOT_PAUSE = 0.05  # seconds
_SLEEP = 1.0  # seconds, at most, before what the store says is looked at again
_ASK_THE_CLOCK = 60.0  # seconds
_CLOCKS_DIFFER = 1.0  # seconds that are no sign of a clock that was set back

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
        self._asked, self._ahead = -_ASK_THE_CLOCK, 0.0

    def now(self) -> float:
        """The store's time, in seconds since 1970: PostgreSQL's clock, or this machine's."""
        if self.store.engine.dialect.name == "sqlite":
            return time.time()
        with self._lock:
            if time.monotonic() - self._asked >= _ASK_THE_CLOCK:
                with self.store.session() as session:
                    query = text("SELECT extract(epoch FROM clock_timestamp())")
                    theirs = float(session.scalar(query) or 0)
                self._asked = time.monotonic()
                self._ahead = theirs - self._asked
            return time.monotonic() + self._ahead

    def stop(self) -> None:
        """Let nobody wait any longer: this process ends."""
        self.stopping.set()

    def end(self) -> None:
        """Have whoever works with these hosts end soon, as an interrupt would."""
        self.is_ending = True
        self.stop()


@dataclass(frozen=True, slots=True)
class _State:
    """A host's row: `paused_until` is 0 and `down_since` None where there is none."""

    paused_until: float = 0.0
    down_since: float | None = None
    probe_at: float = 0.0
    probes: int = 0
    error: str = ""


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
        self._slots = slots
        self._name = name
        self._limits = limits
        self.ping = ping
        self._in_vain = 0  # calls since it answered last
        self._one_ping = threading.Lock()
        self._begun = hosts.now()
        self._lock = threading.Lock()
        self._failing: dict[str, float] = {}  # addresses that failed since it answered last, when
        self._told: tuple[float, float | None] = 0.0, None
        self._seen, self._state = -_LOOK_AGAIN, _State()
        with hosts.store.begin() as session:
            row = {"name": name, "probes": 0, "error": ""}
            insert = hosts.store.insert(HostState).values(row)
            session.execute(insert.on_conflict_do_nothing())

    @property
    def is_down(self) -> bool:
        """Whether it has not answered for a while."""
        return self._look().down_since is not None

    def opens_in(self) -> float:
        """Seconds until it may be called; 0 for now.

        Raises:
            HostGaveUp: it is down for longer than it is to be waited for.
        """
        state, now = self._look(), self.hosts.now()
        seconds = max(0.0, _opens_at(state, now) - now)
        if seconds > 0 and self.hosts.give_up_after is not None:
            self._give_up(state, now, self.hosts.give_up_after)
        self._tell(state, now)
        return seconds

    def _give_up(self, state: _State, now: float, patience: float) -> None:
        """Raise HostGaveUp where this process has waited, or would wait, for longer than that."""
        if state.down_since is not None and now - max(state.down_since, self._begun) > patience:
            raise HostGaveUp(
                f"{self.title} has not answered since {_clock(state.down_since)} ({state.error}): "
                "run the same command again later"
            )
        if state.paused_until - now > patience:
            raise HostGaveUp(
                f"{self.title} asks to be left alone until {_clock(state.paused_until)}: run the "
                "same command again then"
            )

    def call(self, function: Callable[[int], T], address: str, *, is_known: bool = False) -> T:
        """Call `function` once, when it is its turn, and note whether the host answered.

        Args:
            function: makes the call; it is given the number of the quota that it uses.
            address: what is asked for: several that fail in a row show that the host is down.
            is_known: whether this address failed before: it then says nothing of the host.

        Raises:
            HostClosed: the host is not to be called now, and was not.
            HostGaveUp: it asks to be left alone for longer than a day.
            Exception: what `function` raised.
        """
        is_probe = self._admit()
        if is_probe and self.ping is not None:
            is_probe = False
            if not self._is_well():
                raise HostClosed(self.title, _opens_at(self._look(), self.hosts.now()))
        self.wait_for_turn(quota := self._quota())
        if not is_probe and self.opens_in() > 0:  # while it waited, another call met trouble
            raise HostClosed(self.title, _opens_at(self._state, self.hosts.now()))
        try:
            with self._slot():
                answer = function(quota)
        except Exception as error:
            if is_retryable(error):
                self._failed(error, None if is_known else address, is_probe=is_probe)
            else:
                self._answered(is_probe=is_probe)
            raise
        self._answered(is_probe=is_probe)
        if isinstance(answer, bytes):
            self._limits[quota].spend(self.hosts.now(), len(answer))
        return answer

    @contextmanager
    def _slot(self) -> Iterator[None]:
        """Hold one of the slots for a call, where there are any."""
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

    def _admit(self) -> bool:
        """Let a call through; whether it is the one that asks if the host is back.

        Raises HostClosed where it is not let through.
        """
        if self.opens_in() > 0:
            raise HostClosed(self.title, _opens_at(self._state, self.hosts.now()))
        if not self.is_down:
            return False
        now = self.hosts.now()
        mine = update(HostState).where(
            HostState.name == self._name,
            HostState.down_since.is_not(None),
            HostState.probe_at == self._state.probe_at,
        )
        # Who asks may be killed before it knows: others ask then, after as long a pause.
        later = now + jittered(_probe_pause(self._state.probes + 1))
        if self._change(mine.values(probe_at=later, probes=HostState.probes + 1)):
            return True
        raise HostClosed(self.title, later)

    def _is_well(self) -> bool:
        """Ask a host, of which it is not sure, whether it answers; note it where it does not."""
        ping = self.ping
        if ping is None:
            return False
        self.wait_for_turn(quota := self._quota())
        try:
            with self._slot():
                ping(quota)
        except Exception as error:  # noqa: BLE001 - a refusal is an answer
            if is_retryable(error):
                self._put_off(error)
                return False
        self._answered(is_probe=True)
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

    def _answered(self, *, is_probe: bool) -> None:
        if not (self._in_vain or is_probe or self._state.down_since is not None):
            return
        with self._lock:
            self._failing.clear()
            self._in_vain = 0
        well = {"down_since": None, "probe_at": None, "probes": 0, "error": ""}
        down = update(HostState).where(
            HostState.name == self._name, HostState.down_since.is_not(None)
        )
        self._change(down.values(well))

    def _failed(self, error: Exception, address: str | None, *, is_probe: bool) -> None:
        """Note a failure, of an address that may say something of the host.

        Raises HostClosed where the host was known to be down: it is no fault of the address then.
        """
        now = self.hosts.now()
        was_down = self.is_down
        seconds = retry_after(error)
        if seconds > LONGEST_HOLD:
            asked = timedelta(seconds=int(min(seconds, 1e9)))
            raise HostGaveUp(
                f"{self.title} asks to be left alone for {asked} (Retry-After), which is more than "
                "a day: run the same command again then"
            ) from None
        if seconds or is_too_many(error):
            self._hold(now, scaled(max(seconds, 1.0)))
        with self._lock:
            self._in_vain += 1
            if address is not None or self.ping is not None:
                self._failing.setdefault(address or "", now)
            opens = len(self._failing) >= OPENS_AFTER
            since = min(self._failing.values(), default=now)
            asks = self.ping is not None and self._in_vain >= _ASKS_AFTER and not was_down
        if is_probe:
            self._put_off(error)
        elif asks and self._one_ping.acquire(blocking=False):
            try:
                opens = not self._is_well()
            finally:
                self._one_ping.release()
        elif self.ping is not None:
            opens = False
        if opens and not is_probe:
            up = update(HostState).where(
                HostState.name == self._name, HostState.down_since.is_(None)
            )
            again = now + jittered(_probe_pause(0))
            down = {"down_since": since, "probe_at": again, "error": reason_of(error)}
            self._change(up.values(down | {"probes": 0}))
        if was_down and not is_probe:
            raise HostClosed(self.title, _opens_at(self._state, self.hosts.now())) from None

    def _put_off(self, error: Exception) -> None:
        """A host that is down did not answer again: ask it later."""
        again = self.hosts.now() + jittered(_probe_pause(self._look().probes))
        still = update(HostState).where(
            HostState.name == self._name, HostState.down_since.is_not(None)
        )
        self._change(still.values(probe_at=again, error=reason_of(error)))

    def _hold(self, now: float, seconds: float) -> None:
        """Let nobody call for so many seconds, those neither who wait for their turn already."""
        shorter = update(HostState).where(
            HostState.name == self._name,
            HostState.paused_until.is_(None)
            | (HostState.paused_until < now + seconds)
            | (HostState.paused_at > now + _CLOCKS_DIFFER),
        )
        self._change(shorter.values(paused_at=now, paused_until=now + seconds))

    def _change(self, change: Any) -> bool:
        """Change the row, and look at it anew; whether there was something to change."""
        with self.hosts.store.begin() as session:
            changed = cast("CursorResult[Any]", session.execute(change)).rowcount
        self._seen = -_LOOK_AGAIN
        self._look()
        return changed > 0

    def _look(self) -> _State:
        """What the store says, at most a second ago."""
        if time.monotonic() - self._seen < _LOOK_AGAIN:
            return self._state
        self._seen = time.monotonic()  # one thread looks; others go by what is known meanwhile
        row = select(
            HostState.paused_at,
            HostState.paused_until,
            HostState.down_since,
            HostState.probe_at,
            HostState.probes,
            HostState.error,
        ).where(HostState.name == self._name)
        with self.hosts.store.session() as session:
            paused_at, paused_until, down_since, probe_at, probes, error = session.execute(
                row
            ).one()
        now = self.hosts.now()
        # What was set later than now was set by a wrong clock, and is no reason to wait for it.
        is_paused = paused_until is not None and (paused_at or 0.0) <= now + _CLOCKS_DIFFER
        until = (paused_until or 0.0) if is_paused else 0.0
        before, self._state = (
            self._state,
            _State(until, down_since, probe_at or 0.0, probes, error),
        )
        if before.down_since is not None and down_since is None:
            self.hosts.say(f"{self.title} answers again")
        return self._state

    def _tell(self, state: _State, now: float) -> None:
        """Tell of a pause that is worth telling, once."""
        if state.down_since is not None:
            about, until = state.down_since, state.probe_at
            is_new = self._told[1] != about
            line = (
                f"{self.title} has not answered since {_clock(state.down_since)} ({state.error}); "
                f"asking again at {_clock(until)}"
            )
        elif state.paused_until - now > scaled(LONG):
            about, until, is_new = None, state.paused_until, True
            line = f"{self.title} asks to be left alone until {_clock(until)}"
        else:
            return
        if until > now and self._told != (until, about) and (is_new or until - now > scaled(LONG)):
            self._told = until, about
            self.hosts.say(line)


def as_source_error(error: requests.RequestException, title: str) -> SourceError:
    """What a failed call of a source's API is called: worth another try, or not."""
    kind = SourceUnavailable if is_retryable(error) else SourceRefused
    return kind(f"{title} did not answer: {in_short(error)}")


def reason_of(error: Exception) -> str:
    """What went wrong, in a few words of ours."""
    if isinstance(error, SourceError):
        return str(error)
    return in_short(error) if isinstance(error, requests.RequestException) else str(error)


def _opens_at(state: _State, now: float) -> float:
    """When a host may be called; what only a wrong clock can have said does not count."""
    if state.down_since is None or state.probe_at > now + 2 * scaled(_LAST_PROBE):
        return state.paused_until
    return max(state.paused_until, state.probe_at)


def _probe_pause(probes: int) -> float:
    """Seconds to leave a host alone that did not answer so many times when it was asked again."""
    return float(min(_FIRST_PROBE * 2 ** min(probes, 10), _LAST_PROBE))


def _clock(moment: float) -> str:
    """A time of day for people here, with the day where it is not today."""
    when = datetime.fromtimestamp(moment).astimezone()
    today = when.date() == datetime.now().astimezone().date()
    return when.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")


def own_store() -> Store:
    """What those who work outside of any workspace share with others of the same user."""
    folder = Path(tempfile.gettempdir()) / f"genset-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return Store.open(f"sqlite:///{folder / f'hosts-{HEAD}.db'}")
