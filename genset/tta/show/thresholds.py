"""What `genset tta thresholds` prints."""

from genset.core.numbers import agree, count, duration
from genset.core.tables import Grid
from genset.tta.analysis.thresholds import ThresholdRow, Thresholds
from genset.tta.analysis.units import level, metric
from genset.tta.logs.tasks import TOP1, TOP5
from genset.tta.show.words import score_text, short_name


def thresholds_grids(found: Thresholds) -> list[Grid]:
    """What `genset tta thresholds` prints."""
    levels = [level(threshold, found.percent) for threshold in found.thresholds]
    rows = [
        [short_name(row.name), *_cells(row), score_text(row.best, found.percent)]
        for row in found.rows
    ]
    short = sum(row.hours[-1] is None for row in found.rows)
    entries, stop = count(len(rows), "entry", "entries"), agree(short, "stops", "stop")
    notes = [f"{short} of {entries} {stop} short of {levels[-1]}"] if short else []
    if any(row.runs > 1 for row in found.rows):
        notes.append("of several runs: the mean of those that get there")
    what = metric(found.score) + (" accuracy" if found.score in (TOP1, TOP5) else "")
    if found.task == found.score:  # a task that is called as its column
        what = "each threshold"
    return [
        Grid(f"{short_name(found.task)}: time to {what}", ["entry", *levels, "best"], rows, notes)
    ]


def _cells(row: ThresholdRow) -> list[str]:
    return [
        duration(hours) + (f" ({reached} of {row.runs})" if 0 < reached < row.runs else "")
        for hours, reached in zip(row.hours, row.reached, strict=True)
    ]
