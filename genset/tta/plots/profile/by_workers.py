"""Communication by the number of workers (the paper's Figure 2)."""

from pathlib import Path
from typing import TYPE_CHECKING

from genset.tta.analysis.profile.by_workers import ByWorkers
from genset.tta.plots.style import label_axes, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_by_workers(found: ByWorkers, path: Path) -> None:
    """The figure of `genset tta scaling` where there are traces alone."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4.2), layout="constrained")
    draw_communication(figure.subplots(), found)
    write_figure(figure, path)


def draw_communication(axes: "Axes", found: ByWorkers) -> None:
    """All communication and that which nothing hides, side by side; whiskers span the ranks."""
    width = 0.38
    bars = (
        ("in all", "#a6cee3", "", [row.total for row in found.rows]),
        ("not hidden", "#e08214", "//", [row.exposed for row in found.rows]),
    )
    for side, (label, colour, hatch, spreads) in zip((-0.5, 0.5), bars, strict=True):
        places = [at + side * width for at in range(len(spreads))]
        means = [100 * spread.mean for spread in spreads]
        style: dict[str, object] = {
            "color": colour,
            "hatch": hatch,
            "edgecolor": "0.35",
            "linewidth": 0.6,
        }
        below = [100 * (spread.mean - spread.least) for spread in spreads]
        above = [100 * (spread.most - spread.mean) for spread in spreads]
        if any(below) or any(above):
            style |= {"yerr": [below, above], "ecolor": "0.2", "capsize": 3}
        drawn = axes.bar(places, means, width, label=label, **style)  # type: ignore[arg-type]
        axes.bar_label(drawn, [f"{mean:.0f}" for mean in means], padding=2, fontsize=8)
    axes.set_xticks(range(len(found.rows)), [str(row.workers) for row in found.rows])
    axes.set_ylim(0, 100)
    label_axes(axes, "workers", "time in communication, %")
    axes.grid(visible=False, axis="x")
    axes.legend(frameon=False, fontsize=9)
