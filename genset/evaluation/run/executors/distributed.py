"""The processes that torchrun starts, on one machine or several, score a set together.

Environment variables say who is who. They talk by gloo, on the CPU: answers are few. Each process
scores every n-th shard by an executor of its own.
"""

import atexit
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import TypeVar

import torch
from torch import distributed

from genset.errors import GensetError
from genset.evaluation.run.executors.executor import Executor
from genset.evaluation.run.executors.worker_pool import WorkerPool
from genset.evaluation.run.job import Job, MissingShard, ShardReport
from genset.evaluation.run.shards import shard_file
from genset.files import written_whole

T = TypeVar("T")

# One waits for the others as long as these score.
_PATIENCE = timedelta(days=30)


def under_torchrun() -> bool:
    """Whether torchrun started this process, with others."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1 and "RANK" in os.environ


class Distributed(Executor):
    """This process among those that torchrun started: its rank, and how many they are."""

    def __init__(self, workers: int = 0) -> None:
        """Join the others; `workers` score for this process (0: its share of the cores)."""
        if not distributed.is_initialized():
            distributed.init_process_group("gloo", timeout=_PATIENCE)
            # Its threads, if they still run when Python is gone, abort the process.
            atexit.register(distributed.destroy_process_group)
        if torch.cuda.is_available():
            local_rank = int(os.environ.get("LOCAL_RANK", "0"))
            torch.cuda.set_device(local_rank % torch.cuda.device_count())
        self.rank, self.size = distributed.get_rank(), distributed.get_world_size()
        self.local = WorkerPool(workers, int(os.environ.get("LOCAL_WORLD_SIZE", "1")))

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def on_first(self, work: Callable[[], T]) -> T:
        answer: list[T | GensetError | None] = [None]
        if self.is_first:
            try:
                answer = [work()]
            except GensetError as error:
                answer = [error]
        distributed.broadcast_object_list(answer, src=0)
        if isinstance(answer[0], GensetError):
            raise answer[0]
        return answer[0]  # type: ignore[return-value]

    def run(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
        """Reports of this process's shards as they come (`reports`), then those of the others.

        Raises:
            GensetError: it failed in one of the processes; in all of them.
        """
        reports: list[ShardReport] = []
        problem = None
        try:
            for report in super().run(job, todo):
                reports.append(report)
                yield report
        except GensetError as error:
            problem = error
        found = self._gathered((reports, problem))
        for rank, (others, _) in enumerate(found):
            yield from others if rank != self.rank else ()
        for _, theirs in found:
            if theirs is not None:
                raise theirs
        failed = {number for reports, _ in found for each in reports for number in each.failed}
        self._collect_shards(job, failed)

    def reports(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
        return self.local.reports(job, self._own(todo))

    def _own(self, todo: Sequence[MissingShard]) -> list[MissingShard]:
        return [missing for missing in todo if missing.shard % self.size == self.rank]

    def _gathered(self, value: T) -> list[T]:
        """What each process gives, in the order of their ranks, in all of them."""
        found: list[T | None] = [None] * self.size
        distributed.all_gather_object(found, value)
        return found  # type: ignore[return-value]

    def _collect_shards(self, job: Job, failed: set[int]) -> None:
        """Give the first process the files that lie on other machines' disks."""
        for number, task in enumerate(job.tasks):
            if number in failed:
                continue
            own = range(self.rank, len(job.shards), self.size) if self.rank else ()
            files = {shard: shard_file(task.shards, shard).read_bytes() for shard in own}
            for theirs in self._gathered(files):
                for shard, content in theirs.items():
                    path = shard_file(task.shards, shard)
                    if self.is_first and not path.is_file():
                        with written_whole(path) as file:
                            file.write(content)
