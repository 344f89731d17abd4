"""How much the time to accuracy differs from run to run of one training recipe."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, variance

from genset.core.errors import BadInput
from genset.statistics.intervals import Interval
from genset.statistics.restarts import expected_time, expected_time_interval
from genset.statistics.small_samples import (
    clopper_pearson,
    variation,
    variation_interval,
)
from genset.tta.analysis.one_entry import check_one_entry
from genset.tta.analysis.rows import TrainingRow, hours_without_ends, training_row
from genset.tta.analysis.together import counted, together
from genset.tta.logs.entries import Training, one_task


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
