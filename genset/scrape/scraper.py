"""Fill each class with candidates: search, then download by rank until it has enough.

The database says at any moment what a class needs next (`class_state`): pages to ask for, photos
to download, or nothing more. Threads do these jobs, which only talk to hosts and write originals;
the main thread stores what came of them and looks again. A class's next jobs are given out when
all its last ones are stored, so a scrape that is killed anywhere goes on from the rows, and so
does one whose database was away.
"""

import queue
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeGuard, TypeVar

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from tenacity import RetryCallState, Retrying, retry_if_exception, wait_exponential
from tenacity.stop import stop_after_delay, stop_never

from genset.classes import ImageClass
from genset.core.dates import minute
from genset.core.errors import SourceRefused
from genset.core.numbers import count
from genset.core.progress import progress
from genset.db import Photo, Store
from genset.db.failures import is_away
from genset.net.host_state import LONG
from genset.net.hosts import Host, HostClosed
from genset.net.originals import Fetcher
from genset.net.pace import scaled
from genset.scrape.locks import Locks, class_number
from genset.scrape.opt_out import honour, lines
from genset.scrape.plan import ScrapePlan
from genset.scrape.results import Done, Results, ScrapeSummary, pages_tried, photos_tried
from genset.scrape.search import question_key
from genset.scrape.state import class_state, class_states, lacking_and_others
from genset.scrape.work import LOOK_AGAIN, Job, JobResult, PageJob, PhotoJob, Schedule
from genset.sources.source import Source
from genset.workspace import Workspace

_CLASSES_AT_A_TIME = 32
_GATHER = 0.05  # seconds
# Threads, few: Python computes in one at a time, and those that need not wait for hosts or for the
# disk lose more time by handing that right to each other than they gain.
_ASKING, _FETCHING = 4, 8
_GOOD_PHOTOS = 20  # that are remembered, to see by whether their host is well

T = TypeVar("T")


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
        SourceRefused: the first call met what only a person can mend, for instance a bad key.
        HostGaveUp: a host is not to be waited for.
        BadInput: the list of who opted out has a misspelt source.
    """
    stored = (name for name in honour(store, plan.opt_out) if name.startswith(f"{source.name}:"))
    for line in lines(stored, plan.opt_out):
        source.api.hosts.say(line)
    with Locks(store, source.api.hosts.now) as locks:
        scraper = _Scraper(workspace, store, source, plan, locks)
        what, total = f"scrape {source.name}", len(plan.classes)
        for _ in progress(scraper.fill(), total=total, what=what, unit="class"):
            pass
        return scraper.summary


class _Scraper:
    """Works on many classes at once.

    A class is in one of three places: in `schedule`, where its next look has a time; in `working`,
    while jobs for it are done; or complete, and in neither. `incomplete` has all others.
    """

    def __init__(
        self, workspace: Workspace, store: Store, source: Source, plan: ScrapePlan, locks: Locks
    ) -> None:
        self.store = store
        self.source = source
        self.plan = plan
        self.locks = locks
        self.hosts = source.api.hosts
        self.summary = ScrapeSummary()
        on_event = self.hosts.on_event
        self.results = Results(store, workspace.images, plan, locks, self.summary, on_event)
        self.fetcher = Fetcher(source.images, source.may_fetch, workspace.images, plan.min_size)
        self.asking = ThreadPoolExecutor(_ASKING)
        self.fetching = ThreadPoolExecutor(_FETCHING)
        self.done: queue.SimpleQueue[tuple[Job, JobResult | Exception]] = queue.SimpleQueue()
        self.finished: list[tuple[Job, JobResult | Exception]] = []  # and not stored yet
        self.incomplete: dict[str, ImageClass] = {}
        self.schedule = Schedule()
        self.working = Counter[str]()  # jobs of each class, by wnid
        self.calls = Counter[Host]()  # jobs of each host
        self.photos = set[int]()  # that are being fetched, by `Photo.id`
        self.locked = set[str]()  # the classes that are this process's
        self.reported = 0.0
        self.is_store_away = False

    def fill(self) -> Iterator[ImageClass]:
        """Work until no class needs anything, and yield each one as it gets there."""
        begun = time.monotonic()
        self.hosts.stopping.clear()
        with ExitStack() as ended:
            ended.push(self._end)
            self._patiently(self._remember_good_photos)
            lacking, others = self._patiently(partial(lacking_and_others, self.store, self.plan))
            yield from self._work(lacking)
            pending = {cls.wnid: cls for cls in others}
            # A class that was asked late may claim a photo that an earlier one had counted in.
            while again := self._patiently(self._count):
                for wnid in pending.keys() - {cls.wnid for cls in again}:
                    yield pending.pop(wnid)
                for cls in self._work(again):
                    if pending.pop(cls.wnid, None):
                        yield cls
            yield from (cls for cls in pending.values() if cls.wnid not in self.summary.waiting)
            self._patiently(self.results.count_failures)
        self.summary.seconds = round(time.monotonic() - begun, 1)

    def _end(self, kind: type[BaseException] | None, *_: object) -> None:
        """Let threads end; not waiting for their calls where somebody does not want to wait."""
        self.hosts.stop()  # threads may wait for their turn
        is_interrupt = kind is not None and not issubclass(kind, Exception)
        for pool in (self.asking, self.fetching):
            pool.shutdown(wait=not is_interrupt, cancel_futures=True)

    def _remember_good_photos(self) -> None:
        """Remember photos that came, by which to see later whether their host is well."""
        newest = select(Photo.image_url).where(
            Photo.source == self.source.name, Photo.sha256.is_not(None), Photo.image_url != ""
        )
        with self.store.session() as session:
            for url in session.scalars(newest.order_by(Photo.stored_at.desc()).limit(_GOOD_PHOTOS)):
                self.fetcher.remember(url)

    def _count(self) -> list[ImageClass]:
        """Count what each class has; the classes that need more after all."""
        again = []
        self.summary.full, self.summary.short, self.summary.contested = 0, {}, {}
        rejected = Counter[str]()
        classes = tuple(cls for cls in self.plan.classes if cls.wnid not in self.summary.waiting)
        with self.store.session() as session:
            for cls, state in class_states(session, replace(self.plan, classes=classes)):
                if not state.is_done:
                    again.append(cls)
                    continue
                if state.is_full:
                    self.summary.full += 1
                else:
                    self.summary.short[cls.wnid] = len(state.selection.selected)
                if state.selection.contested:
                    self.summary.contested[cls.wnid] = len(state.selection.contested)
                rejected.update(state.rejected_by_plan)
        self.summary.rejected_by_plan = dict(rejected.most_common())
        return again

    def _work(self, classes: Sequence[ImageClass]) -> Iterator[ImageClass]:
        """Give out jobs and store what comes of them, until these classes need no more."""
        self.incomplete = {cls.wnid: cls for cls in classes}
        self.schedule = Schedule(classes)
        while self.incomplete:
            if self.hosts.is_ending:
                raise KeyboardInterrupt
            for cls in self._patiently(self._step):
                if self.incomplete.pop(cls.wnid, None) is not None:
                    yield cls

    def _patiently(self, function: Callable[[], T]) -> T:
        """Do it, and again when a database that is away is back."""
        patience = self.hosts.give_up_after
        retrying = Retrying(
            retry=retry_if_exception(is_away),
            wait=wait_exponential(multiplier=LOOK_AGAIN, max=10),
            stop=stop_never if patience is None else stop_after_delay(patience),
            before_sleep=self._begin_again,
            sleep=self._sleep,
            reraise=True,
        )
        answer: T = retrying(function)
        if self.is_store_away:
            self.is_store_away = False
            self.hosts.say("the database answers again")
        return answer

    def _begin_again(self, attempt: RetryCallState) -> None:
        """Go on from what is stored: what was in memory alone may be none of it."""
        error = attempt.outcome.exception() if attempt.outcome else None
        if not self.is_store_away and isinstance(error, DBAPIError):
            self.is_store_away = True
            reason = str(error.orig).strip().partition("\n")[0]
            self.hosts.say(f"the database does not answer ({reason}); it is waited for")
        idle = [cls for cls in self.incomplete.values() if cls.wnid not in self.working]
        self.schedule = Schedule(idle)
        self.locked = {wnid for wnid in self.locked if wnid in self.working}

    def _sleep(self, seconds: float) -> None:
        if self.hosts.stopping.wait(seconds):
            raise KeyboardInterrupt

    def _step(self) -> list[ImageClass]:
        """Look at the classes whose time has come, and store what came; those that are complete."""
        classes = self.schedule.take(_CLASSES_AT_A_TIME - len(self.working), self.hosts.now())
        complete = self._look_at(classes) if classes else []
        if self.working:
            self._store()
        elif not complete:
            self._pause()
        return complete

    def _look_at(self, classes: Sequence[ImageClass]) -> list[ImageClass]:
        """Give out the jobs of those classes that are nobody else's; those that are complete."""
        if new := {
            class_number(self.source.name, cls): cls
            for cls in classes
            if cls.wnid not in self.locked
        }:
            self.locked |= {new[taken].wnid for taken in self.locks.take("class", new)}
        complete = []
        for cls in classes:
            if cls.wnid not in self.locked:
                self.schedule.add(cls, self.hosts.now() + LOOK_AGAIN)
            elif self._look(cls):
                complete.append(cls)
        if idle := {
            class_number(self.source.name, cls): cls.wnid
            for cls in classes
            if cls.wnid not in self.working
        }:
            with self.store.begin() as session:
                self.locks.release(session, "class", idle)
            self.locked -= set(idle.values())
        return complete

    def _look(self, cls: ImageClass) -> bool:
        """Give out what a class needs next, or note when to look again; whether it is complete."""
        jobs, following = self._needs(cls)
        if not jobs:
            if following is not None:
                self.schedule.add(cls, following)
            return following is None
        host, now = jobs[0].host, self.hosts.now()
        if host.opens_in() > 0:
            self.schedule.add(cls, now + LOOK_AGAIN, host)
        elif host.has_answered and not host.is_down:
            self._submit(cls, jobs)
        elif self.calls[host]:  # a bad key shows at the first call
            self.schedule.add(cls, now + LOOK_AGAIN, host)
        else:
            self._submit(cls, [_probe(jobs) if host.is_down else jobs[0]])
        return False

    def _needs(self, cls: ImageClass) -> tuple[list[Job], float | None]:
        """The jobs that a class needs done now, and when there will be more."""
        at = datetime.fromtimestamp(self.hosts.now(), UTC)
        jobs: list[tuple[Job, datetime]] = []
        with self.store.session() as session:
            state = class_state(session, self.plan, cls)
            if state.is_done:
                return [], None
            if state.ahead.is_even and (missing := state.selection.missing):
                tried = photos_tried(session, [photo.photo_id for photo in missing], at)
                for photo in missing:
                    is_known = photo.photo_id in tried
                    job = PhotoJob(cls, photo, self.fetcher, is_known=is_known)
                    jobs.append((job, tried.get(photo.photo_id, at)))
            else:
                failed = pages_tried(session, cls.wnid, self.source.name, at)
                for step in state.ahead.steps:
                    key = question_key(step.question)
                    page = PageJob(cls, step, self.source, is_known=key in failed)
                    jobs.append((page, failed.get(key, at)))
        due = [job for job, time_ in jobs if time_ <= at]
        due.sort(key=lambda job: job.is_known)  # what never failed says more of its host
        return due, min(time_.timestamp() for _, time_ in jobs)

    def _submit(self, cls: ImageClass, jobs: Sequence[Job]) -> None:
        """Have threads do those of a class's jobs that nobody else does or has just done."""
        photos = {job.candidate.photo_id for job in jobs if isinstance(job, PhotoJob)}
        if photos:
            locked = self.locks.take("photo", photos - self.photos)
            undone = select(Photo.id).where(
                Photo.id.in_(locked), Photo.sha256.is_(None), Photo.rejected.is_(None)
            )
            with self.store.begin() as session:
                photos = set(session.scalars(undone))
                self.locks.release(session, "photo", locked - photos)
        free = [job for job in jobs if isinstance(job, PageJob) or job.candidate.photo_id in photos]
        if not free:  # what this class needs is being fetched for another one
            self.schedule.add(cls, self.hosts.now() + LOOK_AGAIN)
            return
        self.photos |= photos
        self.working[cls.wnid] = len(free)
        for job in free:
            self.calls[job.host] += 1
            pool = self.asking if isinstance(job, PageJob) else self.fetching
            pool.submit(partial(self._do, job))

    def _do(self, job: Job) -> None:
        """Do a job, in whatever thread, and have the main one hear of it."""
        result: JobResult | Exception
        try:
            result = job.do()
        except Exception as error:  # noqa: BLE001 - the main thread raises it
            result = error
            if is_away(error):
                result = HostClosed("the database")
        self.done.put((job, result))

    def _store(self) -> None:
        """Wait for jobs to end, not for long, and store what came of them.

        Raises what a job raised that no later try mends, once the others' results are stored.
        """
        with suppress(queue.Empty):
            self.finished.append(self.done.get(timeout=LOOK_AGAIN))
            if self.working.total() > 1:
                time.sleep(_GATHER)  # one transaction for many photos
            while True:
                self.finished.append(self.done.get_nowait())
        if not self.finished:
            return
        results: list[Done] = [(job, result) for job, result in self.finished if _is_result(result)]
        self.results.keep(results, self.hosts.now())
        finished, self.finished = self.finished, []
        for job, _ in finished:
            self.calls[job.host] -= 1
            if isinstance(job, PhotoJob):
                self.photos.discard(job.candidate.photo_id)
            self.working[job.cls.wnid] -= 1
            if not self.working[job.cls.wnid]:  # all its jobs are done: it is looked at
                del self.working[job.cls.wnid]
                # Not at once where it found a host down: another's photo may find it back.
                down = job.host if job.host.is_down else None
                self.schedule.add(job.cls, self.hosts.now() + LOOK_AGAIN if down else 0.0, down)
        for _, result in finished:
            if isinstance(result, Exception) and not _is_result(result):
                raise result

    def _pause(self) -> None:
        """Wait until a class can go on; or give up those that are waiting."""
        following = self.schedule.next(self.hosts.now())
        if following is None:
            return
        at, host = following
        seconds = at - self.hosts.now()
        if seconds > scaled(LONG) and not self.plan.wait:
            self.summary.waiting |= dict.fromkeys(self.incomplete, minute(at))
            self.incomplete.clear()
            return
        if seconds > scaled(LONG) and host is None and self.reported != at:  # hosts say so too
            self.reported = at
            classes = count(len(self.incomplete), "class", "classes")
            error = self.results.error_due(at)
            self.hosts.say(
                f"{classes} waiting for the next try at {minute(at)} ({error}); "
                "genset status --failed names them"
            )
        self._sleep(min(max(seconds, 0), LOOK_AGAIN))


def _probe(jobs: Sequence[Job]) -> Job:
    """The job that asks whether a host is back: any that never failed."""
    return random.choice([job for job in jobs if not job.is_known] or jobs)  # noqa: S311


def _is_result(result: JobResult | Exception) -> TypeGuard[JobResult]:
    """Whether a result is stored; what is not ends the scrape."""
    if isinstance(result, SourceRefused):
        return result.scope in ("photo", "query", "entry")
    return isinstance(result, JobResult)
