"""A run's predictions as arrays: hundreds of runs side by side are no objects for each photo.

What ``save_run`` writes is read whole, byte by byte in NumPy, in a few milliseconds for 10,000
photos. Any other table, such as one with quoted names or with classes that are no wnids, goes
through Python's reader, which also says what is wrong with one that is damaged.
"""

import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.core.files import write_text, written_whole
from genset.score.results.runs import (
    LOGIT_CLASSES,
    LOGITS,
    PREDICTIONS,
    Prediction,
    load_predictions,
)

_COMMA, _LINE, _N = (ord(sign) for sign in ",\nn")
_EIGHT = np.dtype(">u8")

Numbers = NDArray[np.int32]


class Names:
    """A number for each class's name, the same one for all models that stand side by side.

    "" (no answer) is 0, then come ImageNet's classes in their order, then others as they are seen.
    """

    def __init__(self) -> None:
        self._names = ["", *(cls.wnid for cls in imagenet1k())]
        self._number = {name: number for number, name in enumerate(self._names)}
        signs = [int.from_bytes(wnid[1:].encode(), "big") for wnid in self._names[1:]]
        self._signs = np.array(signs, dtype=np.uint64)  # ascending, as the wnids

    def numbers(self, names: Iterable[str]) -> Numbers:
        """The numbers of names; a new name gets the next one."""
        for name in dict.fromkeys(names := list(names)):
            if name not in self._number:
                self._number[name] = len(self._names)
                self._names.append(name)
        return np.array([self._number[name] for name in names], dtype=np.int32)

    def of_signs(self, eight: NDArray[np.uint64]) -> Numbers | None:
        """The numbers of ImageNet's classes by the last eight signs of their wnids.

        None where one is no such class.
        """
        place = np.searchsorted(self._signs, eight).clip(max=len(self._signs) - 1)
        return (place + 1).astype(np.int32) if (self._signs[place] == eight).all() else None

    def name(self, number: int) -> str:
        """The name that a number stands for."""
        return self._names[number]

    def all(self) -> NDArray[np.str_]:
        """The names by their numbers."""
        return np.array(self._names)


class Answers(NamedTuple):
    """A run's answers to M photos, in the order in which they are kept.

    Attributes:
        images: M ids.
        truth: M numbers: the class that the photo had.
        ranked: M x k numbers, the best first; 0 where the answer is no class.
        confidence: M: the first answer's probability; None where none are known.
    """

    images: Sequence[str]
    truth: Numbers
    ranked: Numbers
    confidence: NDArray[np.float64] | None

    def counts(self) -> tuple[int, int, int | None]:
        """How many photos, right first answers, and right ones among five, if so many are kept."""
        right = self.ranked[:, :5] == self.truth[:, None]
        deep = self.ranked.shape[1] >= 5
        return len(right), int(right[:, 0].sum()), int(right.any(axis=1).sum()) if deep else None


def read_answers(folder: Path, names: Names) -> Answers:
    """The answers of a finished run.

    Args:
        folder: of the run.
        names: which numbers stand for which classes.

    Raises:
        OSError, ValueError, csv.Error: they cannot be read.
    """
    found = _fast((folder / PREDICTIONS).read_bytes(), names)
    return found or answers_of(load_predictions(folder), names)


def answers_of(predictions: Sequence[Prediction], names: Names) -> Answers:
    """The same of predictions that are at hand.

    Raises:
        ValueError: there are none, or they have not as many answers for each photo.
    """
    if not predictions:
        raise ValueError("it holds none")
    ranks, shares = len(predictions[0].top), len(predictions[0].probabilities)
    if any((len(p.top), len(p.probabilities)) != (ranks, shares) for p in predictions):
        raise ValueError("its lines differ in their length")
    first = [p.probabilities[0] for p in predictions] if shares else None
    return Answers(
        images=[p.image for p in predictions],
        truth=names.numbers(p.wnid for p in predictions),
        ranked=names.numbers(wnid for p in predictions for wnid in p.top).reshape(-1, ranks),
        confidence=None if first is None else np.array(first, dtype=np.float64),
    )


def _fast(content: bytes, names: Names) -> Answers | None:
    """What a table holds that is as `save_run` writes it; None where it is not, in any way."""
    head, _, body = content.partition(b"\n")
    columns = head.split(b",")
    ranks = sum(name.startswith(b"top") for name in columns)
    shares = len(columns) - 2 - ranks
    expected = ["image", "wnid", *(f"top{n + 1}" for n in range(ranks))]
    expected += [f"p{n + 1}" for n in range(shares)]
    if columns != [name.encode() for name in expected] or not ranks:
        return None
    if b'"' in body or b"\r" in body or not body.endswith(b"\n"):
        return None
    signs = np.frombuffer(body, np.uint8)
    flat = np.flatnonzero((signs == _COMMA) | (signs == _LINE))
    if len(flat) % len(columns):
        return None
    ends = flat.reshape(-1, len(columns))
    is_line = signs[ends] == _LINE
    if not is_line[:, -1].all() or is_line[:, :-1].any():
        return None
    starts = np.concatenate([[0], flat[:-1] + 1]).reshape(ends.shape)
    classes = slice(1, 2 + ranks)
    numbers = _wnids(signs, starts[:, classes], ends[:, classes], names)
    if numbers is None:
        return None
    try:
        text = body.decode("ascii")  # so that a sign is a byte
        images = [text[start:end] for start, end in _places(starts, ends, 0)]
        known = [float(text[start:end]) for start, end in _places(starts, ends, 2 + ranks)]
    except ValueError:
        return None
    confidence = np.array(known) if shares else None
    return Answers(images, numbers[:, 0], numbers[:, 1:], confidence)


def _places(
    starts: NDArray[np.int64], ends: NDArray[np.int64], column: int
) -> Iterable[tuple[int, int]]:
    """Where each line's cell of a column begins and ends; none where there is no such column."""
    if column >= starts.shape[1]:
        return ()
    return zip(starts[:, column].tolist(), ends[:, column].tolist(), strict=True)


def _wnids(
    signs: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], names: Names
) -> Numbers | None:
    """The numbers of ImageNet's classes in these cells; None where a cell holds anything else."""
    if (ends - starts != 9).any() or (signs[starts] != _N).any():
        return None
    # The eight signs that begin at each byte, as one whole number; the last seven begin none.
    eights = np.ndarray(len(signs) - 7, dtype=_EIGHT, buffer=signs, strides=(1,))
    return names.of_signs(eights[starts + 1].astype(np.uint64))


def save_logits(folder: Path, logits: NDArray[Any], order: Sequence[str]) -> None:
    """Write the logits of a run, one row a photo that counts, and what each column stands for."""
    buffer = io.BytesIO()
    np.save(buffer, logits)
    write_text(folder / LOGIT_CLASSES, f"{json.dumps({'classes': list(order)})}\n")
    with written_whole(folder / LOGITS) as file:
        file.write(buffer.getbuffer())
