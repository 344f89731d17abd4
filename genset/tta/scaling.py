"""What more workers bring: the time per epoch and to accuracy of one entry at several sizes."""

from collections.abc import Mapping
from dataclasses import dataclass

from genset.errors import BadInput
from genset.tta.entries import Training
from genset.tta.reading import one_task, threshold_of


@dataclass(frozen=True, slots=True)
class ScalingRow:
    """One size. Speed-ups are over the smallest size; `ideal` is the ratio of the workers.

    Attributes:
        epoch_hours: the mean time of an epoch, without the first, which may hold the start-up;
            None of a log with one epoch that is counted from 0.
        hours: to the threshold; None if it is never reached.
        communication: the share of time in communication, 0 to 1; None if it is not logged.
    """

    workers: int
    name: str
    epoch_hours: float | None
    hours: float | None
    ideal: float
    epoch_speedup: float | None
    speedup: float | None
    communication: float | None


@dataclass(frozen=True, slots=True)
class Scaling:
    """All sizes, the smallest first."""

    task: str
    score: str
    threshold: float
    rows: list[ScalingRow]


def scaling(runs: Mapping[int, Training], threshold: float | None = None) -> Scaling:
    """Compare logs of one entry by how many workers each had.

    Args:
        runs: by workers (machines or accelerators, the same in all), at least two.
        threshold: per cent, by default the task's own.

    Raises:
        BadInput: fewer than two sizes, a size below 1, different tasks, or no threshold.
    """
    if len(runs) < 2 or min(runs) < 1:
        raise BadInput("scaling takes logs at two or more sizes: 4=four.tsv 8=eight.tsv")
    task = one_task(list(runs.values()))
    least = threshold_of(task, threshold)
    smallest = min(runs)
    base_epoch = _epoch_hours(runs[smallest])
    base = _hours(runs[smallest], least)
    rows = []
    for workers, run in sorted(runs.items()):
        epoch_hours, hours = _epoch_hours(run), _hours(run, least)
        rows.append(
            ScalingRow(
                workers=workers,
                name=run.about.name,
                epoch_hours=epoch_hours,
                hours=hours,
                ideal=workers / smallest,
                epoch_speedup=_ratio(base_epoch, epoch_hours),
                speedup=_ratio(base, hours),
                communication=_communication(run),
            )
        )
    return Scaling(task.name, task.score, least, rows)


def _hours(run: Training, threshold: float) -> float | None:
    reached = run.first_at(threshold)
    return reached.hours if reached else None


def _epoch_hours(run: Training) -> float | None:
    first, last = run.epochs[0], run.epochs[-1]
    if last.epoch > first.epoch:
        return (last.hours - first.hours) / (last.epoch - first.epoch)
    return last.hours / last.epoch if last.epoch > 0 else None


def _communication(run: Training) -> float | None:
    logged = [e for e in run.epochs if e.communication is not None and e.hours > 0]
    return (logged[-1].communication or 0.0) / logged[-1].hours if logged else None


def _ratio(base: float | None, value: float | None) -> float | None:
    return base / value if base and value else None
