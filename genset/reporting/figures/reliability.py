"""How often a model is right when it is this sure."""

from markupsafe import Markup
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from genset.reporting.figures.svg import ACCENT, AS_PERCENT, INK, MUTED, as_svg, plain
from genset.statistics.calibration import Calibration
from genset.statistics.intervals import wilson

_SIZE = 3.2  # inches


def reliability_plot(title: str, found: Calibration) -> Markup:
    """A dot for each range of confidence, with Wilson's interval; on the diagonal all is well."""
    figure = Figure(figsize=(_SIZE, _SIZE))
    axes = figure.add_axes((0.24, 0.17, 0.7, 0.79))
    axes.plot([0, 1], [0, 1], color=MUTED, linewidth=1.2, dashes=(4, 3))
    sure = [each.confidence for each in found.bins]
    ends = [wilson(round(each.accuracy * each.photos), each.photos) for each in found.bins]
    axes.vlines(sure, [e.low for e in ends], [e.high for e in ends], color=ACCENT, linewidth=1.5)
    axes.plot(sure, [each.accuracy for each in found.bins], "o", color=ACCENT, markersize=5)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    plain(axes)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(FixedLocator([0, 0.25, 0.5, 0.75, 1]))
        axis.set_major_formatter(AS_PERCENT)
    axes.set_xlabel("its confidence", color=INK)
    axes.set_ylabel("right", color=INK)
    return as_svg(figure, title)
