"""A run's predictions as arrays: hundreds of runs side by side are no objects for each photo."""

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
    Cells,
    Prediction,
    read_columns,
)

Numbers = NDArray[np.int32]


class Names:
    """A number for each class's name, the same one for all models that stand side by side.

    "" (no answer) is 0, then come ImageNet's classes in their order, then others as they are seen.
    """

    def __init__(self) -> None:
        self._names = ["", *(cls.wnid for cls in imagenet1k())]
        self._number = {name.encode(): number for number, name in enumerate(self._names)}
        self._images: tuple[Cells, list[str]] = in_utf8([]), []

    def numbers(self, names: Cells) -> Numbers:
        """The numbers of names in UTF-8; a new name gets the next one."""
        words = names.ravel().tolist()
        for word in sorted(set(words).difference(self._number)):
            self._number[word] = len(self._names)
            self._names.append(word.decode())
        found = np.fromiter(map(self._number.__getitem__, words), np.int32, len(words))
        return found.reshape(names.shape)

    def decoded(self, images: Cells) -> list[str]:
        """Photos' ids, the same list where those of the run before were the same."""
        if not np.array_equal(images, self._images[0]):
            self._images = images, np.char.decode(images).tolist()
        return self._images[1]

    def name(self, number: int) -> str:
        """The name that a number stands for."""
        return self._names[number]

    def all(self) -> NDArray[np.str_]:
        """The names by their numbers."""
        return np.array(self._names)


def in_utf8(names: Iterable[str]) -> Cells:
    """Names as an array of bytes."""
    return np.array([name.encode() for name in names], bytes)


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
    ranks, columns = read_columns(folder, and_first=True)
    if not columns:
        raise ValueError("it holds none")
    images, truth, *ranked = columns[: 2 + ranks]
    first = columns[2 + ranks :]  # probabilities may not be known
    return Answers(
        names.decoded(images),
        names.numbers(truth),
        np.stack([names.numbers(column) for column in ranked], axis=1),
        first[0].astype(float) if first else None,
    )


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
    tops = in_utf8(wnid for p in predictions for wnid in p.top)
    return Answers(
        images=[p.image for p in predictions],
        truth=names.numbers(in_utf8(p.wnid for p in predictions)),
        ranked=names.numbers(tops).reshape(-1, ranks),
        confidence=None if first is None else np.array(first, dtype=np.float64),
    )


def save_logits(folder: Path, logits: NDArray[Any], order: Sequence[str]) -> None:
    """Write the logits of a run, one row a photo that counts, and what each column stands for."""
    buffer = io.BytesIO()
    np.save(buffer, logits)
    write_text(folder / LOGIT_CLASSES, f"{json.dumps({'classes': list(order)})}\n")
    with written_whole(folder / LOGITS) as file:
        file.write(buffer.getbuffer())
