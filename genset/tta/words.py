"""Scores and thresholds as people say them."""

from collections import Counter
from collections.abc import Sequence
from math import isinf
from typing import Protocol

from genset.core.numbers import NONE, count, duration
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.statistics.intervals import Interval
from genset.tta.runs import F1, TOP1, TOP5, MalformedLog

_METRICS = {TOP1: "top-1", TOP5: "top-5", F1: "F1"}


class Judged(Protocol):
    """What is held against a threshold."""

    @property
    def score(self) -> str: ...
    @property
    def threshold(self) -> float: ...
    @property
    def percent(self) -> bool: ...


class WithRemarks(Protocol):
    """What has a name, and lines that a reader should know."""

    @property
    def name(self) -> str: ...
    @property
    def remarks(self) -> tuple[str, ...]: ...


def metric(column: str) -> str:
    """A score's name: "top-5" for DAWNBench's column, another log's column as it is."""
    return _METRICS.get(column, clean(column, 40))


def amount(score: float, percent: bool) -> str:
    """A score: "92.80 %", or "2.314" where it is not in per cent."""
    return f"{score:.2f} %" if percent else f"{score:.4g}"


def level(threshold: float, percent: bool) -> str:
    """A threshold: "93 %", or "2.3" where it is not in per cent."""
    return f"{threshold:g} %" if percent else f"{threshold:g}"


def goal(found: Judged) -> str:
    """What is to be reached: "93 % top-5", "val_loss 2.3"."""
    said = level(found.threshold, found.percent)
    return f"{said} {metric(found.score)}" if found.percent else f"{metric(found.score)} {said}"


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


def remark_lines(rows: Sequence[WithRemarks]) -> list[str]:
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


_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def percent(value: float | None) -> str:
    """A share: "31.3 %". One that is not nothing never looks like nothing."""
    if value is None:
        return NONE
    return "< 0.1 %" if 0 < value < 0.0005 else f"{100 * value:.1f} %"


def percents(values: Sequence[float]) -> list[str]:
    """Shares whose sum counts: as shown they add up to it, all of something to 100 %.

    The tenths of a per cent that rounding down leaves over go to those that lost most by it.
    """
    tenths = [int(1000 * value) for value in values]
    lost = sorted(range(len(values)), key=lambda at: tenths[at] - 1000 * values[at])
    for at in lost[: max(0, round(1000 * sum(values)) - sum(tenths))]:
        tenths[at] += 1
    return [f"{tenth / 10:.1f} %" for tenth in tenths]


def rate(value: float | None) -> str:
    """Three digits: "0.0123", "12.3", "1,230"."""
    return NONE if value is None else f"{float(f'{value:.3g}'):,.10g}"


def as_given(value: float) -> str:
    """As it was given: "2,039"."""
    return f"{value:,.10g}"


def quantity(value: float, unit: str) -> str:
    """With the largest prefix that leaves one or more: "1.23 TFLOP", "45 kB"."""
    size, prefix = next((each for each in _PREFIXES if value >= each[0]), _PREFIXES[-1])
    return f"{rate(value / size)} {prefix}{unit}"


def short_time(seconds: float) -> str:
    """Three digits of the largest unit that it has one of: "1.23 s", "912 ms", "45.1 µs"."""
    size, unit = next((each for each in _TIMES if seconds >= each[0]), _TIMES[-1])
    return f"{rate(seconds / size)} {unit}"
