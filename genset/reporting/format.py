"""Numbers and strangers' words, as people read them."""

import unicodedata
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from genset.evaluation.results.runs import Accuracy
from genset.reporting.gather.gallery import Answer
from genset.statistics.intervals import Interval

# Joiners inside emoji and Persian words; every other character of format is dropped.
_KEPT_FORMATS = {"\u200c", "\u200d"}


def clean(text: str, longest: int = 120) -> str:
    """A stranger's words on one line, safe to print.

    Control characters, lone surrogates and characters that turn the direction of writing go: they
    break files, or make the words beside them read as something else.
    """
    words = " ".join(text.split())
    kept = "".join(
        c for c in words if unicodedata.category(c)[0] != "C" or c in _KEPT_FORMATS
    ).strip()
    return kept if len(kept) <= longest else kept[: longest - 1].rstrip() + "…"


def web_link(url: str) -> str | None:
    """The address if it leads to the web, else None: ``javascript:`` is an address too."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    web = parts.scheme in ("http", "https") and parts.netloc and len(url) <= 2000
    return url if web and url.isprintable() and " " not in url else None


def count(number: int, one: str, many: str = "") -> str:
    """A number and its noun: "1 photo", "4,812 photos"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(share: float, photos: int) -> str:
    """A share of `photos` in per cent, with the digits that so many photos can tell apart."""
    return f"{100 * share:.{digits(photos)}f}"


def interval(accuracy: Accuracy) -> str:
    """Its 95 % interval in per cent."""
    return ends(Interval(accuracy.low, accuracy.high), accuracy.photos)


def ends(interval: Interval, photos: int) -> str:
    """An interval of a share of `photos`, in per cent."""
    return f"{percent(interval.low, photos)}–{percent(interval.high, photos)}"


def points(value: float, digits: int = 2) -> str:
    """A difference of shares in points, with its sign: "+1.58", "−0.63", "0.00"."""
    text = f"{100 * value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def span(ends: Interval, digits: int = 2) -> str:
    """An interval of differences in points: "−0.63 to +0.92"."""
    return f"{points(ends.low, digits)} to {points(ends.high, digits)}"


def p_value(p: float) -> str:
    """A p-value: "p = 0.73", "p < 0.0001"."""
    return f"p {'<' if p < 0.0001 else '='} {bare_p(p).removeprefix('< ')}"


def bare_p(p: float) -> str:
    """A p-value for a table: "0.73", "0.014", "< 0.0001"."""
    if p < 0.0001:
        return "< 0.0001"
    return f"{p:.2f}" if p >= 0.1 else f"{p:.2g}"


def probability(answer: Answer) -> str:
    """A model's probability in per cent, never rounded to certainty; "" where it is not known."""
    if answer.probability is None:
        return ""
    if answer.probability < 0.01:
        return "< 1 %"
    return "> 99 %" if answer.probability > 0.99 else f"{100 * answer.probability:.0f} %"


def ordinal(place: int) -> str:
    """A place from 1."""
    teens = 11 <= place % 100 <= 13
    return f"{place}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th')}"


def settings(values: Mapping[str, Any]) -> str:
    """Named values in words: "resize 256, crop 224, mean 0.485 0.456 0.406"."""
    return ", ".join(
        f"{name} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in values.items()
    )


def digits(photos: int) -> int:
    """Decimals of a per cent that show one photo."""
    return 1 if photos <= 1000 else 2 if photos <= 10_000 else 3
