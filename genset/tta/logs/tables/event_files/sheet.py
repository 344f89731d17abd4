"""The event files of one folder as a table: a column for each tag, and the runs that they are."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from genset.tta.logs.entries import MalformedLog
from genset.tta.logs.tables.columns.metrics import could_count, known
from genset.tta.logs.tables.event_files.scalars import Point, Scalars, read_scalars
from genset.tta.logs.tables.sheets.cells import shortest

TIME, EPOCH, RUN = "wall time", "epoch or step", "run of the folder"


class EventSheet:
    """All event files of a folder: see `Sheet`.

    Files that go on one after another, with later steps, are one run that was resumed. What begins
    again at its first step, or runs at the same time, is a run of its own.
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
        self._prefix = f"{folder}/" if known(f"{folder}/accuracy").split else ""
        self._metric = metric.removeprefix(self._prefix)
        read = [read_scalars(file, self._wanted, self._epoch) for file in files]
        self._began = [
            scalars.began
            for scalars in (read_scalars(file, lambda tag: False) for file in before)
            if scalars.began is not None
        ]
        if any(scalars.cut_off for scalars in read):
            self.remarks.append("its last event is cut off, and not counted")
        self._tags = list({tag: None for scalars in read for tag in scalars.tags})
        self.names = [TIME, EPOCH, *(self._prefix + tag for tag in self._tags), RUN]
        self._runs = self._apart(read)

    def several(self) -> bool:
        """Whether the folder holds more than one run."""
        return len(self._runs) > 1

    def metric(self) -> str:
        """The name of the column that was asked for."""
        return self._prefix + self._metric if self._metric else ""

    def rows(self, columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
        """For each run a row with its first moment, and one for each step with a score."""
        at = 0
        for run, files in enumerate(self._runs, 1):
            name = str(run)
            at += 1
            began = min([files[0].began or 0.0, *self._began])
            yield at, self._row(columns, {0: repr(began), len(self.names) - 1: name})
            last = -1
            for scalars in files:
                for step, cells in self._by_step(scalars, last):
                    at += 1
                    last = step
                    yield at, self._row(columns, cells | {len(self.names) - 1: name})

    def refuse(self, reason: str, at: int | None = None) -> NoReturn:
        """See `Sheet.refuse`; events have no lines."""
        raise MalformedLog(self.path, reason)

    def _wanted(self, tag: str) -> bool:
        return tag == self._metric if self._metric else could_count(known(self._prefix + tag))

    def _by_step(self, scalars: Scalars, last: int) -> Iterator[tuple[int, dict[int, str]]]:
        """What was logged at each step after the last, with the moment at which all of it was."""
        stairs = scalars.points.get(self._epoch, [])
        steps: dict[tuple[int, int], dict[int, str]] = {}
        for column, tag in enumerate(self._tags, 2):
            if tag == self._epoch or not self._wanted(tag):
                continue
            times: dict[int, int] = {}
            for point in scalars.points.get(tag, []):
                times[point.step] = again = times.get(point.step, 0) + 1
                if point.step > last:
                    cells = steps.setdefault((point.step, again), {})
                    cells[column] = repr(shortest(point.value))
                    cells[0] = repr(max(point.moment, float(cells.get(0, "0"))))
                    cells[1] = repr(_epoch_at(stairs, point.step))
        for (step, _), cells in sorted(steps.items(), key=lambda item: float(item[1][0])):
            yield step, cells

    def _row(self, columns: Sequence[int], cells: dict[int, str]) -> list[str]:
        return [cells.get(column, "") for column in columns]

    def _apart(self, files: Sequence[Scalars]) -> list[list[Scalars]]:
        """Runs, each with its files in the order of time."""
        runs: list[list[Scalars]] = []
        for scalars in sorted(files, key=lambda file: file.began or 0.0):
            points = self._points(scalars)
            if not points:  # the file of hyperparameters, or of a run that ended at once
                continue
            before = [
                p for s in (runs[-1] if runs else []) for tag in s.points.values() for p in tag
            ]
            first = min(point.step for point in points)
            goes_on = before and first > min(point.step for point in before)
            if goes_on and (scalars.began or 0.0) >= max(point.moment for point in before):
                runs[-1].append(scalars)
                remark = "it was resumed: the pause is part of its time"
                if remark not in self.remarks:
                    self.remarks.append(remark)
            else:
                runs.append([scalars])
        return runs

    def _points(self, scalars: Scalars) -> list[Point]:
        """All scores that a file has."""
        scores = (points for tag, points in scalars.points.items() if tag != self._epoch)
        return [point for points in scores for point in points]


def _epoch_at(stairs: Sequence[Point], step: int) -> float:
    """The epoch that was logged last up to a step; the step itself if none was."""
    at = bisect_right(stairs, step, key=lambda point: point.step)
    return stairs[at - 1].value if at else float(step)
