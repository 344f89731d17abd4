"""What threads do for a class: ask for a page, fetch a photo. They only talk to hosts."""

from dataclasses import dataclass

import requests

from genset.classes import ImageClass
from genset.core.errors import PhotoRefused, SourceUnavailable
from genset.net.hosts import Host, HostClosed, as_source_error
from genset.net.originals import Fetcher, Original
from genset.scrape.collect.search import Step, question_key
from genset.scrape.collect.selection import Ranked
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
    candidate: Ranked
    fetcher: Fetcher
    is_known: bool

    @property
    def host(self) -> Host:
        """The host that it calls."""
        return self.fetcher.host

    def do(self) -> Original | PhotoRefused:
        """Fetch it once. Raises what `Fetcher.fetch` raises, but for `PhotoRefused`."""
        try:
            return self.fetcher.fetch(self.candidate.image_url, is_known=self.is_known)
        except PhotoRefused as refused:
            return refused


Job = PageJob | PhotoJob

# What came of a job: a page, a photo, why there is none, or that its time is later.
Came = SearchPage | Original | PhotoRefused | SourceUnavailable | HostClosed
