"""How much the time to accuracy differs from run to run of one training recipe."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from genset.errors import BadInput
from genset.statistics.intervals import Interval
from genset.statistics.small_samples import clopper_pearson, variation, variation_interval
from genset.tta.entries import Training
from genset.tta.reading import one_task, threshold_of
from genset.tta.table import TrainingRow, training_row


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """An epoch of the runs that logged it. Scores in per cent, hours the mean of them."""

    epoch: float
    runs: int
    hours: float
    mean: float
    lowest: float
    highest: float


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


def stability(runs: Sequence[Training], threshold: float | None = None) -> Stability:
    """Compare runs of one entry; `threshold` in per cent, by default the task's own.

    Raises:
        BadInput: fewer than two runs, runs for different tasks, or no threshold.
    """
    if len(runs) < 2:
        raise BadInput("stability takes at least two runs of one entry; name more logs")
    task = one_task(runs)
    least = threshold_of(task, threshold)
    rows = [training_row(run, least) for run in runs]
    hours = [row.hours for row in rows if row.hours is not None]
    spread = variation(hours) if len(hours) > 1 and fmean(hours) > 0 else None
    return Stability(
        task=task.name,
        score=task.score,
        threshold=least,
        runs=rows,
        reached=len(hours),
        share=clopper_pearson(len(hours), len(rows)),
        hours=fmean(hours) if hours else None,
        variation=spread,
        variation_interval=variation_interval(spread, len(hours)) if spread else None,
        curve=_curve(runs),
    )


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
