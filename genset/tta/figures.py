"""Figures of this room, written as PNG or SVG. Each function imports matplotlib when it draws."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from genset.errors import BadInput
from genset.files import written_whole
from genset.text.safe import clean
from genset.tta.entries import Training
from genset.tta.scaling import Scaling
from genset.tta.stability import Stability
from genset.tta.thresholds import Thresholds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# As many lines as a reader can tell apart by colour and dash.
_MOST = 20
_FORMATS = (".png", ".svg")
_NEAR = 3.0  # points below the threshold
_TICKS = [
    ticks * hours
    for hours, steps in ((1 / 3600, (1, 3, 10, 30)), (1 / 60, (1, 3, 10, 30)), (1, (1, 3, 10, 30)))
    for ticks in steps
] + [100.0, 300.0, 1000.0]


def check_figure(path: Path) -> None:
    """Refuse, before any work, a file name that no figure can be written to.

    Raises:
        BadInput: it ends in neither .png nor .svg.
    """
    if path.suffix.lower() not in _FORMATS:
        raise BadInput(f"{path}: a figure is written as .png or .svg")


def draw_stability(found: Stability, runs: Sequence[Training], path: Path) -> None:
    """Accuracy against time, one line a run, a dot where it reaches the threshold.

    The second part shows the same near the threshold, where runs differ.
    """
    from matplotlib.figure import Figure

    _few(len(runs), "runs")
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    whole, near = figure.subplots(1, 2)
    score = runs[0].about.task.score
    unit, hours_of_one = _unit(max(run.epochs[-1].hours for run in runs))
    low = found.threshold - _NEAR
    shown = []
    for at, run in enumerate(runs):
        points = [epoch for epoch in run.epochs if score in epoch.scores]
        colour, dash = _style(at)
        times = [epoch.hours / hours_of_one for epoch in points]
        scores = [epoch.scores[score] for epoch in points]
        shown += [time for time, value in zip(times, scores, strict=True) if value >= low]
        for axes in (whole, near):
            axes.plot(times, scores, color=colour, linestyle=dash, linewidth=1.4)
            if reached := run.first_at(found.threshold):
                place = [reached.hours / hours_of_one], [reached.scores[score]]
                axes.plot(*place, "o", color=colour, markersize=6)
    for axes in (whole, near):
        axes.axhline(found.threshold, color="0.35", linewidth=1, linestyle=":")
        _name(axes, f"{unit} of training", "accuracy, %")
    best = max(row.best for row in found.runs)
    near.set_ylim(low, max(best, found.threshold) + _NEAR / 10)
    if shown and min(shown) < max(shown):
        margin = 0.03 * (max(shown) - min(shown))
        near.set_xlim(min(shown) - margin, max(shown) + margin)
    reach = f"{found.reached} of {len(runs)} runs reach {found.threshold:g} %"
    whole.set_title(reach, loc="left", fontsize=12)
    near.set_title("near the threshold", loc="left", fontsize=12)
    _legend(near, [(at, run.about.name) for at, run in enumerate(runs)])
    _write(figure, path)


def draw_thresholds(found: Thresholds, path: Path) -> None:
    """Time against threshold; a line that ends in a cross is an entry that stops short there."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    _few(len(found.rows), "entries")
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    drawn: list[tuple[float, int]] = []
    for at, row in enumerate(found.rows):
        points = [(x, y) for x, y in zip(found.thresholds, row.hours, strict=True) if y]
        if not points:
            continue
        colour, dash = _style(at)
        xs, ys = zip(*points, strict=True)
        drawn.append((ys[-1], at))
        axes.plot(xs, ys, color=colour, linestyle=dash, linewidth=1.6, marker=".", markersize=6)
        if row.hours[-1] is None:
            axes.plot(xs[-1], ys[-1], "x", color=colour, markersize=8, markeredgewidth=2.5)
    if not drawn:
        raise BadInput(f"no entry reaches {found.thresholds[0]:g} %: there is nothing to draw")
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(FixedLocator([t for t in _TICKS if low <= t <= high] or [low]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda hours, _: _brief(hours)))
    axes.yaxis.set_minor_locator(NullLocator())
    margin = max(0.1, 0.03 * (found.thresholds[-1] - found.thresholds[0]))
    axes.set_xlim(found.thresholds[0] - margin, found.thresholds[-1] + margin)
    _name(axes, "threshold, %", "time to reach it")
    if any(row.hours[-1] is None for row in found.rows):
        axes.set_title("× marks where an entry stops short", loc="left", fontsize=12)
    # The slowest comes first, as in the figure.
    drawn.sort(reverse=True)
    _legend(axes, [(at, found.rows[at].name) for _, at in drawn])
    _write(figure, path)


def draw_scaling(found: Scaling, path: Path) -> None:
    """Speed-up against workers, beside the ideal, and the share of time in communication."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

    shares = [row for row in found.rows if row.communication is not None]
    figure = Figure(figsize=(9 if shares else 6, 4.2), layout="constrained")
    axes = figure.subplots(1, 2 if shares else 1, squeeze=False)[0]
    workers = [row.workers for row in found.rows]
    axes[0].plot(workers, [row.ideal for row in found.rows], ":", color="0.35", label="ideal")
    for label, marker, values in (
        ("time per epoch", "o-", [row.epoch_speedup for row in found.rows]),
        ("time to accuracy", "s--", [row.speedup for row in found.rows]),
    ):
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
    _name(axes[0], "workers", "speed-up")
    axes[0].legend(frameon=False, fontsize=9)
    if shares:
        names = [str(row.workers) for row in found.rows]
        bars = axes[1].bar(names, [100 * (row.communication or 0.0) for row in found.rows])
        said = ["not logged" if row.communication is None else "" for row in found.rows]
        axes[1].bar_label(bars, said, padding=3, fontsize=9)
        axes[1].set_ylim(0, 100)
        _name(axes[1], "workers", "time in communication, %")
    _write(figure, path)


def _few(count: int, what: str) -> None:
    if count > _MOST:
        raise BadInput(f"a figure shows at most {_MOST} {what}, not {count}: name fewer")


def _style(at: int) -> tuple[str, Literal["-", "--"]]:
    return f"C{at % 10}", "-" if at < 10 else "--"


def _name(axes: "Axes", x: str, y: str) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _unit(most_hours: float) -> tuple[str, float]:
    """A unit of time that such a training is told in, and how many hours it is."""
    if most_hours < 1 / 30:
        return "seconds", 1 / 3600
    return ("minutes", 1 / 60) if most_hours < 2 else ("hours", 1.0)


def _brief(hours: float) -> str:
    if hours >= 1:
        return f"{hours:g} h"
    return f"{hours * 60:g} min" if hours >= 1 / 60 else f"{hours * 3600:g} s"


def _legend(axes: "Axes", names: Sequence[tuple[int, str]]) -> None:
    """Names beside the lines. A stranger's name is no formula, and may begin with "_"."""
    from matplotlib.lines import Line2D

    styles = (_style(at) for at, _ in names)
    handles = [Line2D([], [], color=colour, linestyle=dash) for colour, dash in styles]
    labels = [f" {clean(name, 44)}" for _, name in names]
    legend = axes.legend(
        handles, labels, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _write(figure: "Figure", path: Path) -> None:
    """Write the whole file or none; an SVG has the same bytes each time."""
    from matplotlib import rc_context

    check_figure(path)
    kind = path.suffix.lower()[1:]
    undated = {"Date": None} if kind == "svg" else {"Software": None}
    with written_whole(path) as file, rc_context({"svg.hashsalt": "genset"}):
        figure.savefig(file, format=kind, dpi=150, metadata=undated)
