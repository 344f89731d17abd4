"""Names beside points that do not run into each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.transforms import Bbox

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


def place(axes: "Axes", labels: Sequence[Label]) -> None:
    """Write each name beside its point, and away from names and points that are there already.

    A name that had to go far has a line to its point. What the axes show, and where they stand in
    the figure, must not change afterwards.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = axes.get_figure(root=True)
    assert figure is not None
    renderer: RendererAgg = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    dots = [axes.transData.transform((each.x, each.y)) for each in labels]
    taken = [text.get_window_extent(renderer) for text in axes.texts]
    taken += [_box(x, y, _points(renderer, 6)) for x, y in dots]
    for label in sorted(labels, key=lambda each: (-each.y, each.x)):
        taken.append(_write(axes, renderer, label, taken))


def _points(renderer: "RendererAgg", points: float) -> float:
    """Points in the renderer's pixels."""
    return float(renderer.points_to_pixels(points))  # type: ignore[no-untyped-call]


def _write(axes: "Axes", renderer: "RendererAgg", label: Label, taken: Sequence["Bbox"]) -> "Bbox":
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
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6},
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
            if _contains(inside, box) and not any(box.overlaps(other) for other in taken):
                if abs(up) > 2 * _STEP:
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
