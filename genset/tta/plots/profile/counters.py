"""The distribution of time over how busy matrix units were (the paper's Figure 4a)."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from genset.tta.analysis.profile.compared import Measured
from genset.tta.plots.style import legend, name, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_counters(axes: "Axes", found: Sequence[Measured], places: Mapping[str, int]) -> None:
    """The share of kernel time with matrix units so busy or less: farther right is better.

    Args:
        places: of each run by its name, by which its line has its style.
    """
    for each in found:
        kernels = [(k.matrix_units, k.share) for k in each.counters.kernels]
        told = sorted((100 * busy, share) for busy, share in kernels if busy is not None)
        if not told:
            continue
        shares = [100 * share for share in accumulate(share for _, share in told)]
        colour, dash = style(places[each.name])
        xs, ys = [0.0, *(busy for busy, _ in told), 100.0], [0.0, *shares, shares[-1]]
        axes.step(xs, ys, where="post", color=colour, linestyle=dash, linewidth=1.6)
    axes.set_xlim(-1, 101)
    axes.set_ylim(0, 101)
    name(axes, "matrix units work, % of cycles", "share of time at so many or less, %")
    if len(places) > 1:
        legend(axes, [(places[each.name], each.name) for each in found])
    axes.set_title("matrix units, by the hardware's counters", loc="left", fontsize=12)
