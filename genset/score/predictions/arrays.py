"""Predictions in an array, one row a photo in the set's order.

Integers, N x k, are class indices, best first; floats, N x classes, are logits or probabilities.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import BadInput, first_line
from genset.core.numbers import count
from genset.models.classes import class_order
from genset.models.mapping.pooling import ClassMapping
from genset.models.spec import ModelSpec
from genset.score.outputs import NOTES, WHOLES, as_logits, by_name, kind_of
from genset.score.results.arrays import save_logits
from genset.sets.photos import PhotoSet

BEST = 5
"""Of a score for each class so many of the best are kept, unless more are asked for."""

_MAY_BE_INDICES = "; if these are class indices, save them as whole numbers: array.astype(int)"

ARRAYS = (".npy", ".npz")

_AT_ONCE = 4096  # photos, of which 1,000 scores are 32 MB

# By photo: the wnids, best first, and their probabilities (none where they are not known).
Answers = Mapping[str, tuple[tuple[str, ...], tuple[float, ...]]]


def holds_scores(spec: ModelSpec) -> bool:
    """Whether the file that a `predictions:` spec names has a score for each class.

    Raises:
        BadInput: it is no array.
    """
    path = Path(spec.target)
    return path.suffix in ARRAYS and load_array(path).dtype.kind == "f"


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
    scores = load_array(Path(spec.target))
    kind, scores = _kind_of(scores), scores[rows]
    numbers = scores / WHOLES[kind] if kind in WHOLES else as_logits(scores, kind)
    save_logits(folder, numbers, order)


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
            f"row {row} of {what} ({photos.photos[row].id}) has the class index "
            f"{indices[row, place]}: they are 0 to {len(order) - 1}"
            f"{more if indices.max() == len(order) else ''}"
        )
    sorted_rows = np.sort(indices, axis=1)
    twice = np.flatnonzero((sorted_rows[:, 1:] == sorted_rows[:, :-1]).any(axis=1))
    if len(twice):
        raise BadInput(f"row {twice[0]} of {what} ({photos.photos[twice[0]].id}) has a class twice")
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
    keep: int = BEST,
    mapping: ClassMapping | None = None,
) -> Answers:
    """Answers that are a score for each class: the best, with their probabilities.

    Scores that are no probabilities (`outputs.kind_of`) are logits, whose softmax is taken.

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
    for start in starts:
        rows = scores[start : start + _AT_ONCE].astype(np.float64)
        # A class that a model is not allowed to name has minus infinity.
        usable = (rows < np.inf).all(axis=1) & (rows > -np.inf).any(axis=1)
        if not usable.all():
            row = start + int(np.argmin(usable))
            raise BadInput(f"row {row} of {what} ({photos.photos[row].id}) holds NaN or infinity")
    kind = _kind_of(scores)
    whole = WHOLES.get(kind, 0)
    columns = mapping.columns if mapping else order
    places = by_name(columns)
    wnids = np.array([columns[place] for place in places], dtype=object)
    keep = mapping.answer_count(keep) if mapping else keep
    answers = {}
    for start in starts:
        rows = scores[start : start + _AT_ONCE].astype(np.float64)
        rows = rows / whole if whole else as_logits(rows, kind)
        if mapping is not None:
            rows = shares = mapping.shares(rows, whole > 0)[:, places]
        else:
            rows = rows[:, places]
            shares = np.minimum(rows, 1.0) if whole else _softmax(rows)
        best = np.argsort(-rows, axis=1, kind="stable")[:, :keep]
        known = np.take_along_axis(shares, best, axis=1).tolist()
        some = photos.photos[start : start + _AT_ONCE]
        for photo, ranked, probabilities in zip(some, wnids[best].tolist(), known, strict=True):
            answers[photo.id] = tuple(ranked), tuple(probabilities)
    return answers


def answers_of_array(
    what: str,
    array: NDArray[Any],
    order: Sequence[str],
    photos: PhotoSet,
    keep: int = BEST,
    mapping: ClassMapping | None = None,
    is_plain: bool = False,
) -> Answers:
    """Answers that are class indices (integers), or a score for each class (floats).

    Args:
        what, array, order, photos, keep, mapping: as above.
        is_plain: whether nothing was said of the classes, and one more is a background's.

    Raises:
        BadInput: as the two above.
    """
    background = "; if output 0 is a background class, say &background=0"
    if array.dtype.kind in "iu":
        return answers_of_indices(what, array, order, photos, background * is_plain)
    one_more = is_plain and array.shape[1] == len(order) + 1
    more = background if one_more else ": name those of the columns with classes="
    custom = photos.custom_taxonomy
    if is_plain and custom is not None and array.shape[1] == len(custom):
        more = f"; for those of {custom.name}, say &classes= and the release's classes.csv"
    return answers_of_scores(what, array, order, photos, more, keep, mapping)


def note_of(scores: NDArray[Any]) -> tuple[str, ...]:
    """What to say of an array's scores beside their numbers: nothing of indices and logits."""
    kind = _kind_of(scores) if scores.dtype.kind == "f" else "logits"
    return (NOTES[kind],) if kind in NOTES else ()


def _kind_of(scores: NDArray[Any]) -> str:
    """What all rows are (`outputs.kind_of`)."""
    parts = (scores[start : start + _AT_ONCE] for start in range(0, len(scores), _AT_ONCE))
    kinds = {kind_of(part.astype(np.float64)) for part in parts}
    return kinds.pop() if len(kinds) == 1 else "logits"


def _are_whole(scores: NDArray[Any]) -> bool:
    return bool((scores >= 0).all() and (scores == np.floor(scores)).all())


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


def load_array(path: Path) -> NDArray[Any]:
    """The array in a file, N x k integers or floats.

    Raises:
        BadInput: it is none.
    """
    try:
        loaded: Any = np.load(path, mmap_mode="r", allow_pickle=False)
        arrays = dict(loaded) if path.suffix == ".npz" else {path.stem: loaded}
    except Exception as error:  # noqa: BLE001 - numpy raises what it likes on a bad file
        raise BadInput(f"{path} cannot be read: {first_line(error)}") from None
    if len(arrays) != 1:
        found = f"{count(len(arrays), 'array')} ({', '.join(arrays)})"
        raise BadInput(f"{path} holds {found}; save the predictions alone, with np.save")
    return table_of(path.name, *arrays.values())


def table_of(what: str, array: NDArray[Any]) -> NDArray[Any]:
    """An array as N x k integers or floats; one column where it has one dimension.

    Raises:
        BadInput: it is nothing of the kind.
    """
    shape = " x ".join(map(str, array.shape))
    if array.ndim == 1 and array.dtype.kind in "iu":
        array = array[:, None]
    if array.ndim != 2 or not array.size or array.dtype.kind not in "iuf":
        raise BadInput(
            f"{what} is {shape} of {array.dtype}; it must be N x k class indices (whole numbers, "
            "the best first) or N x classes logits"
        )
    return array
