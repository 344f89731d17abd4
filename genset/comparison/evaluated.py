"""What evaluating a model gives in Python: its record, and its answers photo by photo."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from genset.comparison.truths import MultiLabel, measure
from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count
from genset.score.results.arrays import Answers, Names, answers_of, read_answers
from genset.score.results.count import remarks
from genset.score.results.results import RunSource, results_of
from genset.score.results.runs import Accuracy, Prediction, Run, load_predictions
from genset.sets.photos import PhotoSet
from genset.sets.truths.store import with_truth

if TYPE_CHECKING:
    import pandas


class Predictions(tuple[Prediction, ...]):
    """A model's answers, one for each photo that counts, in the set's order."""

    def __repr__(self) -> str:
        first = "".join(f"\n  {answer.image}: {', '.join(answer.top)}" for answer in self[:3])
        more = "\n  ..." if len(self) > 3 else ""
        return f"<predictions for {count(len(self), 'photo')}>{first}{more}"

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with the columns of ``predictions.csv``: image, wnid, top1, ..., p1, ...

        Raises:
            GensetError: pandas is not installed.
        """
        try:
            import pandas
        except ModuleNotFoundError:
            raise GensetError("to_pandas needs pandas: pip install pandas") from None
        ranks = len(self[0].top) if self else 0
        shares = len(self[0].probabilities) if self else 0
        names = [*(f"top{n + 1}" for n in range(ranks)), *(f"p{n + 1}" for n in range(shares))]
        rows = [(row.image, row.wnid, *row.top, *row.probabilities) for row in self]
        return pandas.DataFrame(rows, columns=["image", "wnid", *names])


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A model that was scored on a set: what `genset.evaluate` gives.

    Attributes:
        record: what ``run.json`` holds: counts, versions, hashes, notes.
        photos: the set.
        folder: where the run is kept; None where it is not.
    """

    record: Run
    photos: PhotoSet
    folder: Path | None = None
    _answers: Sequence[Prediction] | None = field(default=None, repr=False)

    @property
    def model(self) -> str:
        """The model's name."""
        return self.record.model

    @property
    def top1(self) -> Accuracy:
        """How often the first answer is right: `value`, `low` and `high` from 0 to 1."""
        return self.record.top1

    @property
    def top5(self) -> Accuracy | None:
        """How often the true class is among the first five; None where fewer are known."""
        return self.record.top5

    @property
    def nll(self) -> float | None:
        """The mean of minus the logarithm of the true class's probability, in nats, if known."""
        return self.record.nll

    @property
    def multilabel(self) -> MultiLabel | None:
        """The model by all right classes of each photo; None where the set has no such truth.

        Raises:
            GensetError: its predictions or logits cannot be read any more.
        """
        photos = with_truth(self.photos, self.folder.parent.parent) if self.folder else self.photos
        if photos.truth is None:
            return None
        (found,) = measure(results_of(photos, [self.as_source()])).values()
        return found

    @property
    def notes(self) -> list[str]:
        """What a reader of the numbers must know, in sentences: also which photos do not count."""
        return remarks(self.record)

    @property
    def predictions(self) -> Predictions:
        """The answers, photo by photo.

        Raises:
            GensetError: they cannot be read any more.
        """
        return Predictions(self._load())

    def as_source(self) -> RunSource:
        """The same as runs are read from their folders."""
        return RunSource(self.record, self._arrays, str(self.folder or self.model), self.folder)

    def __str__(self) -> str:
        return f"{self.model} on {self.photos.name}: top-1 {self.top1}"

    def _repr_html_(self) -> str:
        """One table, as notebooks show it."""
        notes = [("note", note) for note in self.notes]
        rows = [("model", self.model), ("top-1", self.top1), ("top-5", self.top5 or "–"), *notes]
        cells = (f"<tr><th>{name}</th><td>{escape(str(text))}</td></tr>" for name, text in rows)
        return f"<table>{''.join(cells)}</table>"

    def _arrays(self, names: Names) -> Answers:
        if self._answers is None and self.folder is not None:
            return read_answers(self.folder, names)
        return answers_of(self._load(), names)

    def _load(self) -> Sequence[Prediction]:
        if self._answers is not None:
            return self._answers
        if self.folder is None:
            raise BadInput(f"{self.model}: its predictions were not kept")
        try:
            return load_predictions(self.folder)
        except (OSError, ValueError, csv.Error) as error:
            raise GensetError(
                f"{self.folder}: predictions cannot be read ({error}); delete it and evaluate again"
            ) from None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on the same photos: what `genset.compare` gives.

    Attributes:
        first, second: the models' names; where they are one model by two conventions of meeting
            the set's own classes, with these.
        photos: that count for both.
        difference: of their top-1 accuracies, first less second, -1 to 1, with its interval.
        p_value: of McNemar's exact test.
        only_first, only_second: photos that one model alone has right.
        sentence: all that in words; it is what is printed.
    """

    first: str
    second: str
    photos: int
    difference: Estimate
    p_value: float
    only_first: int
    only_second: int
    sentence: str

    def __str__(self) -> str:
        return self.sentence
