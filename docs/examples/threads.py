"""Threads of this process score, each with its own worker."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue

import torch

from genset.models.processes import cores
from genset.score.job import Job, MissingShard
from genset.score.workers.executor import Executor
from genset.score.workers.worker import ScoredShard, Worker


class Threads(Executor):
    """Scores in as many threads as there are cores."""

    def scored(self, job: Job, todo: Sequence[MissingShard]) -> Iterator[ScoredShard]:
        torch.set_num_threads(1)  # each of ours is one
        # The first one checks the engines for all: they run the same files.
        workers = [Worker(job, job.dataset(), check=number == 0) for number in range(cores())]
        idle: SimpleQueue[Worker] = SimpleQueue()
        for worker in workers:
            idle.put(worker)

        def score(missing: MissingShard) -> ScoredShard:
            worker = idle.get()
            try:
                return worker.score(missing)
            finally:
                idle.put(worker)

        pool = ThreadPoolExecutor(len(workers))
        try:
            for done in as_completed([pool.submit(score, missing) for missing in todo]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)
            for worker in workers:
                worker.close()
