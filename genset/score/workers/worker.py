"""A worker: it scores shards of a job in the process that makes it.

It reads a batch of photos, runs every model on it, and keeps each one's best classes.
"""

from collections.abc import Sequence

import numpy as np
import torch

from genset.core.errors import ModelError
from genset.models.processes import CAN_FORK
from genset.score.engines.engine import Logits, this_device
from genset.score.engines.runner import Runner
from genset.score.job import Job, MissingShard, ShardReport
from genset.score.loader import Loader, PixelDataset, PrefetchLoader
from genset.score.shards import Answers, save_shard, shard_file

# Photos that are read together, and that an engine gets at once if it takes any number.
_BATCH_SIZE, _BATCH_SIZE_OF_GPU = 16, 128


class Worker:
    """Scores shards of a job, one after the other, in the process that makes it."""

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
        size = _BATCH_SIZE_OF_GPU if readers else _BATCH_SIZE
        precision = job.options.precision
        self.runners = [Runner(task.model, task.engine, precision, size) for task in job.tasks]
        self.unchecked = list(range(len(job.tasks))) if check else []
        self.failed: set[int] = set()
        self.loader = (
            PrefetchLoader(dataset, size, job.geometries(), readers, fork)
            if readers
            else Loader(dataset, size)
        )

    def expect(self, missing: MissingShard) -> None:
        """Announce a shard that will be scored, so that its photos can be read ahead."""
        indices = self.job.shards[missing.shard]
        self.loader.expect(indices, self.job.geometries(missing.tasks))

    def score(self, missing: MissingShard) -> tuple[ShardReport, dict[int, Answers]]:
        """Score a shard's photos: a report, and the answers of each task, by number.

        A task that fails is reported, and the others go on; one that failed before is passed over.
        """
        report = ShardReport(missing.shard, this_device())
        self._check_engines(report)
        live = [number for number in missing.tasks if number not in self.failed]
        if not live:
            return report, {}
        indices: list[int] = []
        unreadable: dict[int, str] = {}
        logits: dict[int, list[Logits]] = {number: [] for number in live}
        shard = self.job.shards[missing.shard]
        for batch in self.loader.batches(shard, self.job.geometries(live)):
            indices += batch.indices
            unreadable |= batch.unreadable
            if not batch.indices:  # no photo of it can be read
                continue
            for number in list(live):  # one that fails is taken out
                pixels = batch.pixels[self.job.tasks[number].geometry]
                try:
                    logits[number].append(self.runners[number](pixels))
                except ModelError as error:
                    report.failed[number] = str(error)
                    self.failed.add(number)
                    live.remove(number)
            if not live:
                break
        report.notes = {number: self.runners[number].note for number in live}
        return report, {
            number: self._answers(number, indices, logits[number], unreadable) for number in live
        }

    def score_and_keep(self, missing: MissingShard) -> ShardReport:
        """Score a shard, and keep its answers in the folders of the tasks.

        Raises:
            OSError: they cannot be written.
        """
        report, answers = self.score(missing)
        for number, answer in answers.items():
            file = shard_file(self.job.tasks[number].shards, missing.shard)
            save_shard(file, answer, self.job.label(number, missing.shard))
        return report

    def close(self) -> None:
        """End the readers."""
        self.loader.close()

    def _check_engines(self, report: ShardReport) -> None:
        while self.unchecked:
            number = self.unchecked.pop()
            try:
                self.runners[number].check(self.job.tasks[number].probe)
            except ModelError as error:
                report.failed[number] = str(error)
                report.untrusted.add(number)
                self.failed.add(number)

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
            best = scores.topk(min(keep, outputs), dim=1).indices
            probabilities = scores.softmax(dim=1).gather(1, best)
        else:
            shares = torch.from_numpy(model.mapping.shares(logits))
            probabilities, best = shares.topk(model.mapping.answer_count(keep), dim=1)
        return Answers(
            indices=np.array(indices, np.int64),
            classes=best.numpy().astype(np.int32),
            probabilities=probabilities.numpy().astype(np.float32),
            logits=logits if self.job.tasks[number].logits else None,
            unreadable=unreadable,
        )
