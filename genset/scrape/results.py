"""Store what came of jobs: pages, photos, refusals; and failures, with the time of the next try."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from genset.classes import ImageClass
from genset.core.errors import PhotoRejected, SourceUnavailable
from genset.core.files import secure
from genset.core.numbers import count
from genset.db import Photo, PhotoFailure, SearchFailure, Store, examples_among, in_batches, now
from genset.net.hosts import HostClosed
from genset.net.originals import AN_EXAMPLE, Original
from genset.net.pace import RetryPolicy
from genset.scrape.locks import Locks
from genset.scrape.plan import ScrapePlan
from genset.scrape.search import keep_page, question_key
from genset.scrape.work import Job, JobResult, PageJob, PhotoJob
from genset.sources.source import Question, SearchPage, keep_words

# A job, and what came of it.
Done = tuple[Job, JobResult]


@dataclass
class ScrapeSummary:
    """What a scrape did. `short`, `contested`, `failed` and `waiting` are by wnid.

    Attributes:
        full: classes that have all the photos asked for.
        short: photos held by classes whose results ended before they were full.
        contested: photos held back because another class claims them too.
        failed: what went wrong, for classes of which a page was asked for in vain too often.
        waiting: when to come back, for classes that were not waited for.
        stored: photos downloaded by this run.
        rejected: photos rejected by this run, by reason.
        searches: pages asked of the source by this run.
        passed_over: candidates that the plan does not want, by reason.
    """

    full: int = 0
    short: dict[str, int] = field(default_factory=dict)
    contested: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)
    stored: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    searches: int = 0
    passed_over: dict[str, int] = field(default_factory=dict)


class Results:
    """Stores what came of jobs, and counts it.

    Args:
        store: the workspace's.
        images: the folder of originals.
        plan: what the scrape is to bring.
        locks: what this process works on alone; a photo's lock ends with its result.
        summary: what is counted.
    """

    def __init__(
        self, store: Store, images: Path, plan: ScrapePlan, locks: Locks, summary: ScrapeSummary
    ) -> None:
        self._store = store
        self._images = images
        self._plan = plan
        self._locks = locks
        self._summary = summary
        self._has_words = False  # whether this run stored what its source says of itself

    def keep(self, done: Sequence[Done], moment: float) -> None:
        """Store what came, in one transaction; `moment` is the store's time.

        The photos' files are flushed to the disk first, for no row may name what a power cut takes.
        """
        secure([self._images / result.file for _, result in done if isinstance(result, Original)])
        at = datetime.fromtimestamp(moment, UTC)
        photos: dict[int, Original | PhotoRejected] = {}
        with self._store.begin_alone() as session:
            for job, result in done:
                if isinstance(result, HostClosed):
                    continue
                if isinstance(job, PageJob):
                    self._keep_page(session, job, result, at)
                elif isinstance(result, Original | PhotoRejected):
                    photos[job.candidate.photo_id] = result
                elif isinstance(result, SourceUnavailable) and (
                    rejected := self._put_off(session, job, result, at)
                ):
                    photos[job.candidate.photo_id] = rejected
            self._keep_photos(session, photos)
            forget_photos(session, photos)
            photo_ids = [job.candidate.photo_id for job, _ in done if isinstance(job, PhotoJob)]
            self._locks.release(session, "photo", photo_ids)

    def _keep_page(self, session: Session, job: PageJob, result: JobResult, at: datetime) -> None:
        source, question = job.source.name, job.step.question
        if isinstance(result, SearchPage):
            if not self._has_words:
                keep_words(session, self._plan.source.about)
                self._has_words = True
            keep_page(session, self._plan, job.cls, job.step, result)
            if job.is_known:
                forget_search(session, job.cls, source, question)
            self._summary.searches += 1
        else:
            note_search(session, job.cls, source, question, str(result), self._plan.retries, at)

    def _put_off(
        self, session: Session, job: PhotoJob, result: SourceUnavailable, at: datetime
    ) -> PhotoRejected | None:
        """Note that a photo is to be tried again; or refuse it, which was tried often enough."""
        tried = note_photo(session, job.candidate.photo_id, str(result), self._plan.retries, at)
        if tried.next_at is not None:
            return None
        tries = count(tried.attempts, "try", "tries")
        return PhotoRejected(
            "did not come",
            f"{str(result).removeprefix('did not come: ')}, {tries} since "
            f"{tried.first_at:%Y-%m-%d %H:%M}",
        )

    def _keep_photos(self, session: Session, outcomes: dict[int, Original | PhotoRejected]) -> None:
        """Store what came of photos, by `Photo.id`, in one statement and not one for each."""
        incomplete = select(Photo.id).where(
            Photo.id.in_(outcomes), Photo.rejected.is_(None), Photo.sha256.is_(None)
        )
        incomplete_ids = set(session.scalars(incomplete)) if outcomes else set()
        changes: dict[type, list[dict[str, Any]]] = {Original: [], PhotoRejected: []}
        hashes = [outcome.sha256 for outcome in outcomes.values() if isinstance(outcome, Original)]
        examples = examples_among(session, hashes) if hashes else set()
        for photo_id, outcome in outcomes.items():
            if photo_id not in incomplete_ids:  # somebody removed it while it was on its way
                self._discard(session, outcome)
            elif isinstance(outcome, Original) and outcome.sha256 in examples:
                self._refuse(changes, photo_id, PhotoRejected(*AN_EXAMPLE))
            elif isinstance(outcome, PhotoRejected):
                self._refuse(changes, photo_id, outcome)
            else:
                stored = {"id": photo_id, "stored_at": now()}
                changes[Original].append(stored | asdict(outcome))
                self._summary.stored += 1
        for rows in changes.values():
            if rows:
                session.execute(update(Photo), rows)

    def _refuse(
        self, changes: dict[type, list[dict[str, Any]]], photo_id: int, outcome: PhotoRejected
    ) -> None:
        changes[PhotoRejected].append({"id": photo_id, "rejected": str(outcome)})
        reason = outcome.reason
        self._summary.rejected[reason] = self._summary.rejected.get(reason, 0) + 1

    def _discard(self, session: Session, outcome: Original | PhotoRejected) -> None:
        """Delete an original that nobody is to have, unless another photo is made of its bytes."""
        if isinstance(outcome, Original):
            same = select(Photo.id).where(Photo.sha256 == outcome.sha256).limit(1)
            if session.scalar(same) is None:
                (self._images / outcome.file).unlink(missing_ok=True)


_AT_ONCE = 5000  # numbers in a statement


@dataclass(frozen=True, slots=True)
class Failure:
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


def photos_tried(session: Session, photo_ids: Collection[int]) -> dict[int, Failure]:
    """Those of these photos, by `Photo.id`, whose picture did not come when it was asked for."""
    found: dict[int, Failure] = {}
    tried_photos = select(PhotoFailure.photo_id, *_tried(PhotoFailure))
    for some in in_batches(sorted(photo_ids), _AT_ONCE):
        rows = tried_photos.where(PhotoFailure.photo_id.in_(some))
        found |= {photo_id: Failure(*tried) for photo_id, *tried in session.execute(rows)}
    return found


def searches_tried(session: Session, wnid: str, source: str) -> dict[str, Failure]:
    """The pages, by `question_key`, that a class's searches asked for in vain."""
    rows = select(SearchFailure.question, *_tried(SearchFailure)).where(
        SearchFailure.wnid == wnid, SearchFailure.source == source
    )
    return {question: Failure(*tried) for question, *tried in session.execute(rows)}


def _tried(table: type[PhotoFailure] | type[SearchFailure]) -> tuple[Any, ...]:
    """The columns of `Failure`."""
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
