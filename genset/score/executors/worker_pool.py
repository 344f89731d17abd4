"""A pool of workers: processes that share nothing but the list of what is to do.

Each is split off from this process with the models in its memory, decodes and scores on one core,
and writes what it finished. This process only hands out shards, so a worker that is killed takes
nothing with it but the shard in its hands.
"""

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

import torch

from genset.core.errors import GensetError
from genset.models.processes import can_fork, cores, receive, start_fork
from genset.score.executors.executor import Executor, not_written
from genset.score.executors.in_process import InProcess
from genset.score.job import Job, MissingShard, ShardReport
from genset.score.loader import PixelDataset
from genset.score.score import Worker

# Fewer photos are scored before other processes would have begun.
_FEW = 64


class WorkerPool(Executor):
    """Scores in several processes; in this one where that is enough, or a GPU does the work."""

    def __init__(self, workers: int = 0, beside: int = 1) -> None:
        """Take the number of workers.

        Args:
            workers: how many; 0: one a core.
            beside: how many such pools share this machine's cores.
        """
        self.workers = workers
        self.cores = max(1, cores() // beside)

    def reports(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
        workers = min(self.workers or self._worth(job, todo), len(todo))
        on_gpu = torch.cuda.is_available() and job.wants_gpu
        if workers > 1 and can_fork() and not on_gpu:
            return _score_in_pool(job, todo, workers)
        return InProcess(self.workers or self.cores).reports(job, todo)

    def _worth(self, job: Job, todo: Sequence[MissingShard]) -> int:
        photos = sum(len(job.shards[missing.shard]) for missing in todo)
        return 1 if photos < _FEW else self.cores


def _score_in_pool(job: Job, todo: Sequence[MissingShard], workers: int) -> Iterator[ShardReport]:
    waiting = deque(todo)
    failed: set[int] = set()
    dataset = job.dataset()
    processes = [start_fork(_work, job, dataset, number == 0) for number in range(workers)]
    process_of: dict[Any, Any] = {end: process for process, end in processes}
    busy: set[Any] = set()

    def hand_out(end: Connection) -> None:
        """A shard at a time: with the next one in hand, one worker would be left with two."""
        while waiting and end not in busy:
            shard, tasks = waiting.popleft()
            if live := [number for number in tasks if number not in failed]:
                busy.add(end)
                end.send(MissingShard(shard, live))

    try:
        for end in process_of:
            hand_out(end)
        while busy:
            ready: list[Any] = wait(busy)
            for end in ready:
                report = receive(end, process_of[end])
                busy.remove(end)
                if isinstance(report, GensetError):
                    raise report
                failed |= report.failed.keys()
                hand_out(end)
                yield report
        for end in process_of:
            end.send(None)
    finally:
        for process, _ in processes:
            process.join(timeout=5 if sys.exc_info()[0] is None else 0)
            process.terminate()
            process.join()


def _work(end: Connection, job: Job, dataset: PixelDataset, check: bool) -> None:
    """What a worker does: it scores what it is handed, and reports each shard."""
    worker = Worker(job, dataset, check=check)
    while (missing := end.recv()) is not None:
        try:
            end.send(worker.score_and_keep(missing))
        except OSError as error:
            end.send(not_written(error))
