"""Numbers and texts as strangers write them into logs."""

import math
import re

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def number(text: str) -> float | None:
    """The finite number that `text` is, or None: not "nan", "1,5", "1_000" or "12 h"."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def as_percent(fraction: float) -> float:
    """A fraction of 1 in per cent: 0.57 is 57, not 56.99999999999999."""
    return round(100 * fraction, 10)


def decoded(data: bytes) -> str | None:
    """UTF-8, with or without a byte order mark; None for anything else."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
