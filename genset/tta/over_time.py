"""How the best time or cost to accuracy came down from day to day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from genset.core.errors import BadInput
from genset.core.numbers import dollars, duration
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.figures import check_few, dollars_axis, hours_axis, label_axes, write_figure
from genset.tta.table import Table, TaskTable
from genset.tta.words import goal, short_name, times

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Dated:
    """An entry with its day: `value` is hours to the threshold, or US dollars."""

    day: date
    name: str
    value: float


@dataclass(frozen=True, slots=True)
class OverTime:
    """The entries of one task by day.

    Attributes:
        by_cost: values are US dollars, not hours.
        entries: all that reach the threshold and name a day and, by cost, a price; the earliest
            first.
        best: those of them that were the best so far.
        without: how many reach the threshold, and have no day or no price.
    """

    task: str
    score: str
    threshold: float
    percent: bool
    by_cost: bool
    entries: list[Dated]
    best: list[Dated]
    without: int


def over_time(found: Table, by_cost: bool = False) -> list[OverTime]:
    """The best entry by day, of each task with training entries that have one.

    Raises:
        BadInput: there is none.
    """
    tasks = [_of_task(task, by_cost) for task in found.tasks if task.trainings]
    tasks = [task for task in tasks if task.entries]
    if not tasks:
        need = "a day (timestamp)" + (" and a price (costPerHour)" if by_cost else "")
        raise BadInput(f"no entry reaches its threshold and names {need}: nothing to show by date")
    return tasks


def _of_task(task: TaskTable, by_cost: bool) -> OverTime:
    entries = []
    for row in task.trainings:
        value = row.cost if by_cost else row.hours
        if row.submitted is not None and value is not None:
            entries.append(Dated(row.submitted, row.name, value))
    entries.sort(key=lambda entry: (entry.day, entry.value))
    without = len(task.trainings) - len(entries)
    return OverTime(
        task.task,
        task.score,
        task.threshold,
        task.percent,
        by_cost,
        entries,
        _best(entries),
        without,
    )


def _best(entries: Sequence[Dated]) -> list[Dated]:
    found: list[Dated] = []
    for entry in entries:
        if not found or entry.value < found[-1].value:
            found.append(entry)
    return found


def over_time_grids(found: Sequence[OverTime]) -> list[Grid]:
    """The entries that were the best of their day, task by task."""
    return [_grid(task) for task in found]


def _grid(found: OverTime) -> Grid:
    what, said = ("cost", dollars) if found.by_cost else ("time", duration)
    first = found.best[0].value
    rows = [
        [
            entry.day.isoformat(),
            short_name(entry.name),
            said(entry.value),
            times(first, entry.value),
        ]
        for entry in found.best
    ]
    notes = []
    if found.without:
        lacks = "a day or a price" if found.by_cost else "a day"
        notes.append(f"without {lacks}, so not here: {found.without}")
    title = f"{short_name(found.task)}: the best {what} to {goal(found)} by date"
    against = "times as cheap as the first" if found.by_cost else "times as fast as the first"
    return Grid(title, ["date", "entry", what, against], rows, notes)


def draw_over_time(found: Sequence[OverTime], path: Path) -> None:
    """A dot for each entry at its day, and the best so far as a line of steps; a part a task."""
    from matplotlib.figure import Figure

    check_few(len(found), "tasks")
    figure = Figure(figsize=(9, 4.6 * len(found)), layout="constrained")
    for axes, task in zip(figure.subplots(len(found), squeeze=False)[:, 0], found, strict=True):
        _draw(axes, task)
    write_figure(figure, path)


def _draw(axes: "Axes", task: OverTime) -> None:
    import numpy as np

    days = np.array([entry.day for entry in task.entries], dtype="datetime64[D]")
    axes.plot(
        days, [e.value for e in task.entries], "o", color="0.6", markersize=5, label="entries"
    )
    # The last best holds until the last entry.
    dates = np.array([*(e.day for e in task.best), task.entries[-1].day], dtype="datetime64[D]")
    values = [entry.value for entry in task.best]
    axes.step(dates, [*values, values[-1]], where="post", color="C0", label="the best so far")
    axes.plot(dates[:-1], values, "o", color="C0", markersize=6)
    (dollars_axis if task.by_cost else hours_axis)(axes)
    label_axes(axes, "date", f"{'US dollars' if task.by_cost else 'time'} to {goal(task)}")
    axes.yaxis.label.set_parse_math(False)
    title = axes.set_title(clean(task.task, 60), loc="left", fontsize=12)
    title.set_parse_math(False)
    axes.legend(frameon=False, fontsize=9)
