"""What `genset tta table --over-time` prints."""

from collections.abc import Sequence

from genset.core.numbers import dollars, duration
from genset.core.tables import Grid
from genset.tta.analysis.over_time import OverTime
from genset.tta.analysis.units import goal
from genset.tta.show.words import short_name, times


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
