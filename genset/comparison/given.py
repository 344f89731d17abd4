"""Answers that a caller has in an array, in place of a model."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from genset.comparison.evaluated import Evaluation
from genset.core.errors import BadInput, first_line
from genset.models.classes import class_order
from genset.models.mapping.pooling import Convention
from genset.models.spec import ModelSpec
from genset.score.predictions.arrays import BEST, note_of, table_of
from genset.score.predictions.mapped import answers_of, check_indices, mapping_on
from genset.score.predictions.predictions import count_answers
from genset.score.results.count import make_run, record_of_answers
from genset.score.results.runs import load_run, run_folder, run_key, save_run
from genset.sets.photos import PhotoSet


def count_array(
    photos: PhotoSet,
    predictions: Any,
    name: str,
    classes: Sequence[str] | None,
    runs: Path,
    convention: Convention | None = None,
) -> Evaluation:
    """Count answers whose rows follow a set's photos.

    Args:
        photos: the set, of N photos.
        predictions: N x k class indices (integers), the best first; or N x classes logits or
            probabilities (floats); or N wnids. A tensor is fine; so is a dict by photos' ids, or a
            pandas table or series, whose index has these, or numbers from 0; columns may be named
            by classes. It may also be what `Predictions.to_pandas` gives.
        name: of the model; "": the run is not kept.
        classes: what each index or column stands for; None: ImageNet's 1,000 classes.
        runs: the folder where a run with a name is kept.
        convention: how columns meet a set's own classes; None: by sums, among all.

    Raises:
        BadInput: the array does not fit the set or the classes.
        GensetError: not one photo can be counted.
    """
    order = class_order() if classes is None else tuple(map(str, classes))
    array = _array(_in_order(predictions, photos, order), order)
    spec = ModelSpec(name or "predictions", "predictions", "array", "", name or "predictions")
    if classes is None:
        check_indices("predictions=", array, photos)
    mapping = mapping_on(photos, order, convention or Convention())
    answers = answers_of("predictions=", array, order, photos, mapping, BEST)
    counted = count_answers(spec, photos, answers, order, mapping, note_of(array))
    digest = hashlib.sha256(f"{array.dtype} {array.shape}\n".encode())
    digest.update(np.ascontiguousarray(array).data)
    answers_hash = f"sha256:{digest.hexdigest()}"
    salt = "" if name else uuid4().hex  # nothing is found again without a name
    key = run_key(
        set=photos.content_hash,
        predictions=answers_hash,
        classes=order,
        name=name,
        salt=salt,
        mapping=mapping.identity if mapping else None,
    )
    folder = run_folder(runs, photos.name, spec.name, key)
    if name and (stored := load_run(folder)) is not None:
        return Evaluation(stored, photos, folder, counted.predictions)
    run = make_run(photos, counted, record_of_answers(spec, key, answers_hash))
    if name:
        save_run(folder, run, counted.predictions)
    return Evaluation(run, photos, folder if name else None, counted.predictions)


def _in_order(table: Any, photos: PhotoSet, order: Sequence[str]) -> Any:
    """The values of a dict or pandas table by labels: rows by photos' ids, columns by classes.

    Rows and columns that are numbered from 0, as where nobody labels them, follow the set.

    Raises:
        BadInput: labels that are none of these, that lack one, or have one twice.
    """
    if isinstance(table, Mapping):
        _check_labels("index", list(table), photos.ids, "the ids of the set's photos")
        return [table[id] for id in photos.ids]
    if not (hasattr(table, "reindex") and hasattr(table, "to_numpy")):
        return table
    if "image" in getattr(table, "columns", ()):
        table = table.set_index("image")
    rows = list(table.index)
    if rows != list(range(len(rows))):
        _check_labels("index", rows, photos.ids, "the ids of the set's photos")
        table = table.reindex(photos.ids)
    columns = list(getattr(table, "columns", ()))
    if "wnid" in columns and list(table["wnid"]) != [photo.wnid for photo in photos.photos]:
        raise BadInput("predictions=: the table's wnids are not those of the set's photos")
    if "top1" in columns and isinstance(table["top1"].iloc[0], str):
        return table[[name for name in columns if name.startswith("top")]].to_numpy()
    if columns and set(columns) == set(range(len(columns))):
        table = table[list(range(len(columns)))]
    elif any(column in order for column in columns):
        _check_labels("header", columns, [wnid for wnid in order if wnid], "the classes")
        table = table.reindex(columns=list(order), fill_value=float("-inf"))
    return table.to_numpy()


def _check_labels(which: str, labels: Sequence[object], expected: Sequence[str], what: str) -> None:
    missing, further = set(expected) - set(labels), set(labels) - set(expected)
    if missing or further or len(set(labels)) < len(labels):
        problem = f"lacks {min(missing)!r}" if missing else "has a label twice"
        if further:
            problem = f"has {next(label for label in labels if label in further)!r}"
        raise BadInput(
            f"predictions=: the table's {which} {problem}: it must have {what}, each once, or "
            "numbers from 0 in their order"
        )


def _array(values: Any, order: Sequence[str]) -> NDArray[Any]:
    """Values as an array; wnids as their places in the order."""
    try:
        if hasattr(values, "detach"):  # a tensor, wherever it is
            values = values.detach().cpu()
            values = values.float() if values.is_floating_point() else values
        array: NDArray[Any] = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise BadInput(f"predictions= is no array: {first_line(error)}") from None
    if array.dtype.kind in "UO" and all(isinstance(word, str) for word in array.flat):
        places = {word: place for place, word in enumerate(order)}
        if strange := set(array.flat) - places.keys():
            raise BadInput(
                f"predictions=: {str(strange.pop())!r:.40} is none of the classes' wnids"
            )
        array = np.vectorize(places.__getitem__, otypes=[int])(array)
    return table_of("predictions=", array)
