"""The figure of `genset tta thresholds`."""

from pathlib import Path

from genset.core.errors import BadInput
from genset.tta.analysis.thresholds import Thresholds
from genset.tta.analysis.units import level, metric
from genset.tta.plots.style import (
    first_lines,
    hours_axis,
    label_axes,
    legend,
    line_style,
    write_figure,
)


def draw_thresholds(found: Thresholds, path: Path) -> None:
    """Time against threshold, in steps; a line that ends in a cross stops short there.

    Of many entries the best: that get farthest, and there the fastest.
    """
    from matplotlib.figure import Figure

    rows = first_lines(found.rows)
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    drawn: list[tuple[float, int]] = []
    first, last = found.thresholds[0], found.thresholds[-1]
    for at, row in enumerate(rows):
        if not row.steps:
            continue
        colour, dash = line_style(at)
        xs, ys = zip(*row.steps, strict=True)
        drawn.append((ys[-1], at))
        axes.step(xs, ys, where="pre", color=colour, linestyle=dash, linewidth=1.6)
        if row.hours[-1] is None:
            axes.plot(xs[-1], ys[-1], "x", color=colour, markersize=8, markeredgewidth=2.5)
    if not drawn:
        least = level(first, found.percent)
        raise BadInput(f"no entry reaches {least}: there is nothing to draw")
    hours_axis(axes)
    margin = max(0.1 if found.percent else 0.0, 0.03 * abs(last - first)) or 0.1
    way = -1 if found.lower_is_better else 1  # harder to the right
    axes.set_xlim(first - way * margin, last + way * margin)
    unit = ", %" if found.percent else ""
    label_axes(axes, f"threshold, {metric(found.score)}{unit}", "time to reach it")
    said = [f"the best {len(rows)} of {len(found.rows)} entries"] * (len(rows) < len(found.rows))
    if any(row.hours[-1] is None for row in rows):
        said.append("× marks where an entry stops short")
    axes.set_title("; ".join(said), loc="left", fontsize=12)
    # The slowest comes first, as in the figure.
    drawn.sort(reverse=True)
    legend(axes, [(at, rows[at].name) for _, at in drawn])
    write_figure(figure, path)
