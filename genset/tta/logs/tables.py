"""Reads the runs of a table of epochs whose columns are known.

One file may hold several runs, told apart by a column `run`, `uid` or `seed`. Runs that differ by
their `seed` alone are one entry.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from genset.tta.logs.columns import Columns, described, describing, is_moment
from genset.tta.logs.common import as_percent, number
from genset.tta.logs.sheets import Sheet, is_nothing, shortest
from genset.tta.runs import TOP1, TOP5, About, Epoch, Training

_MOST_ROWS = 200_000
_MOST_RUNS = 10_000
_A_CENTURY = 876_600 * 3600

# See `genset.tta.logs.dawnbench`: where the best of one column is at most 1, and the best
# of another over this, the two are in different units.
_APART = 20


# Time that grows no more than so many times is no time since training began: over two epochs, and
# over three or more.
_STANDS, _GROWS = 1.2, 1.5

# Between two numbers of 32 bits that are seconds since 1970, in this century.
_STEP_OF_32_BITS = 128


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
    """

    name: str
    settings: dict[str, str]
    first: tuple[str, float] | None = None
    rows: list[ScoredRow] = field(default_factory=list)
    seen: set[tuple[float, float, tuple[float | None, ...]]] = field(default_factory=set)
    waiting: list[ScoredRow] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    cut_off: bool = False

    def epochs(self, columns: Columns, fractions: bool) -> tuple[Epoch, ...]:
        """What was measured, with scores in the unit of their task."""
        names = [(score.name, score.percent and fractions) for score in columns.choice.scores]
        return tuple(
            Epoch(
                row.epoch,
                row.seconds / 3600,
                {
                    name: as_percent(value) if fraction else value
                    for (name, fraction), value in zip(names, row.scores, strict=True)
                    if value is not None
                },
            )
            for row in self.rows
        )


def read_rows(sheet: Sheet, columns: Columns) -> tuple[list[RunRows], bool]:
    """A table's runs in the order in which they begin, and whether its shares are fractions of 1.

    Raises:
        MalformedLog: a row, or the table, has no right reading; no run has a score.
    """
    runs: dict[str, RunRows] = {}
    count = 0
    for at, run, cells in _cells(sheet, columns, runs):
        count += _add(sheet, columns, run, at, cells)
        if count > _MOST_ROWS:
            name = sheet.names[columns.choice.scores[0].column]
            sheet.refuse(f"more than {_MOST_ROWS:,} rows with {name}: log it once an epoch")
    if not runs:
        sheet.refuse("it has no row below the names")
    found = list(runs.values())
    for run in found:
        if run.waiting:
            run.remarks.append("no time comes after its last score, which is not counted")
            run.cut_off = True
    if not any(run.rows for run in found):
        sheet.refuse(f"no row has {sheet.names[columns.choice.scores[0].column]}")
    for run in [run for run in found if not run.rows]:
        sheet.remarks.append(f"its run {run.name[:60]} has no score, and is not counted")
        found.remove(run)
    for run in found:
        _check_order(sheet, columns, run)
    if not columns.clock.stated and any(run.first and _is_plain(run.first) for run in found):
        sheet.remarks.append(f"{sheet.names[columns.clock.column]} is read as seconds")
    return found, _are_fractions(sheet, columns, found)


def _is_plain(first: tuple[str, float]) -> bool:
    """Whether a time is a number that says no unit, neither 0:01:02 nor a moment."""
    text, time = first
    return number(text) is not None and not is_moment(time)


def _cells(
    sheet: Sheet, columns: Columns, runs: dict[str, RunRows]
) -> Iterator[tuple[int, RunRows, list[str]]]:
    """Each row with its run, and its cells: time, epoch, scores."""
    scores = [score.column for score in columns.choice.scores]
    others = (columns.clock.column, columns.epoch, columns.run, *(at for _, at in columns.settings))
    places = [*scores, *(column for column in others if column is not None)]
    for at, cells in sheet.rows(places):
        cell: dict[int | None, str] = dict(zip(places, cells, strict=True))
        name = cell.get(columns.run, "")
        if columns.run is not None and not name:
            sheet.refuse(f"no {sheet.names[columns.run]}", at)
        if name not in runs:
            if len(runs) == _MOST_RUNS:
                sheet.refuse(f"more than {_MOST_RUNS:,} runs", at)
            runs[name] = RunRows(
                name, {setting: cell[column] for setting, column in columns.settings}
            )
        epoch = cell.get(columns.epoch, "")
        yield at, runs[name], [cell[columns.clock.column], epoch, *(cell[at] for at in scores)]


def _add(sheet: Sheet, columns: Columns, run: RunRows, at: int, cells: list[str]) -> int:
    """Add a row to its run; how many rows that adds."""
    time, epoch, *texts = cells
    if run.first and not (run.waiting or any(texts)):
        return 0  # one of millions of steps
    seconds = _seconds(sheet, columns, run, at, time)
    if seconds is not None:
        for row in run.waiting:
            row.seconds = seconds
            _append(run, row)  # it was counted when it began to wait
        run.waiting.clear()
    scores = tuple(_scores(sheet, columns, at, texts))
    if scores[0] is None:  # another of its scores alone is no evaluation for this task
        if is_nothing(texts[0]):
            remark = f"{sheet.names[columns.choice.scores[0].column]} is {texts[0]} in places"
            if remark not in run.remarks:
                run.remarks.append(remark)
        return 0
    if columns.epoch is None:
        counted = float(len(run.rows) + len(run.waiting) + 1)
    else:
        counted = _number(sheet, columns.epoch, at, epoch)
    measured = ScoredRow(at, counted, seconds or 0.0, scores)
    if seconds is None:
        if not columns.time_later:
            sheet.refuse(f"{sheet.names[columns.clock.column]} is empty", at)
        run.waiting.append(measured)
        return 1
    return _append(run, measured)


def _append(run: RunRows, row: ScoredRow) -> int:
    """Add a row unless it is there already, or says its epoch's score once more."""
    same = (row.epoch, row.seconds, row.scores)
    before = run.rows[-1] if run.rows else row
    once_more = (row.epoch, row.scores) == (before.epoch, before.scores)
    if same in run.seen or (run.rows and once_more and row.seconds >= before.seconds):
        return 0
    run.seen.add(same)
    run.rows.append(row)
    return 1


def _seconds(sheet: Sheet, columns: Columns, run: RunRows, at: int, text: str) -> float | None:
    """Seconds since the run began; None for an empty cell."""
    if not text:
        return None
    time = columns.clock.read(text)
    name = sheet.names[columns.clock.column]
    if time is None or time < 0:
        sheet.refuse(f"{name} is no time from 0 up: {text[:40]!r}", at)
    if run.first is None:
        run.first = (text, time)
        if is_moment(time):
            run.remarks.append(f"its time counts from its first {name}")
    if is_moment(run.first[1]):
        time -= run.first[1]
        if time < 0:
            sheet.refuse(f"{name} runs backwards: {text[:40]} after {run.first[0][:40]}", at)
    if time > _A_CENTURY:
        sheet.refuse(f"{name} is more than a century: {text[:40]}", at)
    return time


def _scores(sheet: Sheet, columns: Columns, at: int, texts: list[str]) -> Iterator[float | None]:
    found: dict[str, float] = {}
    for score, text in zip(columns.choice.scores, texts, strict=True):
        if not text or is_nothing(text):
            yield None
            continue
        value = shortest(_number(sheet, score.column, at, text, least=not score.percent))
        if score.percent and value > 100:
            sheet.refuse(f"{sheet.names[score.column]} is over 100: {text[:40]}", at)
        found[score.name] = value
        yield value
    if found.get(TOP5, 100) < found.get(TOP1, 0):
        sheet.refuse("top-5 below top-1: are the two columns swapped?", at)


def _number(sheet: Sheet, column: int, at: int, text: str, least: bool = False) -> float:
    """A cell's number, from 0 up unless `least`."""
    value = number(text)
    if value is None or (value < 0 and not least):
        name, what = sheet.names[column], "number" if least else "number from 0 up"
        marked = value is None and not text.strip("0123456789.,% ")
        mend = "; write it with a decimal point, and with no other sign" if marked else ""
        sheet.refuse(f"{name} is no {what}: {text[:40]!r}{mend}", at)
    return value


def _check_order(sheet: Sheet, columns: Columns, run: RunRows) -> None:
    """Refuse a run whose time or epochs run backwards, or whose time is each epoch's own."""
    clock = sheet.names[columns.clock.column]
    for before, row in zip(run.rows, run.rows[1:], strict=False):
        if row.seconds < before.seconds:
            why = f"{clock} runs backwards: {row.seconds:g} s after {before.seconds:g} s"
            sheet.refuse(f"{why}; it must be the time since training began", row.at)
        if row.epoch < before.epoch:
            name = "epoch" if columns.epoch is None else sheet.names[columns.epoch]
            why = f"{name} runs backwards: {row.epoch:g} after {before.epoch:g}"
            sheet.refuse(f"{why}; if these are several runs, name them in a --run-column", row.at)
    first = run.rows[0]
    began = run.first[1] if run.first else 0.0
    moments = [began + row.seconds for row in run.rows] if is_moment(began) else []
    if len(moments) > 1 and not any(moment % _STEP_OF_32_BITS for moment in moments):
        why = f"{clock} was kept in 32 bits, so it is good to {_STEP_OF_32_BITS} seconds only"
        sheet.refuse(f"{why}: log the seconds since training began", first.at)
    _check_elapsed(sheet, columns, run)


# Names by which some mean the time since training began, and others that of an epoch.
_EITHER = re.compile(
    r"(time|duration)[\s_(\[]*(s|secs?|seconds?|ms|mins?|minutes?|h|hours?)?[)\]]?"
)


def _check_elapsed(sheet: Sheet, columns: Columns, run: RunRows) -> None:
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
    clock = sheet.names[columns.clock.column]
    of_an_epoch = not columns.time_named and _EITHER.fullmatch(clock.strip().lower())
    if stands or (of_an_epoch and due >= 2 and grown <= (_GROWS if due >= 3 else _STANDS)):
        why = f"{clock} hardly grows: {first.seconds:g} s at first, {last.seconds:g} s at last"
        why += "; is it each epoch's own, not the time since training began?"
        mend = "" if stands else f" If the first took so long, say --time-column {clock}"
        sheet.refuse(why + mend, last.at)


def _are_fractions(sheet: Sheet, columns: Columns, runs: list[RunRows]) -> bool:
    """Whether no share of the table is over 1, so that all are fractions of 1."""
    best: dict[str, float] = {}
    for at, score in enumerate(columns.choice.scores):
        values = [row.scores[at] for run in runs for row in run.rows]
        measured = [value for value in values if value is not None]
        if score.percent and measured:
            best[score.name] = max(measured)
    if not best or any(score.in_percent for score in columns.choice.scores):
        return False
    if min(best.values()) <= 1 and max(best.values()) > _APART:
        sheet.refuse("one score is in fractions of 1, the other in per cent")
    return max(best.values()) <= 1


def trainings(
    sheet: Sheet, columns: Columns, name: str, settings: dict[str, str] | None = None
) -> list[Training]:
    """A table's runs, with what its other columns say of them.

    Args:
        name: of the run; where there are several, what stands before the name of each.
        settings: that stand elsewhere than in the table.

    Raises:
        MalformedLog: it has no right reading.
    """
    columns = replace(columns, settings=columns.settings or describing(sheet.names))
    runs, fractions = read_rows(sheet, columns)
    if fractions:
        sheet.remarks.append("scores read as fractions of 1: none is over 1")
    by_seed = columns.run is not None and sheet.names[columns.run].lower() == "seed"
    descriptions = [described((settings or {}) | run.settings) for run in runs]
    cut_off = getattr(sheet, "cut_off", False)  # of a format of others, it may lack that
    one_entry = by_seed and len(runs) > 1 and all(of == descriptions[0] for of in descriptions)
    found = []
    for run, (fields, values) in zip(runs, descriptions, strict=True):
        about = About(
            name=_name(name, run, by_seed),
            path=sheet.path,
            task=columns.choice.task,
            remarks=(*columns.remarks, *run.remarks, *sheet.remarks),
            entry=name if one_entry else "",
            settings=values,
        )
        about = replace(about, **fields)  # type: ignore[arg-type]
        epochs = run.epochs(columns, fractions)
        found.append(Training(about, epochs, cut_off=cut_off or run.cut_off))
    return found


def _name(name: str, run: RunRows, by_seed: bool) -> str:
    of_run = f"seed {run.name}" if by_seed else run.name
    return " ".join(part for part in (name, of_run) if part)
