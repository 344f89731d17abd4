"""The figure of `genset tta stability`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from genset.core.numbers import agree
from genset.tta.analysis.stability import Stability
from genset.tta.analysis.units import level, metric
from genset.tta.logs.entries import Training
from genset.tta.plots.style import (
    first_lines,
    label_axes,
    legend,
    line_style,
    time_unit,
    write_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NEAR = 3.0  # points short of the threshold; of a score in another unit, a tenth of the threshold


def draw_stability(found: Stability, runs: Sequence[Training], path: Path) -> None:
    """The score against time, one line a run, a dot where it reaches the threshold.

    A line goes in steps: what a model scores between two epochs was not measured. The second part
    shows the same near the threshold, where runs differ. More runs than a reader can tell apart
    have one colour, and no names.
    """
    from matplotlib.figure import Figure

    told_apart = len(first_lines(runs)) == len(runs)
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    whole, near = figure.subplots(1, 2)
    unit, hours_of_one = time_unit(max(run.epochs[-1].hours for run in runs))
    for axes in (whole, near):
        _lines(axes, found, runs, hours_of_one, told_apart)
        axes.axhline(found.threshold, color="0.35", linewidth=1, linestyle=":")
        said = f"{metric(found.score)}, %" if found.percent else metric(found.score)
        label_axes(axes, f"{unit} of training", said)
    _look_near(near, found, runs, hours_of_one)
    least = level(found.threshold, found.percent)
    reach = agree(found.reached, "reaches", "reach")
    whole.set_title(f"{found.reached} of {len(runs)} runs {reach} {least}", loc="left", fontsize=12)
    near.set_title("near the threshold", loc="left", fontsize=12)
    if told_apart:
        legend(near, [(at, run.about.name) for at, run in enumerate(runs)])
    write_figure(figure, path)


def _points(run: Training, hours_of_one: float) -> tuple[list[float], list[float]]:
    """A run's times and scores, and once more its last score where it stopped later."""
    score = run.about.task.score
    scored = [epoch for epoch in run.epochs if score in epoch.scores]
    times = [epoch.hours / hours_of_one for epoch in scored]
    scores = [epoch.scores[score] for epoch in scored]
    if run.stop and run.stop.hours / hours_of_one > times[-1]:
        times.append(run.stop.hours / hours_of_one)
        scores.append(scores[-1])
    return times, scores


def _lines(
    axes: "Axes", found: Stability, runs: Sequence[Training], hours_of_one: float, told_apart: bool
) -> None:
    for at, run in enumerate(runs):
        colour, dash = line_style(at if told_apart else 0)
        times, scores = _points(run, hours_of_one)
        axes.step(times, scores, where="post", color=colour, linestyle=dash, linewidth=1.4)
        if reached := run.first_at(found.threshold):
            time = reached.hours / hours_of_one
            axes.plot([time], [reached.scores[found.score]], "o", color=colour, markersize=6)


def _look_near(
    axes: "Axes", found: Stability, runs: Sequence[Training], hours_of_one: float
) -> None:
    """Cut a part out: scores from a little short of the threshold on, and the times of these."""
    task = runs[0].about.task
    near = _NEAR if found.percent else abs(found.threshold) / 10 or 1.0
    way = -1.0 if task.lower_is_better else 1.0
    low = found.threshold - way * near
    best = (min if task.lower_is_better else max)([found.threshold, *(r.best for r in found.runs)])
    high = best + way * near / 10
    axes.set_ylim(min(low, high), max(low, high))
    points = (zip(*_points(run, hours_of_one), strict=True) for run in runs)
    shown = [time for run in points for time, score in run if task.reaches(score, low)]
    if shown and min(shown) < max(shown):
        margin = 0.03 * (max(shown) - min(shown))
        axes.set_xlim(min(shown) - margin, max(shown) + margin)
