"""Reads TensorBoard's event files: the files of one folder are a run, as TensorBoard shows them.

Time counts from the first event, which writers write when they are made: make the writer before
training begins. Keras writes a folder `validation` beside a folder `train`; then it counts from the
first event of both. Epochs are those of a scalar ``epoch`` where one is logged, as Lightning does,
and steps elsewhere. The CSV file of one tag, that TensorBoard's page offers, is read as well: its
time counts from its first value.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from genset.tta.logs.columns import normal_names
from genset.tta.logs.common import Cells, Format, ReadAs, Sheet, TextTable, names_of, shortest
from genset.tta.logs.metrics import could_count, meaning_of
from genset.tta.logs.tables import trainings
from genset.tta.runs import MalformedLog, Training

_MOST_POINTS = 200_000
_MOST_TAGS = 10_000
# Of a record: its length and two checksums.
_AROUND_A_RECORD = 16


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a tag: the step that it was logged with, and when, in seconds since 1970."""

    step: int
    moment: float
    value: float


@dataclass(slots=True)
class Scalars:
    """What an event file holds.

    Attributes:
        began: the moment of its first event; None if it has none.
        tags: of all scalars, in the order in which they come first.
        points: by tag, of those that were asked for.
        cut_off: its last event is not whole.
    """

    began: float | None = None
    tags: dict[str, None] = field(default_factory=dict)
    points: dict[str, list[Point]] = field(default_factory=dict)
    cut_off: bool = False


def read_scalars(path: Path, is_read: Callable[[str], bool], stairs: str) -> Scalars:
    """Read a file's scalars.

    Args:
        is_read: says of a tag whether its values are read.
        stairs: a tag of which only changes are kept: the epoch, which some log with each step.

    Raises:
        MalformedLog: it is no event file, or holds too much.
    """
    found = Scalars()
    count, size = 0, 0
    for record, event in _events(path):
        size += _AROUND_A_RECORD + record
        if found.began is None:
            found.began = event.wall_time
        for value in event.summary.value:
            number = _number(value)
            if number is None:
                continue
            found.tags[value.tag] = None
            if value.tag == stairs or is_read(value.tag):
                points = found.points.setdefault(value.tag, [])
                if value.tag != stairs or not points or points[-1].value != number:
                    points.append(Point(event.step, event.wall_time, number))
                    count += 1
        if count > _MOST_POINTS or len(found.tags) > _MOST_TAGS:
            raise MalformedLog(path, "it has too many scalars: log scores once an epoch")
    if found.began is None:
        raise MalformedLog(path, "it is empty, or no event file")
    found.cut_off = size < path.stat().st_size
    return found


def _events(path: Path) -> Iterator[tuple[int, Any]]:
    """Each event with the bytes that it takes; the first that is damaged is the end."""
    from google.protobuf.message import DecodeError
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event

    try:
        for record in RawEventFileLoader(str(path)).Load():
            yield len(record), Event.FromString(record)
    except DecodeError:
        raise MalformedLog(path, "it is no event file") from None


def _number(value: Any) -> float | None:
    """The one number of a value; None for images, texts, histograms."""
    kind = value.WhichOneof("value")
    if kind == "simple_value":
        return float(value.simple_value)
    scalar = value.metadata.plugin_data.plugin_name in ("scalars", "")
    if kind != "tensor" or value.tensor.tensor_shape.dim or not scalar:
        return None
    from tensorboard.util.tensor_util import make_ndarray

    array = make_ndarray(value.tensor)
    return float(array) if array.dtype.kind in "fiu" else None


TIME, EPOCH, STEP, RUN = "wall time", "epoch of the step", "Step", "run of the folder"


class EventSheet(Sheet):
    """All event files of a folder: see `Sheet`.

    Files that go on one after another, with later steps, are one run that was resumed. What begins
    again at its first step, or runs at the same time, is a run of its own.

    Attributes:
        run: the column that tells runs apart; empty if the folder holds one.
        metric: the column that was asked for; empty if none was.
    """

    def __init__(self, files: Sequence[Path], before: Sequence[Path], metric: str, epoch: str):
        """Read the files.

        Args:
            files: of the folder, in the order of their names.
            before: further files, of the training beside a folder of validation: the run began
                with the first of theirs.
            metric: the tag that was asked for; empty if none was.
            epoch: the tag that says the epoch; empty for ``epoch``.

        Raises:
            MalformedLog: one of them has no right reading.
        """
        self.path = files[0]
        self.remarks: list[str] = []
        self._epoch = epoch or "epoch"
        # What Keras writes into folders `train` and `validation` has one name in both.
        folder = self.path.parent.name
        self._prefix = f"{folder}/" if meaning_of(f"{folder}/accuracy").split else ""
        self._metric = metric.removeprefix(self._prefix)
        read = [read_scalars(file, self._is_read, self._epoch) for file in files]
        firsts = (event for file in before for _, event in islice(_events(file), 1))
        self._began = [event.wall_time for event in firsts]
        self.cut_off = any(scalars.cut_off for scalars in read)
        if self.cut_off:
            self.remarks.append("its last event is cut off, and not counted")
        self._tags = list({tag: None for scalars in read for tag in scalars.tags})
        # Keras logs what it calls so with the epoch as the step.
        counted = self._epoch in self._tags or any(tag.startswith("epoch_") for tag in self._tags)
        self.names = [
            TIME,
            EPOCH if counted else STEP,
            *(self._prefix + t for t in self._tags),
            RUN,
        ]
        self._runs = self._apart(read)
        self.run = RUN if len(self._runs) > 1 else ""
        self.metric = self._prefix + self._metric if self._metric else ""

    def cells(self) -> Cells:
        """For each run a row with its first moment, and one for each step with a score."""
        for run, files in enumerate(self._runs, 1):
            of_run = {len(self.names) - 1: str(run)}
            began = min([files[0].began or 0.0, *self._began])
            yield 0, defaultdict(str, {0: repr(began)} | of_run)
            last = -1
            for scalars in files:
                for step, cells in self._by_step(scalars, last):
                    last = step
                    yield 0, defaultdict(str, cells | of_run)

    def refuse(self, reason: str, at: int | None = None) -> NoReturn:
        """See `Sheet.refuse`; events have no lines."""
        raise MalformedLog(self.path, reason)

    def _is_read(self, tag: str) -> bool:
        return tag == self._metric if self._metric else could_count(meaning_of(self._prefix + tag))

    def _by_step(self, scalars: Scalars, last: int) -> Iterator[tuple[int, dict[int, str]]]:
        """What was logged at each step after the last, with the moment at which all of it was."""
        stairs = scalars.points.get(self._epoch, [])
        steps: dict[tuple[int, int], dict[int, str]] = {}
        for column, tag in enumerate(self._tags, 2):
            if tag == self._epoch or not self._is_read(tag):
                continue
            times: dict[int, int] = {}
            for point in scalars.points.get(tag, []):
                times[point.step] = again = times.get(point.step, 0) + 1
                if point.step > last:
                    cells = steps.setdefault((point.step, again), {})
                    cells[column] = repr(shortest(point.value))
                    cells[0] = repr(max(point.moment, float(cells.get(0, "0"))))
                    # The epoch that was logged last up to a step; the step itself if none was.
                    at = bisect_right(stairs, point.step, key=lambda stair: stair.step)
                    cells[1] = repr(stairs[at - 1].value if at else float(point.step))
        for (step, _), cells in sorted(steps.items(), key=lambda item: float(item[1][0])):
            yield step, cells

    def _apart(self, files: Sequence[Scalars]) -> list[list[Scalars]]:
        """Runs, each with its files in the order of time."""
        runs: list[list[Scalars]] = []
        before: list[Point] = []
        for scalars in sorted(files, key=lambda file: file.began or 0.0):
            points = [p for tag, of in scalars.points.items() if tag != self._epoch for p in of]
            if not points:  # the file of hyperparameters, or of a run that ended at once
                continue
            later = before and min(p.step for p in points) > min(p.step for p in before)
            if later and (scalars.began or 0.0) >= max(point.moment for point in before):
                runs[-1].append(scalars)
                before += points
                self.remarks.append("it was resumed: the pause is part of its time")
            else:
                runs.append([scalars])
                before = points
        self.remarks = list(dict.fromkeys(self.remarks))
        return runs


_MARK = "tfevents"
_VALIDATION_FOLDERS = ("validation", "val", "eval", "test")

# The columns of the CSV file that TensorBoard's page offers for a tag.
_VALUE = "Value"
_DOWNLOADED = {"wall_time", "step", "value"}


def recognizes(path: Path, start: bytes) -> bool:
    """Whether a file is a folder's first event file: the others are read with it."""
    if normal_names(names_of(path)) == _DOWNLOADED:
        return True
    if not is_event_file(path):
        return False
    files = _event_files(path.parent)
    if path.parent.name == "train" and any(
        _event_files(path.parent.with_name(name)) for name in _VALIDATION_FOLDERS
    ):
        return False  # the training beside a folder of validation
    return not files or path.name == files[0].name


def read(path: Path, read_as: ReadAs) -> list[Training]:
    """Read the runs of a file's folder.

    Raises:
        MalformedLog: it has no right reading, or the `tensorboard` package is not installed.
    """
    if not is_event_file(path) and path.suffix.lower() == ".csv":
        return _downloaded(path, read_as)
    if find_spec("tensorboard") is None:
        raise MalformedLog(path, "it needs tensorboard: pip install 'genset[tensorboard]'")
    folder = path.absolute().parent
    files = _event_files(path.parent) if is_event_file(path) else [path]
    before: list[Path] = []
    if folder.name in _VALIDATION_FOLDERS:
        before = _event_files(folder.with_name("train")) or _event_files(folder.parent)
        folder = folder.parent
    sheet = EventSheet(files, before, read_as.metric, read_as.epoch)
    read_as = replace(read_as, metric=sheet.metric, time=TIME, epoch=sheet.names[1], run=sheet.run)
    return trainings(sheet, read_as, folder.name)


def _downloaded(path: Path, read_as: ReadAs) -> list[Training]:
    """Read what TensorBoard's page saves of one tag: ``run-NAME-tag-TAG.csv``."""
    sheet = TextTable(path)
    run, mark, tag = path.stem.removeprefix("run-").rpartition("-tag-")
    value = tag if mark else _VALUE
    sheet.names = [value if name == _VALUE else name for name in sheet.names]
    return trainings(sheet, replace(read_as, metric=read_as.metric or value), run or path.stem)


def is_event_file(path: Path) -> bool:
    """Whether a file is one of a folder's event files, by its name."""
    return _MARK in path.name and not path.name.endswith(".profile-empty")


def _event_files(folder: Path) -> list[Path]:
    """The event files in a folder, by name: their names begin with the second of their making."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if is_event_file(path) and path.is_file())


TENSORBOARD = Format(
    "tensorboard",
    recognizes,
    read,
    frozenset(("metric", "epoch", "lower_is_better")),
    "events carry their times, and files of a folder that overlap are its runs",
)
