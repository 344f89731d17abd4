"""What a scrape is to bring of one source, and what that takes."""

from dataclasses import dataclass, field
from datetime import datetime

from genset.classes import ImageClass
from genset.core.dates import earliest_day
from genset.licenses import License, LicenseChoice
from genset.net.pace import RetryPolicy
from genset.scrape.opt_out import OptOut
from genset.sources.source import Source


@dataclass(frozen=True, slots=True)
class ScrapePlan:
    """What is wanted of each class.

    Attributes:
        classes: the classes to fill.
        per_class: photos wanted for each, at least 1.
        posted_after, posted_before: the window in which photos were posted: the first in, the
            last out; None for no end.
        licenses: the licences that will do; None for any.
        min_size: pixels that a photo's shorter side must have, at least 1; None for the usual
            number, to which photos that are stored already are not held.
        search: whether to look for further candidates; without, those that there are must do.
        retries: how often a page or a photo that fails is tried.
        wait: whether to wait, where all that is left is to be tried again later, for longer than a
            minute.
        query_list: the version of the list that the classes' queries are from, which is stored with
            each search.
        source: where the photos are searched.
        taken_after: the day since which photos must have been taken; None where what the source
            wants will do (`Source.wants_taken`: `posted_after` again, or any).
        taken_unknown: whether photos will do of which nobody knows when they were taken.
        opt_out: owners and photos that are not to be taken.
        first_rank: the rank of a search's first photo; a further search's come after those before.
    """

    classes: tuple[ImageClass, ...]
    per_class: int
    posted_after: datetime
    posted_before: datetime | None = None
    licenses: LicenseChoice | None = None
    min_size: int | None = None
    search: bool = True
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    wait: bool = True
    query_list: str = ""
    source: type[Source] = field(kw_only=True)
    taken_after: datetime | None = None
    taken_unknown: bool = False
    opt_out: OptOut = field(default_factory=OptOut)
    first_rank: int = 1

    @property
    def per_page(self) -> int:
        """Results asked for at a time."""
        return self.source.per_page(self.per_class)

    @property
    def taken_since(self) -> datetime | None:
        """The day since which photos must have been taken; None for any."""
        if self.taken_after is None and self.source.wants_taken:
            return self.posted_after
        return self.taken_after

    @property
    def is_picky(self) -> bool:
        """Whether a photo must be looked at to tell whether it will do."""
        narrows = self.source.narrows_dates
        return self.licenses is not None or self.taken_since is not None or not narrows

    def reason_against(
        self, license: License, posted_at: datetime, taken_at: str | None
    ) -> str | None:
        """Why a photo will not do, in a few words; None where it will, as far as these tell."""
        if posted_at < self.posted_after:
            return f"posted before {self.posted_after.date()}"
        if self.posted_before is not None and posted_at >= self.posted_before:
            return f"posted since {self.posted_before.date()}"
        if self.licenses is not None and not self.licenses.wants(license):
            return "under another licence"
        if (since := self.taken_since) is not None:
            day = earliest_day(taken_at, posted_at)
            if day is None:
                return None if self.taken_unknown else "taken nobody knows when"
            if day < since.date().isoformat():
                return f"taken before {since.date()}"
        return None
