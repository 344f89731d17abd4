"""Who does what: several scrapers of one store share the work out, on however many machines."""

import os
import socket
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self
from uuid import uuid4

from sqlalchemy import delete, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from genset.db import ScrapeLock, Store, Worker, in_batches

Kind = Literal["class", "photo"]

_BEAT = 10.0  # seconds
_DEAD_AFTER = 45.0  # seconds without a sign of life: with a beat, less than a minute
_AT_ONCE = 5000  # numbers in a statement


class Locks:
    """What this process works on alone: each class and photo is one scraper's at a time.

    A lock is a row of the store. It is its holder's while that shows signs of life, so nobody
    waits for more than a minute for a scraper that was killed, and not at all for one of the same
    machine. Use it in a ``with`` statement.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        """`clock` tells the store's time, in seconds."""
        self._store = store
        self._now = clock
        self._id = uuid4().hex
        self._stopped = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._show_life()
        self._heart.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stopped.set()
        self._heart.join()
        # A store that is gone is what ends this; others see soon that we are dead.
        with suppress(OperationalError), self._store.begin() as session:
            session.execute(delete(ScrapeLock).where(ScrapeLock.worker_id == self._id))
            session.execute(delete(Worker).where(Worker.id == self._id))

    def take(self, kind: Kind, numbers: Collection[int]) -> set[int]:
        """Those of the numbers that nobody holds, this process neither; they are ours now."""
        taken: set[int] = set()
        with self._store.begin() as session:
            for some in in_batches(sorted(numbers), _AT_ONCE):
                rows = [{"kind": kind, "number": number, "worker_id": self._id} for number in some]
                insert = self._store.insert(ScrapeLock).values(rows).on_conflict_do_nothing()
                taken.update(session.scalars(insert.returning(ScrapeLock.number)))
        return taken

    def release(self, session: Session, kind: Kind, numbers: Collection[int]) -> None:
        """Give them back, as part of a transaction."""
        for some in in_batches(sorted(numbers), _AT_ONCE):
            session.execute(
                delete(ScrapeLock).where(
                    ScrapeLock.kind == kind,
                    ScrapeLock.number.in_(some),
                    ScrapeLock.worker_id == self._id,
                )
            )

    def _beat(self) -> None:
        while not self._stopped.wait(_BEAT):
            with suppress(OperationalError):  # the main thread meets it too, and says so
                self._show_life()

    def _show_life(self) -> None:
        """Say that this process lives, and free what the dead held."""
        now = self._now()
        machine = _machine()
        row = {"id": self._id, "machine": machine, "pid": os.getpid(), "seen_at": now}
        with self._store.begin() as session:
            seen = update(Worker).where(Worker.id == self._id).values(seen_at=now)
            # Whoever slept for longer, with its machine, was taken for dead, and starts anew.
            if session.execute(seen.returning(Worker.id)).first() is None:
                session.execute(self._store.insert(Worker).values(row))
            dead = [
                worker.id
                for worker in session.scalars(select(Worker).where(Worker.id != self._id))
                if not now - _DEAD_AFTER < worker.seen_at < now + _DEAD_AFTER
                or (worker.machine == machine and not _is_running(worker.pid))
            ]
            for some in in_batches(dead, _AT_ONCE):
                session.execute(delete(ScrapeLock).where(ScrapeLock.worker_id.in_(some)))
                session.execute(delete(Worker).where(Worker.id.in_(some)))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def _machine() -> str:
    """Where numbers of processes mean the same: this boot of this machine, or container."""
    parts = [socket.gethostname()]
    for file in (Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")):
        with suppress(OSError):
            parts.append(str(file.readlink()) if file.is_symlink() else file.read_text().strip())
    return " ".join(parts)
