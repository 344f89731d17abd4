"""What is kept of a model's new head on a task.

A run is a folder ``runs/finetune/TASK/MODEL-KEY/``::

    predictions.csv   image, class, said_0, said_1, ...: of each test photo its class, and what the
                      head of each seed says (heads fitted on all training photos)
    split.csv         image, class, part ("train" or "test"): every photo that was used
    head.npz          weights (classes x features) and bias (classes) of the first seed's head
    finetune.json     what was fitted on what, with every version and hash, and the counts

`KEY` is a hash over the data, the split, the weights, the preprocessing and how the head is
fitted, so a run that is there need not be made again. ``finetune.json`` is written last: a folder
without it was not finished, and is written over by the next run.
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import stdev
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from genset.errors import GensetError, first_line
from genset.evaluation.results.runs import Accuracy, run_folder
from genset.files import write_text, written_whole
from genset.statistics.intervals import wilson

FORMAT = "genset finetune 1"
_RECORD = "finetune.json"
_PREDICTIONS = "predictions.csv"
_SPLIT = "split.csv"
_HEAD = "head.npz"
_MEND = "delete the folder and run genset finetune again"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One head: fitted with one seed on so many photos of each class.

    Attributes:
        seed: of everything that is drawn: folds, shots, batches.
        shots: training photos of each class; None: all.
        strength: the inverse strength of the regularizer that was chosen (scikit-learn's C); None
            where there is none.
        correct, photos: hits on the test photos, and how many there are.
        validation: the share that is right in cross-validation, on training photos alone, by
            strength.
        epochs: what was seen at each epoch of training, where there are epochs.
    """

    seed: int
    shots: int | None
    strength: float | None
    correct: int
    photos: int
    validation: dict[str, float] = field(default_factory=dict)
    epochs: list[dict[str, float]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The accuracy, 0 to 1."""
        return self.correct / self.photos


@dataclass(frozen=True, slots=True)
class Finetuned:
    """One model's run on one task.

    Attributes:
        key: hash over what determines the answers.
        task: birds-200, cats-dogs, butterflies or folder.
        name: the task as tables show it.
        model: the model as tables show it.
        spec: the model spec as it was given.
        weights_hash, preprocessing, precision, engine, versions, device: what it takes to get the
            run again.
        seconds: the pass over the photos, if it was made for this run (and for whichever other
            models it was), and the fits.
        data_hash: hash over the task's photos and their classes.
        split: in words, who is the test; `split_hash` is one over every photo that was used and
            its part.
        classes: readable names; a label is a place among them.
        train, test: how many photos were fitted on, and tested on.
        left_out: why, for each photo that was not used, by its id.
        probe: "features" or "sgd".
        settings: how heads are fitted.
        attempts: every head; those on all photos first, then by shots.
        notes: what else a reader of the numbers must know, in sentences.
    """

    key: str
    task: str
    name: str
    model: str
    spec: str
    weights_hash: str
    preprocessing: dict[str, Any]
    precision: str
    engine: str
    versions: dict[str, str]
    device: str
    created_at: str
    seconds: float
    data_hash: str
    split: str
    split_hash: str
    classes: tuple[str, ...]
    train: int
    test: int
    left_out: dict[str, str]
    probe: str
    settings: dict[str, Any]
    attempts: tuple[Attempt, ...]
    notes: tuple[str, ...] = ()

    def of_shots(self, shots: int | None) -> list[Attempt]:
        """The heads that were fitted on so many photos of each class; None: on all."""
        return [attempt for attempt in self.attempts if attempt.shots == shots]

    @property
    def accuracy(self) -> Accuracy:
        """On the test photos, of heads fitted on all training photos, as the mean over seeds."""
        return mean_accuracy([each.correct for each in self.of_shots(None)], self.test)

    @property
    def spread(self) -> float | None:
        """The standard deviation of these accuracies over seeds, 0 to 1; None of one seed."""
        return spread_of(self.of_shots(None))


class Kept(NamedTuple):
    """A finished run and its folder."""

    folder: Path
    record: Finetuned


@dataclass(frozen=True, slots=True)
class Said:
    """What the heads fitted on all training photos say of N test photos.

    Attributes:
        images: N photo ids.
        truth: N labels, places in the record's `classes`.
        said: seeds x N labels.
    """

    images: tuple[str, ...]
    truth: NDArray[np.int64]
    said: NDArray[np.int64]

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether each is right: seeds x N."""
        hits: NDArray[np.bool_] = self.said == self.truth
        return hits


def mean_accuracy(correct: Sequence[int], photos: int) -> Accuracy:
    """The mean of several heads' accuracies on the same photos, with Wilson's 95 % interval.

    The interval is one head's on so many photos: further seeds see no further photos, so they do
    not make it narrower.
    """
    mean = sum(correct) / len(correct)
    return Accuracy(round(mean), photos, mean / photos, *wilson(mean, photos))


def spread_of(attempts: Sequence[Attempt]) -> float | None:
    """The standard deviation of their accuracies, 0 to 1; None of one."""
    return stdev(each.share for each in attempts) if len(attempts) > 1 else None


def finetuned_folder(runs: Path, name: str, model: str, key: str) -> Path:
    """Where a run of this model on the task of this name is kept."""
    return run_folder(runs / "finetune", name, model, key)


def save_finetuned(
    folder: Path,
    record: Finetuned,
    said: Said,
    split: Iterable[tuple[str, str, str]],
    head: tuple[NDArray[np.float32], NDArray[np.float32]],
) -> None:
    """Write a run into its folder; it is finished when this returns, and not before.

    Args:
        folder: of this run.
        record: what was fitted on what.
        said: what the heads say of the test photos.
        split: image, class and part of each photo that was used.
        head: the first seed's: weights (classes x features) and bias (classes).

    Raises:
        GensetError: the folder cannot be written to.
    """
    names = np.array(record.classes, dtype=object)
    seeds = [f"said_{number}" for number in range(len(said.said))]
    answers = zip(said.images, names[said.truth], *names[said.said], strict=True)
    weights, bias = head
    text = json.dumps({"format": FORMAT} | asdict(record), indent=1) + "\n"
    try:
        _write_table(folder / _PREDICTIONS, ["image", "class", *seeds], answers)
        _write_table(folder / _SPLIT, ["image", "class", "part"], split)
        with written_whole(folder / _HEAD) as file:
            np.savez(file, weights=weights, bias=bias)
        write_text(folder / _RECORD, text)
    except OSError as error:
        why = error.strerror or first_line(error)
        raise GensetError(
            f"{record.name}, {record.model}: the run cannot be written: {why}. What is finished is "
            "kept: make room and run the same command again"
        ) from None


def load_finetuned(folder: Path) -> Finetuned | None:
    """The finished run in this folder, if there is one.

    Raises:
        GensetError: its record is not one of ours.
    """
    path = folder / _RECORD
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text("utf-8"))
        if record.pop("format") != FORMAT:
            raise ValueError("of another format")
        record["attempts"] = tuple(Attempt(**each) for each in record["attempts"])
        for name in ("classes", "notes"):
            record[name] = tuple(record[name])
        return Finetuned(**record)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GensetError(f"{path} is not a run's record ({error}); {_MEND}") from None


def find_finetuned(runs: Path) -> list[Kept]:
    """The finished runs, in the order in which they were made.

    Raises:
        GensetError: a run's record is not one of ours.
    """
    folders = sorted(path.parent for path in (runs / "finetune").glob(f"*/*/{_RECORD}"))
    found = [Kept(folder, run) for folder in folders if (run := load_finetuned(folder))]
    return sorted(found, key=lambda kept: kept.record.created_at)


def load_said(kept: Kept) -> Said:
    """What a finished run's heads say of the test photos. It must give the run's counts.

    Raises:
        GensetError: it cannot be read, or gives other counts.
    """
    folder, record = kept
    place = {name: number for number, name in enumerate(record.classes)}
    try:
        with (folder / _PREDICTIONS).open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            head = next(rows, [])
            if head[:2] != ["image", "class"] or len(head) < 3:
                raise ValueError(f"its columns are {', '.join(head)}")
            table = [(row[0], *(place[name] for name in row[1:])) for row in rows]
            if any(len(row) != len(head) for row in table):
                raise ValueError("a line is cut")
        images, truth, *said = zip(*table, strict=True)
    except (OSError, ValueError, KeyError, IndexError, csv.Error) as error:
        raise GensetError(f"{folder}: predictions cannot be read ({error}); {_MEND}") from None
    found = Said(images, np.array(truth, np.int64), np.array(said, np.int64))
    counts = [attempt.correct for attempt in record.of_shots(None)]
    if len(images) != record.test or found.right.sum(axis=1).tolist() != counts:
        raise GensetError(f"{folder}: predictions do not give the run's counts; {_MEND}")
    return found


def load_head(folder: Path) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The first seed's head: weights (classes x features) and bias (classes).

    Raises:
        GensetError: it cannot be read.
    """
    try:
        with np.load(folder / _HEAD, allow_pickle=False) as file:
            return file["weights"], file["bias"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise GensetError(f"{folder / _HEAD} cannot be read ({error}); {_MEND}") from None


def _write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    write_text(path, text.getvalue())
