"""The figure of `genset tta scaling`."""

from pathlib import Path

from genset.tta.analysis.profile.by_workers import ByWorkers
from genset.tta.analysis.scaling import Scaling
from genset.tta.analysis.units import level
from genset.tta.plots.profile.by_workers import draw_communication
from genset.tta.plots.style import check_few, label_axes, write_figure

_MARKERS = "sD^vPX*<>p"


def draw_scaling(found: Scaling, path: Path, talk: ByWorkers | None = None) -> None:
    """Speed-up against workers, beside the ideal, and the share of time in communication.

    Args:
        talk: communication as traces tell it.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

    check_few(len(found.thresholds), "thresholds")
    shares = [row for row in found.rows if row.communication is not None]
    panels = 1 + bool(shares) + bool(talk)
    figure = Figure(figsize=((6, 9, 13)[panels - 1], 4.2), layout="constrained")
    axes = figure.subplots(1, panels, squeeze=False)[0]
    workers = [row.workers for row in found.rows]
    axes[0].plot(workers, [row.ideal for row in found.rows], ":", color="0.35", label="ideal")
    lines = [("time per epoch", "o-", [row.epoch_speedup for row in found.rows])]
    for at, threshold in enumerate(found.thresholds):
        several = len(found.thresholds) > 1
        label = f"time to {level(threshold, found.percent)}" if several else "time to accuracy"
        marker = f"{_MARKERS[at % len(_MARKERS)]}--"
        lines.append((label, marker, [row.at[at].speedup for row in found.rows]))
    for label, marker, values in lines:
        points = [(w, v) for w, v in zip(workers, values, strict=True) if v is not None]
        if points:
            axes[0].plot(*zip(*points, strict=True), marker, label=label)
    axes[0].set_xscale("log")
    axes[0].set_yscale("log")
    for axis in (axes[0].xaxis, axes[0].yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(ScalarFormatter())
    axes[0].xaxis.set_major_locator(FixedLocator(workers))
    axes[0].yaxis.set_major_locator(FixedLocator([row.ideal for row in found.rows]))
    label_axes(axes[0], "workers", "speed-up")
    axes[0].legend(frameon=False, fontsize=9)
    if shares:
        names = [str(row.workers) for row in found.rows]
        bars = axes[1].bar(names, [100 * (row.communication or 0.0) for row in found.rows])
        said = ["not logged" if row.communication is None else "" for row in found.rows]
        axes[1].bar_label(bars, said, padding=3, fontsize=9)
        axes[1].set_ylim(0, 100)
        label_axes(axes[1], "workers", "time in communication, %")
    if talk:
        draw_communication(axes[-1], talk)
    write_figure(figure, path)
