"""From a model's answers to its run: counts, and what must be said beside them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from platform import python_version
from typing import Any

import numpy as np

from genset import __version__
from genset.models.spec import ModelSpec
from genset.score.results.runs import Accuracy, Prediction, Run
from genset.score.results.sanity_checks import hits_by_rank, sanity_checks
from genset.sets.photos import PhotoSet

# The device of answers that were given, whatever computed them.
ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class Counted:
    """A model's answers to a set.

    Attributes:
        predictions: one for each photo that counts, in the set's order; at least one.
        left_out: why, for each photo that would count, by its id.
        classes: how many classes the model chooses among.
        masked: photos whose class is none of these, left out of the counts.
        notes: what a reader of the numbers must know, in sentences.
        mapping: how its outputs met the set's classes (`mapping.record_of`); None where each stands
            for its class.
    """

    predictions: list[Prediction]
    left_out: dict[str, str]
    classes: int
    masked: int
    notes: tuple[str, ...] = ()
    mapping: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What it takes to get a model's answers again: see `Run`, whose names these are."""

    key: str
    model: str
    spec: str
    weights_hash: str
    preprocessing: dict[str, Any]
    precision: str
    versions: dict[str, str]
    device: str
    seconds: float
    engine: str = ""


def make_run(photos: PhotoSet, counted: Counted, provenance: Provenance) -> Run:
    """Make the record of a run.

    Args:
        photos: the set.
        counted: the model's answers to it.
        provenance: where they come from.
    """
    predictions = counted.predictions
    return Run(
        **{**asdict(provenance), "seconds": round(provenance.seconds, 3)},
        set_name=photos.name,
        set_hash=photos.content_hash,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        unreadable=counted.left_out,
        top1=_accuracy(predictions, 1),
        top5=_accuracy(predictions, 5) if len(predictions[0].top) >= 5 else None,
        classes=counted.classes,
        masked=counted.masked,
        hits=hits_by_rank(predictions),
        notes=[*photos.notes, *counted.notes, *sanity_checks(predictions, counted.classes)],
        mapping=counted.mapping,
    )


def _accuracy(predictions: Sequence[Prediction], k: int) -> Accuracy:
    return Accuracy.of(
        sum(prediction.wnid in prediction.top[:k] for prediction in predictions), len(predictions)
    )


def provenance_of_answers(spec: ModelSpec, key: str, weights_hash: str) -> Provenance:
    """What is known of answers that were computed elsewhere.

    Args:
        spec: the model's.
        key: of the run.
        weights_hash: over the answers, which stand for the weights.
    """
    return Provenance(
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
