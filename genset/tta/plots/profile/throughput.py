"""The distribution of time over throughput (the paper's Figure 4b)."""

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from genset.tta.analysis.profile.run import Profile
from genset.tta.plots.style import name, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_throughput(axes: "Axes", runs: Sequence[Profile], places: Sequence[int]) -> None:
    """The share of time at so many TFLOP/s or less: the farther right a line, the better.

    A line ends below 100 % where the work of some kernels is not known.

    Args:
        places: of each run, by which its line has its style.
    """
    least = [each.tflops for run in runs for each in run.roofline.throughput if each.tflops > 0]
    axes.set_xscale("log")
    low = min(least, default=0.01) / 2
    high = 2 * max(least, default=100.0)
    for run, place in zip(runs, places, strict=True):
        found = run.roofline.throughput
        shares = [100 * share for share in accumulate(each.share for each in found)]
        xs = [low, *(max(each.tflops, low) for each in found), high]
        colour, dash = style(place)
        ys = [0.0, *shares, shares[-1]]
        axes.step(xs, ys, where="post", color=colour, linestyle=dash, linewidth=1.6)
    axes.set_xlim(low, high)
    axes.set_ylim(0, 100)
    name(axes, "TFLOP/s", "share of time at so many or less, %")
    axes.set_title("time by throughput", loc="left", fontsize=12)
