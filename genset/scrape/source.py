"""What a source of photos must offer. Flickr is one; another is one more file."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


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
    """One page of results, most relevant first. `last` says that there is no further page."""

    photos: tuple[FoundPhoto, ...]
    total: int
    last: bool


class Source(Protocol):
    """Something that can be searched for photos."""

    name: str

    def search(self, text: str, *, posted_after: datetime, page: int, per_page: int) -> SearchPage:
        """Ask for one page (from 1), by relevance.

        Raises:
            SourceRefused: asking again is of no use.
            SourceUnavailable: the source kept failing through every retry.
        """
        ...

    def may_fetch(self, url: str) -> bool:
        """Whether a picture may be fetched from this address: the source's own hosts only."""
        ...
