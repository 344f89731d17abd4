"""Scores, times and shares in words, and the tables that several commands print."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import isinf
from typing import Any

from genset.core.numbers import count, duration
from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.statistics.intervals import Interval
from genset.tta.runs import F1, TOP1, TOP5, MalformedLog

_METRICS = {TOP1: "top-1", TOP5: "top-5", F1: "F1"}
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


# Scores


def metric(column: str) -> str:
    """A score's name: "top-5" for DAWNBench's column, another log's column as it is."""
    return _METRICS.get(column, clean(column, 40))


def amount(score: float, percent: bool) -> str:
    """A score: "92.80 %", or "2.314" where it is not in per cent."""
    return f"{score:.2f} %" if percent else f"{score:.4g}"


def level(threshold: float, percent: bool) -> str:
    """A threshold: "93 %", or "2.3" where it is not in per cent."""
    return f"{threshold:g} %" if percent else f"{threshold:g}"


def short_of(score: float, threshold: float, percent: bool) -> str:
    """A score that does not reach a threshold, with as many digits as it takes to see that."""
    form = "{:.{}f} %" if percent else "{:.{}g}"
    tries = [form.format(score, digits) for digits in range(2 if percent else 4, 12)]
    return next((words for words in tries if float(words.split()[0]) != threshold), tries[-1])


def time(hours: float) -> str:
    """A time: "1:02.5", and "60 ms" of one under a second."""
    return short_time(3600 * hours) if 0 < 3600 * hours < 1 else duration(hours)


def goal(found: Any) -> str:
    """What an answer says is to be reached: "93 % top-5", "val_loss 2.3"."""
    threshold = level(found.threshold, found.percent)
    words = [threshold, metric(found.score)]
    return " ".join(words if found.percent else reversed(words))


# Names, ratios, intervals


def short_name(text: str, longest: int = 60) -> str:
    """A stranger's name, as long as a column takes: of a longer one the beginning and the end."""
    whole = clean(text, len(text) or 1)
    if len(whole) <= longest:
        return whole
    end = (longest - 1) // 2
    return f"{whole[: longest - 1 - end].rstrip()}…{whole[-end:].lstrip()}"


def ratio(value: float) -> str:
    """A ratio: "477×", "2.60×", "0.0123×"."""
    return f"{value:.2f}×" if 0.095 <= value < 9.995 else f"{rate(value)}×"


def percent_interval(interval: Interval, digits: int) -> str:
    """A 95 % interval in per cent."""
    high = "∞" if isinf(interval.high) else f"{100 * interval.high:.{digits}f} %"
    return f"95 %: {100 * interval.low:.{digits}f} to {high}"


# Columns and tables


def name_column(name: str = "entry") -> Column:
    """Names of strangers' runs."""
    return Column(name, format=short_name)


def cells_of(
    columns: Sequence[Column], rows: Iterable[Any], **special: Callable[[Any], Any]
) -> list[list[Any]]:
    """The cells of each row: its attributes by the columns' names, or what `special` makes of it.

    An empty text is None.
    """

    def cell(row: Any, name: str) -> Any:
        if name in special:
            return special[name](row)
        found = getattr(row, "name" if name in ("entry", "run") else name)
        return None if found == "" else found

    return [[cell(row, column.name) for column in columns] for row in rows]


def score_column(name: str, percent: bool, title: str = "") -> Column:
    """Scores in their task's unit."""
    return Column(name, title, format=lambda score: amount(score, percent))


def hours_column(name: str, title: str) -> Column:
    """Times in hours."""
    return Column(name, title, format=time)


def energy_columns(values: Iterable[float | None]) -> list[Column]:
    """The column of energy, in watt hours, if it is known of a row."""
    known = any(value is not None for value in values)
    return [Column("watt_hours", "energy", format=lambda used: quantity(used, "Wh"))] * known


def remark_lines(rows: Sequence[Any]) -> list[str]:
    """The remarks of rows, each with its row's name; what all of several have, once."""
    counts = Counter(remark for row in rows for remark in set(row.remarks))
    shared = sorted(remark for remark, number in counts.items() if number == len(rows) > 1)
    return [f"all {len(rows)}: {remark}" for remark in shared] + [
        f"{short_name(row.name)}: {remark}"
        for row in rows
        for remark in row.remarks
        if remark not in shared
    ]


def refused_tables(refused: Sequence[MalformedLog]) -> list[Table]:
    """The files that are not counted, and why."""
    notes = [clean(str(error), 400) for error in refused]
    files = count(len({error.path for error in refused}), "file")
    return [Table(title=f"Not counted: {files}", notes=notes)] if refused else []


def difference_tables(differences: Sequence[str]) -> list[Table]:
    """How runs differ that `--mixed` accepts as one entry's."""
    notes = [f"the runs differ in {difference}" for difference in differences]
    return [Table(title="Different entries (--mixed)", notes=notes)] if notes else []


# Numbers of traces


def share(value: float) -> str:
    """A share: "31.3 %". One above 0 is never shown as 0."""
    return "< 0.1 %" if 0 < value < 0.0005 else f"{100 * value:.1f} %"


def shares(values: Sequence[float]) -> list[str]:
    """Shares of one whole: as shown they add up to it, all of something to 100 %.

    The tenths of a per cent that rounding down leaves over go to those that lost most by it.
    """
    tenths = [int(1000 * value) for value in values]
    order = sorted(range(len(values)), key=lambda at: tenths[at] - 1000 * values[at])
    for at in order[: max(0, round(1000 * sum(values)) - sum(tenths))]:
        tenths[at] += 1
    return [f"{tenth / 10:.1f} %" for tenth in tenths]


def rate(value: float, digits: int = 3) -> str:
    """So many digits: "0.0123", "12.3", "1,230"."""
    return f"{float(f'{value:.{digits}g}'):,.10g}"


def quantity(value: float, unit: str) -> str:
    """With the largest prefix that leaves one or more: "1.23 TFLOP", "45 kB"."""
    size, prefix = next((entry for entry in _PREFIXES if value >= entry[0]), _PREFIXES[-1])
    return f"{rate(value / size)} {prefix}{unit}"


def short_time(seconds: float) -> str:
    """Three digits of the largest unit that it has one of: "1.23 s", "912 ms", "45.1 µs"."""
    size, unit = next((entry for entry in _TIMES if seconds >= entry[0]), _TIMES[-1])
    return f"{rate(seconds / size)} {unit}"
