"""Models on two sets: a point each, with both fitted lines and their bands."""

from collections.abc import Callable, Iterable, Sequence

from markupsafe import Markup, escape

from genset.core.numbers import percent
from genset.core.safe import clean
from genset.reporting.names import short_names
from genset.reporting.series.data import AtPair, Fit, SetPair

_WIDTH, _HEIGHT = 640, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 16, 12, 48  # room for the larger letters of a phone
_LETTER, _LINE = 6.6, 14  # about a letter's width, and a line's height, at 12 px
_MOST_LABELS = 10
_NAME = 28  # letters of a label
_MOST_STOPS = 100  # points that the Tab key stops at

_Box = tuple[float, float, float, float]
_Place = Callable[[float], float]


def pair_plot(title: str, pair: SetPair) -> Markup:
    """A point for each model: its accuracy on the second set over that on the first.

    The dashed line is "as good on both".
    """
    models = pair.models
    (x0, x1), (y0, y1) = (
        _range([getattr(model, side) for model in models]) for side in ("first", "second")
    )

    def across(share: float) -> float:
        return _LEFT + (share - x0) / (x1 - x0) * (_WIDTH - _LEFT - _RIGHT)

    def up(share: float) -> float:
        share = min(max(share, y0), y1)
        return _HEIGHT - _BOTTOM - (share - y0) / (y1 - y0) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [*_axes(across, up, (x0, x1), (y0, y1), pair)]
    low, high = max(x0, y0), min(x1, y1)
    if low < high:
        ends = " ".join(f"{across(share):.1f},{up(share):.1f}" for share in (low, high))
        parts.append(_polyline(ends, "var(--muted)", "4 3"))
    for fit in pair.fits:
        parts += _line(fit, across, up, (y0, y1))
    places = [(across(model.first), up(model.second)) for model in models]
    stop = ' tabindex="0"' if len(models) <= _MOST_STOPS else ""
    parts += [_point(model, *place, stop) for model, place in zip(models, places, strict=True)]
    parts += _labels(models, places)
    start = (
        f'<svg class="pair" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="group">'
        f"<title>{escape(title)}</title>"
    )
    # All names in the parts are escaped.
    return Markup(start + "".join(parts) + "</svg>")  # noqa: S704


def _range(values: Sequence[float]) -> tuple[float, float]:
    margin = max(0.08 * (max(values) - min(values)), 0.01)
    return min(values) - margin, max(values) + margin


def _axes(
    across: _Place, up: _Place, xs: tuple[float, float], ys: tuple[float, float], pair: SetPair
) -> Iterable[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for share in _ticks(*xs):
        x = across(share)
        yield f'<path d="M{x:.1f} {_TOP}V{bottom}" stroke="var(--line)"/>'
        yield _text(x, bottom + 18, f"{100 * share:g} %", "middle")
    for share in _ticks(*ys):
        y = up(share)
        yield f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="var(--line)"/>'
        yield _text(_LEFT - 8, y + 4, f"{100 * share:g} %", "end")
    yield _text((_LEFT + right) / 2, _HEIGHT - 8, f"on {clean(pair.first, 50)}", "middle")
    name, middle = f"on {clean(pair.second, 50)}", (_TOP + bottom) / 2
    yield (
        f'<text transform="translate(14 {middle:.0f}) rotate(-90)" text-anchor="middle" '
        f'font-size="12" fill="var(--ink)">{escape(name)}</text>'
    )


def _ticks(low: float, high: float) -> list[float]:
    """Round accuracies in a range: four to eight."""
    steps = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
    step = next((step for step in steps if (high - low) / step <= 8), 0.5)
    first = int(max(low, 0) / step) + (1 if low > 0 else 0)
    ticks = [round(number * step, 4) for number in range(first, int(min(high, 1) / step) + 1)]
    return [tick for tick in ticks if low <= tick <= high]


def _line(fit: Fit, across: _Place, up: _Place, ys: tuple[float, float]) -> Iterable[str]:
    is_main = fit.scale == "logit"
    for inner, opacity in ((False, 0.08), (True, 0.14)) if is_main else ():
        ends = [point.band if inner else point.prediction for point in fit.line]
        pairs = list(zip(fit.line, ends, strict=True))
        tops = [f"{across(point.first):.1f},{up(end.high):.1f}" for point, end in pairs]
        lows = [f"{across(point.first):.1f},{up(end.low):.1f}" for point, end in pairs]
        shape = " ".join([*tops, *reversed(lows)])
        yield f'<polygon points="{shape}" fill="var(--accent)" opacity="{opacity}"/>'
    seen = [point for point in fit.line if ys[0] <= point.second <= ys[1]]
    drawn = " ".join(f"{across(point.first):.1f},{up(point.second):.1f}" for point in seen)
    yield _polyline(drawn, "var(--accent)", "" if is_main else "1 3")


def _polyline(points: str, color: str, dashes: str) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.6"{dashed}/>'


def _point(model: AtPair, x: float, y: float, stop: str) -> str:
    photos = min(model.matched.photos)
    says = f"{percent(model.first, photos)} %, then {percent(model.second, photos)} %"
    name = clean(model.label, 80)
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="var(--ink)"{stop} '
        f'data-name="{escape(name)}" data-says="{escape(says)}" role="img" '
        f'aria-label="{escape(name)}: {escape(says)}">'
        f"<title>{escape(name)}: {escape(says)}</title></circle>"
    )


def _labels(models: Sequence[AtPair], places: Sequence[tuple[float, float]]) -> Iterable[str]:
    """Names beside their points, where they cover no other and no point.

    Of many models only those are named that are farthest from the line.
    """
    names = short_names([model.label for model in models], _NAME)
    taken: list[_Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in places]

    def off(number: int) -> float:
        above = models[number].above.get("logit")
        return -abs(above.value) if above else 0.0

    for number in sorted(range(len(models)), key=off)[:_MOST_LABELS]:
        name, (x, y) = names[models[number].label], places[number]
        width = _LETTER * len(name)
        for left, top in ((x + 8, y - 7), (x - 8 - width, y - 7), (x + 6, y - 21), (x + 6, y + 7)):
            box = (left, top, left + width, top + _LINE)
            inside = left > _LEFT and box[2] < _WIDTH and top > 0 and box[3] < _HEIGHT - _BOTTOM
            if inside and not any(_touch(box, other) for other in taken):
                taken.append(box)
                yield _text(left, top + 11, name, "start", "label")
                break


def _touch(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _text(x: float, y: float, words: str, anchor: str, kind: str = "tick") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12" '
        f'fill="var(--ink)">{escape(words)}</text>'
    )
