"""How much the time to accuracy differs from run to run of one training recipe."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, variance
from typing import TYPE_CHECKING

from genset.core.errors import BadInput
from genset.core.numbers import agree, count, duration
from genset.core.tables import Grid
from genset.statistics.intervals import Interval
from genset.statistics.restarts import expected_time, expected_time_interval
from genset.statistics.small_samples import (
    clopper_pearson,
    variation,
    variation_interval,
)
from genset.tta.figures import first_lines, label_axes, legend, line_style, time_unit, write_figure
from genset.tta.one_entry import check_one_entry, counted, together
from genset.tta.rows import TrainingRow, hours_without_ends, training_row
from genset.tta.runs import Training, one_task
from genset.tta.words import (
    differing_grids,
    hours_interval,
    level,
    metric,
    percent_interval,
    plain_number,
    remark_lines,
    score_text,
    short_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """An epoch of the runs that logged it. Scores in the task's unit, hours the mean of them."""

    epoch: float
    runs: int
    hours: float
    mean: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class EpochTime:
    """The time per epoch, without the first, which may hold the start-up.

    Attributes:
        hours: the mean over runs of each run's mean.
        variation: the coefficient of variation of those means, from run to run; None of one run.
        variation_interval: as that of the time to the threshold.
        within: the coefficient of variation from epoch to epoch inside a run, pooled over runs;
            None where no run has two such epochs.
    """

    hours: float
    variation: float | None
    variation_interval: Interval | None
    within: float | None


@dataclass(frozen=True, slots=True)
class Stability:
    """Several runs of one entry. Intervals are of 95 %.

    Attributes:
        reached: how many runs reach the threshold; `share` is its interval (Clopper-Pearson).
        hours: the mean time to the threshold of those; None if there are none.
        variation: the coefficient of variation of those times; None of fewer than two. Runs that
            never get there have no time, so it says nothing of them: read it beside `reached`.
        variation_interval: after Vangel's modification of McKay; its upper end may be infinite.
            None too where all times are equal: they are then rounder than what they differ by.
        curve: accuracy by epoch.
        hours_without_ends: the mean time without the fastest and the slowest run, as MLPerf counts;
            None of fewer than 5 runs, or where more than one never gets there.
        epoch_time: None where no log has two epochs.
        expected_hours: until a run gets there, if one that does not is begun again when it is over;
            None if none gets there.
        expected_interval: None with fewer than two that do; see `expected_time_interval`.
        entry: what all runs call the entry that they are of; empty if nothing, or several.
        differences: in what the runs differ that were taken for one entry's by the user's word.
        remarks: on all of them: which are left out, and whether one code gave them all.
    """

    task: str
    score: str
    threshold: float
    runs: list[TrainingRow]
    reached: int
    share: Interval
    hours: float | None
    variation: float | None
    variation_interval: Interval | None
    curve: list[CurvePoint]
    percent: bool
    hours_without_ends: float | None
    epoch_time: EpochTime | None
    expected_hours: float | None
    expected_interval: Interval | None
    entry: str
    differences: list[str]
    remarks: list[str]


def stability(
    runs: Sequence[Training], threshold: float | None = None, mixed: bool = False
) -> Stability:
    """Compare runs of one entry.

    Runs that were stopped before they got there do not count (`counted`).

    Args:
        runs: at least two.
        threshold: in the score's unit, by default the task's own.
        mixed: take runs of different entries for one's.

    Raises:
        BadInput: fewer than two runs, runs for different tasks or of different entries, or no
            threshold.
    """
    if len(runs) < 2:
        raise BadInput("stability takes at least two runs of one entry; name more logs")
    task = one_task(runs)
    least = task.threshold_or(threshold)
    differences = check_one_entry(runs, least, mixed)
    remarks = together(runs, least)
    if len(runs := counted(runs, least)) < 2:
        raise BadInput(f"fewer than two runs are left: {'; '.join(remarks)}")
    rows = [training_row(run, least) for run in runs]
    hours = [row.hours for row in rows if row.hours is not None]
    misses = [_whole(run) for run, row in zip(runs, rows, strict=True) if row.hours is None]
    spread, interval = _spread(hours)
    length = fmean(_whole(run) for run in runs)
    return Stability(
        task=task.name,
        score=task.score,
        threshold=least,
        runs=rows,
        reached=len(hours),
        share=clopper_pearson(len(hours), len(rows)),
        hours=fmean(hours) if hours else None,
        variation=spread,
        variation_interval=interval,
        curve=_curve(runs),
        percent=task.percent,
        hours_without_ends=hours_without_ends(task, hours, len(misses)),
        epoch_time=_epoch_time(runs),
        expected_hours=expected_time(hours, misses) if hours else None,
        expected_interval=expected_time_interval(hours, misses, length) if hours else None,
        entry=_entry(runs),
        differences=differences,
        remarks=remarks,
    )


def _entry(runs: Sequence[Training]) -> str:
    first, *more = {run.about.entry for run in runs}
    return "" if more else first


def _whole(run: Training) -> float:
    """The hours that a run took until it was over."""
    return run.stop.hours if run.stop else run.epochs[-1].hours


def _spread(values: list[float]) -> tuple[float | None, Interval | None]:
    """The coefficient of variation and its interval, of values that are not below 0."""
    if len(values) < 2 or fmean(values) <= 0:
        return None, None
    found = variation(values)
    return found, variation_interval(found, len(values)) if found else None


def _epoch_time(runs: Sequence[Training]) -> EpochTime | None:
    by_run = [times for run in runs if (times := epoch_hours(run))]
    if not by_run:
        return None
    means = [fmean(times) for times in by_run]
    spread, interval = _spread(means)
    several = [times for times in by_run if len(times) > 1 and fmean(times) > 0]
    within = None
    if several:
        squares = sum((len(t) - 1) * variance(t) / fmean(t) ** 2 for t in several)
        # Equal epochs differ in the last bits of their hours, which say nothing.
        within = round(sqrt(squares / sum(len(t) - 1 for t in several)), 12)
    return EpochTime(fmean(means), spread, interval, within)


def epoch_hours(run: Training) -> list[float]:
    """The hours of each epoch but the first; where only some are logged, the mean between two."""
    found = []
    before = run.epochs[0]
    for epoch in run.epochs[1:]:
        if epoch.epoch > before.epoch:  # not an epoch's second line
            found.append((epoch.hours - before.hours) / (epoch.epoch - before.epoch))
            before = epoch
    return found


def _curve(runs: Sequence[Training]) -> list[CurvePoint]:
    """Scores by epoch; of an epoch that a run has several times, the last counts."""
    score = runs[0].about.task.score
    by_run = [{e.epoch: e for e in run.epochs if score in e.scores} for run in runs]
    points = []
    for epoch in sorted({epoch for run in by_run for epoch in run}):
        found = [run[epoch] for run in by_run if epoch in run]
        scores = [point.scores[score] for point in found]
        hours = fmean(point.hours for point in found)
        points.append(CurvePoint(epoch, len(found), hours, fmean(scores), min(scores), max(scores)))
    return points


_MOST = 20  # runs, a line each


def stability_grids(found: Stability) -> list[Grid]:
    """What `genset tta stability` prints. The curve of the epochs is for the figure and JSON."""
    least = level(found.threshold, found.percent)
    rows = [
        [
            short_name(row.name),
            duration(row.hours),
            plain_number(row.epoch),
            score_text(row.final, found.percent),
            score_text(row.best, found.percent),
        ]
        for row in found.runs[:_MOST]
    ]
    runs, reach = len(found.runs), agree(found.reached, "reaches", "reach")
    more = [f"and {count(runs - _MOST, 'more run')}, which --json has"] if runs > _MOST else []
    notes = [
        *more,
        f"{found.reached} of {runs} runs {reach} {least} "
        f"({percent_interval(found.share, 0)}, Clopper-Pearson)",
        *_times(found),
        *_expected(found),
        *([_epochs(found.epoch_time)] if found.epoch_time else []),
        *found.remarks,
        *remark_lines(found.runs),
    ]
    head = ["run", f"time to {least}", "epoch", "final", "best"]
    of = f", {short_name(found.entry)}" if found.entry else ""
    by = "" if found.score == found.task else f", {metric(found.score)}"
    title = f"{short_name(found.task)}{of}: {runs} runs{by}"
    return [Grid(title, head, rows, notes), *differing_grids(found.differences)]


def _times(found: Stability) -> list[str]:
    notes = []
    if found.variation is not None:
        said = f"coefficient of variation {_percent(found.variation)}"
        if found.variation_interval:
            ends = percent_interval(found.variation_interval, _digits(found.variation))
            said += f" ({ends}, modified McKay)"
        notes.append(f"mean time {duration(found.hours)}; {said}")
    if found.hours_without_ends is not None:
        mean = duration(found.hours_without_ends)
        notes.append(f"without the fastest and the slowest, as MLPerf counts: mean time {mean}")
    if found.variation == 0:
        notes.append("all times are equal, so they are logged too coarsely to say how they differ")
    if 0 < found.reached < len(found.runs) and found.variation is not None:
        notes.append("runs that never get there have no time: the variation is of the others")
    return notes


def _expected(found: Stability) -> list[str]:
    """Words for the expected time, failures included."""
    if found.expected_hours is None:
        return ["no run gets there, so how long it takes until one does cannot be told"]
    said = f"expected time until a run gets there: {duration(found.expected_hours)}"
    if found.expected_interval:
        said += f" ({hours_interval(found.expected_interval)})"
    else:
        said += " (two that get there are needed for an interval)"
    if found.reached < len(found.runs):
        return [f"{said}, where one that does not is begun again when it is over"]
    return [f"{said}; its upper end allows for runs that fail, of which these few show none"]


def _epochs(found: EpochTime) -> str:
    said = f"time per epoch {duration(found.hours)}"
    if found.variation is not None:
        said += f"; coefficient of variation from run to run {_percent(found.variation)}"
        if found.variation_interval:
            said += f" ({percent_interval(found.variation_interval, _digits(found.variation))})"
    return said + ("" if found.within is None else f", inside a run {_percent(found.within)}")


def _percent(variation: float) -> str:
    return f"{100 * variation:.{_digits(variation)}f} %"


def _digits(variation: float) -> int:
    """Two decimals of what is below 1 %: runs of a large machine differ by less."""
    return 1 if variation == 0 or variation >= 0.01 else 2


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
