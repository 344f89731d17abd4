"""The figure of `genset tta profile`: all runs side by side, a panel for each question."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from genset.core.errors import BadInput
from genset.tta.analysis.profile.compared import Compared
from genset.tta.plots.profile.bars import draw_matrix_units, draw_shares
from genset.tta.plots.profile.labels import Label, place
from genset.tta.plots.profile.roofline import draw_roofline
from genset.tta.plots.profile.throughput import draw_throughput
from genset.tta.plots.style import boxes_for_missing_glyphs, check_few, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CURVES = 4.6
_LINE = 0.09  # inches that the roofline is higher for each name below it
_LONGEST = 24  # characters of a name


class _Panel(NamedTuple):
    """A part of the figure.

    Attributes:
        draw: returns names that are to be written when all else stands.
        inches: its height.
    """

    draw: Callable[["Axes"], Sequence[Label] | None]
    inches: float


def draw_profile(found: Compared, path: Path) -> None:
    """Draw what is known; panels of which nothing is known are left out.

    Raises:
        BadInput: there is nothing to draw, or there are more runs than a figure holds.
    """
    from matplotlib.figure import Figure

    panels = _panels(found.shown(_LONGEST))
    if not panels:
        raise BadInput(
            "nothing to draw: no kernel is recorded, and of no operator the work is known"
        )
    columns = min(2, len(panels))
    rows = [panels[at : at + columns] for at in range(0, len(panels), columns)]
    heights = [max(panel.inches for panel in row) for row in rows]
    figure = Figure(figsize=(6.4 * columns, sum(heights)), layout="constrained")
    grid = figure.add_gridspec(len(rows), columns, height_ratios=heights)
    labels = []
    for at, panel in enumerate(panels):
        axes = figure.add_subplot(grid[at // columns, at % columns])
        labels.append((axes, panel.draw(axes)))
    with boxes_for_missing_glyphs():
        for axes, points in labels:
            if points:
                place(axes, points)
    write_figure(figure, path)


def _panels(found: Compared) -> list[_Panel]:
    """Bars first, then what has axes of its own."""
    names = [run.name for run in found.runs]
    names += [point.point.name for point in found.points]
    places = {name: at for at, name in enumerate(dict.fromkeys(names))}
    check_few(len(places), "runs")
    shared = [run for run in found.runs if run.shares]
    united = [run for run in found.runs if run.matrix_units]
    timed = [run for run in found.runs if run.roofline.throughput]
    panels = []
    if shared:
        bars = _bars(sum(len(run.shares) for run in shared))
        panels.append(_Panel(lambda axes: draw_shares(axes, shared), bars))
    if united:
        bars = _bars(len(united))
        panels.append(_Panel(lambda axes: draw_matrix_units(axes, united), bars))
    if found.points or any(run.roofline.run for run in found.runs):
        high = _CURVES + _LINE * len(places)
        panels.append(_Panel(lambda axes: draw_roofline(axes, found, places), high))
    if timed:
        panels.append(_Panel(lambda axes: draw_throughput(axes, timed, places), _CURVES))
    return panels


def _bars(count: int) -> float:
    return 1.9 + 0.3 * count
