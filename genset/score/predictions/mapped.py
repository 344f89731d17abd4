"""Predictions that somebody made elsewhere: `predictions:PATH`, scored without a model.

On a set of other classes than ImageNet's, a score for each output is pooled as a network's own are.
Ranked classes alone are taken where no class has several outputs; else they cannot be summed. A
run's own ``predictions.csv`` is read with the ``logits.npy`` beside it, where that was kept.
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
from genset.models.mapping.pooling import ClassMapping, Convention
from genset.models.spec import ModelSpec
from genset.score.predictions.arrays import ARRAYS, Answers, answers_of_array, load_array, note_of
from genset.score.predictions.names import ClassNames, imagenet_names
from genset.score.predictions.predictions import (
    Vocabulary,
    answers_of_table,
    count_answers,
    file_of,
    read_rows,
)
from genset.score.results.count import CountedAnswers
from genset.score.results.runs import LOGIT_CLASSES, LOGITS, PREDICTIONS, load_predictions, load_run
from genset.sets.photos import PhotoSet


def mapping_on(
    photos: PhotoSet, order: Sequence[str], convention: Convention
) -> ClassMapping | None:
    """How outputs meet the classes of a set; None of ImageNet's, where they stand for them.

    Args:
        photos: the set.
        order: what each output stands for; "" for no class.
        convention: how outputs are pooled, and which compete.

    Raises:
        BadInput: an output is below two classes of which neither is a kind of the other.
        GensetError: no class of a photo has an output.
    """
    if photos.custom_taxonomy is None:
        return None
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
            "(taxonomy); a report on several sets has both conventions"
        )


class CountedFile(NamedTuple):
    """The answers of a file, and how their classes met the set's, where these are one's own."""

    counted: CountedAnswers
    mapping: ClassMapping | None


def read_predictions(
    spec: ModelSpec, photos: PhotoSet, keep: int, convention: Convention
) -> CountedFile:
    """Read the file that a `predictions:` spec names, and match it with a set's photos.

    Args:
        spec: names the file.
        photos: the set.
        keep: how many of the best classes are kept where the file has a score for each.
        convention: how outputs are pooled, and which compete.

    Raises:
        BadInput: naming the row or line that is wrong; or classes cannot be summed.
        MissingExtra: it is Parquet, and pyarrow is not installed.
        GensetError: not one photo can be counted.
    """
    path, in_file = file_of(spec), photos
    order = class_order(spec.classes, spec.background)
    stored = _stored_scores(path) if photos.custom_taxonomy else None
    if stored:
        order, images, array = stored
        row = {image: place for place, image in enumerate(images)}
        in_file = replace(photos, photos=tuple(p for p in photos.photos if p.id in row))
        array = array[[row[photo.id] for photo in in_file.photos]]
    elif path.suffix in ARRAYS:
        array = load_array(path)
    else:
        refuse_pooled(path)
        return _read_table(spec, path, photos, order, convention)
    is_plain = not spec.classes and spec.background is None
    if not spec.classes and not stored:
        check_indices(path.name, array, photos)
    mapping = mapping_on(photos, order, convention)
    answers = answers_of(path.name, array, order, in_file, mapping, keep, is_plain)
    counted = count_answers(spec, photos, answers, order, mapping, note_of(array))
    return CountedFile(counted, mapping)


def answers_of(
    what: str,
    array: NDArray[Any],
    order: Sequence[str],
    photos: PhotoSet,
    mapping: ClassMapping | None,
    keep: int,
    is_plain: bool = False,
) -> Answers:
    """Answers in an array, one row a photo.

    Args:
        what: it comes from, for errors.
        array: N x outputs scores (floats), or N x k indices of outputs (integers), the best first.
        order: what each output stands for.
        photos: the set.
        mapping: of the outputs to the set's classes; None: each is a class.
        keep: how many of the best classes are kept of scores.
        is_plain: whether nothing was said of the classes, and one more is a background's.

    Raises:
        BadInput: naming the row that is wrong, or the shape; or classes cannot be summed.
    """
    answers = answers_of_array(what, array, order, photos, keep, mapping, is_plain)
    return _of_ranks(what, answers, mapping) if mapping and array.dtype.kind in "iu" else answers


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


def _read_table(
    spec: ModelSpec, path: Path, photos: PhotoSet, order: Sequence[str], convention: Convention
) -> CountedFile:
    """A table of ranked classes: the set's own ids, what models call them, ImageNet's wnids."""
    rows, imagenet = read_rows(path), [cls.wnid for cls in imagenet1k()]
    custom, taxonomy = photos.custom_taxonomy is not None, photos.taxonomy
    words = Vocabulary(set(order), spec.classes or f"ImageNet's {len(imagenet):,}", order=order)
    if custom and not spec.classes:
        called = {word for cls in taxonomy for word in _names(cls)}
        mend = "list what the model calls its classes by classes=FILE"
        owner = f"{taxonomy.name}, nor of ImageNet: {mend}"
        words = Vocabulary({*imagenet, *called}, owner, ClassNames(taxonomy))
    elif not custom:
        words = replace(words, names=imagenet_names())
    answers = answers_of_table(path, rows, words, photos)
    words_used = {wnid for ranked, _ in answers.values() for wnid in ranked}
    if custom and not spec.classes and not words_used <= {*imagenet, ""}:
        # A class that is never said under any name is one that the model never answered.
        names_used = [
            name
            for cls in taxonomy
            for name in [name for name in _names(cls) if name in words_used] or [cls.wnid]
        ]
        order = tuple(
            dict.fromkeys([*names_used, *(wnid for wnid in imagenet if wnid in words_used)])
        )
    mapping = mapping_on(photos, order, convention)
    answers = _of_ranks(path.name, answers, mapping) if mapping else answers
    return CountedFile(count_answers(spec, photos, answers, order, mapping), mapping)


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
