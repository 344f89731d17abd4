"""The work of a scrape: jobs, which threads do, and when each class is looked at next.

Threads only talk to hosts: they ask for a page or fetch a photo. What came is for the main thread.
"""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import count
from operator import itemgetter

import requests

from genset.classes import ImageClass
from genset.core.errors import (
    BadInput,
    PhotoRejected,
    SourceError,
    SourceRefused,
    SourceUnavailable,
)
from genset.net.api import as_source_error
from genset.net.hosts import Host, HostClosed
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

    @property
    def address(self) -> str:
        """What tells what it asks for from all else."""
        return question_key(self.step.question)

    def do(self) -> SearchPage:
        """Ask once.

        Raises:
            SourceRefused, SourceUnavailable: the page did not come.
            HostClosed, HostGaveUp: as `Host.call` does.
            BadInput: a photo has no time zone.
        """
        search = partial(self.source.search, self.step.question)
        failure: SourceError
        try:
            page = self.host.call(search, self.address, is_known=self.is_known)
        except requests.RequestException as error:
            failure = as_source_error(error, self.host.title)
        except SourceRefused as refused:
            failure = refused
        else:
            for photo in page.photos:
                if photo.posted_at.tzinfo is None:
                    raise BadInput(
                        f"the source {self.source.name}: `search` gives {photo.name} a posted_at "
                        "without a time zone: add one, such as replace(tzinfo=UTC)"
                    )
            return page
        is_of_all = isinstance(failure, SourceRefused) and failure.scope in ("key", "host", "run")
        if is_of_all and self.host.has_answered:
            failure = SourceUnavailable(str(failure), failure.code, "query")
        raise failure from None


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

    @property
    def address(self) -> str:
        """Where the photo is."""
        return self.candidate.image_url

    def do(self) -> Original | PhotoRejected:
        """Fetch it once. Raises what `Fetcher.fetch` raises, but for `PhotoRejected`."""
        try:
            return self.fetcher.fetch(self.address, is_known=self.is_known)
        except PhotoRejected as rejected:
            return rejected


Job = PageJob | PhotoJob

LOOK_AGAIN = 0.2  # seconds

# What came of a job: a page, a photo, why there is none, or that its time is later.
JobResult = SearchPage | Original | PhotoRejected | SourceError | HostClosed


class Schedule:
    """When each class is looked at next."""

    def __init__(self, classes: Iterable[ImageClass] = ()) -> None:
        self._due: list[tuple[float, int, ImageClass, Host | None]] = []
        self._order = count()
        for cls in classes:
            self.add(cls, 1.0)

    def add(self, cls: ImageClass, at: float = 0.0, host: Host | None = None) -> None:
        """Look at a class at this time (0: before all others), when `host` may be called."""
        heapq.heappush(self._due, (at, next(self._order), cls, host))

    def take(self, most: int, now: float) -> list[ImageClass]:
        """The classes whose time has come, at most so many; they are not kept here any more."""
        taken: list[ImageClass] = []
        later = []
        while self._due and self._due[0][0] <= now and len(taken) < most:
            due = heapq.heappop(self._due)
            cls, host = due[2:]
            seconds = 0.0 if host is None else host.opens_in()
            if seconds > 0:
                later.append((now + min(seconds, LOOK_AGAIN), *due[1:]))  # it may be back sooner
            else:
                taken.append(cls)
        for due in later:
            heapq.heappush(self._due, due)
        return taken

    def next(self, now: float) -> tuple[float, Host | None] | None:
        """The time of the next one, and the host that it waits for; None where there is none."""
        opens = {host: now + (host.opens_in() if host else 0) for *_, host in self._due}
        times = ((max(at, opens[host]), host) for at, *_, host in self._due)
        return min(times, key=itemgetter(0), default=None)
