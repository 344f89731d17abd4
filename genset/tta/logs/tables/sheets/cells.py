"""Numbers and times as cells hold them."""

import math
import re
import struct
from datetime import UTC, datetime

_NOT_MEASURED = {"nan", "null", "none", "na", "n/a", "inf", "infinity", "-inf", "-infinity"}
_CLOCK = re.compile(r"(?:(\d+) days?,? )?(\d+):(\d{2}):(\d{2}(?:\.\d+)?)", re.ASCII)


def is_nothing(text: str) -> bool:
    """Whether a cell says that there is no number: "nan" and its like, where a run diverged."""
    return text.lower() in _NOT_MEASURED


def seconds(text: str) -> float | None:
    """Seconds that are written as 1:02:03.5, or as 2 days, 1:02:03."""
    if not (match := _CLOCK.fullmatch(text)):
        return None
    days, hours, minutes, rest = match.groups()
    return 86_400 * int(days or 0) + 3600 * int(hours) + 60 * int(minutes) + float(rest)


def moment(text: str) -> datetime | None:
    """A day with its time, as 2022-01-17 20:07:37.567685120; without a zone it is in UTC."""
    if not re.match(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d", text):
        return None
    try:
        # Python reads microseconds, pandas writes nanoseconds.
        found = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text.removesuffix(" UTC")))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def shortest(value: float) -> float:
    """The number that was meant where one was kept in 32 bits: 0.9399999976158142 is 0.94.

    Frameworks compute accuracies in 32 bits and write them with 15 or 17 digits. Left so, 94 %
    would not reach 94 %.
    """
    if not math.isfinite(value) or abs(value) > 3e38:
        return value
    kept = _in_32_bits(value)
    if f"{kept:.15g}" != f"{value:.15g}":
        return value
    tries = (float(f"{value:.{digits}g}") for digits in range(6, 10))
    return next((found for found in tries if _in_32_bits(found) == kept), value)


def _in_32_bits(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])
