"""What was tried in vain, as it is stored: how often, why, and when it is tried again."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from genset.classes import ImageClass
from genset.db import PhotoFailure, SearchFailure
from genset.net.pauses import RetryPolicy
from genset.scrape.collect.search import question_key
from genset.sources.source import Question

_AT_ONCE = 5000  # numbers in a statement


@dataclass(frozen=True, slots=True)
class Tried:
    """Something that failed; it is to be tried at `next_at`, and never where that is None."""

    attempts: int
    last_at: datetime
    next_at: datetime | None
    error: str

    def is_due(self, now: datetime) -> bool:
        """Whether to try it. What was tried later than now was stored by a wrong clock."""
        if self.next_at is None:
            return False
        return self.next_at <= now or self.last_at > now + timedelta(minutes=1)


def photos_tried(session: Session, photo_ids: Collection[int]) -> dict[int, Tried]:
    """Those of these photos, by `Photo.id`, whose picture did not come when it was asked for."""
    found: dict[int, Tried] = {}
    numbers = sorted(photo_ids)
    for start in range(0, len(numbers), _AT_ONCE):
        rows = select(PhotoFailure.photo_id, *_tried(PhotoFailure)).where(
            PhotoFailure.photo_id.in_(numbers[start : start + _AT_ONCE])
        )
        found |= {photo_id: Tried(*tried) for photo_id, *tried in session.execute(rows)}
    return found


def searches_tried(session: Session, wnid: str, source: str) -> dict[str, Tried]:
    """The pages, by `question_key`, that a class's searches asked for in vain."""
    rows = select(SearchFailure.question, *_tried(SearchFailure)).where(
        SearchFailure.wnid == wnid, SearchFailure.source == source
    )
    return {question: Tried(*tried) for question, *tried in session.execute(rows)}


def _tried(table: type[PhotoFailure] | type[SearchFailure]) -> tuple[Any, ...]:
    """The columns of `Tried`."""
    return table.attempts, table.last_at, table.next_at, table.error


def note_photo(
    session: Session, photo_id: int, error: str, policy: RetryPolicy, now: datetime
) -> PhotoFailure:
    """Store that a photo's picture did not come, and say when it is tried again.

    Args:
        session: a transaction.
        photo_id: the photo's `Photo.id`.
        error: what went wrong.
        policy: how often it is tried.
        now: the store's time.
    """
    tried = session.get(PhotoFailure, photo_id)
    if tried is None:
        tried = PhotoFailure(photo_id=photo_id, attempts=0, first_at=now)
        session.add(tried)
    _count(tried, error, policy, now)
    return tried


def note_search(
    session: Session,
    cls: ImageClass,
    source: str,
    question: Question,
    error: str,
    policy: RetryPolicy,
    now: datetime,
) -> SearchFailure:
    """Store that a page did not come, and say when it is tried again; as `note_photo`."""
    named = {"wnid": cls.wnid, "source": source, "question": question_key(question)}
    tried = session.scalar(select(SearchFailure).filter_by(**named))
    if tried is None:
        tried = SearchFailure(
            **named, query=question.text, page=question.page, attempts=0, first_at=now
        )
        session.add(tried)
    _count(tried, error, policy, now)
    return tried


def forget_photos(session: Session, photo_ids: Collection[int]) -> None:
    """These photos' pictures came, or are not to be had."""
    if photo_ids:
        session.execute(delete(PhotoFailure).where(PhotoFailure.photo_id.in_(photo_ids)))


def forget_search(session: Session, cls: ImageClass, source: str, question: Question) -> None:
    """A page came."""
    session.execute(
        delete(SearchFailure).where(
            SearchFailure.wnid == cls.wnid,
            SearchFailure.source == source,
            SearchFailure.question == question_key(question),
        )
    )


def _count(
    tried: PhotoFailure | SearchFailure, error: str, policy: RetryPolicy, now: datetime
) -> None:
    tried.attempts += 1
    tried.last_at, tried.error = now, error
    pause = policy.pause(tried.attempts)
    tried.next_at = None if pause is None else now + timedelta(seconds=pause)
