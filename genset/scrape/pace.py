"""How fast a host is called: one pace for all threads and processes of a workspace."""

import fcntl
import os
import re
import time
from pathlib import Path


class Pace:
    """Lets one call through every `interval` seconds.

    The next free turn stands in a file that every caller locks for a moment, so scrapers that run
    side by side share one pace, and one that a host told to slow down slows all of them.
    """

    # A clock that was set back must not stop the work for as long as it was set back.
    _LONGEST = 3600.0

    def __init__(self, folder: Path, host: str, interval: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / re.sub(r"[^a-z0-9.-]", "_", host.lower())
        self._interval = interval

    def wait(self) -> None:
        """Sleep until it is this call's turn."""
        while True:
            turn, _ = self._reserve(self._interval)
            time.sleep(max(0.0, turn - time.time()))
            _, held_until = self._reserve()
            if held_until <= turn:
                return
            # While this call slept, the host told another one to slow down.

    def slow_down(self, seconds: float) -> None:
        """Let nobody call for so many seconds, those neither who wait for their turn already."""
        self._reserve(pause=seconds)

    def waiting(self) -> float:
        """Seconds until the next free turn."""
        turn, _ = self._reserve()
        return max(0.0, turn - time.time())

    def _reserve(self, interval: float = 0.0, pause: float = 0.0) -> tuple[float, float]:
        """Take the next free turn; return it, and the time until which nobody is to call.

        The turn after it comes `interval` later, and not before `pause` is over.
        """
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            now = time.time()
            turn, held_until = (min(each, now + self._LONGEST) for each in _read(handle))
            turn = max(now, turn)
            if pause:
                held_until = max(held_until, now + pause)
            after = max(turn + interval, held_until)
            os.pwrite(handle, f"{after:<32.6f}{held_until:<32.6f}".encode(), 0)
            return turn, held_until
        finally:
            os.close(handle)


def _read(handle: int) -> tuple[float, float]:
    """The next free turn and the end of the pause; nought in a file that is new or damaged."""
    try:
        turn, held_until = map(float, os.pread(handle, 64, 0).split())
    except ValueError:
        return 0.0, 0.0
    return turn, held_until
