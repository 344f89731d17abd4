"""The style of all figures of this room, and how they are written."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import cos, log10, pi, sin
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from warnings import catch_warnings, filterwarnings

from genset.core.errors import BadInput
from genset.core.files import written_whole
from genset.core.safe import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# As many lines as a reader can tell apart by colour and dash.
MOST_LINES = 20
# Nine, so that with ten colours no two of ninety lines are alike.
_ON_OFF = "4 2", "7 2 1 2", "1 2", "9 2", "1 3", "4 1 1 1 1 1", "9 2 3 2", "2 1"
_DASHES: list[Any] = ["-", *((0, tuple(map(int, lengths.split()))) for lengths in _ON_OFF)]
# A stranger's name is no formula.
_STYLE: dict[Any, object] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "grid.color": "0.9",
    "legend.frameon": False,
    "svg.hashsalt": "genset",
    "text.parse_math": False,
}


def check_figure(path: Path) -> None:
    """Refuse, before any work, a file name that no figure can be written to.

    Raises:
        BadInput: it ends in neither .png nor .svg.
    """
    if path.suffix.lower() not in (".png", ".svg"):
        raise BadInput(f"{path}: a figure is written as .png or .svg")


def check_few(count: int, what: str) -> None:
    """Refuse more lines than a reader can tell apart."""
    if count > MOST_LINES:
        raise BadInput(f"a figure shows at most {MOST_LINES} {what}, not {count}: name fewer")


def line_style(at: int) -> tuple[str, Any]:
    """Colour and dash of a line, by its place: dashes differ in print, and for the colour-blind."""
    return f"C{at % 10}", _DASHES[at % len(_DASHES)]


def time_unit(most_hours: float) -> tuple[str, float]:
    """A unit for the time of such a training, and how many hours it is."""
    if most_hours < 1 / 30:
        return "seconds", 1 / 3600
    return ("minutes", 1 / 60) if most_hours < 2 else ("hours", 1.0)


def logarithmic(axes: "Axes", which: Literal["x", "y"]) -> None:
    """Make an axis on which all is drawn logarithmic, with ticks at 0.01, 1, 100; or 1, 2, 5."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set(**{f"{which}scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = axis.get_view_interval()
    short = log10(high / low) < 2.5
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if short else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())


def legend(axes: "Axes", names: Sequence[tuple[int, str]]) -> None:
    """The names of lines, which may begin with "_"."""
    from matplotlib.lines import Line2D

    styles = (line_style(at) for at, _ in names)
    handles = [Line2D([], [], color=colour, linestyle=dash) for colour, dash in styles]
    labels = [f" {clean(name, 44)}" for _, name in names]
    axes.legend(
        handles,
        labels,
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        fontsize=8,
        handlelength=3.6,  # long enough for the longest dashes
    )


@contextmanager
def new_figure(path: Path, width: float, height: float) -> Iterator["Figure"]:
    """A figure of so many inches, which is written where the block ends: the whole file or none.

    An SVG has the same bytes each time.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    check_figure(path)
    kind = path.suffix.lower()[1:]
    undated = {"Date": None} if kind == "svg" else {"Software": None}
    with rc_context(_STYLE), catch_warnings():
        # What matplotlib's font does not have of a stranger's name is a box.
        filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        with written_whole(path) as file:
            figure.savefig(file, format=kind, dpi=150, metadata=undated)


# A part of each of several bars: label, colour, hatch, shares. Lightness and hatching tell parts
# apart in print, too.
Bar = tuple[str, str, str, Sequence[float]]


def stacked_bars(
    axes: "Axes", names: Sequence[str], parts: Sequence[Bar], label: str, title: str
) -> None:
    """Bars that are all of something, divided, with the legend above them."""
    check_few(len(names), "bars, one a rank")
    starts = [0.0] * len(names)
    for name, colour, hatch, shares in parts:
        values = [100 * share for share in shares]
        style: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": "0.35"}
        axes.barh(range(len(names)), values, left=starts, label=name, linewidth=0.6, **style)
        starts = [start + value for start, value in zip(starts, values, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel(label)
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, fontsize=9)
    axes.set_title(title, pad=38)


def label_point(
    axes: "Axes", text: str, point: tuple[float, float], colour: str, at: int, of: int
) -> None:
    """Write a number around its point; those of points that lie together do not collide.

    Args:
        at, of: which of how many it is: each has a direction of its own.
    """
    angle = 2 * pi * at / of + pi / 4
    axes.annotate(
        text,
        point,
        textcoords="offset points",
        xytext=(17 * cos(angle), 17 * sin(angle)),
        fontsize=7,
        ha="center",
        va="center",
        zorder=6,
        bbox={"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": colour},
        arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6},
    )
