"""This process scores, one shard after the other."""

from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor

import torch

from genset.core.errors import GensetError
from genset.models.processes import cores
from genset.score.executors.executor import Executor, not_written
from genset.score.job import Job, MissingShard, ShardReport
from genset.score.score import Worker


class InProcess(Executor):
    """Scores in this process; for a GPU, others read photos ahead of it."""

    def __init__(self, readers: int = 0) -> None:
        """`readers` read ahead of a GPU; 0: one a core."""
        self.readers = readers

    def reports(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
        on_gpu = torch.cuda.is_available() and job.wants_gpu
        worker = Worker(job, job.dataset(), (self.readers or cores()) if on_gpu else 0)
        yield from score_shards(worker, todo)


def score_shards(worker: Worker, todo: Sequence[MissingShard]) -> Iterator[ShardReport]:
    """Have a worker score shards and keep their answers, and close it.

    Raises:
        GensetError: the answers cannot be written, or a process that reads photos was killed.
    """
    try:
        for missing in todo:
            worker.expect(missing)
        for missing in todo:
            yield worker.score_and_keep(missing)
    except OSError as error:
        raise not_written(error) from None
    except BrokenExecutor:
        raise GensetError(
            "a process that reads photos was killed; if memory is short, have fewer by "
            "--workers. What is finished is kept: run the same command again"
        ) from None
    finally:
        worker.close()
