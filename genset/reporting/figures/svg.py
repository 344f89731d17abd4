"""SVG that takes its colours and font from the page that it stands in."""

import io
import re
import warnings

from markupsafe import Markup, escape
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

# Drawn in colours that nothing else has, then handed to the page's style sheet: matplotlib knows
# no variables, and a figure must follow the reader's light or dark mode.
INK, LINE, ACCENT, MUTED = "#010203", "#010204", "#010205", "#010206"
_VARIABLES = {
    INK: "var(--ink)",
    LINE: "var(--line)",
    ACCENT: "var(--accent)",
    MUTED: "var(--muted)",
}

AS_PERCENT = FuncFormatter(lambda share, _: f"{100 * share:.6g} %")


def plain(axes: Axes) -> None:
    """Take away what is no data but a light grid."""
    axes.tick_params(which="both", length=0, labelcolor=INK, labelsize=10, pad=6)
    axes.grid(color=LINE, linewidth=1)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)


def as_svg(figure: Figure, title: str) -> Markup:
    """The figure as one <svg> element: the same bytes each time, and no colour of its own.

    No two figures of a page may have the same title: their parts are named after it.
    """
    figure.patch.set_visible(False)
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
