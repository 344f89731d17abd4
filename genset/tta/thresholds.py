"""How the time to accuracy depends on the accuracy that is asked for.

Schedules tuned for one threshold are often over soon after it: such an entry has a time for 93 %
and none for 93.5 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from genset.errors import BadInput
from genset.tta.entries import Training
from genset.tta.reading import one_task


@dataclass(frozen=True, slots=True)
class ThresholdRow:
    """One entry: the hours to each of the thresholds (None: never), and its best score."""

    name: str
    hours: list[float | None]
    best: float


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Entries from the fastest to the slowest at the last threshold that each reaches."""

    task: str
    score: str
    thresholds: list[float]
    rows: list[ThresholdRow]


def levels(low: float, high: float, step: float) -> list[float]:
    """Thresholds from `low` to `high`, both ends in it: 90, 90.5, ..., 93.

    Raises:
        BadInput: not 0 <= low <= high <= 100, or the steps are none or over 1,000.
    """
    if not 0 <= low <= high <= 100:
        raise BadInput(f"thresholds from {low:g} to {high:g} are not within 0 to 100 per cent")
    if not step > 0 or (high - low) / step > 1000:
        raise BadInput(f"a step of {step:g} is too small: at most 1,000 thresholds")
    count = int((high - low) / step + 1e-9)
    found = [round(low + at * step, 6) for at in range(count + 1)]
    return found if found[-1] == high else [*found, high]


def thresholds(runs: Sequence[Training], at: Sequence[float]) -> Thresholds:
    """The time of each entry to each threshold of `at` (per cent, rising).

    Raises:
        BadInput: the entries are for different tasks.
    """
    task = one_task(runs)
    rows = []
    for run in runs:
        points = [run.first_at(threshold) for threshold in at]
        hours = [point.hours if point else None for point in points]
        rows.append(ThresholdRow(run.about.name, hours, max(run.scores())))
    rows.sort(key=_far_and_fast)
    return Thresholds(task.name, task.score, list(at), rows)


def _far_and_fast(row: ThresholdRow) -> tuple[int, float]:
    reached = [hours for hours in row.hours if hours is not None]
    return -len(reached), reached[-1] if reached else 0.0
