"""The figure of `genset tta table --over-time`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from genset.core.safe import clean
from genset.tta.analysis.over_time import OverTime
from genset.tta.analysis.units import goal
from genset.tta.plots.style import check_few, dollars_axis, hours_axis, label_axes, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
