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

from genset.core.errors import GensetError, ModelError
from genset.models.load import KEPT, LoadedModel
from genset.models.processes import CAN_FORK
from genset.models.spec import ModelSpec
from genset.score.agreement import agree_on_work
from genset.score.assemble import assemble
from genset.score.engines.engine import Logits
from genset.score.engines.runner import Runner
from genset.score.environment import this_device
from genset.score.job import Job, MissingShard, ModelTask, ShardReport
from genset.score.loader import Loader, PixelDataset, PrefetchLoader
from genset.score.meeting import load_for, meet
from genset.score.plan import ScoringPlan
from genset.score.results.runs import Run
from genset.score.shards import Answers, BadShard, save_shard, shard_file

Result = TypeVar("Result")

# Photos that are read together, and that an engine gets at once if it takes any number.
_BATCH_SIZE, _BATCH_SIZE_OF_GPU = 16, 128

# How often shards are scored again that are gone or damaged once all were scored: another command
# may have deleted them, or a disk may be broken.
_ROUNDS = 3


def score_models(
    plan: ScoringPlan, models: Sequence[ModelSpec | LoadedModel]
) -> list[Run | GensetError]:
    """Score models in one pass over the photos: each one's run, or why there is none.

    A model whose run is finished is not scored again; one whose run was cut off goes on.

    Raises:
        GensetError: no photo can be read, the answers cannot be written, a process that scores was
            killed, or there is no cluster. What is finished is kept.
    """
    loaded = [_loaded(plan, model) for model in models]
    names = [(model if isinstance(model, ModelSpec) else model.spec).name for model in models]
    named = list(zip(names, loaded, strict=True))
    agree_on_work(plan.executor, plan.photos, plan.options, named)
    # The first process decides for all: each machine may have a disk of its own.
    finished = plan.executor.on_first(lambda: [_finished(plan, each) for each in loaded])
    open_ones = [
        task
        for task, run in zip(loaded, finished, strict=True)
        if isinstance(task, ModelTask) and run is None
    ]
    made = _score_open_ones(plan, open_ones) if open_ones else {}
    return [
        outcome or made[task.folder] if isinstance(task, ModelTask) else task
        for task, outcome in zip(loaded, finished, strict=True)
    ]


def _loaded(plan: ScoringPlan, model: ModelSpec | LoadedModel) -> ModelTask | GensetError:
    try:
        if isinstance(model, ModelSpec):
            return plan.new_task(load_for(plan.photos, model, plan.options, plan.runs / KEPT))
        return plan.new_task(meet(model, plan.photos, plan.options))
    except GensetError as error:
        return error


def _finished(plan: ScoringPlan, task: ModelTask | GensetError) -> Run | GensetError | None:
    try:
        return task if isinstance(task, GensetError) else plan.find_run(task.model)
    except GensetError as error:
        return error


def _score_open_ones(
    plan: ScoringPlan, tasks: Sequence[ModelTask]
) -> dict[Path, Run | GensetError]:
    """Score tasks, unless another command does so first; their runs, by the tasks' folders."""
    # A model that is named twice is scored once.
    with plan.alone({task.folder: task for task in tasks}) as found:
        todo = [each for each in found.values() if isinstance(each, ModelTask)]
        made = run_tasks(plan, todo, assemble) if todo else {}
    return {
        folder: made[each.folder] if isinstance(each, ModelTask) else each
        for folder, each in found.items()
    }


def run_tasks(
    plan: ScoringPlan,
    tasks: Sequence[ModelTask],
    assemble_task: Callable[[ScoringPlan, ModelTask], Result],
) -> dict[Path, Result | GensetError]:
    """Score tasks: for each, by its folder, what is assembled of its shards, or why it failed.

    Args:
        plan: the set, how it is scored and by which executor.
        tasks: what is scored.
        assemble_task: called once all shards of a task are kept: here it makes a run of them, for
            fine-tuning a table of features.

    Raises:
        GensetError: as `score_models` does.
    """
    results: dict[Path, Result | GensetError] = {}
    live = []
    with plan.executor as executor:
        samples = executor.on_all(lambda: plan.sample_pixels(tasks))
        for task in tasks:
            try:
                plan.select_engine(task, samples[task.geometry])  # sets task.engine
                live.append(task)
            except GensetError as error:
                results[task.folder] = error
        for _ in range(_ROUNDS):
            failed = _run_shards(plan, Job(plan.photos, live, plan.options))
            again = []
            for number, task in enumerate(live):
                if number in failed:
                    results[task.folder] = ModelError(failed[number])
                    continue
                try:
                    # Under torchrun the first rank has all shards, and tells the others the result.
                    results[task.folder] = executor.on_first(partial(assemble_task, plan, task))
                except BadShard as error:
                    results[task.folder] = error
                    again.append(task)
                except GensetError as error:
                    results[task.folder] = error
            live = again
            if not live:
                break
    return results


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
        # Whatever ends the loop: no shard of an engine that answers wrongly may be found later.
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
            probabilities, best = shares.topk(model.mapping.kept(keep), dim=1)
        return Answers(
            indices=np.array(indices, np.int64),
            classes=best.numpy().astype(np.int32),
            probabilities=probabilities.numpy().astype(np.float32),
            logits=logits if self.job.tasks[number].logits else None,
            unreadable=unreadable,
        )
