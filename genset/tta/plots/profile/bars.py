"""Bars that are all of something, divided: a device's time, or its kernels'."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from genset.core.safe import clean
from genset.tta.analysis.profile.run import Profile
from genset.tta.plots.style import check_few, label_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PAD = 38  # points from the bars to the title, with the legend in between


class _Part(NamedTuple):
    """A part of each bar. Lightness and hatching tell parts apart in print too."""

    label: str
    colour: str
    hatch: str
    shares: Sequence[float]


def draw_shares(axes: "Axes", runs: Sequence[Profile]) -> None:
    """Where each rank's device spent its time, a bar each."""
    lines = [(run, line) for run in runs for line in run.shares]
    parts = [
        _Part("computing", "#1f4e79", "", [line.computing for _, line in lines]),
        _Part("communication not hidden", "#e08214", "//", [line.exposed for _, line in lines]),
        _Part("copies alone", "#a6cee3", "..", [line.copying_alone for _, line in lines]),
        _Part("idle", "#f4f4f4", "", [line.idle for _, line in lines]),
    ]
    several = {run.name for run in runs if len({line.device for line in run.shares}) > 1}
    names = []
    for run, line in lines:
        said = clean(run.name, 24)
        if len(run.shares) > 1:
            said += "" if line.rank is None else f", rank {line.rank}"
            said += f", device {line.device}" if run.name in several else ""
        names.append(said)
    _draw(axes, names, parts, "share of time, %")
    axes.set_title("what the device did", loc="left", fontsize=12, pad=_PAD)


def draw_matrix_units(axes: "Axes", runs: Sequence[Profile]) -> None:
    """Kernel time by whether kernels use matrix units, a bar for each run."""
    known = [(run, run.matrix_units) for run in runs if run.matrix_units]
    parts = [
        _Part("use them", "#1b7837", "", [units.yes for _, units in known]),
        _Part("unclassified", "#d9d9d9", "xx", [units.unclassified for _, units in known]),
        _Part("do not", "#f4f4f4", "", [units.no for _, units in known]),
    ]
    _draw(axes, [clean(run.name, 24) for run, _ in known], parts, "share of kernel time, %")
    axes.set_title("kernels that use matrix units, by name", loc="left", fontsize=12, pad=_PAD)


def _draw(axes: "Axes", names: Sequence[str], parts: Sequence[_Part], label: str) -> None:
    check_few(len(names), "bars, one a rank")
    left = [0.0] * len(names)
    for part in parts:
        values = [100 * share for share in part.shares]
        style = {"color": part.colour, "hatch": part.hatch, "edgecolor": "0.35", "linewidth": 0.6}
        axes.barh(range(len(names)), values, left=left, label=part.label, **style)  # type: ignore[arg-type]
        left = [at + value for at, value in zip(left, values, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), names)
    for text in axes.get_yticklabels():
        text.set_parse_math(False)
    label_axes(axes, label, "")
    axes.grid(visible=False, axis="y")
    # Above the bars, where nothing stands.
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=9)
