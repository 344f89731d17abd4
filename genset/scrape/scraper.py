"""Fill each class with candidates: search, then download by rank until it has enough.

The database says at any moment what a class needs next (`class_state`): pages to ask for, photos
to download, or nothing more. Threads do these jobs, which only talk to hosts and write originals;
the main thread stores what came of them and looks again. A class's next jobs are given out when
all its last ones are stored, so a scrape that is killed anywhere goes on from the rows.
"""

import queue
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from zlib import crc32

from sqlalchemy import select

from genset.classes import ImageClass
from genset.core.errors import SourceUnavailable
from genset.core.numbers import count
from genset.core.progress import progress
from genset.db import Photo, Store
from genset.net.hosts import LONG, HostClosed
from genset.net.originals import Fetcher
from genset.net.pace import scaled
from genset.scrape.locks import Locks
from genset.scrape.opt_out import honour, lines
from genset.scrape.plan import ScrapePlan
from genset.scrape.results import (
    Done,
    Failure,
    Results,
    ScrapeSummary,
    photos_tried,
    searches_tried,
)
from genset.scrape.search import question_key
from genset.scrape.state import class_state, class_states, lacking_and_others
from genset.scrape.work import ClassStates, Job, JobResult, PageJob, PhotoJob, ThreadPool
from genset.sources.source import Source
from genset.workspace import Workspace

_CLASSES_AT_A_TIME = 32
_LOOK_AGAIN = 0.2  # seconds
_GATHER = 0.05  # seconds


def scrape(workspace: Workspace, store: Store, source: Source, plan: ScrapePlan) -> ScrapeSummary:
    """Bring each class of the plan to the candidates that `genset.scrape.state` keeps.

    Everything is stored as it comes, so the same call goes on where a killed one stopped, and
    does nothing where nothing is missing. Several may run on one store and share the work. A host
    that is down is waited for, and what fails is tried again later, as `plan` says.

    Args:
        workspace: where originals are kept.
        store: the workspace's.
        source: where to search.
        plan: what is wanted of which classes.

    Raises:
        SourceRefused: the source turns every call down, for instance for a bad key.
        HostGaveUp: a host is not to be waited for.
        BadInput: the list of who opted out has a misspelt source.
    """
    stored = (name for name in honour(store, plan.opt_out) if name.startswith(f"{source.name}:"))
    for line in lines(stored, plan.opt_out):
        source.api.hosts.say(line)
    with Locks(store, source.api.hosts.now) as locks:
        scraper = _Scraper(workspace, store, source, plan, locks)
        what, total = f"scrape {source.name}", len(plan.classes)
        for _ in progress(scraper.settle(), total=total, what=what, unit="class"):
            pass
        return scraper.summary


class _Scraper:
    """Works on many classes at once, each in a state of `ClassStates`."""

    def __init__(
        self,
        workspace: Workspace,
        store: Store,
        source: Source,
        plan: ScrapePlan,
        locks: Locks,
    ) -> None:
        self.store = store
        self.source = source
        self.plan = plan
        self.locks = locks
        self.hosts = source.api.hosts
        self.summary = ScrapeSummary()
        self.results = Results(store, workspace.images, plan, locks, self.summary)
        self.fetcher = Fetcher(source.images, source.may_fetch, workspace.images, plan.min_size)
        self.asking, self.fetching = ThreadPool(), ThreadPool()
        self.done: queue.SimpleQueue[tuple[Job, JobResult | Exception]] = queue.SimpleQueue()
        self.states = ClassStates()
        self._number = partial(_class_number, source.name)
        self.jobs_of: Counter[str] = Counter()  # of the classes that are working, by wnid
        self.is_answered = False  # whether any host has answered at all
        self.told_of: datetime | None = None
        self.last_error = "in an earlier run"

    def settle(self) -> Iterator[ImageClass]:
        """Work until no class needs anything, and yield each one as it gets there."""
        self.hosts.stopping.clear()
        self._know_a_good_photo()
        with ExitStack() as ended:
            ended.callback(self.asking.close)
            ended.callback(self.fetching.close)
            ended.callback(self.hosts.stop)  # first of these: threads may wait for their turn
            ended.push(self._interrupted)
            lacking, others = lacking_and_others(self.store, self.plan)
            yield from self._work(lacking)
            done, others = self._done(others)
            yield from done
            yield from self._work(others)
            # A class that was asked late may claim a photo that an earlier one had counted in.
            while again := self._unsettled():
                for _ in self._work(again):
                    pass

    def _know_a_good_photo(self) -> None:
        """Remember a photo that came, by which to see later whether its host is well."""
        if self.source.images.ping is None:
            result = select(Photo.image_url).where(
                Photo.source == self.source.name, Photo.sha256.is_not(None), Photo.image_url != ""
            )
            with self.store.session() as session:
                url = session.scalar(result.order_by(Photo.stored_at.desc()).limit(1))
            if url is not None:
                self.source.images.ping = lambda quota: self.fetcher.ping(url)

    def _interrupted(self, kind: type[BaseException] | None, *_: object) -> None:
        """Let go of calls that are being made, where somebody does not want to wait for them."""
        if kind is not None and not issubclass(kind, Exception):
            self.asking.leave()
            self.fetching.leave()

    def _done(self, classes: Sequence[ImageClass]) -> tuple[list[ImageClass], list[ImageClass]]:
        """Those of the classes that need nothing, and the others; of many this is read at once."""
        plan = replace(self.plan, classes=tuple(classes))
        with self.store.session() as session:
            done = {cls.wnid for cls, state in class_states(session, plan) if state.is_done}
        return (
            [cls for cls in classes if cls.wnid in done],
            [cls for cls in classes if cls.wnid not in done],
        )

    def _unsettled(self) -> list[ImageClass]:
        """The classes that need more after all; the others are counted."""
        unsettled = []
        self.summary.full, self.summary.short, self.summary.contested = 0, {}, {}
        passed_over = Counter[str]()
        open_classes = {*self.summary.failed, *self.summary.waiting}
        classes = tuple(cls for cls in self.plan.classes if cls.wnid not in open_classes)
        with self.store.session() as session:
            for cls, state in class_states(session, replace(self.plan, classes=classes)):
                if not state.is_done:
                    unsettled.append(cls)
                    continue
                if state.is_full:
                    self.summary.full += 1
                else:
                    self.summary.short[cls.wnid] = len(state.selection.selected)
                if state.selection.contested:
                    self.summary.contested[cls.wnid] = len(state.selection.contested)
                passed_over.update(state.passed_over)
        self.summary.passed_over = dict(passed_over.most_common())
        return unsettled

    def _work(self, classes: Iterable[ImageClass]) -> Iterator[ImageClass]:
        """Give out jobs and store what comes of them, until these classes need no more."""
        self.states.wait(classes)
        while True:
            if self.hosts.is_ending:
                raise KeyboardInterrupt
            self.states.wake(self._now())
            yield from self._start()
            if self.jobs_of:
                result = self._store(self._finished())
                yield from self._look_at([cls for cls in result if not self.jobs_of[cls.wnid]])
            elif self.states.are_waiting:  # for what others are about to finish
                time.sleep(_LOOK_AGAIN)
            elif not self._pause():
                return

    def _start(self) -> Iterator[ImageClass]:
        """Look at classes that wait, as many as there is room for; yield those that are settled."""
        if some := self.states.take(_CLASSES_AT_A_TIME - len(self.jobs_of)):
            locked = self.locks.take("class", set(map(self._number, some)))
            self.states.wait(cls for cls in some if self._number(cls) not in locked)
            yield from self._look_at([cls for cls in some if self._number(cls) in locked])

    def _look_at(self, classes: Sequence[ImageClass]) -> Iterator[ImageClass]:
        """Bring classes that are ours to their next state, and yield those that are settled."""
        finished = []
        for cls in classes:
            # A bad key shows at the first call, so the first class makes it alone.
            if self.jobs_of and not self.is_answered:
                self.states.wait([cls])
            elif self._look(cls):
                finished.append(cls)
        if others := {self._number(cls) for cls in classes if cls.wnid not in self.jobs_of}:
            with self.store.begin() as session:
                self.locks.release(session, "class", others)
        yield from finished

    def _look(self, cls: ImageClass) -> bool:
        """Bring a class to its next state; whether it is settled."""
        needs = self._needs(cls)
        if able := [job for job in needs.jobs if job.host.opens_in() == 0]:
            is_careful = able[0].host.is_down or not self.is_answered
            self._submit(cls, able[:1] if is_careful else able)
        elif needs.jobs:
            self.states.block(cls, needs.jobs[0].host)
        elif needs.later:
            self.states.rest(cls, min(needs.later))
        else:
            if needs.failed:
                self.summary.failed[cls.wnid] = needs.failed
            return True
        return False

    def _needs(self, cls: ImageClass) -> "_Needs":
        """What a class needs next: nothing when it is settled."""
        needs, now = _Needs(), self._now()
        with self.store.session() as session:
            state = class_state(session, self.plan, cls)
            if state.is_done:
                return needs
            if state.ahead.is_even and (missing := state.selection.missing):
                tried = photos_tried(session, [candidate.photo_id for candidate in missing])
                for candidate in missing:
                    photo = PhotoJob(
                        cls, candidate, self.fetcher, is_known=candidate.photo_id in tried
                    )
                    needs.add(photo, tried.get(candidate.photo_id), now)
            else:
                failed = searches_tried(session, cls.wnid, self.source.name)
                for step in state.ahead.steps:
                    key = question_key(step.question)
                    page = PageJob(cls, step, self.source, is_known=key in failed)
                    needs.add(page, failed.get(key), now)
        needs.jobs.sort(key=lambda job: job.is_known)  # what never failed says more of its host
        return needs

    def _submit(self, cls: ImageClass, jobs: Sequence[Job]) -> None:
        """Have threads do those of a class's jobs that nobody else does or has just done."""
        pages = [job for job in jobs if isinstance(job, PageJob)]
        photos = {job.candidate.photo_id: job for job in jobs if isinstance(job, PhotoJob)}
        locked = self.locks.take("photo", photos.keys()) if photos else set()
        undone = select(Photo.id).where(
            Photo.id.in_(locked), Photo.sha256.is_(None), Photo.rejected.is_(None)
        )
        if locked:
            with self.store.begin() as session:
                undone_ids = set(session.scalars(undone))
                self.locks.release(session, "photo", locked - undone_ids)
            locked = undone_ids
        free: list[Job] = [*pages, *(photos[number] for number in photos if number in locked)]
        if not free:
            self.states.wait([cls])  # what this class needs is being fetched for another one
            return
        self.jobs_of[cls.wnid] = len(free)
        for job in free:
            pool = self.asking if isinstance(job, PageJob) else self.fetching
            pool.submit(partial(self._do, job))

    def _do(self, job: Job) -> None:
        """Do a job, in whatever thread, and have the main one hear of it."""
        try:
            self.done.put((job, job.do()))
        except Exception as error:  # noqa: BLE001 - the main thread raises it
            self.done.put((job, error))

    def _finished(self) -> list[tuple[Job, JobResult | Exception]]:
        """Wait for a job to end, not for long, and return it with those that ended meanwhile."""
        done: list[tuple[Job, JobResult | Exception]] = []
        with suppress(queue.Empty):
            done.append(self.done.get(timeout=_LOOK_AGAIN))
            if self.jobs_of.total() > 1:
                time.sleep(_GATHER)  # one transaction for many photos
            while True:
                done.append(self.done.get_nowait())
        self.asking.look()
        self.fetching.look()
        return done

    def _store(self, done: Sequence[tuple[Job, JobResult | Exception]]) -> list[ImageClass]:
        """Store what came, and return the classes that it was for.

        Raises what a job raised that no later try mends, once the others' results are stored.
        """
        if not done:
            return []
        results: list[Done] = [
            (job, result) for job, result in done if isinstance(result, JobResult)
        ]
        self.results.keep(results, self.hosts.now())
        self._know_a_good_photo()
        for job, result in done:
            self.jobs_of[job.cls.wnid] -= 1
            if not self.jobs_of[job.cls.wnid]:
                del self.jobs_of[job.cls.wnid]
            if not isinstance(result, JobResult):
                raise result
            if isinstance(result, SourceUnavailable):
                self.last_error = str(result)
            self.is_answered |= not isinstance(result, SourceUnavailable | HostClosed)
        return list({job.cls.wnid: job.cls for job, _ in done}.values())

    def _pause(self) -> bool:
        """Wait until a class can go on; False where none is left, or none is waited for."""
        now = self._now()
        until = self.states.wakes_at(now)
        if until is None:
            return False
        seconds = (until - now).total_seconds()
        if seconds > scaled(LONG):
            if not self.plan.wait:
                come_back = until.astimezone().isoformat(timespec="minutes")
                self.summary.waiting = dict.fromkeys(
                    (cls.wnid for cls in self.states.leave()), come_back
                )
                return False
            self._tell()
        time.sleep(min(max(seconds, 0), _LOOK_AGAIN))
        return True

    def _tell(self) -> None:
        """Say once that there is nothing to do but to wait; a host's pause is told by the host."""
        until = self.states.rests_until
        if until is not None and until != self.told_of:
            self.told_of = until
            classes = count(self.states.resting, "class", "classes")
            self.hosts.say(
                f"{classes} waiting for the next try at {until.astimezone():%H:%M} "
                f"({self.last_error})"
            )

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self.hosts.now(), UTC)


@dataclass
class _Needs:
    """What a class needs: jobs that can be done now, the times of later ones, or why none."""

    jobs: list[Job] = field(default_factory=list)
    later: list[datetime] = field(default_factory=list)
    failed: str = ""

    def add(self, job: Job, tried: Failure | None, now: datetime) -> None:
        """Sort in a job by how it went before."""
        if tried is None or tried.is_due(now):
            self.jobs.append(job)
        elif tried.next_at is not None:
            self.later.append(tried.next_at)
        else:
            self.failed = tried.error


def _class_number(source: str, cls: ImageClass) -> int:
    """A number to lock a class of a source by: its own in WordNet, and above it the source's.

    That of a class without a wnid is its place, which stays, counted down from the largest.
    """
    is_wnid = re.fullmatch("n[0-9]{8}", cls.wnid)
    number = int(cls.wnid[1:]) if is_wnid else (1 << 27) - 1 - cls.index
    return crc32(source.encode()) << 27 | number
