"""Names beside points that run neither into each other nor into lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.path import Path
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


class _Taken(NamedTuple):
    """Where something stands already, in pixels."""

    boxes: Sequence["Bbox"]
    lines: Sequence["Path"]

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
    lines: list[Path] = []
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
