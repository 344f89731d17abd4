"""The distribution of time over throughput (the paper's Figure 4b)."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from genset.tta.analysis.profile.run import Profile
from genset.tta.plots.profile.axes import ticks
from genset.tta.plots.style import label_axes, legend, line_style, number_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST = 1e-3  # TFLOP/s: what is slower has moved bytes, and stands at the left edge
_LITTLE = 0.005


def draw_throughput(axes: "Axes", runs: Sequence[Profile], places: Mapping[str, int]) -> None:
    """The share of time at so many TFLOP/s or less: the farther right a line, the better.

    A line ends below 100 % where the work of some kernels is not known.

    Args:
        places: of each run by its name, by which its line has its style.
    """
    shown = [each.tflops for run in runs for each in run.roofline.throughput]
    axes.set_xscale("log")
    high = 2 * max([10 * _LEAST, *shown])
    low = max(_LEAST, min([high / 10, *filter(None, shown)]) / 2)
    for at, run in enumerate(runs):
        found = run.roofline.throughput
        shares = [100 * share for share in accumulate(each.share for each in found)]
        xs = [low / 2, *(max(each.tflops, low) for each in found), high]
        colour, dash = line_style(places[run.name])
        ys = [0.0, *shares, shares[-1]]
        axes.step(xs, ys, where="post", color=colour, linestyle=dash, linewidth=1.6)
        if len(runs) > 1:  # curves that lie together are found by numbers at different heights
            height = shares[-1] * (at + 0.5) / len(runs)
            number_line(
                axes,
                places[run.name],
                next(x for x, y in zip(xs, ys, strict=True) if y >= height),
                height,
            )
    axes.set_xlim(low, high)
    axes.set_ylim(0, 101)
    ticks(axes, "x")
    label_axes(axes, "TFLOP/s", "share of time at so many or less, %")
    if len(places) > 1:
        legend(axes, [(places[run.name], run.name) for run in runs], numbered=len(runs) > 1)
    less = any(run.roofline.unknown > _LITTLE for run in runs)
    said = "time by throughput" + "; what is missing to 100 % is not counted" * less
    axes.set_title(said, loc="left", fontsize=12)
