"""What an executor is: it has the shards of a job scored, and reports what became of each."""

import errno
import multiprocessing
import os
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from pkgutil import resolve_name
from typing import Any, Self

import torch

from genset.core.errors import GensetError, first_line
from genset.core.progress import progress
from genset.models.processes import can_fork, cores, receive, start_fork
from genset.score.job import Job, MissingShard, ShardReport
from genset.score.loader import PixelDataset
from genset.score.options import ScoringOptions
from genset.score.workers import CLUSTERS
from genset.score.workers.remote import pack, score_on_gpu
from genset.score.workers.worker import ScoredShard, StartedShard, Worker, serve


class Executor(ABC):
    """Has shards scored. It is opened by ``with``.

    A new one defines `scored`, and overrides what is different in it.
    """

    def __enter__(self) -> Self:
        """Connect to the processes that score.

        Raises:
            GensetError: there are none.
        """
        return self

    def __exit__(self, *exception: object) -> None:
        """Disconnect."""
        return

    @abstractmethod
    def scored(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ScoredShard]:
        """Have the shards scored: a report and the answers of each, in any order.

        Raises:
            GensetError: a process that scores was killed.
        """

    def run(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
        """Have the shards scored, with progress shown, and keep their answers: a report of each.

        Raises:
            GensetError: the answers cannot be written, or a process that scores was killed. What
                is finished is kept.
        """
        names = ", ".join(task.model.spec.name for task in job.tasks)
        photos = sum(len(job.shards[missing.shard]) for missing in todo)
        # The progress bar counts photos, so a report is repeated for each photo of its shard.
        shards = ((found, job.shards[found[0].shard]) for found in self.scored(job, todo))
        repeated = ((found, index == shard[-1]) for found, shard in shards for index in shard)
        for (report, answers), is_last in progress(
            repeated, total=photos, what=names, unit="photo"
        ):
            if is_last:
                try:
                    job.keep(report, answers)
                except OSError as error:
                    raise not_written(error) from None
                yield report

    @property
    def has_gpus(self) -> bool:
        """Whether those that score have a GPU."""
        return torch.cuda.is_available()


def not_written(error: OSError) -> GensetError:
    """What to raise where answers cannot be written."""
    mend = "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "mend that"
    return GensetError(
        f"the answers cannot be written: {error.strerror or first_line(error)}. What is "
        f"finished is kept: {mend} and run the same command again"
    )


class InProcess(Executor):
    """Scores in this process; for a GPU, others read photos ahead of it."""

    def __init__(self, readers: int = 0) -> None:
        """`readers` read ahead of a GPU; 0: one a core."""
        self.readers = readers

    def scored(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ScoredShard]:
        on_gpu = torch.cuda.is_available() and job.wants_gpu
        worker = Worker(job, job.dataset(), (self.readers or cores()) if on_gpu else 0)
        yield from score_shards(worker, todo)


def score_shards(worker: Worker, todo: Sequence[MissingShard]) -> Iterator[ScoredShard]:
    """Have a worker score shards, and close it.

    Raises:
        GensetError: a process that reads photos was killed.
    """
    threads = torch.get_num_threads()
    try:
        if worker.ahead:  # all cores read photos, and PyTorch's threads would only be in their way
            torch.set_num_threads(1)
        for missing in todo:
            worker.expect(missing)
        started: deque[StartedShard] = deque()
        for missing in todo:
            started.append(worker.start(missing))
            if len(started) > worker.ahead:
                yield worker.finish(started.popleft())
        for shard in started:
            yield worker.finish(shard)
    except BrokenExecutor:
        raise GensetError(
            "a process that reads photos was killed; if memory is short, have fewer by "
            "--workers. What is finished is kept: run the same command again"
        ) from None
    finally:
        worker.close()
        torch.set_num_threads(threads)


# Fewer photos are scored before other processes would have begun.
_FEW = 64

Process = tuple[Any, Connection]
"""A worker's process, and our end of its pipe."""


class WorkerPool(Executor):
    """Scores in several processes; in this one where that is enough, or a single GPU does it."""

    def __init__(self, workers: int = 0) -> None:
        """`workers` score, or read photos for GPUs; 0: one a core."""
        self.workers = workers

    def scored(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ScoredShard]:
        gpus = gpus_here() if job.wants_gpu else []
        if len(gpus) > 1 and len(todo) > 1:
            return _score_on_gpus(job, todo, gpus, self.workers or cores())
        photos = sum(len(job.shards[missing.shard]) for missing in todo)
        workers = min(self.workers or (1 if photos < _FEW else cores()), len(todo))
        if workers > 1 and can_fork() and not gpus:
            return _score_on_cores(job, todo, workers)
        return InProcess(self.workers).scored(job, todo)


def gpus_here() -> list[str]:
    """The GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them."""
    if not torch.cuda.is_available():
        return []
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    return named.split(",") if named else list(map(str, range(torch.cuda.device_count())))


def _score_on_cores(job: Job, todo: Sequence[MissingShard], workers: int) -> Iterator[ScoredShard]:
    dataset = job.dataset()
    processes = [start_fork(_work, job, dataset, number == 0) for number in range(workers)]
    with _ended(processes):
        yield from _handed_out(processes, todo)


def _work(end: Connection, job: Job, dataset: PixelDataset, check: bool) -> None:
    """What a worker on a core does."""
    serve(end, Worker(job, dataset, check=check))


def _score_on_gpus(
    job: Job, todo: Sequence[MissingShard], gpus: Sequence[str], readers: int
) -> Iterator[ScoredShard]:
    work = pack(job, max(1, readers // len(gpus)))
    context = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
    processes: list[Process] = []
    with _ended(processes):
        for gpu in gpus:
            parent_end, child_end = context.Pipe()
            process = context.Process(target=score_on_gpu, args=(child_end, work, gpu))
            process.start()
            child_end.close()
            processes.append((process, parent_end))
        yield from _handed_out(processes, todo)


def _handed_out(
    processes: Sequence[Process], todo: Sequence[MissingShard]
) -> Iterator[ScoredShard]:
    """Hand out shards, one at a time: with the next one in hand, one worker would be left with two.

    Each end of a pipe is that of a process which does `worker.serve`.
    """
    waiting = deque(todo)
    failed: set[int] = set()
    process_of: dict[Any, Any] = {end: process for process, end in processes}
    busy: set[Any] = set()

    def hand_out(end: Connection) -> None:
        while waiting and end not in busy:
            shard, tasks = waiting.popleft()
            if live := [number for number in tasks if number not in failed]:
                busy.add(end)
                end.send(MissingShard(shard, live))

    for end in process_of:
        hand_out(end)
    while busy:
        ready: list[Any] = wait(busy)
        for end in ready:
            answer = receive(end, process_of[end])
            busy.remove(end)
            if isinstance(answer, GensetError):
                raise answer
            failed |= answer[0].failed.keys()
            hand_out(end)
            yield answer
    for end in process_of:
        end.send(None)


@contextmanager
def _ended(processes: Sequence[Process]) -> Iterator[None]:
    """End the workers with the block."""
    try:
        yield
    finally:
        for process, _ in processes:
            process.join(timeout=5 if sys.exc_info()[0] is None else 0)
            process.terminate()
            process.join()


def open_executor(options: ScoringOptions) -> Executor:
    """The cluster that the options name; else a pool of processes on this machine."""
    if not options.cluster:
        return WorkerPool(options.workers)
    executor: Executor = resolve_name(CLUSTERS[options.cluster])()
    return executor
