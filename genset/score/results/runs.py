"""What is kept of a model's run over a set.

A run is a folder ``runs/SET/MODEL-KEY/``::

    predictions.csv   image, wnid, top1 ... topk (wnids, best first), p1 ... pk (probabilities,
                      where they are known); k is 5 unless more were asked for, or fewer given
    logits.npy        N x outputs, in the order of predictions.csv, where they were asked for
    logits.json       the wnid of each of these outputs, in order; "" for one that is no class
    run.json          what was run on what, with every version and hash, and the counts

`KEY` is a hash over the set, the weights and the preprocessing, so a run that is there need not be
made again. ``run.json`` is written last: a folder without it was not finished, and is written
over by the next run.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import GensetError
from genset.core.files import csv_text, write_text
from genset.models.mapping.pooling import name_of
from genset.models.spec import ModelSpec
from genset.sets.layouts.layout import LEFT_OUT
from genset.statistics.clusters import share_interval
from genset.statistics.intervals import wilson

Record = TypeVar("Record", bound="RunRecord")
Bools = NDArray[np.bool_]
Cells = NDArray[np.bytes_]

FORMAT = "genset run 1"
_RECORD = "run.json"
PREDICTIONS = "predictions.csv"
LOGITS, LOGIT_CLASSES = "logits.npy", "logits.json"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """`correct` of `photos`; the share and its 95 % interval, all from 0 to 1."""

    correct: int
    photos: int
    share: float
    low: float
    high: float

    @classmethod
    def of(cls, correct: int, photos: int) -> "Accuracy":
        """Count `correct` of `photos`, which are independent."""
        share = correct / photos if photos else 0.0
        return cls(correct, photos, share, *wilson(correct, photos))

    @classmethod
    def measured(cls, right: Bools, counted: Bools, classes: NDArray[np.int64]) -> "Accuracy":
        """Of the photos that count; the interval knows which photos are of one class.

        Args:
            right, counted: whether each photo is right, and counts, shape (N,).
            classes: as for `genset.statistics.clusters.share_interval`.
        """
        correct, photos = int((right & counted).sum()), int(counted.sum())
        ends = share_interval(right, counted, classes)
        return cls(correct, photos, correct / photos if photos else 0.0, *ends)

    @property
    def value(self) -> float:
        """The share, under the name that every number with an interval has in Python."""
        return self.share

    def __str__(self) -> str:
        low, high = 100 * self.low, 100 * self.high
        return f"{100 * self.share:.1f} % ({low:.1f} to {high:.1f}) of {self.photos:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """What every run says: which model it is, and what it takes to get its results again.

    Attributes:
        key: hash over what determines the results.
        model: the name shown in tables.
        spec: the model spec as it was given.
        weights_hash, preprocessing, precision, engine, versions, device: what it takes to get the
            results again; the engine is "" where answers were computed elsewhere.
        seconds: that it took.
        created_at: in UTC, as ISO 8601.
        excluded: why, for each photo that is not counted, by its id.
        notes: what else a reader of the numbers must know, in sentences.
        nll: the mean of minus the logarithm of the true class's probability, in nats, over the
            photos that count; None where the probabilities of all classes are not known.
        cost: `image_size`, `parameters` and `flops` as `engines.pytorch.cost_of` counts them, and
            `photos_per_second` of the command that scored all photos, less the time that went to
            other models' networks (on a GPU, of one model alone); without what is not known.
        engine_settings: of PyTorch and the engine: `threads`, `tf32`, `quantized_engine`.
    """

    key: str
    model: str
    spec: str
    weights_hash: str
    preprocessing: dict[str, Any]
    precision: str
    engine: str = ""
    versions: dict[str, str]
    device: str
    seconds: float
    created_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    excluded: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    nll: float | None = None
    cost: dict[str, float] = field(default_factory=dict)
    engine_settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(RunRecord):
    """One model's run over one set.

    Attributes:
        set_name, set_hash: the set, and the hash of its contents.
        set_whole: of a release, or a part of one, the release's content hash; "" for other sets.
        top1, top5: accuracies over the photos that are counted; `top5` is None where fewer than
            five classes are known of a photo.
        classes: how many classes the model chooses among.
        masked: photos left out of the counts because their class is none of these.
        hits: photos whose true class is at rank 1, 2, ..., as many ranks as are kept.
        trained_until: the latest date of a photo that the model was trained on, as people said it
            when the model was last evaluated; "" where nobody did.
        reference_top1: the model's top-1 accuracy on ImageNet's validation set, 0 to 1, as people
            said it then; None where nobody did.
        tags: words by which people grouped the model then.
        checkpoints: the sha256 (64 hexadecimal digits) of each file that these weights were read
            from; none where they are a library's.
        mapping: on a set of other classes than ImageNet's, how the model's outputs met them: the
            `taxonomy` and its hash, `pool`, `among`, `outputs` of each class, and classes `without`
            any, with how many photos each has; None on a set of ImageNet's.
    """

    set_name: str
    set_hash: str
    set_whole: str = ""
    top1: Accuracy
    top5: Accuracy | None
    classes: int
    masked: int
    hits: list[int]
    trained_until: str = ""
    reference_top1: float | None = None
    tags: list[str] = field(default_factory=list)
    checkpoints: list[str] = field(default_factory=list)
    mapping: dict[str, Any] | None = None

    @property
    def convention(self) -> str:
        """By which convention it was mapped, as "subset, max"; "" where it was not."""
        return name_of(self.mapping) if self.mapping else ""

    def top(self, k: int) -> Accuracy | None:
        """How often the true class is among the first `k` answers; None where fewer are kept."""
        if k == 1:
            return self.top1
        if k == 5:
            return self.top5
        return Accuracy.of(sum(self.hits[:k]), self.top1.photos) if k <= len(self.hits) else None


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's answer to one photo: wnids, best first, with their probabilities if known.

    A wnid is "" where the answer is no class (a background output).
    """

    image: str
    wnid: str
    top: tuple[str, ...]
    probabilities: tuple[float, ...]


def run_key(**parts: object) -> str:
    """A hash over everything that determines a run's predictions."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def run_folder(runs: Path, set_name: str, model: str, key: str) -> Path:
    """Where a run is kept.

    Args:
        runs: the folder of all runs.
        set_name: of the set.
        model: its name in tables.
        key: of the run.
    """
    return runs / _slug(set_name) / f"{_slug(model)}-{key[:12]}"


def save_run(folder: Path, run: Run, predictions: list[Prediction]) -> None:
    """Write a run's folder; the run counts as finished once this returns.

    Args:
        folder: of the run.
        run: its record.
        predictions: one for each photo that counts, in the set's order.
    """
    ranks = len(predictions[0].top) if predictions else 5
    shares = len(predictions[0].probabilities) if predictions else 5
    rows = (
        [p.image, p.wnid, *p.top, *(f"{share:.6g}" for share in p.probabilities)]
        for p in predictions
    )
    write_text(folder / PREDICTIONS, csv_text(_head(ranks, shares), rows))
    write_record(folder / _RECORD, FORMAT, run)


def update_run(
    folder: Path, run: Run, spec: ModelSpec, checkpoints: Sequence[str], notes: Sequence[str]
) -> Run:
    """Note in a finished run's record what its model's spec and its set say of it now.

    What the spec does not say stays as it was said before. What of the set is left out now is said
    instead of what was then.

    Args:
        folder: of the run; where it is not on this machine, nothing is written.
        run: its record.
        spec: with the date until when the model was trained, its accuracy elsewhere, its tags.
        checkpoints: the sha256 of each file that the weights were read from now.
        notes: of the set as it is.
    """
    if checkpoints and (stored := load_run(folder)) is not None:
        run = stored  # another file of the same weights may have been noted meanwhile
    is_described = spec.trained_until or spec.reference_top1 is not None or spec.tags
    others = [note for note in run.notes if not (note in notes or LEFT_OUT.fullmatch(note))]
    noted = replace(
        run,
        spec=spec.text if is_described else run.spec,
        checkpoints=list(dict.fromkeys([*run.checkpoints, *checkpoints])),
        trained_until=spec.trained_until or run.trained_until,
        reference_top1=run.reference_top1 if spec.reference_top1 is None else spec.reference_top1,
        tags=[*spec.tags] or run.tags,
        notes=[*notes, *others],
    )
    if noted != run and (folder / _RECORD).is_file():
        write_record(folder / _RECORD, FORMAT, noted)
    return noted


def write_record(path: Path, form: str, record: RunRecord) -> None:
    """Write a run's record as JSON, with the name of its format first."""
    write_text(path, f"{json.dumps({'format': form, **asdict(record)}, indent=1)}\n")


def load_run(folder: Path) -> Run | None:
    """The finished run in this folder, None where there is none.

    Raises:
        GensetError: its record is not one of ours.
    """
    return read_record(folder / _RECORD, FORMAT, _as_run)


def _as_run(record: dict[str, Any]) -> Run:
    for name in ("top1", "top5"):
        record[name] = Accuracy(**record[name]) if record[name] else None
    return Run(**record)


def read_record(
    path: Path, form: str, made_of: Callable[[dict[str, Any]], Record]
) -> Record | None:
    """The record of a run, None where there is none.

    Args:
        path: the file's.
        form: the name of its format.
        made_of: makes the record of what the file holds.

    Raises:
        GensetError: it is not a record of this format.
    """
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text("utf-8"))
        if content.pop("format") != form:
            raise ValueError("of another format")
        return made_of(content)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GensetError(f"{path} is not a run's record ({error}); delete its folder") from None


def read_columns(folder: Path, *, and_first: bool = False) -> tuple[int, list[Cells]]:
    """How many classes of each photo a finished run has, and its columns in UTF-8, if any.

    Args:
        folder: of the run.
        and_first: whether no probability is read but that of the first class.

    Raises:
        OSError, ValueError, csv.Error: they cannot be read.
    """
    first, _, body = (folder / PREDICTIONS).read_bytes().partition(b"\n")
    head = next(csv.reader([first.decode()]), [])
    ranks, shares = (sum(name.startswith(kind) for name in head) for kind in ("top", "p"))
    if head != _head(ranks, shares) or not ranks:
        raise ValueError(f"its columns are {', '.join(head)}")
    return ranks, _columns(body, len(head), 3 + ranks if and_first else len(head)) if body else []


def _columns(body: bytes, width: int, most: int) -> list[Cells]:
    """The cells of lines without a head, column by column."""
    if b'"' in body:
        rows = list(csv.reader(io.StringIO(body.decode(), newline="")))
        if any(len(row) != width for row in rows):
            raise ValueError("a line is cut")
        return [np.array([cell.encode() for cell in column]) for column in zip(*rows, strict=True)]
    # Hundreds of models have millions of cells: no object for each of them.
    body = body.removesuffix(b"\n") + b"\n"
    letters = np.frombuffer(body, np.uint8)
    ends = np.flatnonzero((letters == ord(",")) | (letters == ord("\n")))
    lines = np.flatnonzero(letters[ends] == ord("\n")) + 1
    if (np.diff(lines, prepend=0) != width).any():
        raise ValueError("a line is cut")
    starts = np.append(0, ends[:-1] + 1).reshape(-1, width)
    lengths = ends.reshape(-1, width) - starts
    padded = body + bytes(int(lengths.max()))
    return [_cells(padded, *both) for both in zip(starts.T[:most], lengths.T, strict=False)]


def _cells(text: bytes, starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> Cells:
    """The words that start there."""
    width = max(1, int(lengths.max()))
    windows: Cells = np.ndarray(len(text) - width + 1, f"S{width}", text, strides=1)
    words = windows[starts]
    if lengths.min() < width:
        words.view(np.uint8).reshape(-1, width)[np.arange(width) >= lengths[:, None]] = 0
    return words


def load_predictions(folder: Path) -> list[Prediction]:
    """The per-photo predictions of a finished run.

    Raises:
        OSError, ValueError, csv.Error: they cannot be read.
    """
    ranks, columns = read_columns(folder)
    return [
        Prediction(row[0], row[1], row[2 : 2 + ranks], tuple(map(float, row[2 + ranks :])))
        for row in zip(*(np.char.decode(column).tolist() for column in columns), strict=True)
    ]


def find_runs(runs: Path, set_name: str) -> list[tuple[Path, Run]]:
    """The finished runs on a set with their folders, best top-1 first."""
    return sorted(
        _runs(runs, f"{_slug(set_name)}/*/"), key=lambda pair: (-pair[1].top1.share, pair[1].model)
    )


def runs_of_release(runs: Path, name: str, whole: str) -> list[tuple[Path, Run]]:
    """The finished runs on a release and on parts of it, with their folders.

    Args:
        runs: the folder of all runs.
        name: of the release, which that of a part has in it.
        whole: its content hash.
    """
    return [pair for pair in _runs(runs, f"*{_slug(name)}*/[!.]*/") if pair[1].set_whole == whole]


def all_runs(runs: Path) -> list[tuple[Path, Run]]:
    """The finished runs on any set, with their folders, the latest last."""
    return sorted(_runs(runs, "[!.]*/[!.]*/"), key=lambda pair: pair[1].created_at)


def _runs(runs: Path, pattern: str) -> list[tuple[Path, Run]]:
    return [(path, run) for path in sorted(runs.glob(pattern)) if (run := load_run(path))]


def _head(ranks: int, shares: int) -> list[str]:
    """The names of the columns of a run's predictions."""
    tops = [f"top{n + 1}" for n in range(ranks)]
    return ["image", "wnid", *tops, *(f"p{n + 1}" for n in range(shares))]


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "model"
