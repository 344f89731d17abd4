"""Predictions that somebody made elsewhere, on a set of other classes than ImageNet's.

A score for each output is pooled as a network's own are. Ranked classes alone are taken where no
class has several outputs; else they cannot be summed. A run's own ``predictions.csv`` is read with
the ``logits.npy`` beside it, where that was kept.
"""

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.classes import ImageClass, imagenet1k
from genset.core.errors import BadInput, GensetError, first_line
from genset.models.classes import class_order
from genset.models.mapping.outputs import above
from genset.models.mapping.pooling import ClassMapping, Convention, record_of
from genset.models.spec import ModelSpec
from genset.score.predictions.arrays import (
    Answers,
    answers_of_array,
    load_array,
)
from genset.score.predictions.names import ClassNames
from genset.score.predictions.predictions import answers_of_table, count_answers, file_of, read_rows
from genset.score.results.count import CountedAnswers
from genset.score.results.runs import LOGIT_CLASSES, LOGITS, PREDICTIONS, load_predictions, load_run
from genset.sets.photos import PhotoSet


def mapping_on(photos: PhotoSet, order: Sequence[str], convention: Convention) -> ClassMapping:
    """How outputs meet the classes of a set.

    Args:
        photos: the set.
        order: what each output stands for; "" for no class.
        convention: how outputs are pooled, and which compete.

    Raises:
        BadInput: an output is below two classes of which neither is a kind of the other.
        GensetError: no class of a photo has an output.
    """
    mapping = ClassMapping.of(order, photos.taxonomy, convention, above)
    if not any(photo.wnid in mapping.known for photo in photos.photos):
        raise GensetError(mapping.no_output_message)
    return mapping


def check_convention(photos: PhotoSet, convention: Convention) -> None:
    """See that a convention is not asked of a set of ImageNet's classes, where it means nothing.

    Raises:
        BadInput: it is.
    """
    if photos.custom_taxonomy is None and convention != Convention():
        raise BadInput(
            f"{photos.name} has ImageNet's classes: pool and among are for a set of your own "
            "(--taxonomy); a report on several sets has both conventions"
        )


class ReadAnswers(NamedTuple):
    """Answers that were computed elsewhere, and how their classes met the set's."""

    answers: Answers
    mapping: ClassMapping


def read_mapped(
    spec: ModelSpec, photos: PhotoSet, keep: int, convention: Convention
) -> ReadAnswers:
    """Read the file that a `predictions:` spec names.

    Args:
        spec: names the file.
        photos: the set.
        keep: how many of the best classes are kept where the file has a score for each.
        convention: how outputs are pooled, and which compete.

    Raises:
        BadInput: naming the row or line that is wrong; or classes cannot be summed.
        GensetError: no class of a photo has an output.
    """
    path = file_of(spec)
    if path.suffix == ".npy":
        order = class_order(spec.classes, spec.background)
        array = load_array(path)
        if not spec.classes:
            check_indices(path.name, array, photos)
        mapping = mapping_on(photos, order, convention)
        return ReadAnswers(answers_of(path.name, array, photos, mapping, keep), mapping)
    if (stored := _stored_scores(path)) is not None:
        order, images, scores = stored
        mapping = mapping_on(photos, order, convention)
        row = {image: place for place, image in enumerate(images)}
        there = tuple(photo for photo in photos.photos if photo.id in row)
        known = scores[[row[photo.id] for photo in there]]
        in_table = replace(photos, photos=there)
        return ReadAnswers(answers_of(LOGITS, known, in_table, mapping, keep), mapping)
    refuse_pooled(path)
    return _from_table(spec, path, photos, convention)


def count_mapped(spec: ModelSpec, photos: PhotoSet, read: ReadAnswers) -> CountedAnswers:
    """Match answers with a set's photos.

    Raises:
        GensetError: not one photo can be counted.
    """
    mapping = read.mapping
    counted = count_answers(spec, photos, read.answers, mapping.known)
    return replace(
        counted,
        classes=len(set(filter(None, mapping.columns))),
        mapping=record_of(mapping, (photo.wnid for photo in photos.photos)),
    )


def answers_of(
    what: str, array: NDArray[Any], photos: PhotoSet, mapping: ClassMapping, keep: int
) -> Answers:
    """Answers in an array, one row a photo.

    Args:
        what: it comes from, for errors.
        array: N x outputs scores (floats), or N x k indices of outputs (integers), the best first.
        photos: the set.
        mapping: of the outputs.
        keep: how many of the best classes are kept of scores.

    Raises:
        BadInput: naming the row that is wrong, or the shape; or classes cannot be summed.
    """
    answers = answers_of_array(what, array, mapping.outputs, photos, keep, mapping)
    return _of_ranks(what, answers, mapping) if array.dtype.kind in "iu" else answers


def check_indices(what: str, array: NDArray[Any], photos: PhotoSet) -> None:
    """See that indices for which no list is given are not those of a set's own few classes.

    Raises:
        BadInput: all of them could be, and would be taken for ImageNet's first ones.
    """
    taxonomy = photos.taxonomy
    if array.dtype.kind not in "iu" or not array.size or len(taxonomy) >= len(imagenet1k()):
        return
    if array.min() >= 0 and array.max() < len(taxonomy):
        raise BadInput(
            f"{what} has the class indices 0 to {array.max()} alone, as a model of the "
            f"{len(taxonomy):,} classes of {taxonomy.name} has; without classes= they mean "
            "ImageNet's: list what they stand for by classes="
        )


def _of_ranks(what: str, answers: Answers, mapping: ClassMapping) -> Answers:
    """Ranked outputs as ranked classes.

    Raises:
        BadInput: a class has several outputs, or those of no class are struck out.
    """
    if not mapping.keeps_ranks:
        several = [wnid for wnid, places in mapping.classes.items() if len(places) > 1]
        why = "those of no class cannot be struck out"
        if several:
            outputs = len(mapping.classes[several[0]])
            why = f"those of {several[0]} ({outputs:,} outputs) cannot be summed"
        raise BadInput(
            f"{what} has the best classes of each photo alone, and {why}: a score for each output "
            "is needed. Score the model with --logits and give the predictions.csv of that run, "
            "or give N x outputs logits (.npy)"
        )
    found = {}
    for image, (ranked, shares) in answers.items():
        most = mapping.answer_count(len(ranked))
        found[image] = tuple(map(mapping.answer, ranked[:most])), shares[:most]
    return found


def _from_table(
    spec: ModelSpec, path: Path, photos: PhotoSet, convention: Convention
) -> ReadAnswers:
    """A table of ranked classes: the set's own ids, what models call them, ImageNet's wnids."""
    rows = read_rows(path)
    imagenet = [cls.wnid for cls in imagenet1k()]
    order: Sequence[str] = class_order(spec.classes, spec.background)
    names = {word for cls in photos.taxonomy for word in _names(cls)}
    known = {*order} if spec.classes else {*imagenet, *names, ""}
    owner = spec.classes or (
        f"{photos.taxonomy.name}, nor of ImageNet: list what the model calls its classes by "
        "classes=FILE"
    )
    words = None if spec.classes else ClassNames(photos.taxonomy)
    answers = answers_of_table(path, rows, known, owner, words)
    words_used = {wnid for ranked, _ in answers.values() for wnid in ranked}
    if not spec.classes and not words_used <= {*imagenet, ""}:
        # A class that is never said under any name is one that the model never answered.
        names_used = [
            name
            for cls in photos.taxonomy
            for name in [name for name in _names(cls) if name in words_used] or [cls.wnid]
        ]
        order = tuple(
            dict.fromkeys([*names_used, *(wnid for wnid in imagenet if wnid in words_used)])
        )
    mapping = mapping_on(photos, order, convention)
    return ReadAnswers(_of_ranks(path.name, answers, mapping), mapping)


def _names(cls: ImageClass) -> tuple[str, ...]:
    """What a table may call a class: its id, or letter by letter what the file says of models."""
    return cls.wnid, *cls.outputs


def _stored_scores(path: Path) -> tuple[tuple[str, ...], list[str], NDArray[Any]] | None:
    """What each output stands for, the photos and the logits of a run whose table this is."""
    logits, classes = path.with_name(LOGITS), path.with_name(LOGIT_CLASSES)
    if path.name != PREDICTIONS or not logits.is_file() or not classes.is_file():
        return None
    try:
        order = tuple(map(str, json.loads(classes.read_text("utf-8"))["classes"]))
        images = [found.image for found in load_predictions(path.parent)]
        scores: NDArray[Any] = np.load(logits, mmap_mode="r", allow_pickle=False)
        if scores.shape != (len(images), len(order)) or scores.dtype.kind != "f":
            raise ValueError(f"it is {scores.shape} of {scores.dtype}")
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise BadInput(f"{logits} cannot be read: {first_line(error)}") from None
    return order, images, scores


def refuse_pooled(path: Path) -> None:
    """Refuse the table of a run on own classes: its answers were pooled by one convention.

    Raises:
        BadInput: it is one, without the logits that could be pooled anew.
    """
    if path.name != PREDICTIONS or path.with_name(LOGITS).is_file():
        return
    try:
        run = load_run(path.parent)
    except GensetError:  # another program's file
        return
    if run and run.mapping:
        raise BadInput(
            f"{path} has the classes of {run.mapping['taxonomy']}, already pooled: score the model "
            "with --logits and give the predictions.csv of that run"
        )
