"""Reads the runs of a table of epochs.

One file may hold several runs, told apart by a column `run`, `uid` or `seed`. Runs that differ by
their `seed` alone are one entry.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from genset.tta.logs.columns import Columns, described, find_columns, is_moment
from genset.tta.logs.common import ReadAs, Sheet, as_percent, is_nothing, number, shortest
from genset.tta.runs import TOP1, TOP5, About, Epoch, Task, Training

_MOST_ROWS = 200_000
_A_CENTURY = 876_600 * 3600

# See `genset.tta.logs.dawnbench`: where the best of one column is at most 1, and the best
# of another over this, the two are in different units.
_APART = 20

# Time that grows no more than so many times is no time since training began: over two epochs, and
# over three or more.
_STANDS, _GROWS = 1.2, 1.5

# Between two numbers of 32 bits that are seconds since 1970, in this century.
_STEP_OF_32_BITS = 128

# Names by which some mean the time since training began, and others that of an epoch.
_EITHER = re.compile(
    r"(time|duration)[\s_(\[]*(s|secs?|seconds?|ms|mins?|minutes?|h|hours?)?[)\]]?"
)


def trainings(
    sheet: Sheet,
    read_as: ReadAs,
    name: str,
    *,
    task: Task | None = None,
    no_time: str = "",
    time_later: bool = False,
    settings: Mapping[str, str] | None = None,
    described_by: Mapping[str, int] | None = None,
) -> list[Training]:
    """A table's runs, with what its other columns say of them.

    Args:
        sheet: the table.
        read_as: what the user says of its columns.
        name: of the run; where there are several, what stands before the name of each.
        task: what the log's writer is known to be for.
        no_time: what to do where no column holds the time, if the log's writer says that.
        time_later: a score may stand in a row without a time: the time is that of the next row
            that has one.
        settings: that stand elsewhere than in the table.
        described_by: the columns that describe a run, by name; by default those of known names.

    Raises:
        MalformedLog: it has no right reading.
    """
    columns = find_columns(sheet, read_as, task, no_time, described_by)
    table = _Table(sheet, columns, time_later)
    runs = table.read()
    if fractions := table.are_fractions(runs):
        sheet.remarks.append("scores read as fractions of 1: none is over 1")
    by_seed = columns.run is not None and sheet.names[columns.run].lower() == "seed"
    descriptions = [described({**(settings or {}), **run.settings}) for run in runs]
    one_entry = by_seed and len(runs) > 1 and all(of == descriptions[0] for of in descriptions)
    found = []
    for run, (fields, values) in zip(runs, descriptions, strict=True):
        about = About(
            name=f"{name} {'seed ' * by_seed}{run.name}".strip(),
            path=sheet.path,
            task=columns.task,
            remarks=(*columns.remarks, *run.remarks, *sheet.remarks),
            entry=name if one_entry else "",
            settings=values,
            **fields,  # type: ignore[arg-type]
        )
        epochs = run.epochs(columns, fractions)
        found.append(Training(about, epochs, cut_off=sheet.cut_off or run.cut_off))
    return found


@dataclass(slots=True)
class ScoredRow:
    """One row with a score: its place in the file, the seconds, and its scores as logged."""

    at: int
    epoch: float
    seconds: float
    scores: tuple[float | None, ...]


@dataclass(slots=True)
class RunRows:
    """One run of a table.

    Attributes:
        name: what its column says; empty if the table is one run.
        settings: as its first row has them.
        first: the cell of time in its first row, and what it says in seconds.
        rows: those with a score, in the order of time.
        waiting: those whose time comes later.
    """

    name: str
    settings: dict[str, str]
    first: tuple[str, float] | None = None
    rows: list[ScoredRow] = field(default_factory=list)
    seen: set[tuple[float, float, tuple[float | None, ...]]] = field(default_factory=set)
    waiting: list[ScoredRow] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    cut_off: bool = False

    def add(self, row: ScoredRow) -> int:
        """Add a row unless it is there already, or says its epoch's score once more; how many."""
        same = (row.epoch, row.seconds, row.scores)
        before = self.rows[-1] if self.rows else None
        once_more = before and (row.epoch, row.scores) == (before.epoch, before.scores)
        if same in self.seen or (before and once_more and row.seconds >= before.seconds):
            return 0
        self.seen.add(same)
        self.rows.append(row)
        return 1

    def epochs(self, columns: Columns, fractions: bool) -> tuple[Epoch, ...]:
        """What was measured, with scores in the unit of their task."""
        epochs = []
        for row in self.rows:
            scores = {
                score.name: as_percent(value) if score.about.percent and fractions else value
                for score, value in zip(columns.scores, row.scores, strict=True)
                if value is not None
            }
            epochs.append(Epoch(row.epoch, row.seconds / 3600, scores))
        return tuple(epochs)


class _Table:
    """A table whose columns are known; each method that refuses raises `MalformedLog`."""

    def __init__(self, sheet: Sheet, columns: Columns, time_later: bool) -> None:
        self._sheet, self._columns, self._time_later = sheet, columns, time_later
        self._refuse = sheet.refuse
        self._score = sheet.names[columns.scores[0].column]
        self._clock = sheet.names[columns.clock.column]

    def read(self) -> list[RunRows]:
        """Its runs in the order in which they begin."""
        runs: dict[str, RunRows] = {}
        count = 0
        for at, run, cells in self._cells(runs):
            count += self._add(run, at, cells)
            if count > _MOST_ROWS:
                self._refuse(
                    f"more than {_MOST_ROWS:,} rows with {self._score}: log it once an epoch"
                )
        if not runs:
            self._refuse("it has no row below the names")
        for run in runs.values():
            if run.waiting:
                run.remarks.append("no time comes after its last score, which is not counted")
                run.cut_off = True
        found = [run for run in runs.values() if run.rows]
        if not found:
            self._refuse(f"no row has {self._score}")
        self._sheet.remarks += [
            f"its run {run.name[:60]} has no score, and is not counted"
            for run in runs.values()
            if not run.rows
        ]
        for run in found:
            self._check_order(run)
        firsts = [run.first for run in found if run.first]
        plain = (number(text) is not None and not is_moment(time) for text, time in firsts)
        if not self._columns.clock.stated and any(plain):  # neither 0:01:02 nor a moment
            self._sheet.remarks.append(f"{self._clock} is read as seconds")
        return found

    def are_fractions(self, runs: list[RunRows]) -> bool:
        """Whether no share of the table is over 1, so that all are fractions of 1."""
        best: dict[str, float] = {}
        for at, score in enumerate(self._columns.scores):
            values = [row.scores[at] for run in runs for row in run.rows]
            measured = [value for value in values if value is not None]
            if score.about.percent and measured:
                best[score.name] = max(measured)
        if not best or any(score.about.in_percent for score in self._columns.scores):
            return False
        if min(best.values()) <= 1 and max(best.values()) > _APART:
            self._refuse("one score is in fractions of 1, the other in per cent")
        return max(best.values()) <= 1

    def _cells(self, runs: dict[str, RunRows]) -> Iterator[tuple[int, RunRows, list[str]]]:
        """Each row with its run, and its cells: time, epoch, scores."""
        columns = self._columns
        scores = [score.column for score in columns.scores]
        others = (columns.clock.column, columns.epoch, columns.run, *columns.settings.values())
        places = [*scores, *(column for column in others if column is not None)]
        for at, cells in self._sheet.rows(places):
            cell: dict[int | None, str] = dict(zip(places, cells, strict=True))
            name = cell.get(columns.run, "")
            if columns.run is not None and not name:
                self._refuse(f"no {self._sheet.names[columns.run]}", at)
            if name not in runs:
                settings = {key: cell[column] for key, column in columns.settings.items()}
                runs[name] = RunRows(name, settings)
            epoch = cell.get(columns.epoch, "")
            yield at, runs[name], [cell[columns.clock.column], epoch, *(cell[at] for at in scores)]

    def _add(self, run: RunRows, at: int, cells: list[str]) -> int:
        """Add a row to its run; how many rows that adds."""
        time, epoch, *texts = cells
        if run.first and not (run.waiting or any(texts)):
            return 0  # one of millions of steps
        seconds = self._seconds(run, at, time)
        if seconds is not None:
            for row in run.waiting:
                row.seconds = seconds
                run.add(row)  # it was counted when it began to wait
            run.waiting.clear()
        scores = tuple(self._scores(at, texts))
        if scores[0] is None:  # another of its scores alone is no evaluation for this task
            remark = f"{self._score} is {texts[0]} in places"
            if is_nothing(texts[0]) and remark not in run.remarks:
                run.remarks.append(remark)
            return 0
        if self._columns.epoch is None:
            counted = float(len(run.rows) + len(run.waiting) + 1)
        else:
            counted = self._number(self._columns.epoch, at, epoch)
        measured = ScoredRow(at, counted, seconds or 0.0, scores)
        if seconds is not None:
            return run.add(measured)
        if not self._time_later:
            self._refuse(f"{self._clock} is empty", at)
        run.waiting.append(measured)
        return 1

    def _seconds(self, run: RunRows, at: int, text: str) -> float | None:
        """Seconds since the run began; None for an empty cell."""
        if not text:
            return None
        time = self._columns.clock.read(text)
        if time is None or time < 0:
            self._refuse(f"{self._clock} is no time from 0 up: {text[:40]!r}", at)
        if run.first is None:
            run.first = (text, time)
            if is_moment(time):
                run.remarks.append(f"its time counts from its first {self._clock}")
        if is_moment(run.first[1]):
            time -= run.first[1]
            if time < 0:
                after = f"{text[:40]} after {run.first[0][:40]}"
                self._refuse(f"{self._clock} runs backwards: {after}", at)
        if time > _A_CENTURY:
            self._refuse(f"{self._clock} is more than a century: {text[:40]}", at)
        return time

    def _scores(self, at: int, texts: list[str]) -> Iterator[float | None]:
        found: dict[str, float] = {}
        for score, text in zip(self._columns.scores, texts, strict=True):
            if not text or is_nothing(text):
                yield None
                continue
            percent = score.about.percent
            value = shortest(self._number(score.column, at, text, least=not percent))
            if percent and value > 100:
                self._refuse(f"{self._sheet.names[score.column]} is over 100: {text[:40]}", at)
            found[score.name] = value
            yield value
        if found.get(TOP5, 100) < found.get(TOP1, 0):
            self._refuse("top-5 below top-1: are the two columns swapped?", at)

    def _number(self, column: int, at: int, text: str, least: bool = False) -> float:
        """A cell's number, from 0 up unless `least`."""
        value = number(text)
        if value is None or (value < 0 and not least):
            name, what = self._sheet.names[column], "number" if least else "number from 0 up"
            marked = value is None and not text.strip("0123456789.,% ")
            mend = "; write it with a decimal point, and with no other sign" if marked else ""
            self._refuse(f"{name} is no {what}: {text[:40]!r}{mend}", at)
        return value

    def _check_order(self, run: RunRows) -> None:
        """Refuse a run whose time or epochs run backwards, or whose time is each epoch's own."""
        for before, row in pairwise(run.rows):
            if row.seconds < before.seconds:
                why = f"{self._clock} runs backwards: {row.seconds:g} s after {before.seconds:g} s"
                self._refuse(f"{why}; it must be the time since training began", row.at)
            if row.epoch < before.epoch:
                at = self._columns.epoch
                name = "epoch" if at is None else self._sheet.names[at]
                why = f"{name} runs backwards: {row.epoch:g} after {before.epoch:g}"
                self._refuse(
                    f"{why}; if these are several runs, name them in a --run-column", row.at
                )
        began = run.first[1] if run.first else 0.0
        moments = [began + row.seconds for row in run.rows] if is_moment(began) else []
        if len(moments) > 1 and not any(moment % _STEP_OF_32_BITS for moment in moments):
            good = f"so it is good to {_STEP_OF_32_BITS} seconds only"
            why = f"{self._clock} was kept in 32 bits, {good}: log the seconds since training began"
            self._refuse(why, run.rows[0].at)
        self._check_elapsed(run)

    def _check_elapsed(self, run: RunRows) -> None:
        """Refuse a time that hardly grows: it is each epoch's own, unless the first took as long.

        A column that is named after more than time, as `elapsed`, means what it says.
        """
        first, last = run.rows[0], run.rows[-1]
        if first.epoch == last.epoch or last.seconds <= 0:
            return
        # How many times as long the last should be: epochs count from 0 or from 1.
        due = last.epoch / first.epoch if first.epoch else last.epoch + 1
        grown = last.seconds / first.seconds if first.seconds else math.inf
        repeated = len({row.seconds for row in run.rows}) < len(run.rows)
        stands = repeated and len(run.rows) > 2 and grown <= _STANDS
        clock = self._clock
        of_an_epoch = not self._columns.time_named and _EITHER.fullmatch(clock.strip().lower())
        if stands or (of_an_epoch and due >= 2 and grown <= (_GROWS if due >= 3 else _STANDS)):
            why = f"{clock} hardly grows: {first.seconds:g} s at first, {last.seconds:g} s at last"
            why += "; is it each epoch's own, not the time since training began?"
            mend = "" if stands else f" If the first took so long, say --time-column {clock}"
            self._refuse(why + mend, last.at)
