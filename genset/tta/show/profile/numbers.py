"""Numbers of this room as people read them: shares, times, amounts with their units."""

from collections.abc import Sequence

from genset.core.numbers import NONE

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
