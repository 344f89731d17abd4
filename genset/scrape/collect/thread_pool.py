"""Threads for calls that compute a little and wait a lot: as many as keep a processor busy."""

import queue
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

_FEW, _MOST = 2, 16
_BUSY = 0.8  # of the time of one processor


class ThreadPool:
    """Makes calls side by side.

    Python computes in one thread at a time, and threads that need not wait, for hosts or for the
    disk, lose more time by handing that right to each other than their work takes. So there are
    few threads to begin with, and more come while they leave the processor idle.
    """

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._threads: list[Thread] = []
        self._looked, self._used = time.monotonic(), time.process_time()

    def submit(self, call: Callable[[], None]) -> None:
        """Have a call made when a thread is free. It must not raise anything."""
        self._calls.put(call)
        if len(self._threads) < _FEW:
            self._hire()

    def look(self) -> None:
        """Add a thread if calls wait and the process was mostly idle since the last look."""
        now, used = time.monotonic(), time.process_time()
        is_idle = used - self._used < _BUSY * (now - self._looked)
        self._looked, self._used = now, used
        if is_idle and len(self._threads) < _MOST and not self._calls.empty():
            self._hire()

    def leave(self) -> None:
        """Let `close` not wait for the calls that are being made: they end with the process."""
        self._threads = []

    def close(self) -> None:
        """Drop the calls that are waiting, and wait for those that are being made."""
        with suppress(queue.Empty):
            while True:
                self._calls.get_nowait()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()

    def _hire(self) -> None:
        thread = Thread(target=self._work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
