"""From a model's answers to its run: counts, and what must be said beside them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from platform import python_version
from typing import Any

import numpy as np

from genset import __version__
from genset.core.numbers import count
from genset.core.safe import clean
from genset.models.mapping.pooling import explain
from genset.models.spec import ModelSpec
from genset.score.results.checks import hits_by_rank, sanity_checks
from genset.score.results.runs import Accuracy, Prediction, Run, RunRecord
from genset.sets.photos import PhotoSet
from genset.statistics.clusters import clusters

# The device of answers that were given, whatever computed them.
ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class CountedAnswers:
    """A model's answers to a set.

    Attributes:
        predictions: one for each photo that counts, in the set's order; at least one.
        excluded: why, for each photo that would count, by its id.
        classes: how many classes the model chooses among.
        masked: photos whose class is none of these, left out of the counts.
        notes: what a reader of the numbers must know, in sentences.
        mapping: how its outputs met the set's classes (`mapping.record_of`); None where each stands
            for its class.
    """

    predictions: list[Prediction]
    excluded: dict[str, str]
    classes: int
    masked: int
    notes: tuple[str, ...] = ()
    mapping: dict[str, Any] | None = None


def make_run(photos: PhotoSet, counted: CountedAnswers, record: RunRecord) -> Run:
    """A run of a model's answers.

    Args:
        photos: the set.
        counted: the model's answers to it.
        record: where they come from.
    """
    predictions = counted.predictions
    origin = {field.name: getattr(record, field.name) for field in fields(RunRecord)}
    answered = [prediction for prediction in predictions if any(prediction.top)]
    checks = sanity_checks(answered, counted.classes)
    tied = sum(len(set(found.probabilities[:2])) == 1 < len(found.top) for found in answered)
    equal = f"{count(tied, 'photo')} with equal best classes: the first by its id counts."
    return Run(
        **{
            **origin,
            "excluded": counted.excluded,
            "notes": [*photos.notes, *counted.notes, *[equal] * (tied > 0), *checks],
        },
        set_name=photos.name,
        set_hash=photos.content_hash,
        set_whole=photos.whole,
        top1=_accuracy(predictions, 1, photos),
        top5=_accuracy(predictions, 5, photos) if len(predictions[0].top) >= 5 else None,
        classes=counted.classes,
        masked=counted.masked,
        hits=hits_by_rank(predictions),
        mapping=counted.mapping,
    )


def _accuracy(predictions: Sequence[Prediction], k: int, photos: PhotoSet) -> Accuracy:
    right = np.array([prediction.wnid in prediction.top[:k] for prediction in predictions])
    classes = clusters([prediction.wnid for prediction in predictions], photos.fixed_classes)
    return Accuracy.measured(right, np.ones_like(right), classes)


def on_shared_photos(
    run: Run, predictions: Sequence[Prediction], photos: PhotoSet
) -> tuple[Run, list[Prediction]]:
    """A run on another part of a set's release as one on the photos that both have: a few, or none.

    Args:
        run: on another part, or on all of the release.
        predictions: its own.
        photos: the set.
    """
    ids = set(photos.ids)
    shared = [prediction for prediction in predictions if prediction.image in ids]
    if not shared:
        return run, []
    not_counted = {id: why for id, why in run.excluded.items() if id in ids}
    note = (
        f"scored on {run.set_name}; counted on the {count(len(shared), 'photo')} that it has in "
        f"common with {photos.name}"
    )
    counted = replace(
        run,
        nll=None,
        excluded=not_counted,
        masked=min(run.masked, len(ids) - len(shared) - len(not_counted)),
        notes=[*run.notes, note],
        top1=_accuracy(shared, 1, photos),
        top5=run.top5 and _accuracy(shared, 5, photos),
        hits=hits_by_rank(shared),
    )
    return counted, shared


def record_of_answers(spec: ModelSpec, key: str, weights_hash: str) -> RunRecord:
    """What is known of answers that were computed elsewhere.

    Args:
        spec: the model's.
        key: of the run.
        weights_hash: over the answers, which stand for the weights.
    """
    return RunRecord(
        key=key,
        model=spec.name,
        spec=spec.text,
        weights_hash=weights_hash,
        preprocessing={},
        precision="unknown",
        versions={
            "genset": __version__,
            "python": python_version(),
            "numpy": np.__version__,
        },
        device=ELSEWHERE,
        seconds=0.0,
    )


def remarks(run: Run) -> list[str]:
    """What must stand beside a run's numbers."""
    some = f"{next(iter(run.excluded), '')}{', ...' if len(run.excluded) > 1 else ''}"
    found = [f"{excluded(run)} ({some}); not counted"] if run.excluded else []
    if run.mapping is not None:
        found += explain(run.mapping)
    elif run.masked:
        found.append(
            f"chooses among {count(run.classes, 'class', 'classes')} only; "
            f"{count(run.masked, 'photo')} of other classes not counted"
        )
    if run.precision not in ("float32", "unknown"):
        found.append(f"scored in {run.precision}")
    return [clean(remark, 300) for remark in (*found, *run.notes)]


def excluded(run: Run) -> str:
    """What must stand beside a run's numbers where photos were left out; else nothing."""
    return f"{count(len(run.excluded), 'photo')} could not be read" if run.excluded else ""
