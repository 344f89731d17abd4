"""What a source of photos must offer. Flickr is one; another is one more file."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from genset.scrape.fetch.hosts import Host


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a source: one page of photos found by `text`, by relevance.

    Attributes:
        text: the keyword, in the language of `genset.text.query`.
        posted_after, posted_before: when the photos were posted, the first day in, the last out;
            None for no end.
        licenses: names of the licences wanted, sorted; none for any.
        safe_search: 1 for safe photos only, 2 for moderate ones too, 3 for all.
        per_page, page: `page` counts from 1.
        content_types: what is wanted, sorted: 0 for photos, 1 for screenshots, 2 for other things.
    """

    text: str
    posted_after: datetime
    posted_before: datetime | None
    licenses: tuple[str, ...]
    safe_search: int
    per_page: int
    page: int
    content_types: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class FoundPhoto:
    """A photo as a search describes it. `posted_at` is in UTC; `taken_at` is the camera's clock.

    `image_url` is where its picture is to be had, "" where the source gives none.
    """

    source_id: str
    owner: str
    owner_name: str
    title: str
    license: str
    license_url: str
    page_url: str
    image_url: str
    posted_at: datetime
    taken_at: str | None


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of results, most relevant first.

    `last` says that there is no further page; `capped`, that the source has more than it hands
    over, which only a narrower question brings out.
    """

    photos: tuple[FoundPhoto, ...]
    total: int
    last: bool
    capped: bool


class Source(Protocol):
    """Something that can be searched for photos.

    Attributes:
        name: what its photos' `source` is; lower case.
        api: the host that answers searches.
        images: the host that its pictures come from.
    """

    name: str
    api: Host
    images: Host

    def search(self, question: Question, quota: int) -> SearchPage:
        """Ask for one page, once, with one of the quotas of `api`; to be called through `api`.

        Raises:
            SourceRefused: asking again is of no use.
            SourceUnavailable, requests.RequestException: the page did not come.
        """
        ...

    def may_fetch(self, url: str) -> bool:
        """Whether a picture may be fetched from this address: the source's own hosts only."""
        ...
