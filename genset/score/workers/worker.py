"""A worker: it scores shards of a job in the process that makes it.

It reads a batch of photos, runs every model on it, and finds each one's best classes.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

import numpy as np
import torch

from genset.core.errors import ModelError
from genset.models.processes import CAN_FORK
from genset.score.engines.engine import Logits, PendingLogits, settings_of, this_device
from genset.score.engines.runner import Runner
from genset.score.job import Job, MissingShard, ShardReport
from genset.score.loader import Loader, PixelDataset, PrefetchLoader
from genset.score.outputs import best_places, by_name
from genset.score.shards import BATCH_OF_GPU, Answers

# Photos that are read together on a CPU, and that an engine gets at once if it takes any number.
_BATCH_SIZE = 16

_LEAST = 1e-38  # a probability of 0 has no logarithm


ScoredShard = tuple[ShardReport, dict[int, Answers]]
"""What became of a shard, and the answers of each task, by number."""


@dataclass(frozen=True, slots=True)
class StartedShard:
    """A shard whose photos were given to the engines.

    Attributes:
        missing: the shard, and the tasks that it is scored for.
        report: what became of it so far.
        indices: of the photos that could be read.
        unreadable: why, for each other one, by its index.
        logits: of each batch, by task.
    """

    missing: MissingShard
    report: ShardReport
    indices: list[int]
    unreadable: dict[int, str]
    logits: dict[int, list[PendingLogits]]


class Worker:
    """Scores shards of a job, one after the other, in the process that makes it.

    Attributes:
        ahead: how many shards should be started before the first of them is finished, for a GPU
            not to wait.
    """

    def __init__(
        self,
        job: Job,
        dataset: PixelDataset,
        readers: int = 0,
        *,
        fork: bool = CAN_FORK,
        check: bool = True,
    ) -> None:
        """Get ready; engines are opened where they are first used.

        Args:
            job: what is scored.
            dataset: its photos.
            readers: how many read photos ahead of a GPU; 0: no GPU, photos are read when needed.
            fork: whether the readers are processes; else threads.
            check: whether to see first that every engine gives PyTorch's answers. Of workers that
                run the same files on the same machine, one does so for all.
        """
        self.job = job
        self.ahead = 1 if readers else 0
        size = BATCH_OF_GPU if readers else _BATCH_SIZE
        precision = job.options.precision
        self.runners = [Runner(task.model, task.engine, precision, size) for task in job.tasks]
        tasks = enumerate(job.tasks)
        self.unchecked = [n for n, task in tasks if check and not task.engine.checked]
        self.failed: set[int] = set()
        self.since = time.monotonic()
        self.loader = (
            PrefetchLoader(dataset, size, job.geometries(), readers, fork)
            if readers
            else Loader(dataset, size)
        )

    def expect(self, missing: MissingShard) -> None:
        """Announce a shard that will be scored, so that its photos can be read ahead."""
        indices = self.job.shards[missing.shard]
        self.loader.expect(indices, self.job.geometries(missing.tasks))

    def start(self, missing: MissingShard) -> StartedShard:
        """Give a shard's photos to the engines.

        A task that fails is reported, and the others go on; one that failed before is passed over.
        """
        report = ShardReport(missing.shard, this_device())
        if self.unchecked:
            self._check_engines(report)
            self.since = time.monotonic()
        live = [number for number in missing.tasks if number not in self.failed]
        started = StartedShard(missing, report, [], {}, {number: [] for number in live})
        if not live:
            return started
        shard = self.job.shards[missing.shard]
        for batch in self.loader.batches(shard, self.job.geometries(live)):
            started.indices.extend(batch.indices)
            started.unreadable.update(batch.unreadable)
            if not batch.indices:  # no photo of it can be read
                continue
            ids = [self.job.photos.photos[index].id for index in batch.indices]
            for number in list(live):  # one that fails is taken out
                pixels, began = batch.pixels[self.job.tasks[number].geometry], time.monotonic()
                try:
                    pending = self.runners[number].launch(pixels, ids)
                    started.logits[number].append(pending)
                    if not self.ahead:
                        took = time.monotonic() - began
                        report.busy[number] = report.busy.get(number, 0.0) + took
                except ModelError as error:
                    self._fail(report, number, error)
                    live.remove(number)
            if not live:
                break
        return started

    def finish(self, started: StartedShard) -> ScoredShard:
        """Wait for a shard: a report, and the answers of each task, by number."""
        report = started.report
        answers: dict[int, Answers] = {}
        for number, pending in started.logits.items():
            if number in self.failed:
                continue
            try:
                logits = [wait() for wait in pending]
            except ModelError as error:
                self._fail(report, number, error)
                continue
            report.notes[number] = self.runners[number].note
            report.settings[number] = settings_of(self.job.tasks[number].engine.name)
            answers[number] = self._answers(number, started.indices, logits, started.unreadable)
        now = time.monotonic()
        report.seconds, self.since = now - self.since, now
        return report, answers

    def score(self, missing: MissingShard) -> ScoredShard:
        """Start and finish a shard."""
        return self.finish(self.start(missing))

    def close(self) -> None:
        """End the readers."""
        self.loader.close()

    def _fail(self, report: ShardReport, number: int, error: ModelError) -> None:
        report.failed[number] = str(error)
        self.failed.add(number)

    def _check_engines(self, report: ShardReport) -> None:
        while self.unchecked:
            number = self.unchecked.pop()
            try:
                self.runners[number].check(self.job.tasks[number].probe)
            except ModelError as error:
                self._fail(report, number, error)
                report.untrusted.add(number)

    def _answers(
        self,
        number: int,
        indices: Sequence[int],
        batches: Sequence[Logits],
        unreadable: dict[int, str],
    ) -> Answers:
        """A task's best classes and their probabilities, from its logits.

        `indices` are those of the photos that could be read, maybe none; of features, no best are
        kept (`keep` is 0).
        """
        model = self.job.tasks[number].model
        outputs, keep = len(model.order), self.job.options.keep
        logits = np.concatenate([np.empty((0, outputs), np.float32), *batches])
        scores = torch.from_numpy(logits)
        if model.mapping is None:
            shares = scores.softmax(dim=1)
        else:
            scores = shares = torch.from_numpy(model.mapping.shares(logits))
            keep = model.mapping.answer_count(keep)
        order = torch.tensor(by_name(model.columns), dtype=torch.int64)
        best = order[best_places(scores[:, order], keep)]
        place = {wnid: place for place, wnid in enumerate(model.columns)}
        true = [place.get(self.job.photos.photos[index].wnid, -1) for index in indices]
        known = torch.tensor(true, dtype=torch.int64)[:, None]
        losses = -shares.gather(1, known.clamp(min=0)).clamp(min=_LEAST).log()
        return Answers(
            indices=np.array(indices, np.int64),
            classes=best.numpy().astype(np.int32),
            probabilities=shares.gather(1, best).numpy().astype(np.float32),
            losses=losses.where(known >= 0, torch.nan)[:, 0].numpy().astype(np.float32),
            logits=logits if self.job.tasks[number].logits else None,
            unreadable=unreadable,
        )


def serve(end: Connection, worker: Worker) -> None:
    """Score what comes through a pipe, until None, and send back what became of each shard."""
    while (missing := end.recv()) is not None:
        end.send(worker.score(missing))
    worker.close()
