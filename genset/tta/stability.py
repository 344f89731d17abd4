"""How much the time to accuracy differs from run to run of one training recipe."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, variance
from typing import Any

from genset.core.errors import BadInput
from genset.core.numbers import agree, count, duration
from genset.core.table import Column, Table
from genset.statistics.intervals import Interval
from genset.statistics.restarts import expected_time, expected_time_interval
from genset.statistics.small_samples import clopper_pearson, variation, variation_interval
from genset.tta import words
from genset.tta.figures import MOST_LINES, legend, line_style, new_figure, time_unit
from genset.tta.one_entry import check_one_entry, counted, together
from genset.tta.rows import TrainingRow, entry_row, training_row
from genset.tta.runs import Training, one_task

_MOST = 20  # runs, a line each


@dataclass(frozen=True, slots=True)
class EpochTime:
    """The time per epoch, without the first, which may hold the start-up.

    Attributes:
        hours: the mean over runs of each run's mean.
        variation: the coefficient of variation of those means, from run to run; None of one run.
        variation_interval: as that of the time to the threshold.
        within: the coefficient of variation from epoch to epoch inside a run, pooled over runs;
            None if no run has two such epochs.
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
        variation: the coefficient of variation of those times; None of fewer than two. It says
            nothing of runs that never reach the threshold: read it together with `reached`.
        variation_interval: after Vangel's modification of McKay; its upper end may be infinite.
            None also if all times are equal: they are then coarser than their differences.
        hours_without_ends: the mean time without the fastest and the slowest run, as MLPerf counts;
            None of fewer than 5 runs, or if more than one never reaches the threshold.
        epoch_time: None if no log has two epochs.
        expected_hours: until a run reaches the threshold, if each that does not is followed by
            another; None if none reaches it.
        expected_interval: None with fewer than two that do; see `expected_time_interval`.
        entry: what all runs call their entry; empty if nothing, or several.
        differences: how the runs differ that `mixed` accepts as one entry's.
        remarks: which runs are not counted, and whether one code gave them all.
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

    Runs that a signal stopped before they reached the threshold do not count (`counted`).

    Args:
        runs: at least two.
        threshold: in the score's unit, by default the task's own.
        mixed: accept runs of different entries as one's.

    Raises:
        BadInput: fewer than two runs, runs for different tasks or of different entries, or no
            threshold.
    """
    if len(runs) < 2:
        raise BadInput("stability needs at least two runs of one entry: give more logs")
    task = one_task(runs)
    least = task.threshold_for(runs, threshold)
    differences = check_one_entry(runs, least, mixed)
    remarks = together(runs, least)
    if len(runs := counted(runs, least)) < 2:
        raise BadInput(f"fewer than two runs are left: {'; '.join(remarks)}")
    rows, all_runs = [training_row(run, least) for run in runs], entry_row(runs, least)
    hours = [row.hours for row in rows if row.hours is not None]
    misses = [_whole(run) for run, row in zip(runs, rows, strict=True) if row.hours is None]
    spread, interval = _spread(hours)
    entries = {run.about.entry for run in runs}
    length = fmean(_whole(run) for run in runs)
    return Stability(
        task=task.name,
        score=task.score,
        threshold=least,
        runs=rows,
        reached=len(hours),
        share=clopper_pearson(len(hours), len(rows)),
        hours=all_runs.hours,
        variation=spread,
        variation_interval=interval,
        percent=task.percent,
        hours_without_ends=all_runs.hours_without_ends,
        epoch_time=_epoch_time(runs),
        expected_hours=expected_time(hours, misses) if hours else None,
        expected_interval=expected_time_interval(hours, misses, length) if hours else None,
        entry=entries.pop() if len(entries) == 1 else "",
        differences=differences,
        remarks=remarks,
    )


def stability_tables(found: Stability) -> list[Table]:
    """What `genset tta stability` prints."""
    threshold = words.level(found.threshold, found.percent)
    columns = [
        words.name_column("run"),
        words.hours_column("hours", f"time to {threshold}"),
        *words.energy_columns(row.watt_hours for row in found.runs),
        Column("epoch"),
        words.score_column("final", found.percent),
        words.score_column("best", found.percent),
    ]
    runs, reach = len(found.runs), agree(found.reached, "reaches", "reach")
    more = [f"and {count(runs - _MOST, 'more run')}, see --json"] if runs > _MOST else []
    interval = words.percent_interval(found.share, 0)
    notes = [
        *more,
        f"{found.reached} of {runs} runs {reach} {threshold} ({interval}, Clopper-Pearson)",
        *_time_lines(found),
        _expected_line(found),
        *([_epoch_line(found.epoch_time)] if found.epoch_time else []),
        *found.remarks,
        *words.remark_lines(found.runs),
    ]
    of = f", {words.short_name(found.entry)}" if found.entry else ""
    by = "" if found.score == found.task else f", {words.metric(found.score)}"
    title = f"{words.short_name(found.task)}{of}: {runs} runs{by}"
    rows = words.cells_of(columns, found.runs[:_MOST])
    return [Table(columns, rows, title, notes), *words.difference_tables(found.differences)]


def draw_stability(found: Stability, runs: Sequence[Training], path: Path) -> None:
    """The score against time; `runs` are those that `stability` took."""
    draw_curves(found, counted(runs, found.threshold), path)


def draw_curves(found: Any, runs: Sequence[Training], path: Path) -> None:
    """The score against time, one line a run, a dot where it reaches the threshold.

    A line goes in steps: what a model scores between two epochs was not measured. More runs than a
    reader can tell apart have one colour, and no names. `found` says `score`, `threshold` and
    whether they are in `percent`.
    """
    named = len(runs) <= MOST_LINES
    unit, hours_of_one = time_unit(max(run.epochs[-1].hours for run in runs))
    score = words.metric(found.score) + ", %" * found.percent
    threshold = words.level(found.threshold, found.percent)
    sure = counted(runs, found.threshold)
    reached = sum(run.first_at(found.threshold) is not None for run in sure)
    reach = f"{agree(reached, 'reaches', 'reach')} {threshold}"
    with new_figure(path, 9, 4.6) as figure:
        axes = figure.subplots()
        for at, run in enumerate(runs):
            colour, dash = line_style(at if named else 0)
            times, scores = _points(run, hours_of_one)
            axes.step(times, scores, where="post", color=colour, linestyle=dash, linewidth=1.4)
            if point := run.first_at(found.threshold):
                time = point.hours / hours_of_one
                axes.plot([time], [point.scores[found.score]], "o", color=colour, markersize=6)
        axes.axhline(found.threshold, color="0.35", linewidth=1, linestyle=":")
        axes.set(xlabel=f"{unit} of training", ylabel=score)
        doubt = f"; cannot tell: {len(runs) - len(sure)}" if len(sure) < len(runs) else ""
        axes.set_title(f"{reached} of {count(len(sure), 'run')} {reach}{doubt}")
        if named:
            legend(axes, [(at, run.about.name) for at, run in enumerate(runs)])


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
    by_run = [times for run in runs if (times := run.hours_by_epoch())]
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


def _time_lines(found: Stability) -> list[str]:
    lines = []
    if found.variation is not None:
        line = f"mean time {duration(found.hours)}; coefficient of variation "
        lines.append(line + _variation(found.variation, found.variation_interval, "modified McKay"))
    if found.hours_without_ends is not None:
        mean = duration(found.hours_without_ends)
        lines.append(f"mean time without the fastest and the slowest, as MLPerf counts: {mean}")
    if found.variation == 0:
        lines.append("all times are equal: they are logged too coarsely to show how they vary")
    if 0 < found.reached < len(found.runs) and found.variation is not None:
        lines.append("the variation is of the runs that reach the threshold")
    return lines


def _expected_line(found: Stability) -> str:
    """The expected time, failures included."""
    line = "expected time until a run reaches the threshold: "
    if found.expected_hours is None:
        return f"{line}unknown, none does"
    if not found.expected_interval:
        interval = "an interval needs two that do"
    else:
        interval = f"95 %: {' to '.join(map(duration, found.expected_interval))}"
    more = "; the upper end allows for failures, which so few runs cannot exclude"
    if found.reached < len(found.runs):
        more = ", if each failed run is followed by another"
    return f"{line}{duration(found.expected_hours)} ({interval}){more}"


def _epoch_line(found: EpochTime) -> str:
    line = f"time per epoch {words.time(found.hours)}"
    if found.variation is not None:
        line += "; coefficient of variation from run to run "
        line += _variation(found.variation, found.variation_interval)
    return line + ("" if found.within is None else f", within a run {_variation(found.within)}")


def _variation(value: float, interval: Interval | None = None, method: str = "") -> str:
    """A coefficient of variation: two decimals below 1 %, since large machines vary so little."""
    digits = 1 if value == 0 or value >= 0.01 else 2
    text = f"{100 * value:.{digits}f} %"
    if interval is None:
        return text
    ends = words.percent_interval(interval, digits)
    return f"{text} ({', '.join(filter(None, [ends, method]))})"


def _points(run: Training, hours_of_one: float) -> tuple[list[float], list[float]]:
    """A run's times and scores, and once more its last score if it stopped later."""
    score = run.about.task.score
    scored = [epoch for epoch in run.epochs if score in epoch.scores]
    times = [epoch.hours / hours_of_one for epoch in scored]
    scores = [epoch.scores[score] for epoch in scored]
    if run.stop and run.stop.hours / hours_of_one > times[-1]:
        times.append(run.stop.hours / hours_of_one)
        scores.append(scores[-1])
    return times, scores
