"""Features of photos: the input of a network's last layer, computed once and stored.

They are computed as `genset evaluate` computes answers: with the same input pipeline, engines,
processes and pixel cache, and in one pass over the photos for all models. They are stored in
``FOLDER/KEY/``::

    features.npy    shape (N, D), float32, in the set's order; zeros for a photo that cannot be read
    features.json   what computed them, and the photos that are left out

`KEY` is a hash over the photos, the weights and the preprocessing. ``features.json`` is written
last. Until then there are shards, from which an interrupted pass resumes.
"""

import json
import shutil
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import GensetError
from genset.core.files import one_at_a_time, write_text, written_whole
from genset.finetune.heads import Head, trunk
from genset.models.load import LoadedModel
from genset.score.job import Job, ModelTask
from genset.score.options import ScoringOptions
from genset.score.plan import ScoringPlan, described
from genset.score.results.runs import run_key
from genset.score.score import run_tasks
from genset.score.shards import SHARDS, merged
from genset.score.workers.executor import WorkerPool, not_written
from genset.sets.photos import PhotoSet

FORMAT = "genset features 1"
_VALUES, _RECORD = "features.npy", "features.json"


@dataclass(frozen=True, slots=True)
class Features:
    """A model's features of the photos of a set.

    Attributes:
        values: the features, shape (N, D), float32, memory-mapped, in the set's order; zeros for
            a photo that could not be read.
        there: whether the photo could be read, shape (N,), bool.
        unreadable: the reason for each photo that could not be read, by its id.
        engine: what ran the network.
        seconds: the duration of the pass, for all its models together; 0 if the features were
            stored already.
        notes: further remarks, in sentences.
    """

    values: NDArray[np.float32]
    there: NDArray[np.bool_]
    unreadable: dict[str, str]
    engine: str
    seconds: float
    notes: tuple[str, ...] = ()


def compute_features(
    photos: PhotoSet,
    models: Sequence[tuple[LoadedModel, Head]],
    folder: Path,
    options: ScoringOptions,
) -> list[Features | GensetError]:
    """Compute each model's features, or load them if they are stored.

    Missing features are computed in one pass over the photos. Another process that needs the same
    features at the same time waits for this one, and then loads them.

    Args:
        photos: the photos, in the order of the features' rows.
        models: the models, with their heads.
        folder: where features are stored.
        options: engine, precision, decoding and processes, as for scoring.

    Returns:
        For each model, in order: its features, or the error that prevented them.

    Raises:
        GensetError: no photo can be read, the features cannot be written, or a process was killed.
            Finished work is kept.
    """
    # Features are the logits of a trunk: store all of them, and no best classes.
    options = replace(options, keep=0, logits=True)
    plan = ScoringPlan(photos, folder, options, WorkerPool(options.workers))
    tasks = [_task(plan, *model) for model in models]
    made = _make_missing(plan, {task.folder: task for task in tasks})

    def stored(task: ModelTask, inputs: int) -> Features | GensetError:
        seconds = made.get(task.folder, 0.0)
        if isinstance(seconds, GensetError):
            return seconds
        return _stored(task.folder, photos, inputs, seconds)

    return [stored(task, head.inputs) for task, (_, head) in zip(tasks, models, strict=True)]


def _task(plan: ScoringPlan, model: LoadedModel, head: Head) -> ModelTask:
    features = trunk(model, head)
    preprocessing = described(model, plan.options)
    key = run_key(
        set=plan.photos.content_hash,
        weights=features.weights_hash,
        architecture=model.spec.arch or model.spec.target,
        preprocessing=preprocessing,
        precision=plan.options.precision,
    )
    return ModelTask(features, key, plan.runs / key[:16], preprocessing, logits=True)


def _make_missing(
    plan: ScoringPlan, tasks: dict[Path, ModelTask]
) -> dict[Path, float | GensetError]:
    """Compute missing features; the seconds that took, or the error, by folder."""
    with ExitStack() as locks:
        # Always in the order of names, to prevent deadlocks.
        try:
            for folder in sorted(folder for folder in tasks if not (folder / _RECORD).is_file()):
                locks.enter_context(one_at_a_time(folder))
        except OSError as error:
            raise not_written(error) from None
        missing = [task for folder, task in tasks.items() if not (folder / _RECORD).is_file()]
        return run_tasks(plan, missing, _merge_shards) if missing else {}


def _merge_shards(plan: ScoringPlan, task: ModelTask) -> float:
    """Write the features of all shards and their record, and delete the shards.

    Raises:
        BadShard: a shard is not there, or is damaged.
    """
    photos = plan.photos
    job = Job(photos, [task], plan.options)
    seconds = round(time.monotonic() - plan.started, 3)
    values = np.zeros((len(photos.photos), len(task.model.order)), np.float32)
    try:
        answers = merged([job.stored(0, n) for n in range(len(job.shards))], len(values))
        values[answers.indices] = answers.logits
        with written_whole(task.folder / _VALUES) as file:
            np.save(file, values)
        record = {
            "format": FORMAT,
            "key": task.key,
            "unreadable": {photos.photos[n].id: why for n, why in answers.unreadable.items()},
            "engine": task.engine.name,
            "notes": task.notes,
        }
        write_text(task.folder / _RECORD, json.dumps(record, indent=1) + "\n")
    except OSError as error:
        raise not_written(error) from None
    for shards in task.folder.glob(f"{SHARDS}*"):
        shutil.rmtree(shards, ignore_errors=True)
    return seconds


def _stored(folder: Path, photos: PhotoSet, inputs: int, seconds: float) -> Features | GensetError:
    try:
        record = json.loads((folder / _RECORD).read_text("utf-8"))
        if record["format"] != FORMAT:
            raise ValueError(f"it is {record['format']}")
        values = np.load(folder / _VALUES, mmap_mode="r")
        if values.shape != (len(photos.photos), inputs):
            raise ValueError(f"they are {values.shape}")
        unreadable = record["unreadable"]
        return Features(
            values=values,
            there=np.array([photo.id not in unreadable for photo in photos.photos], bool),
            unreadable=unreadable,
            engine=record["engine"],
            seconds=seconds,
            notes=tuple(record["notes"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        return GensetError(f"{folder} does not hold features ({error}); delete it and run again")
