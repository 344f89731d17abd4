"""Which column holds the time, and what its cells say in seconds.

A column of time is recognized by its name, with or without a unit: ``relative_time``,
``elapsed_min``, ``Relative Time (Process)``, ``hours``. A plain number without a unit is in
seconds. Columns of moments (``timestamp``, ``_timestamp``) count from a run's first row. Not
recognized is what may be the time of one epoch alone, as ``epoch_time``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from genset.tta.logs.numbers import number
from genset.tta.logs.tables.sheets.cells import moment, seconds

_UNITS = {
    3600.0: ("h", "hr", "hrs", "hour", "hours"),
    60.0: ("min", "mins", "minute", "minutes"),
    1.0: ("s", "sec", "secs", "second", "seconds"),
    0.001: ("ms", "msec", "millis", "millisecond", "milliseconds"),
}
_SECONDS = {word: unit for unit, words in _UNITS.items() for word in words}

# Names that say seconds by their writers' habit: ffcv's, W&B's.
_IN_SECONDS = {"relative_time", "relative_time_process", "relative_time_wall", "runtime"}

# Time since training began goes before moments.
_SINCE = {
    *_IN_SECONDS,
    "run_time",
    "elapsed",
    "elapsed_time",
    "time_elapsed",
    "time",
    "total_time",
    "time_total",
    "cumulative_time",
    "wall_clock",
    "wallclock",
    "wall_clock_time",
    "time_since_start",
    "time_since_began",
}
_MOMENTS = {"timestamp", "wall_time", "walltime", "datetime", "date_time"}

# Ten years: no training is as long, and moments in seconds since 1970 are later.
_TEN_YEARS = 315_360_000


@dataclass(frozen=True, slots=True)
class Clock:
    """The column of time: where it is, and how many seconds one of its numbers is."""

    column: int
    unit: float = 1.0
    stated: bool = True

    def read(self, text: str) -> float | None:
        """Seconds since training began, or since 1970 (`is_moment`); None if it is neither."""
        value = number(text)
        if value is not None:
            time = value * self.unit
            return _moment_in_seconds(time) if is_moment(time) else time
        if (day := moment(text)) is not None:
            return day.timestamp()
        return seconds(text)


def is_moment(time: float) -> bool:
    """Whether seconds are counted from 1970, not from a training's beginning."""
    return time >= _TEN_YEARS


def clock_named(at: int, name: str) -> Clock:
    """The clock of the column that a user names, by the unit in its name."""
    unit = _unit(name)
    return Clock(at, unit or 1.0, unit is not None or _base(name) in _IN_SECONDS | _MOMENTS)


def clocks(names: Sequence[str]) -> list[Clock]:
    """The columns that hold the time, by their names; moments only where there is nothing else."""
    since = [clock_named(at, name) for at, name in enumerate(names) if _base(name) in _SINCE]
    return since or [Clock(at) for at, name in enumerate(names) if _base(name) in _MOMENTS]


def _words(name: str) -> list[str]:
    apart = re.sub(r"([a-z])([A-Z])", r"\1_\2", name)
    return [word for word in re.split(r"[^a-z0-9]+", apart.lower()) if word]


def _unit(name: str) -> float | None:
    words = _words(name)
    return _SECONDS.get(words[-1]) if words else None


def _base(name: str) -> str:
    """A name without its unit; hours alone are time."""
    words = _words(name)
    if _unit(name) is not None:
        # "s" and "h" alone may be anything.
        return "_".join(words[:-1]) or ("time" if len(words[-1]) > 2 and words[-1] != "min" else "")
    return "_".join(words)


def _moment_in_seconds(value: float) -> float:
    """Seconds since 1970 of a number that may be in milli-, micro- or nanoseconds."""
    while value >= 1e11:
        value /= 1000
    return value
