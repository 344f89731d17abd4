"""Search again for photos that were posted since the last search, so that a pool grows.

A plan's searches follow each other: the first asks for what was posted since the plan's day, and
any further one for what was posted since the one before it began. Which there were is read from the
stored searches: one began when its window was first asked for.
"""

from collections.abc import Iterator
from dataclasses import replace

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.db import SEARCH_RANKS, Search, Store
from genset.scrape.plan import ScrapePlan
from genset.scrape.state import class_states


def since_last(store: Store, plan: ScrapePlan) -> ScrapePlan:
    """The plan of the next search, or of the last one where that is not done.

    A further search fills each class with photos of its own window, ranked after those before.
    """
    with store.session() as session:
        last, *before = reversed([plan, *_further(session, plan)])
        for unfinished in before[:1]:
            if not all(state.is_done for _, state in class_states(session, unfinished)):
                return unfinished
    return last


def _further(session: Session, plan: ScrapePlan) -> Iterator[ScrapePlan]:
    """The plans of the searches after the first: those that began, and the next."""
    start, first_rank = plan.posted_after, plan.first_rank
    while began := session.scalar(
        select(func.min(Search.searched_at)).where(
            Search.source == plan.source.about.name,
            Search.posted_after == start,
            Search.posted_before.is_(None),
        )
    ):
        if (following := began.replace(microsecond=0)) <= start:  # within a second
            return
        start, first_rank = following, first_rank + SEARCH_RANKS
        taken_after = plan.taken_since
        yield replace(plan, posted_after=start, taken_after=taken_after, first_rank=first_rank)
