"""Assemble a run from its shards: counts, predictions, and what it takes to get it again."""

import shutil
import time

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import GensetError
from genset.models.mapping.pooling import record_of
from genset.score.engines.engine import device_of, versions
from genset.score.engines.pytorch import cost_of
from genset.score.job import Job, ModelTask
from genset.score.plan import ScoringPlan
from genset.score.results.arrays import save_logits
from genset.score.results.count import CountedAnswers, make_run
from genset.score.results.runs import Prediction, Run, RunRecord, save_run
from genset.score.shards import SHARDS, Answers, BadShard, merged
from genset.sets.photos import PhotoSet


def assemble(plan: ScoringPlan, task: ModelTask) -> Run:
    """Put a task's shards together, write its run, and delete the shards.

    Photos of classes that the model does not have are left out of the counts.

    Raises:
        BadShard: a shard is not there, or is damaged.
        GensetError: no photo can be read, or one was not scored exactly once.
    """
    photos, spec, engine = plan.photos, task.model.spec, task.engine.name
    job = Job(photos, [task], plan.options)
    try:
        stored = [job.stored(0, shard) for shard in range(len(job.shards))]
    except BadShard:
        # Where the disk has no locks, another command may have finished the run meanwhile.
        if (run := plan.find_run(task.model)) is not None:
            return run
        raise
    answers = merged(stored, len(photos.photos))
    known = task.model.known
    countable = np.array([photos.photos[index].wnid in known for index in answers.indices], bool)
    if not countable.any():
        why = "is of a class that it knows" if len(answers.indices) else "can be read"
        raise GensetError(f"model {spec.text!r}: not one photo of {photos.name} {why}")
    mapping, wnids = task.model.mapping, [photo.wnid for photo in photos.photos]
    counted = CountedAnswers(
        predictions=_predictions(task, photos, answers, countable),
        excluded={
            photos.photos[index].id: why
            for index, why in answers.unreadable.items()
            if photos.photos[index].wnid in known
        },
        classes=len(set(filter(None, task.model.columns))),
        masked=sum(photo.wnid not in known for photo in photos.photos),
        notes=tuple(dict.fromkeys((*task.notes, *answers.notes))),
        mapping=record_of(mapping, wnids, task.model.words) if mapping else None,
    )
    record = RunRecord(
        key=task.key,
        model=spec.name,
        spec=spec.text,
        weights_hash=task.model.weights_hash,
        preprocessing=task.preprocessing,
        precision=plan.options.precision,
        versions=versions(engine) | task.model.versions,
        device=", ".join(sorted(task.devices)) or device_of(engine),
        seconds=round(time.monotonic() - plan.started, 3),
        engine=engine,
        nll=float(answers.losses[countable].mean(dtype=np.float64)),
        cost=cost_of(task.model) | ({"photos_per_second": task.rate} if task.rate else {}),
        engine_settings=task.settings,
    )
    run = make_run(photos, counted, record)
    if answers.logits is not None:
        save_logits(task.folder, answers.logits[countable], task.model.order)
    save_run(task.folder, run, counted.predictions)
    for folder in task.folder.glob(f"{SHARDS}*"):
        shutil.rmtree(folder, ignore_errors=True)  # which another command may do, too
    return run


def _predictions(
    task: ModelTask, photos: PhotoSet, answers: Answers, countable: NDArray[np.bool_]
) -> list[Prediction]:
    wnids = np.array(task.model.columns, dtype=object)[answers.classes[countable]].tolist()
    shares = answers.probabilities[countable].tolist()
    scored = [photos.photos[index] for index in answers.indices[countable]]
    return [
        Prediction(photo.id, photo.wnid, tuple(best), tuple(probabilities))
        for photo, best, probabilities in zip(scored, wnids, shares, strict=True)
    ]
