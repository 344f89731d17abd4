"""Fill each class with candidates: search, then download by rank until it has enough.

The database says at any moment what a class needs next (`_Scraper._next_jobs`): pages to ask for,
photos to download, or nothing more. Threads do these jobs, which only talk to hosts and write
originals; the main thread stores what came of them and looks again. A class's next jobs are given
out when all its last ones are stored, so a scrape that is killed anywhere goes on from the rows.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.errors import PhotoRefused, SourceUnavailable
from genset.files import image_file
from genset.progress import progress
from genset.scrape.claims import Claims
from genset.scrape.originals import Fetcher, Original
from genset.scrape.pace import Pace
from genset.scrape.plan import Plan
from genset.scrape.search import Step, keep_page
from genset.scrape.source import SearchPage, Source
from genset.scrape.state import class_state
from genset.store import Photo, Store, now
from genset.taxonomy import ImageClass
from genset.workspace import Workspace

_THREADS = 16
_CLASSES_AT_A_TIME = 32
_LOOK_AGAIN = 0.2  # seconds


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


def scrape(workspace: Workspace, store: Store, source: Source, plan: Plan) -> ScrapeSummary:
    """Bring each class of the plan to its downloaded candidates, as `genset.scrape.walk` says.

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


@dataclass(frozen=True, slots=True)
class _Job:
    """Something to do for a class, off the main thread; `photo_id` is the photo it fetches."""

    cls: ImageClass
    do: Callable[[], _Asked | _Fetched]
    photo_id: int | None = None


def _number(cls: ImageClass) -> int:
    """The class's number in WordNet, to claim it by."""
    return int(cls.wnid[1:])


class _Scraper:
    def __init__(self, workspace: Workspace, store: Store, source: Source, plan: Plan) -> None:
        self.images = workspace.images
        self.store = store
        self.source = source
        self.plan = plan
        pace = Pace(workspace.paces, f"{source.name}-images", source.image_interval)
        self.fetcher = Fetcher(source, workspace.images, pace, plan.min_size)
        self.claimed_classes = Claims(workspace.paces / "classes")
        self.claimed_photos = Claims(workspace.paces / "photos")
        self.waiting: deque[ImageClass] = deque()
        self.running: dict[Future[_Asked | _Fetched], _Job] = {}
        self.is_answered = False
        self.summary = ScrapeSummary()

    def settle(self) -> Iterator[ImageClass]:
        """Work until no class needs anything, and yield each one as it gets there."""
        with (
            closing(self.claimed_classes),
            closing(self.claimed_photos),
            ThreadPoolExecutor(_THREADS) as threads,
        ):
            try:
                yield from self._work(threads, self.plan.classes)
                # A class that was asked late may claim a photo that an earlier one had counted in.
                while again := [cls for cls in self.plan.classes if self._needs_more(cls)]:
                    for _ in self._work(threads, again):
                        pass
            finally:
                threads.shutdown(wait=False, cancel_futures=True)
        self._sum_up()

    def _needs_more(self, cls: ImageClass) -> bool:
        return cls.wnid not in self.summary.failed and bool(self._next_jobs(cls))

    def _work(
        self, threads: ThreadPoolExecutor, classes: Iterable[ImageClass]
    ) -> Iterator[ImageClass]:
        """Give out jobs and store what comes of them, until these classes need no more."""
        self.waiting.extend(classes)
        while self.waiting or self.running:
            for _ in range(len(self.waiting)):
                if len({job.cls.wnid for job in self.running.values()}) >= self._at_a_time:
                    break
                cls = self.waiting.popleft()
                if not self.claimed_classes.claim(_number(cls)):
                    self.waiting.append(cls)  # another scraper's; look again when it lets go
                elif self._is_settled(threads, cls):
                    yield cls
            if not self.running:
                time.sleep(_LOOK_AGAIN if self.waiting else 0)
                continue
            done, _ = wait(self.running, return_when=FIRST_COMPLETED)
            busy = {job.cls.wnid for future, job in self.running.items() if future not in done}
            for cls in self._store(done):
                if cls.wnid not in busy and self._is_settled(threads, cls):
                    yield cls

    @property
    def _at_a_time(self) -> int:
        """How many classes to work on: a single one until a host has answered at all."""
        return _CLASSES_AT_A_TIME if self.is_answered else 1

    def _is_settled(self, threads: ThreadPoolExecutor, cls: ImageClass) -> bool:
        """Start a class's next jobs; where there are none, let go of it."""
        jobs = [] if cls.wnid in self.summary.failed else self._next_jobs(cls)
        if not jobs:
            self.claimed_classes.release(_number(cls))
            return True
        # A bad key shows at the first call: do not make sixteen.
        free = self._claimed(jobs if self.is_answered else jobs[:1])
        if not free:
            self.waiting.append(cls)  # what this class needs is being fetched for another one
        for job in free:
            self.running[threads.submit(job.do)] = job
        return False

    def _claimed(self, jobs: Sequence[_Job]) -> list[_Job]:
        """Those of a class's jobs that nobody else does or has just done, now claimed."""
        fetching = {job.photo_id for job in self.running.values()}
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

    def _next_jobs(self, cls: ImageClass) -> list[_Job]:
        """What the class needs next, by what is stored; nothing when it is settled."""
        with self.store.session() as session:
            state = class_state(session, self.source.name, self.plan, cls)
        if state.ahead.is_even:
            if state.walk.missing:
                return [_Job(cls, partial(self._fetch, p), p.id) for p in state.walk.missing]
            if state.is_full:
                return []
        return [_Job(cls, partial(self._ask, step)) for step in state.ahead.steps]

    def _ask(self, step: Step) -> _Asked:
        return _Asked(step, self.source.search(step.question))

    def _fetch(self, photo: Photo) -> _Fetched:
        try:
            return _Fetched(photo.id, self.fetcher.fetch(photo.image_url))
        except PhotoRefused as refused:
            return _Fetched(photo.id, refused)

    def _store(self, done: Iterable[Future[_Asked | _Fetched]]) -> list[ImageClass]:
        """Store what came, in one transaction, and return the classes that it was for.

        Raises what a job raised, once the others' results are stored.
        """
        jobs = [(future, self.running.pop(future)) for future in done]
        broken: BaseException | None = None
        with self.store.begin_alone() as session:
            for future, job in jobs:
                error = future.exception()
                if error is None:
                    self._keep(session, job.cls, future.result())
                elif isinstance(error, SourceUnavailable):
                    self.summary.failed[job.cls.wnid] = str(error)
                else:
                    broken = error
        self.is_answered = True
        for _, job in jobs:
            if job.photo_id is not None:
                self.claimed_photos.release(job.photo_id)
        if broken is not None:
            raise broken
        return list({job.cls.wnid: job.cls for _, job in jobs}.values())

    def _keep(self, session: Session, cls: ImageClass, result: _Asked | _Fetched) -> None:
        if isinstance(result, _Asked):
            keep_page(session, self.source.name, cls, result.step, result.answer)
            self.summary.searches += 1
            return
        photo = session.get_one(Photo, result.photo_id)
        if photo.refused is not None:  # somebody removed it while it was on its way
            self._discard(session, result.outcome)
            return
        if isinstance(result.outcome, PhotoRefused):
            photo.refused = str(result.outcome)
            reason = result.outcome.reason
            self.summary.refused[reason] = self.summary.refused.get(reason, 0) + 1
            return
        for name, value in asdict(result.outcome).items():
            setattr(photo, name, value)
        photo.stored_at = now()
        self.summary.stored += 1

    def _discard(self, session: Session, outcome: Original | PhotoRefused) -> None:
        """Delete an original that nobody is to have, unless another photo is made of its bytes."""
        if isinstance(outcome, Original):
            same = select(Photo.id).where(Photo.sha256 == outcome.sha256).limit(1)
            if session.scalar(same) is None:
                path = self.images / image_file(outcome.sha256, outcome.format)
                path.unlink(missing_ok=True)

    def _sum_up(self) -> None:
        """Count what each class has in the end."""
        with self.store.session() as session:
            for cls in self.plan.classes:
                if cls.wnid in self.summary.failed:
                    continue
                state = class_state(session, self.source.name, self.plan, cls)
                if state.is_full:
                    self.summary.full += 1
                else:
                    self.summary.short[cls.wnid] = len(state.walk.kept)
                if state.walk.contested:
                    self.summary.contested[cls.wnid] = len(state.walk.contested)
