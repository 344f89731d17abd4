"""The loop that scores models on a set of photos, from top to bottom.

`score_models` opens the models, selects an engine for each, has the shards scored that are not
kept yet, and assembles each model's run from its shards. A shard is a stretch of the set. Who
scores which is up to the executor: this process, a pool of workers, torchrun's ranks, or Ray. Each
process that scores has a `Worker`: read a batch, run every model on it, keep each one's best
classes.
"""

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from genset.errors import GensetError, ModelError
from genset.evaluation.data.loader import Loader, PixelDataset, PrefetchLoader
from genset.evaluation.engines.engine import Logits
from genset.evaluation.engines.runner import Runner
from genset.evaluation.models.load import LoadedModel, load_model
from genset.evaluation.models.spec import ModelSpec
from genset.evaluation.processes import CAN_FORK
from genset.evaluation.results.runs import Run
from genset.evaluation.run.assemble import assemble
from genset.evaluation.run.environment import this_device
from genset.evaluation.run.job import Job, MissingShard, ModelTask, ShardReport
from genset.evaluation.run.plan import ScoringPlan
from genset.evaluation.run.shards import Answers, save_shard, shard_file

Made = TypeVar("Made")

# Photos that are read together, and that an engine gets at once if it takes any number.
_BATCH_SIZE, _BATCH_SIZE_OF_GPU = 16, 128


def score_models(
    plan: ScoringPlan, models: Sequence[ModelSpec | LoadedModel]
) -> list[Run | GensetError]:
    """Score models in one pass over the photos: each one's run, or why there is none.

    A model whose run is finished is not scored again; one whose run was cut off goes on.

    Raises:
        GensetError: no photo can be read, the answers cannot be written, a process that scores was
            killed, or there is no cluster. What is finished is kept.
    """
    opened: list[Run | GensetError | ModelTask] = []
    tasks: dict[Path, ModelTask] = {}
    for each in models:
        try:
            if isinstance(each, ModelSpec):
                each = load_model(each, plan.options.allow_code)
            task = plan.open(each)
        except GensetError as error:
            opened.append(error)
            continue
        if isinstance(task, ModelTask):  # a model that is named twice is scored once
            task = tasks.setdefault(task.folder, task)
        opened.append(task)
    made = run_tasks(plan, list(tasks.values()), assemble) if tasks else {}
    return [made[each.folder] if isinstance(each, ModelTask) else each for each in opened]


def run_tasks(
    plan: ScoringPlan,
    tasks: Sequence[ModelTask],
    make: Callable[[ScoringPlan, ModelTask], Made],
) -> dict[Path, Made | GensetError]:
    """Score tasks; by its folder, what is made of each one's shards, or why it failed.

    Args:
        plan: the set, how it is scored and by which executor.
        tasks: what is scored.
        make: makes something of a task's shards, once all of them are kept.

    Raises:
        GensetError: as `score_models` does.
    """
    found: dict[Path, Made | GensetError] = {}
    probe = plan.probe(tasks)
    with plan.executor as executor:
        for task in tasks:
            try:
                plan.select_engine(task, probe[task.geometry])
            except GensetError as error:
                found[task.folder] = error
        job = Job(plan.photos, [task for task in tasks if task.folder not in found], plan.options)
        failed = _run_shards(plan, job)
        for number, task in enumerate(job.tasks):
            if number in failed:
                found[task.folder] = ModelError(failed[number])
                continue
            try:
                found[task.folder] = executor.decide(partial(make, plan, task))
            except GensetError as error:
                found[task.folder] = error
    return found


def _run_shards(plan: ScoringPlan, job: Job) -> dict[int, str]:
    """Have the shards scored that are not kept yet; why tasks failed, by their numbers."""
    failed: dict[int, str] = {}
    untrusted: set[int] = set()
    try:
        for report in plan.executor.run(job, plan.missing(job)):
            job.note(report)
            failed |= report.failed
            untrusted |= report.untrusted
    finally:
        for number in untrusted:
            shutil.rmtree(job.tasks[number].shards, ignore_errors=True)
    return failed


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
            readers: how many read photos ahead, for a GPU; 0: they are read when asked for.
            fork: whether these are processes; else threads.
            check: whether to see first that every engine gives PyTorch's answers. Of workers that
                run the same files on the same machine, one does so for all.
        """
        self.job = job
        size = _BATCH_SIZE_OF_GPU if readers else _BATCH_SIZE
        precision = job.options.precision
        self.runners = [Runner(each.model, each.selected, precision, size) for each in job.tasks]
        self.unchecked = list(range(len(job.tasks))) if check else []
        self.failed: set[int] = set()
        self.loader = (
            PrefetchLoader(dataset, size, job.geometries(), readers, fork)
            if readers
            else Loader(dataset, size)
        )

    def expect(self, missing: MissingShard) -> None:
        """Say which shards are to be scored, in this order, so that they can be read ahead."""
        indices = self.job.shards[missing.shard]
        self.loader.expect(indices, self.job.geometries(missing.tasks))

    def score(self, missing: MissingShard) -> tuple[ShardReport, dict[int, Answers]]:
        """Score a shard's photos: what became of it, and the answers of each task, by number.

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
        photos = self.job.shards[missing.shard]
        for batch in self.loader.batches(photos, self.job.geometries(live)):
            indices += batch.indices
            unreadable |= batch.unreadable
            for number in live[:] if batch.indices else ():
                pixels = batch.pixels[self.job.tasks[number].geometry]
                try:
                    logits[number].append(self.runners[number](pixels))
                except ModelError as error:
                    report.failed[number] = str(error)
                    self.failed.add(number)
                    live.remove(number)
            if not live:
                break
        report.notes = {n: note for n in missing.tasks if (note := self.runners[n].note)}
        at = np.array(indices, np.int64)
        return report, {n: self._answers(n, at, logits[n], unreadable) for n in live}

    def score_and_keep(self, missing: MissingShard) -> ShardReport:
        """The same, with the answers kept.

        Raises:
            OSError: they cannot be written.
        """
        report, answers = self.score(missing)
        for number, answer in answers.items():
            save_shard(shard_file(self.job.tasks[number].shards, missing.shard), answer)
        return report

    def close(self) -> None:
        """End those that read ahead."""
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
        indices: NDArray[np.int64],
        batches: Sequence[Logits],
        unreadable: dict[int, str],
    ) -> Answers:
        """A task's best classes and their probabilities, from its logits."""
        outputs = len(self.job.tasks[number].model.order)
        logits = np.concatenate([np.empty((0, outputs), np.float32), *batches])
        scores = torch.from_numpy(logits)
        best = scores.topk(min(self.job.options.keep, outputs), dim=1).indices
        return Answers(
            indices=indices,
            classes=best.numpy().astype(np.int32),
            probabilities=scores.softmax(dim=1).gather(1, best).numpy(),
            logits=logits if self.job.tasks[number].logits else None,
            unreadable=unreadable,
        )
