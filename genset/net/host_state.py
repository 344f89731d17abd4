"""The state of a host as the store has it, which all scrapers of a store share.

A host is *open*, *paused* (it asked to be left alone for a while) or *down*:

                +---- 5 different addresses fail in a row ----+
                |                                             v
  paused <---- open                                          down ---- one call after a growing
      |         ^ ^                                           |        delay asks whether it is
      +-in time-+ +------------- it answers a call -----------+        back

Where there is a call that every host that is well answers (a ping), three failed calls are enough
to make it: whether the ping is answered decides. Then even the last search of a scrape tells an
outage from a search that fails for ever.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import CursorResult, Update, select, update

from genset.db import HostState, Store
from genset.net.pace import jittered, scaled

LOOK_AGAIN = 0.2  # seconds for which what the store said is believed

_FIRST_PROBE, _LAST_PROBE = 30.0, 600.0  # seconds, each delay twice as long as the last
_CLOCKS_DIFFER = 1.0  # seconds that are no sign of a clock that was set back

_COLUMNS = (
    HostState.paused_at,
    HostState.paused_until,
    HostState.down_since,
    HostState.probe_at,
    HostState.probes,
    HostState.error,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """What a host's row says: `paused_until` is 0 where it is not, `down_since` None likewise."""

    paused_until: float = 0.0
    down_since: float | None = None
    probe_at: float = 0.0
    probes: int = 0
    error: str = ""

    def opens_at(self, now: float) -> float:
        """When the host may be called; what only a wrong clock can have set does not count."""
        if self.down_since is None or self.probe_at > now + 2 * scaled(_LAST_PROBE):
            return self.paused_until
        return max(self.paused_until, self.probe_at)


class StoredCondition:
    """A host's row: read at most every `LOOK_AGAIN` seconds, and changed by one statement each.

    Args:
        store: what all scrapers share.
        name: the host's name there.
        now: the store's clock, in seconds.
        on_recovery: is called when a host that was down answers again.
    """

    def __init__(
        self, store: Store, name: str, now: Callable[[], float], on_recovery: Callable[[], None]
    ) -> None:
        self._store = store
        self._now = now
        self._on_recovery = on_recovery
        self._is_host = HostState.name == name
        self._read_at = -LOOK_AGAIN
        self.last = Condition()  # as it was read last
        with store.begin() as session:
            row = {"name": name, "probes": 0, "error": ""}
            insert = store.insert(HostState).values(row)
            session.execute(insert.on_conflict_do_nothing())

    def read(self) -> Condition:
        """What the store says, or said a moment ago."""
        if time.monotonic() - self._read_at < LOOK_AGAIN:
            return self.last
        self._read_at = time.monotonic()  # one thread reads; others use the last answer meanwhile
        with self._store.session() as session:
            row = session.execute(select(*_COLUMNS).where(self._is_host)).one()
        # What was set later than now was set by a wrong clock, and is no reason to wait for it.
        is_sound = (row.paused_at or 0.0) <= self._now() + _CLOCKS_DIFFER
        before = self.last
        self.last = Condition(
            (row.paused_until or 0.0) if is_sound else 0.0,
            row.down_since,
            row.probe_at or 0.0,
            row.probes,
            row.error,
        )
        if before.down_since is not None and self.last.down_since is None:
            self._on_recovery()
        return self.last

    def take_probe(self) -> float | None:
        """Take on the next probe of a host that is down; None where it is this caller's.

        Else the time of the next one: another caller was quicker.
        """
        # Who probes may be killed before it knows: others probe then, after as long a delay.
        later = self._now() + jittered(_delay(self.last.probes + 1))
        due = self._where_down().where(HostState.probe_at == self.last.probe_at)
        change = due.values(probe_at=later, probes=HostState.probes + 1)
        return None if self._change(change) else later

    def put_off_probe(self, error: str) -> None:
        """A host that is down failed a probe: the next is later."""
        later = self._now() + jittered(_delay(self.read().probes))
        self._change(self._where_down().values(probe_at=later, error=error))

    def mark_up(self) -> None:
        """It answered."""
        up = {"down_since": None, "probe_at": None, "probes": 0, "error": ""}
        self._change(self._where_down().values(up))

    def mark_down(self, since: float, error: str) -> None:
        """It has not answered since then."""
        first = self._now() + jittered(_delay(0))
        down = {"down_since": since, "probe_at": first, "error": error, "probes": 0}
        is_up = HostState.down_since.is_(None)
        self._change(update(HostState).where(self._is_host, is_up).values(down))

    def pause(self, now: float, seconds: float) -> None:
        """Let nobody call for so many seconds, also those who wait for their turn already."""
        shorter = update(HostState).where(
            self._is_host,
            HostState.paused_until.is_(None)
            | (HostState.paused_until < now + seconds)
            | (HostState.paused_at > now + _CLOCKS_DIFFER),
        )
        self._change(shorter.values(paused_at=now, paused_until=now + seconds))

    def _where_down(self) -> Update:
        return update(HostState).where(self._is_host, HostState.down_since.is_not(None))

    def _change(self, change: Any) -> bool:
        """Change the row, and read it again; whether there was something to change."""
        with self._store.begin() as session:
            changed = cast("CursorResult[Any]", session.execute(change)).rowcount
        self._read_at = -LOOK_AGAIN
        self.read()
        return changed > 0


def _delay(probes: int) -> float:
    """Seconds until the next probe of a host that failed so many."""
    return float(min(_FIRST_PROBE * 2 ** min(probes, 10), _LAST_PROBE))
