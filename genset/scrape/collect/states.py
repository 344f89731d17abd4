"""Where each class stands that a scrape is not done with."""

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable
from datetime import datetime, timedelta

from genset.classes import ImageClass
from genset.net.hosts import Host

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
        left = [cls for _, _, cls in self._resting]
        left += [cls for classes in self._blocked.values() for cls in classes]
        self._resting.clear()
        self._blocked.clear()
        return left
