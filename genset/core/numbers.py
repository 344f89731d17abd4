"""Numbers as people read them. Intervals are pairs, the lower end first."""

NONE = "–"  # for a number that is not known


def count(number: int, one: str, many: str = "") -> str:
    """A number and its noun: "1 photo", "4,812 photos"."""
    return f"{number:,} {agree(number, one, many or one + 's')}"


def agree(number: int, one: str, many: str) -> str:
    """The form of a word that goes with a number: "is" with 1, "are" with all others."""
    return one if number == 1 else many


def ordinal(place: int) -> str:
    """A place from 1."""
    teens = 11 <= place % 100 <= 13
    return f"{place}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th')}"


def digits(photos: int) -> int:
    """Decimals of a per cent that show one photo."""
    return 1 if photos <= 1000 else 2 if photos <= 10_000 else 3


def percent(share: float, photos: int) -> str:
    """A share of `photos` in per cent, with the digits that so many photos can tell apart."""
    return f"{100 * share:.{digits(photos)}f}"


def ends(interval: tuple[float, float], photos: int) -> str:
    """An interval of a share of `photos`, in per cent."""
    low, high = interval
    return f"{percent(low, photos)}–{percent(high, photos)}"


def between(interval: tuple[float, float]) -> str:
    """An interval of another share than that of photos, in per cent: "12.3 to 45.6"."""
    low, high = interval
    return f"{100 * low:.1f} to {100 * high:.1f}"


def points(value: float, digits: int = 2) -> str:
    """A difference of shares in points, with its sign: "+1.58", "−0.63", "0.00"."""
    text = f"{100 * value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def span(interval: tuple[float, float], digits: int = 2) -> str:
    """An interval of differences in points: "−0.63 to +0.92"."""
    low, high = interval
    return f"{points(low, digits)} to {points(high, digits)}"


def p_value(p: float) -> str:
    """A p-value: "p = 0.73", "p < 0.0001"."""
    return f"p {'<' if p < 0.0001 else '='} {bare_p(p).removeprefix('< ')}"


def bare_p(p: float) -> str:
    """A p-value for a table: "0.73", "0.014", "< 0.0001"."""
    if p < 0.0001:
        return "< 0.0001"
    return f"{p:.2f}" if p >= 0.1 else f"{p:.2g}"


def dollars(value: float | None) -> str:
    """US dollars: ``$48.48``, and three digits of what is below a dollar."""
    if value is None:
        return NONE
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.3g}"


def duration(hours: float | None) -> str:
    """Hours as ``2:37.6`` (minutes) or ``14:38:00`` (hours)."""
    if hours is None:
        return NONE
    tenths = round(hours * 36_000)
    if tenths < 36_000:
        return f"{tenths // 600}:{tenths % 600 / 10:04.1f}"
    seconds = round(hours * 3600)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def spoken(hours: float) -> str:
    """A time in its two largest units: "18 min 5 s", "2 h 57 min"."""
    seconds = round(hours * 3600)
    if hours >= 100:
        return f"{hours:,.0f} h"
    if seconds >= 3600:
        minutes = round(seconds / 60)
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{hours * 3600:.3g} s"
