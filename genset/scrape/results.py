"""Store what came of jobs: pages, photos, rejections; and failures, with the time of the next try.

A photo or a page that fails is tried again as `RetryPolicy` says, and then rejected; one that its
source refuses is rejected at once. The time of a host that is down or paused is not theirs.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Select, delete, exists, func, select, union_all, update
from sqlalchemy.orm import Session

from genset.core.dates import earliest_day, minute
from genset.core.errors import PhotoRejected, SourceError, SourceRefused
from genset.core.files import secure
from genset.core.numbers import count
from genset.db import (
    Candidate,
    Photo,
    PhotoFailure,
    SearchFailure,
    Store,
    examples_among,
    in_batches,
    now,
)
from genset.net.hosts import HostClosed
from genset.net.originals import AN_EXAMPLE, Original
from genset.net.pace import RetryPolicy
from genset.scrape.locks import Locks
from genset.scrape.plan import ScrapePlan
from genset.scrape.search import keep_page
from genset.scrape.work import Job, JobResult, PageJob, PhotoJob
from genset.sources.source import SearchPage, keep_words

# A job, and what came of it.
Done = tuple[Job, JobResult]


@dataclass
class ScrapeSummary:
    """What a scrape did. Those by class are by wnid.

    Attributes:
        full: classes that have all the photos asked for.
        short: photos held by classes whose results ended before they were full.
        rejected_in: the rejected photos of classes that have none left.
        contested: photos held back because another class claims them too.
        stored: photos downloaded by this run.
        early: those of them that were taken before the window in which they were posted.
        rejected: photos rejected by this run, by reason.
        rejected_entries: entries of search pages that are no photo to use, by reason.
        rejected_by_plan: candidates that the plan does not want, by reason.
        rejected_queries: the queries of each class that are not asked again, with the reason.
        failed: photos and pages that are to be tried again.
        waiting: when to come back, for classes that were not waited for.
        searches: pages asked of the source by this run.
        seconds: how long it took.
    """

    full: int = 0
    short: dict[str, int] = field(default_factory=dict)
    rejected_in: dict[str, int] = field(default_factory=dict)
    contested: dict[str, int] = field(default_factory=dict)
    stored: int = 0
    early: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    rejected_entries: dict[str, int] = field(default_factory=dict)
    rejected_by_plan: dict[str, int] = field(default_factory=dict)
    rejected_queries: dict[str, dict[str, str]] = field(default_factory=dict)
    failed: int = 0
    waiting: dict[str, str] = field(default_factory=dict)
    searches: int = 0
    seconds: float = 0.0


class Results:
    """Stores what came of jobs, and counts it.

    Args:
        store: the workspace's.
        images: the folder of originals.
        plan: what the scrape is to bring.
        locks: what this process works on alone; a photo's lock ends with its result.
        summary: what is counted.
        on_event: is called with what came of each job (`genset.net.hosts.Hosts`).
    """

    def __init__(
        self,
        store: Store,
        images: Path,
        plan: ScrapePlan,
        locks: Locks,
        summary: ScrapeSummary,
        on_event: Callable[[dict[str, str]], None],
    ) -> None:
        self._store = store
        self._images = images
        self._plan = plan
        self._locks = locks
        self._summary = summary
        self._on_event = on_event
        self._has_words = False  # whether this run stored what its source says of itself

    def keep(self, done: Sequence[Done], moment: float) -> None:
        """Store what came, in one transaction; `moment` is the store's time.

        The photos' files are flushed to the disk first, for no row may name what a power cut takes.
        It may be called again with the same where nobody knows whether the store did it.
        """
        secure([self._images / result.file for _, result in done if isinstance(result, Original)])
        at = datetime.fromtimestamp(moment, UTC)
        photos: dict[int, Original | PhotoRejected] = {}
        decisions = list[str]()
        with self._store.begin_alone() as session:
            for job, result in done:
                decisions.append(self._keep(session, job, result, at, photos))
            stored, early, rejected = self._keep_photos(session, photos)
            session.execute(delete(PhotoFailure).where(PhotoFailure.photo_id.in_(photos)))
            photo_ids = [job.candidate.photo_id for job, _ in done if isinstance(job, PhotoJob)]
            self._locks.release(session, "photo", photo_ids)
        pages = [result for _, result in done if isinstance(result, SearchPage)]
        self._has_words = self._has_words or bool(pages)
        self._summary.stored += stored
        self._summary.early += early
        self._summary.searches += len(pages)
        self._summary.rejected = dict(Counter(self._summary.rejected) + rejected)
        entries = (Counter(page.rejected) for page in pages)
        self._summary.rejected_entries = dict(sum(entries, Counter(self._summary.rejected_entries)))
        for (job, result), decision in zip(done, decisions, strict=True):
            if isinstance(job, PageJob):
                what = {"query": f"{job.step.question.text} (page {job.step.question.page})"}
            else:
                what = {"photo": f"{self._plan.source.about.name}:{job.candidate.source_id}"}
            status = "ok" if isinstance(result, SearchPage | Original) else str(result)
            about = {"host": job.host.title, "class": job.cls.wnid} | what
            self._on_event(about | {"status": status, "decision": decision})

    def _keep(
        self,
        session: Session,
        job: Job,
        result: JobResult,
        at: datetime,
        photos: dict[int, Original | PhotoRejected],
    ) -> str:
        """Store a page, or that something failed; what was decided. Photos are for `photos`."""
        if isinstance(result, HostClosed):
            return "waiting"
        if isinstance(result, SourceError):
            failure = _failure(session, job, at)
            decision = _note(failure, result, self._plan.retries, at)
            if failure.next_at is None and isinstance(job, PhotoJob):
                reason = PhotoRejected("not available", _with_tries(failure))
                photos[job.candidate.photo_id] = reason
            return decision
        if isinstance(job, PageJob) and isinstance(result, SearchPage):
            if not self._has_words:
                keep_words(session, self._plan.source.about)
            keep_page(session, self._plan, job.cls, job.step, result)
            if job.is_known:
                session.delete(_failure(session, job, at))
            return f"stored {len(result.photos)} of {count(result.total, 'photo')}"
        assert isinstance(job, PhotoJob) and not isinstance(result, SearchPage)
        photos[job.candidate.photo_id] = result
        return "stored" if isinstance(result, Original) else "rejected"

    def _keep_photos(
        self, session: Session, outcomes: dict[int, Original | PhotoRejected]
    ) -> tuple[int, int, Counter[str]]:
        """Store what came of photos, by `Photo.id`, in one statement and not one for each.

        Returns how many are stored, how many of these were taken before the window, and how many
        are rejected, by reason.
        """
        incomplete = select(Photo.id, Photo.taken_at, Photo.posted_at).where(
            Photo.id.in_(outcomes), Photo.rejected.is_(None), Photo.sha256.is_(None)
        )
        days = {
            photo_id: earliest_day(taken_at, posted_at)
            for photo_id, taken_at, posted_at in (session.execute(incomplete) if outcomes else ())
        }
        start = self._plan.posted_after.date().isoformat()
        stored: list[dict[str, Any]] = []
        rejected: list[dict[str, Any]] = []
        hashes = [outcome.sha256 for outcome in outcomes.values() if isinstance(outcome, Original)]
        examples = examples_among(session, hashes) if hashes else set()
        reasons = Counter[str]()
        for photo_id, outcome in outcomes.items():
            if photo_id not in days:  # somebody removed it while it was on its way
                if isinstance(outcome, Original):  # unless another photo is made of its bytes
                    same = select(Photo.id).where(Photo.sha256 == outcome.sha256).limit(1)
                    if session.scalar(same) is None:
                        (self._images / outcome.file).unlink(missing_ok=True)
                continue
            if isinstance(outcome, Original) and outcome.sha256 in examples:
                outcome = PhotoRejected(*AN_EXAMPLE)
            if isinstance(outcome, PhotoRejected):
                rejected.append({"id": photo_id, "rejected": str(outcome)})
                reasons[outcome.reason] += 1
            else:
                stored.append({"id": photo_id, "stored_at": now()} | asdict(outcome))
        for rows in (stored, rejected):
            if rows:
                session.execute(update(Photo), rows)
        early = sum((days[row["id"]] or start) < start for row in stored)
        return len(stored), early, reasons

    def _failed_photos(self, *columns: Any) -> Select[*tuple[Any, ...]]:
        """Something of the source's photos that failed."""
        # Of a join SQLite would take all photos of the source, and look for a failure of each.
        of_source = exists().where(
            Photo.id == PhotoFailure.photo_id, Photo.source == self._plan.source.about.name
        )
        return select(*columns).where(of_source)

    def error_due(self, at: float) -> str:
        """Why what is to be tried again then, in seconds since 1970, failed last."""
        searches = select(SearchFailure.next_at, SearchFailure.error)
        searches = searches.where(SearchFailure.source == self._plan.source.about.name)
        photos = self._failed_photos(PhotoFailure.next_at, PhotoFailure.error)
        failures = union_all(searches, photos).subquery().c
        since = failures.next_at >= datetime.fromtimestamp(at - 1, UTC)
        with self._store.session() as session:
            first = select(failures.error).where(since).order_by(failures.next_at).limit(1)
            return session.scalar(first) or "failed"

    def count_failures(self) -> None:
        """Count what is to be tried again, and name the queries that are not asked any more."""
        source, wnids = self._plan.source.about.name, {cls.wnid for cls in self._plan.classes}
        photos = self._failed_photos(func.count(PhotoFailure.photo_id))
        queries = select(SearchFailure).filter_by(source=source).order_by(SearchFailure.id)
        self._summary.rejected_queries = {}
        empty = [wnid for wnid, photos in self._summary.short.items() if not photos]
        rejected = select(Candidate.wnid, func.count()).join(Candidate.photo)
        rejected = rejected.where(Candidate.wnid.in_(empty), Photo.rejected.is_not(None))
        rejected = rejected.where(Photo.source == source).group_by(Candidate.wnid)
        with self._store.session() as session:
            self._summary.rejected_in = dict(session.execute(rejected).all()) if empty else {}
            self._summary.failed = session.scalar(photos) or 0
            for failure in session.scalars(queries):
                if failure.wnid in wnids and failure.next_at is not None:
                    self._summary.failed += 1
                elif failure.wnid in wnids:
                    page = f" (page {failure.page})" if failure.page > 1 else ""
                    of_class = self._summary.rejected_queries.setdefault(failure.wnid, {})
                    of_class[f"{failure.query}{page}"] = _with_tries(failure)


def photos_stored(store: Store, since: datetime | None = None) -> int:
    """The photos of the pool; with `since`, those that a refresh has seen since then."""
    photos = select(func.count(Photo.sha256)).where(Photo.rejected.is_(None))
    if since is not None:
        photos = photos.where(Photo.checked_at >= since)
    with store.session() as session:
        return session.scalar(photos) or 0


def _failure(session: Session, job: Job, at: datetime) -> PhotoFailure | SearchFailure:
    """The row of a job's failures, which may be new."""
    failure: PhotoFailure | SearchFailure | None
    if isinstance(job, PhotoJob):
        photo_id = job.candidate.photo_id
        failure = session.get(PhotoFailure, photo_id)
        new: PhotoFailure | SearchFailure = PhotoFailure(photo_id=photo_id, attempts=0, first_at=at)
    else:
        question = job.step.question
        key = {"wnid": job.cls.wnid, "source": job.source.name, "question": job.address}
        failure = session.scalar(select(SearchFailure).filter_by(**key))
        words = {"query": question.text, "page": question.page}
        new = SearchFailure(**key, **words, attempts=0, first_at=at)
    if failure is None:
        session.add(failure := new)
    return failure


def _note(
    failure: PhotoFailure | SearchFailure, result: JobResult, policy: RetryPolicy, at: datetime
) -> str:
    """Count a try in vain and set the time of the next; what was decided."""
    failure.attempts += 1
    failure.error = str(result)
    pause = None if isinstance(result, SourceRefused) else policy.pause(failure.attempts)
    if pause is None:
        failure.next_at = None
        return "rejected"
    failure.next_at = at + timedelta(seconds=pause)
    return f"failed: next try at {minute(failure.next_at)}"


def _with_tries(failure: PhotoFailure | SearchFailure) -> str:
    """What went wrong, and how often, where it was tried again."""
    if failure.attempts == 1:
        return failure.error
    tries = count(failure.attempts, "try", "tries")
    return f"{failure.error}, {tries} since {minute(failure.first_at)}"


_AT_ONCE = 5000  # numbers in a statement


def photos_tried(session: Session, photo_ids: Collection[int], at: datetime) -> dict[int, datetime]:
    """When those of these photos, by `Photo.id`, that failed are to be tried again."""
    found: dict[int, datetime] = {}
    columns = select(PhotoFailure.photo_id, func.coalesce(PhotoFailure.next_at, at))
    for some in in_batches(sorted(photo_ids), _AT_ONCE):
        found |= dict(session.execute(columns.where(PhotoFailure.photo_id.in_(some))).all())
    return found


def pages_tried(session: Session, wnid: str, source: str, at: datetime) -> dict[str, datetime]:
    """When those pages of a class, by `question_key`, that failed are to be asked for again."""
    columns = select(SearchFailure.question, func.coalesce(SearchFailure.next_at, at))
    of_class = SearchFailure.wnid == wnid, SearchFailure.source == source
    return dict(session.execute(columns.where(*of_class)).all())
