"""Fill each class with candidates: search, then download by rank until it has enough.

The database says at any moment what a class needs next (`_Scraper._next_jobs`): pages to ask for,
photos to download, or nothing more. Threads do these jobs, which only talk to hosts and write
originals; the main thread stores what came of them and looks again. A class's next jobs are given
out when all its last ones are stored, so a scrape that is killed anywhere goes on from the rows.
"""

import queue
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from genset.errors import PhotoRefused, SourceUnavailable
from genset.files import secure
from genset.progress import progress
from genset.scrape.collect.locks import Locks
from genset.scrape.collect.plan import ScrapePlan
from genset.scrape.collect.search import Step, keep_page
from genset.scrape.collect.selection import Ranked
from genset.scrape.collect.state import ClassState, class_state
from genset.scrape.collect.thread_pool import ThreadPool
from genset.scrape.fetch.originals import Fetcher, Original
from genset.scrape.fetch.rate_limit import RateLimit
from genset.scrape.sources.source import SearchPage, Source
from genset.store import Photo, Store, now
from genset.taxonomy import ImageClass
from genset.workspace import Workspace

_CLASSES_AT_A_TIME = 32
_LOOK_AGAIN = 0.2  # seconds
_GATHER = 0.05  # seconds


@dataclass
class ScrapeSummary:
    """What a scrape did. `short`, `contested` and `failed` are by wnid.

    Attributes:
        full: classes that have all the photos asked for.
        short: photos held by classes whose results ended before they were full.
        contested: photos held back because another class claims them too.
        failed: what went wrong, for classes that the same command may finish later.
        stored: photos downloaded by this run.
        refused: photos refused by this run, by reason.
        searches: pages asked of the source by this run.
    """

    full: int = 0
    short: dict[str, int] = field(default_factory=dict)
    contested: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    stored: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    searches: int = 0


def scrape(workspace: Workspace, store: Store, source: Source, plan: ScrapePlan) -> ScrapeSummary:
    """Bring each class of the plan to the candidates that `genset.scrape.collect.selection` keeps.

    Everything is stored as it comes, so the same call goes on where a killed one stopped, and
    does nothing where nothing is missing. Several may run on one workspace and share the work.

    Raises:
        SourceRefused: the source turns every call down, for instance for a bad key.
    """
    scraper = _Scraper(workspace, store, source, plan)
    settled = scraper.settle()
    for _ in progress(settled, total=len(plan.classes), what="scrape", unit="class"):
        pass
    return scraper.summary


@dataclass(frozen=True, slots=True)
class _Asked:
    """A page that came, to be stored."""

    step: Step
    answer: SearchPage


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A photo that came, or why it is refused, to be stored."""

    photo_id: int
    outcome: Original | PhotoRefused


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """Something to do for a class, off the main thread; `photo_id` is the photo it fetches."""

    cls: ImageClass
    do: Callable[[], _Asked | _Fetched]
    photo_id: int | None = None


# A job, and what came of it, or what it raised.
_Done = tuple[_Job, _Asked | _Fetched | Exception]


def _number(cls: ImageClass) -> int:
    """The class's number in WordNet, to claim it by."""
    return int(cls.wnid[1:])


class _Scraper:
    def __init__(
        self, workspace: Workspace, store: Store, source: Source, plan: ScrapePlan
    ) -> None:
        self.images = workspace.images
        self.store = store
        self.source = source
        self.plan = plan
        pace = RateLimit(workspace.paces, f"{source.name}-images", source.image_interval)
        self.fetcher = Fetcher(source.may_fetch, workspace.images, pace, plan.min_size)
        self.claimed_classes = Locks(workspace.paces / "classes")
        self.claimed_photos = Locks(workspace.paces / "photos")
        self.waiting: deque[ImageClass] = deque()
        self.asking, self.fetching = ThreadPool(), ThreadPool()
        self.running: set[_Job] = set()
        self.jobs_of: Counter[str] = Counter()  # how many of them, by wnid
        self.done: queue.SimpleQueue[_Done] = queue.SimpleQueue()
        self.is_answered = False
        self.summary = ScrapeSummary()

    def settle(self) -> Iterator[ImageClass]:
        """Work until no class needs anything, and yield each one as it gets there."""
        with (
            closing(self.claimed_classes),
            closing(self.claimed_photos),
            closing(self.asking),
            closing(self.fetching),
        ):
            yield from self._work(self.plan.classes)
            # A class that was asked late may claim a photo that an earlier one had counted in.
            while again := self._unsettled():
                for _ in self._work(again):
                    pass

    def _unsettled(self) -> list[ImageClass]:
        """The classes that need more after all; the others are counted."""
        unsettled = []
        self.summary.full, self.summary.short, self.summary.contested = 0, {}, {}
        for cls in self.plan.classes:
            if cls.wnid in self.summary.failed:
                continue
            state = self._state(cls)
            if self._jobs(cls, state):
                unsettled.append(cls)
                continue
            if state.is_full:
                self.summary.full += 1
            else:
                self.summary.short[cls.wnid] = len(state.selection.kept)
            if state.selection.contested:
                self.summary.contested[cls.wnid] = len(state.selection.contested)
        return unsettled

    def _work(self, classes: Iterable[ImageClass]) -> Iterator[ImageClass]:
        """Give out jobs and store what comes of them, until these classes need no more."""
        self.waiting.extend(classes)
        while self.waiting or self.running:
            for _ in range(len(self.waiting)):
                if len(+self.jobs_of) >= self._at_a_time:
                    break
                cls = self.waiting.popleft()
                if not self.claimed_classes.claim(_number(cls)):
                    self.waiting.append(cls)  # another scraper's; look again when it lets go
                elif self._is_settled(cls):
                    yield cls
            if not self.running:
                time.sleep(_LOOK_AGAIN if self.waiting else 0)
                continue
            for cls in self._store(self._finished()):
                if not self.jobs_of[cls.wnid] and self._is_settled(cls):
                    yield cls

    def _finished(self) -> list[_Done]:
        """Wait for a job to end, and return it with those that have ended since the last call."""
        done: list[_Done] = []
        while not done:
            with suppress(queue.Empty):
                done.append(self.done.get(timeout=_LOOK_AGAIN))
                if len(self.running) > 1:
                    time.sleep(_GATHER)  # one transaction for many photos
                while True:
                    done.append(self.done.get_nowait())
            self.asking.look()
            self.fetching.look()
        return done

    @property
    def _at_a_time(self) -> int:
        """How many classes to work on: a single one until a host has answered at all."""
        return _CLASSES_AT_A_TIME if self.is_answered else 1

    def _is_settled(self, cls: ImageClass) -> bool:
        """Start a class's next jobs; where there are none, let go of it."""
        jobs = [] if cls.wnid in self.summary.failed else self._jobs(cls, self._state(cls))
        if not jobs:
            self.claimed_classes.release(_number(cls))
            return True
        # A bad key shows at the first call: do not make several.
        free = self._claimed(jobs if self.is_answered else jobs[:1])
        if not free:
            self.waiting.append(cls)  # what this class needs is being fetched for another one
        for job in free:
            self.jobs_of[cls.wnid] += 1
            self.running.add(job)
            pool = self.asking if job.photo_id is None else self.fetching
            pool.submit(partial(self._do, job))
        return False

    def _claimed(self, jobs: Sequence[_Job]) -> list[_Job]:
        """Those of a class's jobs that nobody else does or has just done, now claimed."""
        fetching = {job.photo_id for job in self.running}
        photo_ids = {job.photo_id for job in jobs if job.photo_id is not None} - fetching
        mine = {photo_id for photo_id in photo_ids if self.claimed_photos.claim(photo_id)}
        undone = select(Photo.id).where(
            Photo.id.in_(mine), Photo.sha256.is_(None), Photo.refused.is_(None)
        )
        with self.store.session() as session:
            left = set(session.scalars(undone)) if mine else set()
        for photo_id in mine - left:
            self.claimed_photos.release(photo_id)
        return [job for job in jobs if job.photo_id is None or job.photo_id in left]

    def _state(self, cls: ImageClass) -> ClassState:
        with self.store.session() as session:
            return class_state(session, self.source.name, self.plan, cls)

    def _jobs(self, cls: ImageClass, state: ClassState) -> list[_Job]:
        """What a class needs next; nothing when it is settled."""
        if state.ahead.is_even:
            if state.selection.missing:
                return [
                    _Job(cls, partial(self._fetch, each), each.photo_id)
                    for each in state.selection.missing
                ]
            if state.is_full:
                return []
        return [_Job(cls, partial(self._ask, step)) for step in state.ahead.steps]

    def _do(self, job: _Job) -> None:
        """Do a job, in whatever thread, and have the main one hear of it."""
        try:
            self.done.put((job, job.do()))
        except Exception as error:  # noqa: BLE001 - the main thread raises it
            self.done.put((job, error))

    def _ask(self, step: Step) -> _Asked:
        return _Asked(step, self.source.search(step.question))

    def _fetch(self, candidate: Ranked) -> _Fetched:
        try:
            return _Fetched(candidate.photo_id, self.fetcher.fetch(candidate.image_url))
        except PhotoRefused as refused:
            return _Fetched(candidate.photo_id, refused)

    def _store(self, done: Sequence[_Done]) -> list[ImageClass]:
        """Store what came, in one transaction, and return the classes that it was for.

        Raises what a job raised, once the others' results are stored.
        """
        jobs = [job for job, _ in done]
        self.running.difference_update(jobs)
        self.jobs_of.subtract(job.cls.wnid for job in jobs)
        broken: Exception | None = None
        fetched = {came.photo_id: came.outcome for _, came in done if isinstance(came, _Fetched)}
        originals = [each for each in fetched.values() if isinstance(each, Original)]
        secure([self.images / each.file for each in originals])
        with self.store.begin_alone() as session:
            for job, came in done:
                if isinstance(came, _Asked):
                    version = self.plan.query_list
                    keep_page(session, self.source.name, job.cls, came.step, came.answer, version)
                    self.summary.searches += 1
                elif isinstance(came, SourceUnavailable):
                    self.summary.failed[job.cls.wnid] = str(came)
                elif isinstance(came, Exception):
                    broken = came
            self._keep(session, fetched)
        self.is_answered = True
        for job in jobs:
            if job.photo_id is not None:
                self.claimed_photos.release(job.photo_id)
        if broken is not None:
            raise broken
        return list({job.cls.wnid: job.cls for job in jobs}.values())

    def _keep(self, session: Session, fetched: dict[int, Original | PhotoRefused]) -> None:
        """Store what came of photos, by `Photo.id`, in one statement and not one for each."""
        wanted = select(Photo.id).where(Photo.id.in_(fetched), Photo.refused.is_(None))
        still_wanted = set(session.scalars(wanted)) if fetched else set()
        changes: dict[type, list[dict[str, Any]]] = {Original: [], PhotoRefused: []}
        for photo_id, outcome in fetched.items():
            if photo_id not in still_wanted:  # somebody removed it while it was on its way
                self._discard(session, outcome)
            elif isinstance(outcome, PhotoRefused):
                changes[PhotoRefused].append({"id": photo_id, "refused": str(outcome)})
                reason = outcome.reason
                self.summary.refused[reason] = self.summary.refused.get(reason, 0) + 1
            else:
                stored = {"id": photo_id, "stored_at": now()}
                changes[Original].append(stored | asdict(outcome))
                self.summary.stored += 1
        for rows in changes.values():
            if rows:
                session.execute(update(Photo), rows)

    def _discard(self, session: Session, outcome: Original | PhotoRefused) -> None:
        """Delete an original that nobody is to have, unless another photo is made of its bytes."""
        if isinstance(outcome, Original):
            same = select(Photo.id).where(Photo.sha256 == outcome.sha256).limit(1)
            if session.scalar(same) is None:
                (self.images / outcome.file).unlink(missing_ok=True)
