"""Who does what: several scrapers of one store share the work out, on however many machines."""

import os
import re
import socket
import threading
import uuid
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Literal, Self
from zlib import crc32

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from genset.classes import ImageClass
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
        self._id = uuid.uuid4().hex
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
        with suppress(DBAPIError), self._store.begin() as session:
            session.execute(delete(ScrapeLock).where(ScrapeLock.worker_id == self._id))
            session.execute(delete(Worker).where(Worker.id == self._id))

    def take(self, kind: Kind, numbers: Collection[int]) -> set[int]:
        """Those of the numbers that nobody else holds: they are ours now, if not before.

        So it may be called again where nobody knows whether the store did it.
        """
        taken: set[int] = set()
        with self._store.begin() as session:
            for some in in_batches(sorted(numbers), _AT_ONCE):
                rows = [{"kind": kind, "number": number, "worker_id": self._id} for number in some]
                insert = self._store.insert(ScrapeLock).values(rows)
                session.execute(insert.on_conflict_do_nothing())
                locked = select(ScrapeLock.number).where(*self._locks_of(kind, some))
                taken.update(session.scalars(locked))
        return taken

    def release(self, session: Session, kind: Kind, numbers: Collection[int]) -> None:
        """Give them back, as part of a transaction."""
        for some in in_batches(sorted(numbers), _AT_ONCE):
            session.execute(delete(ScrapeLock).where(*self._locks_of(kind, some)))

    def _locks_of(self, kind: Kind, numbers: Collection[int]) -> list[ColumnElement[bool]]:
        is_holder = ScrapeLock.worker_id == self._id
        return [ScrapeLock.kind == kind, ScrapeLock.number.in_(numbers), is_holder]

    def _beat(self) -> None:
        while not self._stopped.wait(_BEAT):
            with suppress(DBAPIError):  # the main thread meets it too, and says so
                self._show_life()

    def _show_life(self) -> None:
        """Say that this process lives, and free what the dead held."""
        # Where numbers of processes mean the same.
        now, machine = self._now(), f"{socket.gethostname()} {uuid.getnode()}"
        row = {"id": self._id, "machine": machine, "pid": os.getpid(), "seen_at": now}
        # Whoever slept for longer, with its machine, was taken for dead, and starts anew.
        life = self._store.insert(Worker).values(row)
        seen = life.on_conflict_do_update(index_elements=[Worker.id], set_={"seen_at": now})
        with self._store.begin() as session:
            session.execute(seen)
            dead = [
                worker.id
                for worker in session.scalars(select(Worker).where(Worker.id != self._id))
                if not now - _DEAD_AFTER < worker.seen_at < now + _DEAD_AFTER
                or (worker.machine == machine and not _is_running(worker.pid))
            ]
            for some in in_batches(dead, _AT_ONCE):
                session.execute(delete(ScrapeLock).where(ScrapeLock.worker_id.in_(some)))
                session.execute(delete(Worker).where(Worker.id.in_(some)))


def class_number(source: str, cls: ImageClass) -> int:
    """A number to lock a class of a source by: its own in WordNet, and above it the source's.

    That of a class without a wnid is its place, which stays, counted down from the largest.
    """
    is_wnid = re.fullmatch("n[0-9]{8}", cls.wnid)
    number = int(cls.wnid[1:]) if is_wnid else (1 << 27) - 1 - cls.index
    return crc32(source.encode()) << 27 | number


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:  # that it is somebody else's, or that there is none
        return isinstance(error, PermissionError)
    return True
