"""What an executor is: it has the shards of a job scored, and reports what became of each."""

import errno
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import torch

from genset.core.errors import GensetError, first_line
from genset.core.progress import progress
from genset.models.processes import call_in_fork
from genset.score.job import Job, MissingShard, ShardReport

T = TypeVar("T")


class Executor(ABC):
    """Has shards scored. It is opened by ``with``.

    A new one defines `reports`, and overrides what is different in it.
    """

    def __enter__(self) -> Self:
        """Connect to the processes that score.

        Raises:
            GensetError: there are none.
        """
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Disconnect."""
        return

    @abstractmethod
    def reports(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
        """Have the shards scored, and their answers kept; a report of each, in any order.

        Raises:
            GensetError: the answers cannot be written, or a process that scores was killed. What
                is finished is kept.
        """

    def run(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
        """The same, with progress shown.

        Raises:
            GensetError: as `reports` does.
        """
        names = ", ".join(task.model.spec.name for task in job.tasks)
        photos = sum(len(job.shards[missing.shard]) for missing in todo)
        # The progress bar counts photos, so a report is repeated for each photo of its shard.
        each = (report for report in self.reports(job, todo) for _ in job.shards[report.shard])
        last = None
        for report in progress(each, total=photos, what=names, unit="photo"):
            if report is not last:
                yield report
            last = report

    def on_first(self, work: Callable[[], T]) -> T:
        """The result of work that must be done once: the first process does it, all get it.

        Raises:
            GensetError: the work raised it.
        """
        return work()

    def on_all(self, work: Callable[[], T]) -> T:
        """The result of work that each process does for itself; if one fails, so do all.

        Raises:
            GensetError: the work raised it, in any of them.
        """
        return work()

    def gathered(self, value: T) -> list[T]:
        """What each process gives, in all of them; what the first one gives comes first.

        Raises:
            GensetError: one of them is gone.
        """
        return [value]

    @property
    def place(self) -> str:
        """Where this process is, for messages to somebody who looks after several machines."""
        return "this machine"

    def isolated(self, work: Callable[..., T], *arguments: Any) -> T:
        """The result of work whose threads must not stay in this process.

        Raises:
            GensetError: the work raised it, or its process was killed.
        """
        return call_in_fork(work, *arguments)

    @property
    def is_first(self) -> bool:
        """Whether this process is the first of those that score together."""
        return True

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
