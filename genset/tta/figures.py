"""What all figures of this room look like, and how they are written."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar
from warnings import catch_warnings, filterwarnings

from genset.core.errors import BadInput
from genset.core.files import written_whole
from genset.core.safe import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.figure import Figure
    from matplotlib.path import Path as Outline
    from matplotlib.transforms import Bbox


Row = TypeVar("Row")

# As many lines as a reader can tell apart by colour and dash.
_MOST = 20
# Nine, so that with ten colours no two of ninety lines are alike.
Dash = Literal["-", "--", "-.", ":"] | tuple[int, tuple[float, ...]]
_DASHES: tuple[Dash, ...] = (
    "-",
    "--",
    "-.",
    ":",
    (0, (9, 2)),
    (0, (1, 3)),
    (0, (4, 1, 1, 1, 1, 1)),
    (0, (9, 2, 3, 2)),
    (0, (2, 1)),
)
_FORMATS = (".png", ".svg")
_UNITS = (("s", 1 / 3600), ("min", 1 / 60), ("h", 1.0))
_TICKS = [count * hours for _, hours in _UNITS for count in (1, 3, 10, 30)] + [100.0, 300.0, 1000.0]


def check_figure(path: Path) -> None:
    """Refuse, before any work, a file name that no figure can be written to.

    Raises:
        BadInput: it ends in neither .png nor .svg.
    """
    if path.suffix.lower() not in _FORMATS:
        raise BadInput(f"{path}: a figure is written as .png or .svg")


def first_lines(names: Sequence[Row]) -> Sequence[Row]:
    """The first of them, as many as a reader can tell apart."""
    return names[:_MOST]


def check_few(count: int, what: str) -> None:
    """Refuse more lines than a reader can tell apart."""
    if count > _MOST:
        raise BadInput(f"a figure shows at most {_MOST} {what}, not {count}: name fewer")


def line_style(at: int) -> tuple[str, Dash]:
    """Colour and dash of a line, by its place. Dashes tell lines apart where colours are not seen:
    in print, or by who does not see them.
    """
    return f"C{at % 10}", _DASHES[at % len(_DASHES)]


def label_axes(axes: "Axes", x: str, y: str) -> None:
    """Name the two axes, with a grid."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def time_unit(most_hours: float) -> tuple[str, float]:
    """A unit of time that such a training is told in, and how many hours it is."""
    if most_hours < 1 / 30:
        return "seconds", 1 / 3600
    return ("minutes", 1 / 60) if most_hours < 2 else ("hours", 1.0)


def hours_axis(axes: "Axes") -> None:
    """Make an upward axis of hours logarithmic, with ticks as people say them: "10 min", "3 h".

    Where the hours are too near to each other for three such ticks, it is even.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    said = _brief
    if len(ticks) < 3:
        axes.set_yscale("linear")
        low, high = axes.get_ylim()
        unit, hours_of_one = _unit(high)
        even = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(
            low / hours_of_one, high / hours_of_one
        )
        ticks = [tick * hours_of_one for tick in even if low <= tick * hours_of_one <= high]

        def said(hours: float) -> str:
            return f"{hours / hours_of_one:.6g} {unit}"

    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda hours, _: said(hours)))
    axes.yaxis.set_minor_locator(NullLocator())


def dollars_axis(axes: "Axes") -> None:
    """Make an upward axis of US dollars logarithmic, with ticks as people say them: "$10"."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    subs = (1.0,) if high > 100 * low else (1.0, 2.0, 5.0)
    axes.yaxis.set_major_locator(LogLocator(subs=subs))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"\\${value:,.6g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def number_line(axes: "Axes", at: int, x: float, y: float) -> None:
    """The number of a line, counted from 1, on it."""
    ground = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": line_style(at)[0]}
    axes.text(x, y, str(at + 1), fontsize=6.5, ha="center", va="center", bbox=ground, zorder=7)


def legend(axes: "Axes", names: Sequence[tuple[int, str]], numbered: bool = False) -> None:
    """Names beside the lines, and the lines' numbers where they have some (see `number_line`).

    A stranger's name is no formula, and may begin with "_".
    """
    from matplotlib.lines import Line2D

    styles = (line_style(at) for at, _ in names)
    handles = [Line2D([], [], color=colour, linestyle=dash) for colour, dash in styles]
    labels = [f" {f'{at + 1}: ' * numbered}{clean(name, 44)}" for at, name in names]
    legend = axes.legend(
        handles,
        labels,
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        frameon=False,
        fontsize=8,
        handlelength=3.6,  # as long as the longest dashes are told by
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


@contextmanager
def boxes_for_missing_glyphs() -> Iterator[None]:
    """What matplotlib's font lacks in a stranger's name is drawn as boxes, without a warning."""
    with catch_warnings():
        filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        yield


def write_figure(figure: "Figure", path: Path) -> None:
    """Write the whole file or none; an SVG has the same bytes each time."""
    from matplotlib import rc_context

    check_figure(path)
    kind = path.suffix.lower()[1:]
    undated = {"Date": None} if kind == "svg" else {"Software": None}
    salted = rc_context({"svg.hashsalt": "genset"})
    with written_whole(path) as file, salted, boxes_for_missing_glyphs():
        figure.savefig(file, format=kind, dpi=150, metadata=undated)


def _brief(hours: float) -> str:
    unit, hours_of_one = _unit(hours)
    return f"{hours / hours_of_one:g} {unit}"


def _unit(hours: float) -> tuple[str, float]:
    """The largest unit that a time has one of."""
    return next((each for each in reversed(_UNITS) if hours >= each[1]), _UNITS[0])


_SHORT = 2.5  # powers of ten, up to which there are ticks between them


def ticks(axes: "Axes", which: Literal["x", "y"]) -> None:
    """Place the ticks of a logarithmic axis whose limits are set."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    short = log10(high / low) < _SHORT
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if short else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())


# Where a name may stand, in points from its own: beside it first, then farther above and below.
_BESIDE = 9
_STEPS = 24
_STEP = 6


class Label(NamedTuple):
    """A name and the point that it is of, in the axes' own coordinates."""

    text: str
    x: float
    y: float
    colour: str


class _Taken(NamedTuple):
    """Where something stands already, in pixels."""

    boxes: Sequence["Bbox"]
    lines: Sequence["Outline"]

    def leaves(self, box: "Bbox") -> bool:
        """Whether nothing stands in the box."""
        return not (
            any(box.overlaps(other) for other in self.boxes)
            or any(line.intersects_bbox(box, filled=False) for line in self.lines)
        )


def place(axes: "Axes", labels: Sequence[Label]) -> None:
    """Write each name beside its point, and away from names, points and lines that are there.

    A name that does not stand right beside its point has a line to it. What the axes show, and
    where they stand in the figure, must not change afterwards.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = axes.get_figure(root=True)
    assert figure is not None
    renderer: RendererAgg = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    dots = [axes.transData.transform((label.x, label.y)) for label in labels]
    taken = [text.get_window_extent(renderer) for text in axes.texts]
    taken += [_box(x, y, _points(renderer, 8.5)) for x, y in dots]
    lines: list[Outline] = []
    for line in axes.lines:
        drawn = line.get_path().transformed(line.get_transform())
        if len(drawn) > 1:
            lines.append(drawn)
        else:
            x, y = drawn.get_extents().p0
            taken.append(_box(float(x), float(y), _points(renderer, 4)))
    for label in sorted(labels, key=lambda label: (-label.y, label.x)):
        taken.append(_write(axes, renderer, label, _Taken(taken, lines)))


def _points(renderer: "RendererAgg", points: float) -> float:
    """Points in the renderer's pixels."""
    return float(renderer.points_to_pixels(points))  # type: ignore[no-untyped-call]


def _write(axes: "Axes", renderer: "RendererAgg", label: Label, taken: _Taken) -> "Bbox":
    """Try place after place; the last one is kept where none is free."""
    inside = axes.get_window_extent(renderer)
    found = axes.annotate(
        label.text,
        (label.x, label.y),
        textcoords="offset points",
        xytext=(0, 0),
        fontsize=8,
        color="0.1",
        va="center",
        zorder=6,
        parse_math=False,
    )
    box = found.get_window_extent(renderer)
    for at in range(_STEPS):
        up = _STEP * ((at + 1) // 2) * (1 if at % 2 else -1)
        for side in ("left", "right"):
            found.set_horizontalalignment(side)
            found.set_position((_BESIDE if side == "left" else -_BESIDE, up))
            box = found.get_window_extent(renderer)
            if _contains(inside, box) and taken.leaves(box):
                if up:
                    _lead(axes, label, (_BESIDE if side == "left" else -_BESIDE, up))
                return box
    return box


def _lead(axes: "Axes", label: Label, to: tuple[float, float]) -> None:
    axes.annotate(
        "",
        (label.x, label.y),
        textcoords="offset points",
        xytext=to,
        arrowprops={"arrowstyle": "-", "color": label.colour, "linewidth": 0.6},
        zorder=2,
    )


def _box(x: float, y: float, half: float) -> "Bbox":
    from matplotlib.transforms import Bbox

    return Bbox([[x - half, y - half], [x + half, y + half]])


def _contains(outer: "Bbox", inner: "Bbox") -> bool:
    return bool(
        outer.x0 <= inner.x0 and inner.x1 <= outer.x1
        and outer.y0 <= inner.y0 and inner.y1 <= outer.y1
    )  # fmt: skip
