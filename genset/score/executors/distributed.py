"""The processes that torchrun starts, on one machine or several, score a set together.

Environment variables say who is who. They talk by gloo, on the CPU: answers are few. Each process
scores every n-th shard by an executor of its own. What all must know alike, the first one decides;
an error in one of them ends all.
"""

import atexit
import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import lru_cache
from typing import Any, TypeVar

import torch
from torch import distributed

from genset.core.errors import GensetError
from genset.score.executors.executor import Executor
from genset.score.executors.worker_pool import WorkerPool
from genset.score.job import Job, MissingShard, ShardReport
from genset.score.shards import shard_file, write_shard

T = TypeVar("T")

# One waits so long for the others to start, and then as long as these score.
_TO_START, _PATIENCE = timedelta(minutes=10), timedelta(days=30)


class Distributed(Executor):
    """This process among those that torchrun started: its rank, and how many they are."""

    def __init__(self, workers: int = 0) -> None:
        """Join the others; `workers` score for this process (0: its share of the cores).

        Raises:
            GensetError: they do not come.
        """
        self.group = _joined()
        if torch.cuda.is_available():
            local_rank = int(os.environ.get("LOCAL_RANK", "0"))
            torch.cuda.set_device(local_rank % torch.cuda.device_count())
        self.rank, self.size = distributed.get_rank(), distributed.get_world_size()
        self.local = WorkerPool(workers, int(os.environ.get("LOCAL_WORLD_SIZE", "1")))

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    @property
    def place(self) -> str:
        return f"machine {socket.gethostname()} ({_address()})"

    def on_first(self, work: Callable[[], T]) -> T:
        answer: list[T | GensetError | None] = [None]
        if self.is_first:
            answer = [_attempted(work)]
        with _told_of_loss():
            distributed.broadcast_object_list(answer, src=0, group=self.group)
        if isinstance(answer[0], GensetError):
            raise answer[0]
        return answer[0]  # type: ignore[return-value]

    def on_all(self, work: Callable[[], T]) -> T:
        found = _attempted(work)
        problem = found if isinstance(found, GensetError) else None
        problems = self.gathered((self.place, problem))
        failed = [(place, theirs) for place, theirs in problems if theirs is not None]
        if failed:
            place, theirs = failed[0]
            if len({str(each) for _, each in problems}) > 1:  # not in every process
                theirs.args = (f"{place}: {theirs}",)
            raise theirs
        return found  # type: ignore[return-value]

    def gathered(self, value: T) -> list[T]:
        found: list[T | None] = [None] * self.size
        with _told_of_loss():
            distributed.all_gather_object(found, value, group=self.group)
        return found  # type: ignore[return-value]

    def run(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
        """Reports of this process's shards as they come (`reports`), then those of the others.

        Raises:
            GensetError: it failed in one of the processes; in all of them.
        """
        reports: list[ShardReport] = []
        problem = None
        try:
            for report in super().run(job, todo[self.rank :: self.size]):
                reports.append(report)
                yield report
        except GensetError as error:
            problem = error
        found = self.gathered((reports, problem))
        for rank, (others, _) in enumerate(found):
            yield from others if rank != self.rank else ()
        for _, theirs in found:
            if theirs is not None:
                raise theirs
        failed = {number for reports, _ in found for report in reports for number in report.failed}
        for number in range(len(job.tasks)):
            if number not in failed:
                self._collect_shards(job, number)

    def reports(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
        return self.local.reports(job, todo)

    def _collect_shards(self, job: Job, number: int) -> None:
        """Give the first process a task's files that lie on other machines' disks."""
        files = [shard_file(job.tasks[number].shards, n) for n in range(len(job.shards))]
        lacking = self.on_first(lambda: [n for n, file in enumerate(files) if not file.is_file()])
        there = {n: files[n].read_bytes() for n in lacking if files[n].is_file()}
        found: list[Any] | None = [None] * self.size if self.is_first else None
        with _told_of_loss():
            distributed.gather_object(there, found, dst=0, group=self.group)
        for theirs in found or ():
            for shard, content in theirs.items():
                write_shard(files[shard], content)


def _attempted(work: Callable[[], T]) -> T | GensetError:
    try:
        return work()
    except GensetError as error:
        return error


@lru_cache(maxsize=1)
def _joined() -> Any:
    """The group of all processes; the first call waits for them.

    Raises:
        GensetError: they do not come.
    """
    try:
        if not distributed.is_initialized():
            distributed.init_process_group("gloo", timeout=_TO_START)
            # Its threads, if they still run when Python is gone, abort the process.
            atexit.register(_leave)
        return distributed.new_group(backend="gloo", timeout=_PATIENCE)
    except RuntimeError:
        raise GensetError(
            f"the other processes of torchrun did not come within {_TO_START}: look what their "
            "machines say, and start all again"
        ) from None


def _leave() -> None:
    with suppress(RuntimeError):  # the others may be gone
        distributed.destroy_process_group()


@lru_cache(maxsize=1)
def _address() -> str:
    """The address of this machine that leads to the first one."""
    master = os.environ.get("MASTER_ADDR", "localhost"), int(os.environ.get("MASTER_PORT", "1"))
    try:
        family, kind, *_, to = socket.getaddrinfo(*master, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as probe:
            probe.connect(to)  # nothing is sent
            return str(probe.getsockname()[0])
    except OSError:
        return "no address"


@contextmanager
def _told_of_loss() -> Iterator[None]:
    """Say in one line that another process is gone, for which gloo has a page.

    Raises:
        GensetError: it is.
    """
    try:
        yield
    except RuntimeError as error:
        found = re.search(r"\[?([0-9a-f.:]+)\]?:\d+", str(error).rpartition("peer")[2])
        where = f" on {found[1]}" if found else ""
        raise GensetError(
            f"a process of torchrun{where} was ended, or its machine is out of reach. What is "
            "finished is kept: start all again by the same commands"
        ) from None
