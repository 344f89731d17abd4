"""The report's figures, as SVG that stands inside a page and takes its colours and font."""

import io
import re
import warnings
from collections.abc import Sequence

from markupsafe import Markup, escape
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from genset.evaluate.runs import Accuracy
from genset.report.words import clean, percent

# Drawn in colours that nothing else has, then handed to the page's style sheet: matplotlib knows
# no variables, and a figure must follow the reader's light or dark mode.
_INK, _LINE, _ACCENT = "#010203", "#010204", "#010205"
_VARIABLES = {_INK: "var(--ink)", _LINE: "var(--line)", _ACCENT: "var(--accent)"}

_WIDTH, _ROW, _AXIS = 5.0, 0.48, 0.4  # inches


def interval_plot(title: str, rows: Sequence[tuple[str, Accuracy]]) -> Markup:
    """A dot with its 95 % interval for each row: a label and its accuracy.

    The axis runs where the intervals lie, not from 0 to 100 %: positions are compared here, and
    lengths mean how sure a share is.
    """
    height = _ROW * len(rows) + _AXIS
    figure = Figure(figsize=(_WIDTH, height))
    axes = figure.add_axes((0.01, _AXIS / height, 0.94, 1 - _AXIS / height))
    places = range(len(rows), 0, -1)
    shares = [accuracy.share for _, accuracy in rows]
    lows = [accuracy.low for _, accuracy in rows]
    highs = [accuracy.high for _, accuracy in rows]
    axes.hlines(places, lows, highs, color=_ACCENT, linewidth=2)
    axes.plot(shares, places, "o", color=_ACCENT, markersize=7, clip_on=False)
    for place, (label, accuracy) in zip(places, rows, strict=True):
        _write(axes, 0, place, "left", clean(label, longest=40))
        _write(axes, 1, place, "right", f"{percent(accuracy.share, accuracy.photos)} %")
    margin = 0.05 * (max(highs) - min(lows))
    axes.set_xlim(max(0.0, min(lows) - margin), min(1.0, max(highs) + margin))
    axes.set_ylim(0.6, len(rows) + 0.7)
    axes.set_yticks([])
    axes.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.6g} %"))
    axes.tick_params(length=0, labelcolor=_INK, labelsize=10, pad=6)
    axes.grid(axis="x", color=_LINE, linewidth=1)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)
    figure.patch.set_visible(False)
    return _svg(figure, title)


def _write(axes: Axes, x: float, place: float, side: str, text: str) -> None:
    axes.text(
        x,
        place + 0.26,
        text,
        transform=axes.get_yaxis_transform(),
        horizontalalignment=side,
        fontsize=11,
        color=_INK,
        parse_math=False,  # a model may be called "$x$"
    )


def _svg(figure: Figure, title: str) -> Markup:
    """The figure as one <svg> element: the same bytes each time, and no colour of its own."""
    file = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with (
        rc_context(
            {"svg.fonttype": "none", "svg.hashsalt": title, "font.sans-serif": ["DejaVu Sans"]}
        ),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # glyphs that matplotlib's font lacks: the reader's has
        figure.savefig(file, format="svg", metadata=nothing)
    body = file.getvalue().partition("<svg")[2].partition(">")[2]
    # Its style element would hold for the whole page, and its plain ids recur in each figure.
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", body)
    for drawn, variable in _VARIABLES.items():
        body = body.replace(drawn, variable)
    width, height = (72 * inches for inches in figure.get_size_inches())
    start = f'<svg viewBox="0 0 {width:g} {height:g}" role="img"><title>{escape(title)}</title>'
    # Every text in the body is matplotlib's own or was escaped by it.
    return Markup(start + body)  # noqa: S704
