"""The logits that a run kept, with the class that each of them is of.

On a user's own classes they are pooled as the run's answers were.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import GensetError, first_line
from genset.models.mapping.pooling import ClassMapping, Convention
from genset.score.outputs import sum_to_1
from genset.score.results.results import ModelAnswers
from genset.score.results.runs import LOGIT_CLASSES, LOGITS, Run

_AT_ONCE = 4096  # photos, of which 1,000 logits are 16 MB
_NEAR = 1e-3  # by which logits that are stored in half precision may differ


class Logits(NamedTuple):
    """A model's logits.

    Attributes:
        photos: M places in the set, of the photos that count for the model.
        values: M x C, read from the disk as they are used; on a user's own classes the logarithm of
            what each class gets by the run's convention, and of each output of no class.
        classes: the C wnids; "" for an output that is no class.
    """

    photos: NDArray[np.int64]
    values: NDArray[Any]
    classes: tuple[str, ...]


def find_logits(model: ModelAnswers) -> Logits | None:
    """A model's logits; None where none were kept.

    Raises:
        GensetError: they cannot be read, or are not of the answers that are kept: of these the
            first has the highest logit.
    """
    path = model.folder / LOGITS if model.folder else None
    if path is None or not path.is_file():
        return None
    try:
        values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # noqa: BLE001 - numpy raises what it likes on a bad file
        raise _unreadable(path, first_line(error)) from None
    photos = np.flatnonzero(model.answered)
    if values.ndim != 2 or values.dtype.kind != "f" or len(values) != len(photos):
        raise _unreadable(path, f"it is {' x '.join(map(str, values.shape))} of {values.dtype}")
    first = model.first[photos]
    order = _order(path.with_name(LOGIT_CLASSES))
    if len(order) != values.shape[1]:
        raise _unreadable(path, f"it has {values.shape[1]} columns, and {len(order)} classes")
    found = _pooled(model.run, photos, values, order)
    if not _is_order(found.classes, found.values, first):
        raise _unreadable(path, "its highest values are not the run's answers")
    return found


def _unreadable(path: Path, why: str) -> GensetError:
    return GensetError(
        f"{path} cannot be read ({why}); delete the folder and run genset evaluate again"
    )


def has_logits(model: ModelAnswers) -> bool:
    """Whether logits were kept."""
    return model.folder is not None and (model.folder / LOGITS).is_file()


def _order(path: Path) -> tuple[str, ...]:
    """The class of each logit, from the file beside them.

    Raises:
        GensetError: it cannot be read.
    """
    try:
        return tuple(map(str, json.loads(path.read_text("utf-8"))["classes"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unreadable(path, first_line(error)) from None


def _pooled(
    run: Run, photos: NDArray[np.int64], values: NDArray[Any], order: tuple[str, ...]
) -> Logits:
    """Logits as a run met its set's classes; as they are, where each is of a class."""
    if (record := run.mapping) is None:
        return Logits(photos, values, order)
    places: dict[str, list[int]] = {}
    for place, output in enumerate(order):
        places.setdefault(output, []).append(place)
    classes = {
        wnid: [place for output in its for place in places.get(output, ())]
        for wnid, its in record["outputs"].items()
    }
    if not any(classes.values()):  # the logits are of another run
        return Logits(photos, values, order)
    convention = Convention(record["pool"], record["among"])
    mapping = ClassMapping(record["taxonomy"], record["taxonomy_hash"], convention, order, classes)
    starts = range(0, len(values), _AT_ONCE)
    are_probabilities = all(sum_to_1(values[start : start + _AT_ONCE]) for start in starts)
    pooled = np.empty((len(values), len(mapping.columns)), np.float32)
    with np.errstate(divide="ignore"):  # of an output that a model is not allowed to name
        for start in starts:
            part = slice(start, start + _AT_ONCE)
            pooled[part] = np.log(mapping.shares(values[part], are_probabilities))
    return Logits(photos, pooled, mapping.columns)


def _is_order(order: tuple[str, ...], values: NDArray[Any], first: NDArray[np.str_]) -> bool:
    """Whether each photo's first answer has its highest logit."""
    place = {wnid: number for number, wnid in enumerate(order)}
    columns = np.array([place.get(wnid, -1) for wnid in first.tolist()])
    if (columns < 0).any():
        return False
    for start in range(0, len(values), _AT_ONCE):
        rows = np.asarray(values[start : start + _AT_ONCE], np.float64)
        first_logits = rows[np.arange(len(rows)), columns[start : start + _AT_ONCE]]
        if (first_logits < rows.max(axis=1) - _NEAR).any():
            return False
    return True
