"""What a scrape is to bring, and what that takes."""

from dataclasses import dataclass, field
from datetime import datetime

from genset.scrape.fetch.pauses import RetryPolicy
from genset.taxonomy import ImageClass


@dataclass(frozen=True, slots=True)
class ScrapePlan:
    """What is wanted of each class.

    Attributes:
        classes: the classes to fill.
        per_class: photos wanted for each, at least 1.
        posted_after, posted_before: the window in which photos were posted: the first in, the
            last out; None for no end.
        licenses: names of the licences that will do, sorted; none for any.
        safe_search: 1 for safe photos only, 2 for moderate ones too, 3 for all.
        min_size: pixels that a photo's shorter side must have, at least 1; None for the usual
            number, to which photos that are stored already are not held.
        search: whether to look for further candidates; without, those that there are must do.
        retries: how often a page or a photo that fails is tried.
        wait: whether to wait, where all that is left is to be tried again later, for longer than a
            minute.
        query_list: the version of the list that the classes' queries are from, which is stored with
            each search.
    """

    classes: tuple[ImageClass, ...]
    per_class: int
    posted_after: datetime
    posted_before: datetime | None = None
    licenses: tuple[str, ...] = ()
    safe_search: int = 1
    min_size: int | None = None
    search: bool = True
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    wait: bool = True
    query_list: str = ""

    @property
    def per_page(self) -> int:
        """Results asked for at a time: a few times what a class wants, since some are refused."""
        return 50 if self.per_class <= 10 else 500
