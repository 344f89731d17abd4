"""The state of a host as the store has it, which all scrapers of a store share.

A host is *open*, *paused* (it asked to be left alone for a while) or *down*:

                +---- several different calls fail in a row --+
                |                                             v
  paused <---- open                                          down ---- one call after a growing
      |         ^ ^                                           |        delay asks whether it is
      +-in-time-+ +------------- it answers a call -----------+        back

A key of a source that has several is down likewise, where the source refuses it.
"""

import os
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, cast

from sqlalchemy import CursorResult, select, update

from genset.core.dates import minute
from genset.core.errors import GensetError, SourceError
from genset.db import HostState, Store
from genset.db.database import HEAD
from genset.net.pace import Pace, RateLimit, jittered, scaled

LOOK_AGAIN = 0.2  # seconds for which what the store said is believed

LONG = 60.0  # seconds: longer pauses are reported
DAY = 86_400.0  # seconds
LONGEST = DAY / 2  # seconds: a command does not wait for a longer pause

_FIRST_PROBE, _LAST_PROBE = 30.0, 600.0  # seconds, each delay twice as long as the last


class StoredCondition:
    """A host's row: read at most every `LOOK_AGAIN` seconds, and changed by one statement each.

    Args:
        store: what all scrapers share.
        name: the host's name there.
        title: its name for people.
        now: the store's clock, in seconds.
        on_recovery: is called when a host that was down answers again.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        title: str,
        now: Callable[[], float],
        on_recovery: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._now = now
        self._on_recovery = on_recovery
        self._is_host = HostState.name == name
        # Whoever begins a command may have mended what kept the host from answering.
        due = update(HostState).where(self._is_host, HostState.down_since.is_not(None))
        moment = now()
        with store.begin() as session:
            row = store.insert(HostState).values(name=name, title=title)
            session.execute(row.on_conflict_do_nothing())
            session.execute(due.values(probe_at=moment))
        self._read_at = -LOOK_AGAIN
        self.last = HostState()  # as it was read last
        self.read()

    def read(self) -> HostState:
        """What the store says, or said a moment ago."""
        if time.monotonic() - self._read_at < LOOK_AGAIN:
            return self.last
        self._read_at = time.monotonic()  # one thread reads; others use the last answer meanwhile
        with self._store.session() as session:
            row = session.scalars(select(HostState).where(self._is_host)).one()
        before, self.last = self.last, row
        if before.down_since is not None and self.last.down_since is None:
            self._on_recovery()
        return self.last

    def take_probe(self) -> bool:
        """Take on the next probe of a host that is down; false where another caller was quicker."""
        later = self._now() + jittered(_delay(self.last.probes + 1))
        is_due = HostState.probe_at == self.last.probe_at
        probe = {"probe_at": later, "probes": HostState.probes + 1}
        return self._change(probe, HostState.down_since.is_not(None), is_due)

    def mark_up(self) -> None:
        """It answered."""
        up = {"down_since": None, "probe_at": None, "probes": 0, "error": ""}
        self._change(up, HostState.down_since.is_not(None))

    def mark_down(self, since: float, error: str) -> None:
        """It has not answered since then."""
        first = self._now() + jittered(_delay(0))
        down = {"down_since": since, "probe_at": first, "error": error, "probes": 0}
        self._change(down, HostState.down_since.is_(None))

    def set_error(self, error: str) -> None:
        """It did not answer a probe either."""
        self._change({"error": error}, HostState.down_since.is_not(None))

    def pause(self, now: float, seconds: float) -> None:
        """Let nobody call for so many seconds, also those who wait for their turn already."""
        until = now + seconds
        is_earlier = HostState.paused_until.is_(None) | (HostState.paused_until < until)
        self._change({"paused_until": until}, is_earlier)

    def set_pace(self, pace: Pace) -> None:
        """Have all call it so fast."""
        self._change({"rate": pace.rate, "refused": pace.refused})

    def _change(self, values: dict[str, Any], *where: Any) -> bool:
        """Change the row where that holds, and read it again; whether there was anything to do."""
        statement = update(HostState).where(self._is_host, *where).values(values)
        with self._store.begin() as session:
            changed = cast("CursorResult[Any]", session.execute(statement)).rowcount
        self._read_at = -LOOK_AGAIN
        self.read()
        return changed > 0


def _delay(probes: int) -> float:
    """Seconds until the next probe of a host that failed so many."""
    return float(min(_FIRST_PROBE * 2 ** min(probes, 10), _LAST_PROBE))


class HostGaveUp(GensetError):
    """A host is not to be waited for."""


class HostReports:
    """Reports each cause, each outage and each long pause of a host once.

    Args:
        title: the host's name for people.
        say: is given each line.
        on_event: is given each pause and outage, long or not, as `genset.net.hosts.Hosts` has it.
    """

    def __init__(
        self, title: str, say: Callable[[str], None], on_event: Callable[[dict[str, str]], None]
    ) -> None:
        self._title = title
        self.say = say
        self._on_event = on_event
        self._causes: set[str] = set()  # that were reported
        self._last: tuple[float, float | None] = 0.0, None

    def cause(self, reason: str) -> None:
        """Report what went wrong, in words that name the host."""
        if reason not in self._causes:
            self._causes.add(reason)
            self.say(f"{reason}; trying again")

    def recovery(self) -> None:
        """Report that it is back."""
        self.say(f"{self._title} answers again")
        self._event("ok", "up")

    def pause(self, condition: HostState, now: float, *, is_first: bool) -> None:
        """Report an outage, or a pause where it is long, or before the first answer of a run."""
        since = condition.down_since
        until = (condition.paused_until if since is None else condition.probe_at) or 0.0
        if until <= now or self._last == (until, since):
            return
        is_new = since is not None and self._last[1] != since
        self._last = until, since
        if since is not None:
            status, decision = condition.error, "down: next try at "
            words = (
                f"has not answered since {minute(since)} ({status}); next try at {minute(until)}"
            )
        else:
            status, decision = "asked to wait", "paused until "
            when = f"for {until - now:.0f} s" if until - now < LONG else f"until {minute(until)}"
            words = f"asked to wait {when}"
        self._event(status, decision + minute(until))
        if is_new or until - now > (0.0 if is_first else scaled(LONG)):
            self.say(f"{self._title} {words}")

    def _event(self, status: str, decision: str) -> None:
        self._on_event({"host": self._title, "status": status, "decision": decision})

    def give_up(self, condition: HostState, now: float, begun: float, patience: float) -> None:
        """Raise HostGaveUp where a process that began then has waited for longer than that.

        Or where it would, or for half a day.
        """
        since, pause = condition.down_since, condition.paused_for(now)
        if since is not None and now - max(since, begun) > patience:
            raise HostGaveUp(
                f"{self._title} has not answered since {minute(since)} ({condition.error}): run "
                "the same command again later"
            )
        if pause > min(patience, scaled(LONGEST)):
            raise HostGaveUp(
                f"{self._title} asked to wait until {minute(now + pause)}: run the same command "
                "again then"
            )


def user_store() -> Store:
    """What those who work outside of any workspace share with others of the same user."""
    folder = Path(tempfile.gettempdir()) / f"genset-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return Store.open(f"sqlite:///{folder / f'hosts-{HEAD}.db'}")


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
