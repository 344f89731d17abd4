"""The figure of `genset tta profile`: all runs side by side, a panel for each question."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from genset.errors import BadInput
from genset.tta.analysis.profile.compared import Compared
from genset.tta.plots.profile.bars import draw_matrix_units, draw_shares
from genset.tta.plots.profile.labels import Label, place
from genset.tta.plots.profile.roofline import draw_roofline
from genset.tta.plots.profile.throughput import draw_throughput
from genset.tta.plots.style import few, legend, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_profile(found: Compared, path: Path) -> None:
    """Draw what is known; panels of which nothing is known are left out.

    Raises:
        BadInput: there is nothing to draw, or there are more runs than a figure holds.
    """
    from matplotlib.figure import Figure

    names = list(
        dict.fromkeys([run.name for run in found.runs] + [p.point.name for p in found.points])
    )
    few(len(names), "runs")
    places = {name: at for at, name in enumerate(names)}
    timed = [run for run in found.runs if run.roofline.throughput]
    labels: list[tuple[Axes, list[Label]]] = []

    def roofline(axes: "Axes") -> None:
        labels.append((axes, draw_roofline(axes, found, places)))

    def throughput(axes: "Axes") -> None:
        draw_throughput(axes, timed, [places[run.name] for run in timed])
        if len(timed) > 1:
            legend(axes, [(places[run.name], run.name) for run in timed])

    panels: list[Callable[[Axes], None]] = []
    bars = max(len([line for run in found.runs for line in run.shares]), len(found.runs))
    if any(run.shares for run in found.runs):
        panels.append(lambda axes: draw_shares(axes, found.runs))
    if any(run.matrix_units for run in found.runs):
        panels.append(lambda axes: draw_matrix_units(axes, found.runs))
    if found.points or any(run.roofline.busy for run in found.runs):
        panels.append(roofline)
    if timed:
        panels.append(throughput)
    if not panels:
        raise BadInput("nothing to draw: no kernel ran, and of no operator the work is known")
    rows = (len(panels) + 1) // 2
    heights = [1.6 + 0.3 * bars if panel not in (roofline, throughput) else 4.6 for panel in panels]
    by_row = [max(heights[2 * row : 2 * row + 2]) for row in range(rows)]
    columns = min(2, len(panels))
    figure = Figure(figsize=(6.2 * columns, sum(by_row)), layout="constrained")
    grid = figure.add_gridspec(rows, columns, height_ratios=by_row)
    for at, draw in enumerate(panels):
        draw(figure.add_subplot(grid[at // 2, at % 2]))
    for axes, names_of_points in labels:
        place(axes, names_of_points)
    write(figure, path)
