"""How the best time or cost to accuracy came down from day to day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from genset.core.errors import BadInput
from genset.core.numbers import dollars, duration
from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.tta.figures import check_few, dollars_axis, hours_axis, label_axes, write_figure
from genset.tta.table import EntryTables, TaskTable
from genset.tta.words import goal, name_column, ratio, short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class DatedEntry:
    """An entry with its day: `value` is hours to the threshold, or US dollars."""

    day: date
    name: str
    value: float


@dataclass(frozen=True, slots=True)
class OverTime:
    """The entries of one task by day.

    Attributes:
        by_cost: values are US dollars, not hours.
        entries: all that reach the threshold and have a day and, by cost, a price; the earliest
            first.
        best: those of them that were the best so far.
        skipped: how many reach the threshold, and have no day or no price.
    """

    task: str
    score: str
    threshold: float
    percent: bool
    by_cost: bool
    entries: list[DatedEntry]
    best: list[DatedEntry]
    skipped: int


def over_time(found: EntryTables, by_cost: bool = False) -> list[OverTime]:
    """The best entry by day, of each task with training entries that have one.

    Raises:
        BadInput: there is none.
    """
    tasks = [_of_task(task, by_cost) for task in found.tasks]
    tasks = [task for task in tasks if task.entries]
    if not tasks:
        need = "a day (timestamp)" + (" and a price (costPerHour)" if by_cost else "")
        raise BadInput(f"no entry that reaches its threshold has {need}: nothing to show by date")
    return tasks


def over_time_tables(found: Sequence[OverTime]) -> list[Table]:
    """The entries that were the best of their day, task by task."""
    return [_table(task) for task in found]


def draw_over_time(found: Sequence[OverTime], path: Path) -> None:
    """A dot for each entry at its day, and the best so far as a line of steps; a part a task."""
    from matplotlib.figure import Figure

    check_few(len(found), "tasks")
    figure = Figure(figsize=(9, 4.6 * len(found)), layout="constrained")
    for axes, task in zip(figure.subplots(len(found), squeeze=False)[:, 0], found, strict=True):
        _draw(axes, task)
    write_figure(figure, path)


def _of_task(task: TaskTable, by_cost: bool) -> OverTime:
    values = [(row, row.cost if by_cost else row.hours) for row in task.trainings]
    entries = [
        DatedEntry(row.submitted, row.name, value)
        for row, value in values
        if row.submitted is not None and value is not None
    ]
    entries.sort(key=lambda entry: (entry.day, entry.value))
    best: list[DatedEntry] = []
    for entry in entries:
        if not best or entry.value < best[-1].value:
            best.append(entry)
    skipped = len(task.trainings) - len(entries)
    head = task.task, task.score, task.threshold, task.percent
    return OverTime(*head, by_cost, entries, best, skipped)


def _table(found: OverTime) -> Table:
    what, words = ("cost", dollars) if found.by_cost else ("time", duration)
    first = found.best[0].value
    against = "cheap" if found.by_cost else "fast"
    columns = [
        Column("day", "date"),
        name_column(),
        Column("cost" if found.by_cost else "hours", what, format=words),
        Column("ratio", f"times as {against} as the first", format=ratio),
    ]
    rows = [
        [entry.day, entry.name, entry.value, first / entry.value if entry.value else None]
        for entry in found.best
    ]
    missing = "a day or a price" if found.by_cost else "a day"
    notes = [f"left out, without {missing}: {found.skipped}"] if found.skipped else []
    title = f"{short_name(found.task)}: the best {what} to {goal(found)} by date"
    return Table(columns, rows, title, notes)


def _draw(axes: "Axes", task: OverTime) -> None:
    import numpy as np

    days = np.array([entry.day for entry in task.entries], dtype="datetime64[D]")
    values = [entry.value for entry in task.entries]
    axes.plot(days, values, "o", color="0.6", markersize=5, label="entries")
    # The last best holds until the last entry.
    dates = np.array([*(e.day for e in task.best), task.entries[-1].day], dtype="datetime64[D]")
    best = [entry.value for entry in task.best]
    axes.step(dates, [*best, best[-1]], where="post", color="C0", label="the best so far")
    axes.plot(dates[:-1], best, "o", color="C0", markersize=6)
    (dollars_axis if task.by_cost else hours_axis)(axes)
    label_axes(axes, "date", f"{'US dollars' if task.by_cost else 'time'} to {goal(task)}")
    axes.yaxis.label.set_parse_math(False)
    title = axes.set_title(clean(task.task, 60), loc="left", fontsize=12)
    title.set_parse_math(False)
    axes.legend(frameon=False, fontsize=9)
