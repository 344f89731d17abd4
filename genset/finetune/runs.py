"""The files of a model's new head on a task.

A run is a folder ``runs/finetune/TASK/MODEL-KEY/``::

    predictions.csv   image, class, all_0, all_1, ..., 5_0, ...: each test photo with its class, and
                      the prediction of each head, by its training photos of each class and seed
    split.csv         image, class, part ("train" or "test"): every photo that was used
    head.npz          weights (classes x features) and bias (classes) of the first seed's head
    finetune.json     model, task and settings, with every version and hash, and the counts

`KEY` is a hash over the data, the split, the weights, the preprocessing and how the head is
fitted, so a stored run is not repeated. ``finetune.json`` is written last: a folder without it is
unfinished, and the next run overwrites it.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import stdev
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import GensetError, first_line
from genset.core.files import csv_text, write_text, written_whole
from genset.score.results.runs import Accuracy, RunRecord, read_record, write_record
from genset.statistics.intervals import wilson

FORMAT = "genset finetune 1"
_RECORD = "finetune.json"
_PREDICTIONS = "predictions.csv"
_SPLIT = "split.csv"
_HEAD = "head.npz"
_MEND = "delete the folder and run genset finetune again"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One head: fitted with one seed on a number of photos of each class.

    Attributes:
        seed: of everything that is drawn: folds and shots.
        shots: training photos of each class; None: all.
        strength: the chosen inverse strength of the regularizer (scikit-learn's C); None if there
            is none.
        correct, photos: hits on the test photos, and the number of test photos.
        validation: the share that is right in cross-validation, on training photos only, by
            strength.
    """

    seed: int
    shots: int | None
    strength: float | None
    correct: int
    photos: int
    validation: dict[str, float] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The accuracy, 0 to 1."""
        return self.correct / self.photos


@dataclass(frozen=True, slots=True, kw_only=True)
class FinetuneRun(RunRecord):
    """One model's run on one task.

    `seconds` are those of the fits, and of the pass over the photos if it was made for this run
    (perhaps for other models too).

    Attributes:
        task: birds-200, dtd:3, folder and so on.
        name: the task's name in tables.
        data_hash: hash over the task's photos and their classes.
        split: how the test photos are chosen, in words.
        split_hash: hash over the photos that were used and their parts.
        classes: readable names; a label is an index into them.
        train, test: the numbers of training and test photos.
        settings: how heads are fitted.
        attempts: all heads: first those fitted on all photos, then by shots.
        overlap: test photos that are also in the training part, as copies or near-duplicates.
    """

    task: str
    name: str
    data_hash: str
    split: str
    split_hash: str
    classes: tuple[str, ...]
    train: int
    test: int
    settings: dict[str, Any]
    attempts: tuple[Attempt, ...]
    overlap: int = 0

    def of_shots(self, shots: int | None) -> list[Attempt]:
        """The heads that were fitted on `shots` photos of each class; None: on all."""
        return [attempt for attempt in self.attempts if attempt.shots == shots]

    @property
    def accuracy(self) -> Accuracy:
        """The test accuracy of heads fitted on all training photos, as the mean over seeds."""
        return mean_accuracy([shot.correct for shot in self.of_shots(None)], self.test)

    @property
    def spread(self) -> float | None:
        """The standard deviation of these accuracies over seeds, 0 to 1; None for one seed."""
        return spread_of(self.of_shots(None))


class StoredRun(NamedTuple):
    """A finished run and its folder."""

    folder: Path
    record: FinetuneRun


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions for N test photos by H heads.

    Attributes:
        images: N photo ids.
        truth: the label of each photo, an index into the record's `classes`, shape (N,), int64.
        predicted: the label that each head predicts, shape (H, N), int64.
    """

    images: tuple[str, ...]
    truth: NDArray[np.int64]
    predicted: NDArray[np.int64]

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether each prediction is right, shape (H, N), bool."""
        hits: NDArray[np.bool_] = self.predicted == self.truth
        return hits


def mean_accuracy(correct: Sequence[int], photos: int) -> Accuracy:
    """The mean of several heads' accuracies on the same photos, with Wilson's 95 % interval.

    The interval is that of one head: more seeds see no more photos, so they do not make it
    narrower.
    """
    mean = sum(correct) / len(correct)
    return Accuracy(round(mean), photos, mean / photos, *wilson(mean, photos))


def spread_of(attempts: Sequence[Attempt]) -> float | None:
    """The standard deviation of their accuracies, 0 to 1; None for a single one."""
    return stdev(attempt.share for attempt in attempts) if len(attempts) > 1 else None


def save_finetuned(
    folder: Path,
    record: FinetuneRun,
    predictions: Predictions,
    split: Iterable[tuple[str, str, str]],
    head: tuple[NDArray[np.float32], NDArray[np.float32]],
) -> None:
    """Write a run into its folder. It is finished when this returns, and not before.

    Args:
        folder: of this run.
        record: model, task, settings and counts.
        predictions: for the test photos, by the heads of all attempts.
        split: image, class and part of each photo that was used.
        head: the first seed's: weights, shape (C, D), and bias, shape (C,), both float32.

    Raises:
        GensetError: the folder cannot be written to.
    """
    names = np.array(record.classes, dtype=object)
    heads = [_column(attempt) for attempt in record.attempts]
    labels = (names[predictions.truth], *names[predictions.predicted])
    rows = zip(predictions.images, *labels, strict=True)
    weights, bias = head
    try:
        write_text(folder / _PREDICTIONS, csv_text(["image", "class", *heads], rows))
        write_text(folder / _SPLIT, csv_text(["image", "class", "part"], split))
        with written_whole(folder / _HEAD) as file:
            np.savez(file, weights=weights, bias=bias)
        write_record(folder / _RECORD, FORMAT, record)
    except OSError as error:
        why = error.strerror or first_line(error)
        raise GensetError(
            f"{record.name}, {record.model}: the run cannot be written: {why}. What is finished is "
            "kept: make room and run the same command again"
        ) from None


def load_finetuned(folder: Path) -> FinetuneRun | None:
    """The finished run in this folder, if there is one.

    Raises:
        GensetError: its record is not a record of genset's.
    """
    return read_record(folder / _RECORD, FORMAT, _as_run)


def _as_run(record: dict[str, Any]) -> FinetuneRun:
    record["classes"] = tuple(record["classes"])
    record["attempts"] = tuple(Attempt(**attempt) for attempt in record["attempts"])
    return FinetuneRun(**record)


def find_finetuned(runs: Path) -> list[StoredRun]:
    """The finished runs, in the order of their creation.

    Raises:
        GensetError: a run's record is not a record of genset's.
    """
    folders = sorted(path.parent for path in (runs / "finetune").glob(f"*/*/{_RECORD}"))
    found = [StoredRun(folder, run) for folder in folders if (run := load_finetuned(folder))]
    return sorted(found, key=lambda run: run.record.created_at)


def _column(attempt: Attempt) -> str:
    return f"{attempt.shots or 'all'}_{attempt.seed}"


def load_predictions(run: StoredRun, shots: int | None = None) -> Predictions:
    """Load the predictions of a finished run, and check that they give the run's counts.

    Args:
        run: the run.
        shots: whose heads: those fitted on so many photos of each class; None: on all.

    Raises:
        GensetError: they cannot be read, or give other counts.
    """
    folder, record = run
    heads = record.of_shots(shots)
    label_of = {name: number for number, name in enumerate(record.classes)}
    try:
        with (folder / _PREDICTIONS).open(encoding="utf-8", newline="") as file:
            columns = ["class", *map(_column, heads)]
            table = [
                (row["image"], *(label_of[row[name]] for name in columns))
                for row in csv.DictReader(file)
            ]
        images, truth, *predicted = zip(*table, strict=True)
    except (OSError, ValueError, KeyError, csv.Error) as error:
        raise GensetError(f"{folder}: predictions cannot be read ({error}); {_MEND}") from None
    found = Predictions(images, np.array(truth, np.int64), np.array(predicted, np.int64))
    counts = [attempt.correct for attempt in heads]
    if len(images) != record.test or found.right.sum(axis=1).tolist() != counts:
        raise GensetError(f"{folder}: predictions do not give the run's counts; {_MEND}")
    return found


def load_head(folder: Path) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The first seed's head: weights, shape (C, D), and bias, shape (C,), both float32.

    Raises:
        GensetError: it cannot be read.
    """
    try:
        with np.load(folder / _HEAD, allow_pickle=False) as file:
            return file["weights"], file["bias"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise GensetError(f"{folder / _HEAD} cannot be read ({error}); {_MEND}") from None
