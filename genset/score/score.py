"""The loop that scores models on a set of photos, from top to bottom.

`score_models` opens the models, selects an engine for each, has the shards scored that are not
kept yet, and assembles each model's run from its shards. A shard is a stretch of the set. Who
scores which is up to the executor: this process, a pool of workers, or Ray. Each process that
scores has a `Worker`.
"""

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import torch

from genset.core.errors import GensetError, ModelError
from genset.models.load import LoadedModel
from genset.models.spec import ModelSpec
from genset.score.assemble import assemble
from genset.score.engines.engine import float32_flags, put_back
from genset.score.job import Job, ModelTask, load_for, map_outputs
from genset.score.plan import ScoringPlan
from genset.score.results.runs import Run
from genset.score.shards import BadShard

Result = TypeVar("Result")

# How often shards are scored again that are gone or damaged once all were scored: another command
# may have deleted them, or a disk may be broken.
_ROUNDS = 3

_ENOUGH = 100  # photos: of fewer, who shared them out to several models took most of the time


def score_models(
    plan: ScoringPlan, models: Sequence[ModelSpec | LoadedModel]
) -> list[Run | GensetError]:
    """Score models in one pass over the photos: each one's run, or why there is none.

    A model whose run is finished is not scored again; one whose run was cut off goes on.

    Raises:
        GensetError: no photo can be read, the answers cannot be written, a process that scores was
            killed, or there is no cluster. What is finished is kept.
    """
    with _settings_put_back():
        outcomes = [_opened(plan, model) for model in models]
        open_ones = [task for task in outcomes if isinstance(task, ModelTask)]
        made = _score_open_ones(plan, open_ones) if open_ones else {}
    return [
        made[outcome.folder] if isinstance(outcome, ModelTask) else outcome for outcome in outcomes
    ]


@contextmanager
def _settings_put_back() -> Iterator[None]:
    """Leave PyTorch as the caller has set it: models and engines set what their answers need."""
    threads, engine = torch.get_num_threads(), torch.backends.quantized.engine
    flags, random = float32_flags(), torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.backends.quantized.engine = engine
        put_back(flags)
        torch.set_rng_state(random)


def _opened(plan: ScoringPlan, model: ModelSpec | LoadedModel) -> ModelTask | Run | GensetError:
    """The task of scoring a model; its run where that is finished; or why it cannot be loaded."""
    try:
        loaded = (
            load_for(plan.photos, model, plan.options, plan.runs)
            if isinstance(model, ModelSpec)
            else map_outputs(model, plan.photos, plan.options)
        )
        return plan.find_run(loaded) or plan.new_task(loaded)
    except GensetError as error:
        return error


def _score_open_ones(
    plan: ScoringPlan, tasks: Sequence[ModelTask]
) -> dict[Path, Run | GensetError]:
    """Score tasks, unless another command does so first; their runs, by the tasks' folders."""
    # A model that is named twice is scored once.
    with plan.alone({task.folder: task for task in tasks}) as found:
        todo = [task for task in found.values() if isinstance(task, ModelTask)]
        made = run_tasks(plan, todo, assemble) if todo else {}
    return {
        folder: made[outcome.folder] if isinstance(outcome, ModelTask) else outcome
        for folder, outcome in found.items()
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
    with plan.executor:
        samples = plan.sample_pixels(tasks)
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
                    results[task.folder] = assemble_task(plan, task)
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
    missing, began = plan.missing(job), time.monotonic()
    seconds, busy = 0.0, Counter[int]()
    try:
        for report in plan.executor.run(job, missing):
            failed |= report.failed
            untrusted |= report.untrusted
            seconds += report.seconds
            busy.update(report.busy)
    finally:
        # Whatever ends the loop: no shard of an engine that answers wrongly may be found later.
        for number in untrusted:
            shutil.rmtree(job.tasks[number].shards, ignore_errors=True)
    whole = [n for n in range(len(job.tasks)) if all(n in shard.tasks for shard in missing)]
    photos = len(job.photos.photos)
    for number in whole if len(missing) == len(job.shards) else ():
        if len(job.tasks) == 1 or (busy[number] and photos >= _ENOUGH):
            others = (busy.total() - busy[number]) / (max(seconds, busy.total()) or 1)
            alone = (time.monotonic() - began) * (1 - others)
            job.tasks[number].rate = round(photos / alone, 1)
    return failed
