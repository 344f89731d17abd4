"""How the best time or cost to accuracy came down from day to day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from genset.core.errors import BadInput
from genset.tta.analysis.table import Table, TaskTable


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
