"""Logarithmic axes with ticks as people write them: 0.01, 1, 100; on short ones 1, 2, 5."""

from math import log10
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHORT = 2.5  # powers of ten, up to which there are ticks between them


def ticks(axes: "Axes", which: Literal["x", "y"]) -> None:
    """Place the ticks of a logarithmic axis whose limits are set."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    short = log10(high / low) < _SHORT
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if short else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())
