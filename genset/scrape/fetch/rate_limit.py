"""How fast a host is called: one pace for all threads and processes of a workspace."""

import fcntl
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class RateLimit:
    """Lets one call through every `interval` seconds.

    The next free turn stands in a file that every caller locks for a moment, so scrapers that run
    side by side share one pace, and one that a host told to slow down slows all of them.
    """

    # A clock that was set back must not stop the work for as long as it was set back.
    _LONGEST = 3600.0

    def __init__(self, folder: Path, host: str, interval: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(
            folder / re.sub(r"[^a-z0-9.-]", "_", host.lower()), os.O_RDWR | os.O_CREAT, 0o644
        )
        self._file = os.fdopen(handle, "r+b", buffering=0)
        self._threads = threading.Lock()  # the file's lock holds off other processes alone
        self._interval = interval

    def wait(self) -> None:
        """Sleep until it is this call's turn."""
        while True:
            turn, _ = self._reserve(self._interval) if self._interval else self._read()
            seconds = turn - time.time()
            if seconds <= 0:  # sleeping for no time takes a tenth of a millisecond
                return
            time.sleep(seconds)
            _, held_until = self._read()
            if held_until <= turn:
                return
            # While this call slept, the host told another one to slow down.

    def slow_down(self, seconds: float) -> None:
        """Let nobody call for so many seconds, those neither who wait for their turn already."""
        self._reserve(pause=seconds)

    def waiting(self) -> float:
        """Seconds until the next free turn."""
        turn, _ = self._read()
        return max(0.0, turn - time.time())

    def _read(self) -> tuple[float, float]:
        """The next free turn, which stays free, and the time until which nobody is to call."""
        with self._locked(fcntl.LOCK_SH) as handle:
            return self._state(handle)

    def _reserve(self, interval: float = 0.0, pause: float = 0.0) -> tuple[float, float]:
        """Take the next free turn; return it, and the time until which nobody is to call.

        The turn after it comes `interval` later, and not before `pause` is over.
        """
        with self._locked(fcntl.LOCK_EX) as handle:
            turn, held_until = self._state(handle)
            if pause:
                held_until = max(held_until, time.time() + pause)
            after = max(turn + interval, held_until)
            os.pwrite(handle, f"{after:<32.6f}{held_until:<32.6f}".encode(), 0)
            return turn, held_until

    @contextmanager
    def _locked(self, how: int) -> Iterator[int]:
        with self._threads:
            handle = self._file.fileno()
            fcntl.flock(handle, how)
            try:
                yield handle
            finally:
                fcntl.flock(handle, fcntl.LOCK_UN)

    def _state(self, handle: int) -> tuple[float, float]:
        """What the file says; that nothing holds anybody up, where it is new or damaged."""
        try:
            turn, held_until = map(float, os.pread(handle, 64, 0).split())
        except ValueError:
            turn, held_until = 0.0, 0.0
        now = time.time()
        return max(now, min(turn, now + self._LONGEST)), min(held_until, now + self._LONGEST)
