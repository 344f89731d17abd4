"""The ``predictions.csv`` of a run, in place of a model on a user's own classes.

With its logits beside it, it is pooled anew. Without them, that of a run on own classes has what
outputs were pooled to, and not the outputs: answers by the one convention that its run had, on
these classes alone. Which they were is said by the ``run.json`` beside it.
"""

import csv
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.classes import hash_of
from genset.core.errors import BadInput, GensetError, first_line
from genset.models.mapping.pooling import ClassMapping, Convention
from genset.models.spec import ModelSpec
from genset.score.predictions.arrays import Answers
from genset.score.results.runs import LOGIT_CLASSES, LOGITS, PREDICTIONS, Run, load_run, photos_of
from genset.sets.photos import PhotoSet

_MOST_OUTPUTS = 1_000_000
_MEND = "score the model with --logits and give the predictions.csv of that run"


def stored_scores(path: Path) -> tuple[tuple[str, ...], list[str], NDArray[Any]] | None:
    """What each output stands for, the photos and the logits of a run whose table this is."""
    logits, classes = path.with_name(LOGITS), path.with_name(LOGIT_CLASSES)
    if path.name != PREDICTIONS or not logits.is_file() or not classes.is_file():
        return None
    try:
        order = tuple(map(str, json.loads(classes.read_text("utf-8"))["classes"]))
        images = [image for image, _ in photos_of(path.parent)]
        scores: NDArray[Any] = np.load(logits, mmap_mode="r", allow_pickle=False)
        if scores.shape != (len(images), len(order)) or scores.dtype.kind != "f":
            raise ValueError(f"it is {scores.shape} of {scores.dtype}")
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise BadInput(f"{logits} cannot be read: {first_line(error)}") from None
    return order, images, scores


def run_of(path: Path) -> Run | None:
    """The run whose own table this is; None where no record of one lies beside it."""
    if path.name != PREDICTIONS:
        return None
    try:
        return load_run(path.parent)
    except GensetError:  # another program's file
        return None


def words_of(run: Run | None) -> dict[str, str] | None:
    """What a model that compares photos with texts called each class."""
    return (run.mapping or {}).get("words") if run else None


def refuse_run_on_other_classes(spec: ModelSpec, photos: PhotoSet) -> None:
    """Refuse a table of answers on own classes, given for a set of ImageNet's.

    Raises:
        BadInput: it is one.
    """
    run = run_of(Path(spec.target))
    if run and run.mapping:
        raise BadInput(
            f"{PREDICTIONS} is of a run on the classes of "
            f"{run.mapping['taxonomy']}, and {photos.name} has ImageNet's: give --taxonomy, or "
            f"score the model on {photos.name}"
        )


def refuse_unrecorded_run(
    path: Path, columns: Collection[str], words: Collection[str], photos: PhotoSet
) -> None:
    """Refuse a table without a run's record that has the form of a run's on these classes.

    Raises:
        BadInput: it is, and it cannot be known by which convention.
    """
    if {"wnid", "top1"} <= set(columns) and any(word in photos.taxonomy for word in words):
        raise BadInput(
            f"{path.name} looks like a run's own {PREDICTIONS}, on the classes of "
            f"{photos.taxonomy.name}, and no run.json beside it says by which --pool and --among: "
            "give it in its run's folder; if it is no run's, leave out its column wnid"
        )


def stored_mapping(
    run: Run, answers: Answers, photos: PhotoSet, requested: Convention
) -> ClassMapping:
    """How a run met the classes of a set, where its answers can be taken as they are.

    Args:
        run: on own classes.
        answers: in its table.
        photos: the set.
        requested: by which convention they are wanted.

    Returns:
        The run's mapping. What its outputs of no class stand for is known as far as they are
        answers; the others are "".

    Raises:
        BadInput: the set has other classes, or the answers would be others.
    """
    taxonomy, mapping = photos.taxonomy, run.mapping or {}
    of_classes = _outputs(mapping)
    if mapping["taxonomy_hash"] != hash_of(taxonomy):
        raise BadInput(
            f"{PREDICTIONS} is of a run on other classes than {taxonomy.name} has now "
            f"({mapping['taxonomy']}, {mapping['taxonomy_hash'][:15]}), and has the best of these "
            f"alone: {_MEND}"
        )
    number = sum(map(len, of_classes.values()))
    is_pooled = any(len(its) > 1 for its in of_classes.values())
    has_others = number < mapping["model_outputs"]
    if (is_pooled and mapping["pool"] != requested.pool) or (
        has_others and mapping["among"] != requested.among
    ):
        raise BadInput(
            f"{PREDICTIONS} is of a run by --pool {mapping['pool']} --among {mapping['among']} and "
            "has its best classes alone, which cannot become those by --pool "
            f"{requested.pool} --among {requested.among}: {_MEND}"
        )
    words = {wnid for ranked, _ in answers.values() for wnid in ranked}
    others = sorted(words - of_classes.keys() - {""})
    outputs = [*(output for its in of_classes.values() for output in its), *others]
    outputs += [""] * (mapping["model_outputs"] - len(outputs))
    places = iter(range(number))
    found = {wnid: [next(places) for _ in its] for wnid, its in of_classes.items()}
    return ClassMapping(
        taxonomy=taxonomy.name,
        taxonomy_hash=mapping["taxonomy_hash"],
        convention=requested,
        outputs=tuple(outputs),
        classes={cls.wnid: found.get(cls.wnid, []) for cls in taxonomy},
        by_name=tuple(mapping.get("by_name", ())),
    )


def _outputs(mapping: Mapping[str, Any]) -> dict[str, list[str]]:
    """The outputs of each class, in the mapping of a record that others may have handed over.

    Raises:
        BadInput: it is not one that `record_of` makes.
    """
    try:
        found = {str(wnid): list(map(str, its)) for wnid, its in mapping["outputs"].items()}
        is_one = sum(map(len, found.values())) <= int(mapping["model_outputs"]) <= _MOST_OUTPUTS
        Convention(mapping["pool"], mapping["among"])
        is_one = is_one and isinstance(mapping["taxonomy_hash"], str) and "taxonomy" in mapping
    except (GensetError, AttributeError, KeyError, TypeError, ValueError):
        is_one = False
    if not is_one:
        raise BadInput(f"the run.json beside {PREDICTIONS} is not a run's record on own classes")
    return found
