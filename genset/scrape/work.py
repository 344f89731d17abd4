"""The work of a scrape: jobs, the threads that do them, and where each class stands meanwhile.

Threads only talk to hosts: they ask for a page or fetch a photo. What came is for the main thread.
"""

import heapq
import queue
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Thread

import requests

from genset.classes import ImageClass
from genset.core.errors import PhotoRejected, SourceUnavailable
from genset.net.hosts import Host, HostClosed, as_source_error
from genset.net.originals import Fetcher, Original
from genset.scrape.search import Step, question_key
from genset.scrape.state import RankedPhoto
from genset.sources.source import SearchPage, Source


@dataclass(frozen=True, slots=True, eq=False)
class PageJob:
    """Ask for a page of a search; `is_known` says that it failed before."""

    cls: ImageClass
    step: Step
    source: Source
    is_known: bool

    @property
    def host(self) -> Host:
        """The host that it calls."""
        return self.source.api

    def do(self) -> SearchPage:
        """Ask once.

        Raises:
            SourceRefused, SourceUnavailable: the page did not come.
            HostClosed, HostGaveUp: as `Host.call` does.
        """
        question = self.step.question
        try:
            return self.host.call(
                lambda quota: self.source.search(question, quota),
                question_key(question),
                is_known=self.is_known,
            )
        except requests.RequestException as error:
            raise as_source_error(error, self.host.title) from None


@dataclass(frozen=True, slots=True, eq=False)
class PhotoJob:
    """Fetch a candidate's photo; `is_known` says that it failed before."""

    cls: ImageClass
    candidate: RankedPhoto
    fetcher: Fetcher
    is_known: bool

    @property
    def host(self) -> Host:
        """The host that it calls."""
        return self.fetcher.host

    def do(self) -> Original | PhotoRejected:
        """Fetch it once. Raises what `Fetcher.fetch` raises, but for `PhotoRejected`."""
        try:
            return self.fetcher.fetch(self.candidate.image_url, is_known=self.is_known)
        except PhotoRejected as rejected:
            return rejected


Job = PageJob | PhotoJob

# What came of a job: a page, a photo, why there is none, or that its time is later.
JobResult = SearchPage | Original | PhotoRejected | SourceUnavailable | HostClosed

_CLOCKS_DIFFER = timedelta(minutes=1)  # more than this, and the clock was set back


class ClassStates:
    """The classes of a scrape by what they wait for. Each is in one state at any moment:

                   it is ours                    jobs to do
    waiting ------------------------> looked at ------------> working
     ^  ^  ^                           |  |  |                   |
     |  |  |                           |  |  |   all are stored  |
     |  |  +---------------------------+--|--|--<----------------+
     |  |    its host is open again    |  |  |
     |  +------ blocked <--------------+  |  |   its host is held or down
     |    the time came                   |  |
     +--------- resting <-----------------+  |   only tries that are due later are left
                                             |
                settled <--------------------+   nothing is left: full, short or failed

    Those that are waiting, blocked or resting are kept here. The scraper looks at them, counts the
    jobs of those that are working, and reports those that are settled.
    """

    def __init__(self) -> None:
        self._waiting: deque[ImageClass] = deque()
        self._blocked: dict[Host, deque[ImageClass]] = defaultdict(deque)
        self._resting: list[tuple[datetime, str, ImageClass]] = []  # a heap
        self._woken: datetime | None = None

    @property
    def are_waiting(self) -> bool:
        """Whether any class is to be looked at."""
        return bool(self._waiting)

    @property
    def resting(self) -> int:
        """How many classes wait for the time of another try."""
        return len(self._resting)

    @property
    def rests_until(self) -> datetime | None:
        """When the first of these is tried again."""
        return self._resting[0][0] if self._resting else None

    def wait(self, classes: Iterable[ImageClass]) -> None:
        """Have these classes looked at, after those that wait already."""
        self._waiting.extend(classes)

    def block(self, cls: ImageClass, host: Host) -> None:
        """Have a class wait until its host may be called."""
        self._blocked[host].append(cls)

    def rest(self, cls: ImageClass, until: datetime) -> None:
        """Have a class wait until this time."""
        heapq.heappush(self._resting, (until, cls.wnid, cls))

    def wake(self, now: datetime) -> None:
        """Have those looked at whose time came, or whose host is open."""
        is_back = self._woken is not None and now < self._woken - _CLOCKS_DIFFER
        self._woken = now
        while self._resting and (is_back or self._resting[0][0] <= now):
            self._waiting.append(heapq.heappop(self._resting)[2])
        for host, classes in self._blocked.items():
            if classes and host.opens_in() == 0:
                # A host that is down is asked by one call whether it is back.
                for _ in range(1 if host.is_down else len(classes)):
                    self._waiting.append(classes.popleft())

    def take(self, most: int) -> list[ImageClass]:
        """The next classes to look at, at most so many; they are not kept here any more."""
        return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]

    def wakes_at(self, now: datetime) -> datetime | None:
        """When the next class is to be looked at again; None where none is blocked or resting."""
        times = [until for until, _, _ in self._resting[:1]]
        for host, classes in self._blocked.items():
            if classes:
                times.append(now + timedelta(seconds=host.opens_in()))
        return min(times, default=None)

    def leave(self) -> list[ImageClass]:
        """Give up those that are blocked or resting, and return them."""
        waiting = [cls for _, _, cls in self._resting]
        waiting += [cls for classes in self._blocked.values() for cls in classes]
        self._resting.clear()
        self._blocked.clear()
        return waiting


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
