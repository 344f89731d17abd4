"""Words and numbers that several tables of this room share."""

from collections import Counter
from collections.abc import Sequence
from math import isinf

from genset.core.numbers import NONE, count, duration
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.statistics.intervals import Interval
from genset.tta.analysis.rows import InferenceRow, TrainingRow
from genset.tta.analysis.units import amount
from genset.tta.logs.entries import MalformedLog


def refused_grids(refused: Sequence[MalformedLog]) -> list[Grid]:
    """The files that do not count, and why."""
    notes = [clean(str(error), 400) for error in refused]
    files = count(len({error.path for error in refused}), "file")
    return [Grid(f"Not counted: {files}", notes=notes)] if refused else []


def differing_grids(differences: Sequence[str]) -> list[Grid]:
    """In what runs that were taken as of one entry differ."""
    notes = [f"the runs differ in {difference}" for difference in differences]
    return [Grid("Of different entries (--mixed)", notes=notes)] if notes else []


def short_name(text: str) -> str:
    """A stranger's name, as long as a column takes."""
    return clean(text, 60)


def remark_lines(rows: Sequence[TrainingRow | InferenceRow]) -> list[str]:
    """What rows have to remark, each with whose it is; what all of several have, once."""
    counts = Counter(remark for row in rows for remark in set(row.remarks))
    shared = [remark for remark, count in counts.items() if count == len(rows) > 1]
    said = [f"all {len(rows)}: {remark}" for remark in sorted(shared)]
    for row in rows:
        said += [
            f"{short_name(row.name)}: {remark}" for remark in row.remarks if remark not in shared
        ]
    return said


def plain_number(value: float | None) -> str:
    return NONE if value is None else f"{value:g}"


def score_text(value: float | None, percent: bool = True) -> str:
    return NONE if value is None else amount(value, percent)


def times(base: float | None, value: float | None) -> str:
    """How many times `value` goes into `base`: "477×", "2.6×"."""
    return factor(base / value if base and value else None)


def factor(ratio: float | None) -> str:
    """A ratio: "477×", "2.6×", "0.25×"."""
    if ratio is None:
        return NONE
    return f"{ratio:,.0f}×" if ratio >= 9.95 else f"{ratio:.2g}×"


def percent_interval(interval: Interval, digits: int) -> str:
    """A 95 % interval in per cent."""
    high = "∞" if isinf(interval.high) else f"{100 * interval.high:.{digits}f} %"
    return f"95 %: {100 * interval.low:.{digits}f} to {high}"


def hours_interval(interval: Interval) -> str:
    """A 95 % interval of hours."""
    return f"95 %: {duration(interval.low)} to {duration(interval.high)}"
