"""The distribution of time over how busy matrix units were (the paper's Figure 4a)."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from genset.tta.analysis.profile.compared import Measured
from genset.tta.plots.style import legend, name, style
from genset.tta.traces.ncu import cycles_of

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
    name(axes, f"matrix units work, % of {_cycles(found)}", "share of time at so many or less, %")
    if len(places) > 1:
        legend(axes, [(places[each.name], each.name) for each in found])
    axes.set_title("matrix units, by the hardware's counters", loc="left", fontsize=12)


def _cycles(found: Sequence[Measured]) -> str:
    """Of which cycles; of runs that were measured differently, as the table says."""
    of = {cycles_of(each.metric) for each in found if each.metric}
    return f"{of.pop()} cycles" if len(of) == 1 else "cycles"
