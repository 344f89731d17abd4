"""Predictions that somebody made elsewhere: `predictions:PATH`, scored without a model.

A file is one of::

    preds.npy       N x k class indices (integers), best first, one row a photo in the set's order;
                    or N x classes logits or probabilities (floats)
    preds.csv       image, top1, top2, ... (wnids, best first), and p1, p2, ... where known
    preds.parquet   the same columns; a run's own predictions.csv has them too
"""

import csv
import io
import json
from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.core.errors import BadInput, GensetError, MissingExtra, first_line
from genset.core.files import write_text, written_whole
from genset.core.numbers import count
from genset.models.classes import class_order
from genset.models.mapping.pooling import ClassMapping
from genset.models.spec import ModelSpec
from genset.score.results.count import Counted
from genset.score.results.runs import LOGIT_CLASSES, LOGITS, Prediction
from genset.sets.photos import PhotoSet

KEPT = 5
"""Of a score for each class so many of the best are kept, unless more are asked for."""

_MAY_BE_INDICES = "; if these are class indices, save them as whole numbers: array.astype(int)"
_AT_ONCE = 4096  # photos, of which 1,000 scores are 32 MB

# By photo: the wnids, best first, and their probabilities (none where they are not known).
Answers = Mapping[str, tuple[tuple[str, ...], tuple[float, ...]]]

Row = Mapping[str, Any]


def read_predictions(spec: ModelSpec, photos: PhotoSet, keep: int = KEPT) -> Counted:
    """Read the file that a `predictions:` spec names, and match it with a set's photos.

    A model with a smaller class list is counted on the photos of its own classes alone.

    Args:
        spec: names the file.
        photos: the set.
        keep: how many of the best classes are kept where the file has a score for each.

    Raises:
        BadInput: naming the row or line that is wrong.
        MissingExtra: it is Parquet, and pyarrow is not installed.
        GensetError: not one photo can be counted.
    """
    path = Path(spec.target)
    if not path.is_file():
        raise BadInput(f"model {spec.text!r}: there is no file {path}")
    order = class_order(spec.classes, spec.background)
    known = {wnid for wnid in order if wnid}
    if path.suffix == ".npy":
        answers = _from_array(spec, path, order, photos, keep)
    elif path.suffix in (".csv", ".parquet"):
        answers = answers_of_table(spec, path, read_rows(spec, path), known)
    else:
        raise BadInput(f"model {spec.text!r}: predictions are a .npy, .csv or .parquet file")
    of_set = {photo.id for photo in photos.photos}
    unknown = sum(image not in of_set for image in answers)
    if unknown == len(answers):
        example = photos.photos[0].id
        raise BadInput(
            f"model {spec.text!r}: {path.name} has no photo of {photos.name}, whose photos "
            f"are called like {example}"
        )
    return count_answers(spec, photos, answers, known, _unknown(unknown))


def holds_scores(spec: ModelSpec) -> bool:
    """Whether the file that a `predictions:` spec names has a score for each class.

    Raises:
        BadInput: it is no array.
    """
    path = Path(spec.target)
    return path.suffix == ".npy" and load_array(spec, path).dtype.kind == "f"


def keep_scores(
    spec: ModelSpec, photos: PhotoSet, folder: Path, known: Collection[str] = ()
) -> None:
    """Keep the scores of a file as the logits of its run, one row a photo that counts.

    Args:
        spec: names the file, which holds scores and was counted.
        photos: the set.
        folder: of the run.
        known: the classes whose photos count; none: those that the file's columns are of.

    Raises:
        OSError: they cannot be written.
    """
    order = class_order(spec.classes, spec.background)
    known = known or set(filter(None, order))
    rows = [place for place, photo in enumerate(photos.photos) if photo.wnid in known]
    buffer = io.BytesIO()
    np.save(buffer, load_array(spec, Path(spec.target))[rows])
    write_text(folder / LOGIT_CLASSES, f"{json.dumps({'classes': list(order)})}\n")
    with written_whole(folder / LOGITS) as file:
        file.write(buffer.getbuffer())


def count_answers(
    spec: ModelSpec,
    photos: PhotoSet,
    answers: Answers,
    known: Collection[str],
    notes: tuple[str, ...] = (),
) -> Counted:
    """Match answers with a set's photos.

    Args:
        spec: whose answers they are.
        photos: the set.
        answers: by photo.
        known: the wnids of the classes that the model has.
        notes: what to say beside the numbers.

    Raises:
        GensetError: not one photo can be counted.
    """
    countable = [photo for photo in photos.photos if photo.wnid in known]
    predictions = [
        Prediction(photo.id, photo.wnid, *answers[photo.id])
        for photo in countable
        if photo.id in answers
    ]
    if not predictions:
        raise GensetError(f"model {spec.text!r}: not one photo of {photos.name} can be counted")
    return Counted(
        predictions=predictions,
        left_out={photo.id: "no prediction" for photo in countable if photo.id not in answers},
        classes=len(known),
        masked=len(photos.photos) - len(countable),
        notes=notes,
    )


def _unknown(photos: int) -> tuple[str, ...]:
    if not photos:
        return ()
    what = "photo that is" if photos == 1 else "photos that are"
    return (f"The file also speaks of {photos:,} {what} not in the set.",)


def answers_of_indices(
    what: str, indices: NDArray[Any], order: Sequence[str], photos: PhotoSet, more: str = ""
) -> Answers:
    """Answers that are class indices.

    Args:
        what: what they come from, for errors.
        indices: N x k integers, the best first, one row a photo in the set's order.
        order: the wnid of each index, "" for one that is no class.
        photos: the set.
        more: what to say of an index that is one too high.

    Raises:
        BadInput: naming the row that is wrong.
    """
    _one_row_a_photo(what, indices, photos)
    wrong = np.argwhere((indices < 0) | (indices >= len(order)))
    if len(wrong):
        row, place = wrong[0]
        raise BadInput(
            f"row {row} of {what} has the class index {indices[row, place]}: they are 0 to "
            f"{len(order) - 1}{more if indices.max() == len(order) else ''}"
        )
    sorted_rows = np.sort(indices, axis=1)
    twice = np.flatnonzero((sorted_rows[:, 1:] == sorted_rows[:, :-1]).any(axis=1))
    if len(twice):
        raise BadInput(f"row {twice[0]} of {what} has a class twice")
    wnids = np.array(order, dtype=object)[indices].tolist()
    return {
        photo.id: (tuple(ranked), ()) for photo, ranked in zip(photos.photos, wnids, strict=True)
    }


def answers_of_scores(
    what: str,
    scores: NDArray[Any],
    order: Sequence[str],
    photos: PhotoSet,
    more: str = "",
    keep: int = KEPT,
    mapping: ClassMapping | None = None,
) -> Answers:
    """Answers that are a score for each class: the best, with their probabilities.

    Where no score is negative and each row sums to 1, scores are probabilities; else they are
    logits, whose softmax is taken.

    Args:
        what: what they come from, for errors.
        scores: N x classes floats, one row a photo in the set's order.
        order: the wnid of each column, "" for one that is no class.
        photos: the set.
        more: what to say where there are not as many columns as classes.
        keep: how many of the best classes.
        mapping: of the columns to the set's classes; None: each is a class.

    Raises:
        BadInput: naming the row that is wrong, or the shape.
    """
    _one_row_a_photo(what, scores, photos)
    if scores.shape[1] != len(order):
        raise BadInput(
            f"{what} has {count(scores.shape[1], 'column')} of numbers, and there are "
            f"{len(order):,} classes{_MAY_BE_INDICES if _are_whole(scores[:_AT_ONCE]) else more}"
        )
    starts = range(0, len(scores), _AT_ONCE)
    are_probabilities = True
    for start in starts:
        rows = scores[start : start + _AT_ONCE].astype(np.float64)
        # A class that a model is not allowed to name has minus infinity.
        usable = (rows < np.inf).all(axis=1) & (rows > -np.inf).any(axis=1)
        if not usable.all():
            row = start + int(np.argmin(usable))
            raise BadInput(f"row {row} of {what} holds NaN or infinity")
        are_probabilities = are_probabilities and sum_to_1(rows)
    wnids = np.array(mapping.columns if mapping else order, dtype=object)
    keep = mapping.kept(keep) if mapping else keep
    answers = {}
    for start in starts:
        rows = scores[start : start + _AT_ONCE].astype(np.float64)
        if mapping is not None:
            rows = shares = mapping.shares(rows, are_probabilities)
        else:
            shares = np.minimum(rows, 1.0) if are_probabilities else _softmax(rows)
        best = np.argsort(-rows, axis=1, kind="stable")[:, :keep]
        known = np.take_along_axis(shares, best, axis=1).tolist()
        some = photos.photos[start : start + _AT_ONCE]
        for photo, ranked, each in zip(some, wnids[best].tolist(), known, strict=True):
            answers[photo.id] = tuple(ranked), tuple(each)
    return answers


def _are_whole(scores: NDArray[Any]) -> bool:
    return bool((scores >= 0).all() and (scores == np.floor(scores)).all())


def sum_to_1(rows: NDArray[Any]) -> bool:
    """Whether scores are probabilities: no row has a negative one, and each sums to 1."""
    return bool((rows >= 0).all() and np.allclose(rows.sum(axis=1), 1, atol=1e-3))


def _softmax(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = np.exp(rows - rows.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = rows / rows.sum(axis=1, keepdims=True)
    return shares


def _one_row_a_photo(what: str, array: NDArray[Any], photos: PhotoSet) -> None:
    if len(array) != len(photos.photos):
        raise BadInput(
            f"{what} has {count(len(array), 'row')}, and {photos.name} has "
            f"{count(len(photos.photos), 'photo')}: it needs one row a photo, in the set's order"
        )


def _from_array(
    spec: ModelSpec, path: Path, order: Sequence[str], photos: PhotoSet, keep: int
) -> Answers:
    array = load_array(spec, path)
    is_plain = not spec.classes and spec.background is None
    background = "; if output 0 is a background class, say &background=0"
    try:
        if array.dtype.kind in "iu":
            more = background if is_plain else ""
            return answers_of_indices(path.name, array, order, photos, more)
        more = ": name those of the columns with classes=FILE"
        if is_plain and array.shape[1] == len(order) + 1:
            more = background
        return answers_of_scores(path.name, array, order, photos, more, keep)
    except BadInput as error:
        raise BadInput(f"model {spec.text!r}: {error}") from None


def load_array(spec: ModelSpec, path: Path) -> NDArray[Any]:
    """The array in a file, N x k integers or floats.

    Raises:
        BadInput: it is none.
    """
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # noqa: BLE001 - numpy raises what it likes on a bad file
        raise _unreadable(spec, error) from None
    if array.ndim == 1 and array.dtype.kind in "iu":
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] == 0 or array.dtype.kind not in "iuf":
        shape = " x ".join(map(str, array.shape))
        raise BadInput(
            f"model {spec.text!r}: {path.name} is {shape} of {array.dtype}; it must be N x k "
            "whole numbers, the class indices with the best first, or N x classes logits"
        )
    return array


def answers_of_table(
    spec: ModelSpec,
    path: Path,
    rows: Sequence[Row],
    known: Collection[str] | None = None,
    whose: str = "",
) -> Answers:
    """The answers in a table.

    Args:
        spec: names the table.
        path: of the table.
        rows: what it has (`read_rows`).
        known: the classes that may be answers; None: any.
        whose: they are, for errors.

    Raises:
        BadInput: naming the photo that is wrong.
    """
    columns = [name for name in rows[0] if name] if rows else []
    ranks = sum(f"top{n}" in columns for n in range(1, len(columns) + 1))
    tops = [f"top{n}" for n in range(1, ranks + 1)]
    if "image" not in columns or not ranks or not set(tops) <= set(columns):
        raise BadInput(
            f"model {spec.text!r}: {path.name} needs rows with the columns image, top1, top2, ... "
            f"(wnids, best first); it has {', '.join(columns) or 'none'}"
        )
    shares = [f"p{n}" for n in range(1, ranks + 1)]
    has_shares = set(shares) <= set(columns)
    answers: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {}
    for number, row in enumerate(rows, 1):
        where = f"model {spec.text!r}: {path.name}, photo {number}"
        image = str(row["image"])
        if image in answers:
            raise BadInput(f"{where}: {image} is there twice")
        ranked = tuple(str(row[name]) for name in tops)
        for wnid in ranked:
            if known is not None and wnid not in known:
                raise BadInput(f"{where}: {wnid[:40]!r} is no class of {whose or _whose(spec)}")
        if len(set(ranked)) < ranks:
            raise BadInput(f"{where}: it has a class twice")
        answers[image] = (ranked, _shares(where, row, shares) if has_shares else ())
    return answers


def read_rows(spec: ModelSpec, path: Path) -> list[Row]:
    """The rows of a table, a photo each, by the names of their columns.

    Raises:
        BadInput: it cannot be read.
        MissingExtra: it is Parquet, and pyarrow is not installed.
    """
    if path.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise MissingExtra("reading Parquet", "evaluate")
    try:
        if path.suffix == ".csv":
            with path.open(encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))
        from pyarrow import parquet

        rows: list[Row] = parquet.read_table(path).to_pylist()
        return rows
    except Exception as error:  # noqa: BLE001 - pyarrow raises what it likes on a bad file
        raise _unreadable(spec, error) from None


def _unreadable(spec: ModelSpec, error: Exception) -> BadInput:
    return BadInput(f"model {spec.text!r}: {spec.target} cannot be read: {first_line(error)}")


def _shares(where: str, row: Mapping[str, Any], names: Sequence[str]) -> tuple[float, ...]:
    try:
        shares = tuple(float(row[name]) for name in names)
    except (TypeError, ValueError):
        shares = (-1.0,)
    if not all(0 <= share <= 1 for share in shares):
        raise BadInput(f"{where}: p1, p2, ... are probabilities from 0 to 1")
    return shares


def _whose(spec: ModelSpec) -> str:
    return spec.classes or f"ImageNet's {len(imagenet1k()):,}"
