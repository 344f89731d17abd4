"""What communication costs at several numbers of workers: all of it, and what nothing hides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from genset.core.errors import BadInput
from genset.core.numbers import NONE, count
from genset.core.tables import Grid
from genset.tta.figures import label_axes, write_figure
from genset.tta.profile.run import in_order
from genset.tta.profile.shares import Shares, SpanOf, shares, span_of
from genset.tta.traces.trace import Trace
from genset.tta.words import percent, short_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Spread:
    """A share of time over ranks, 0 to 1: the mean, the least and the most."""

    mean: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class WorkersRow:
    """One number of workers.

    Attributes:
        ranks: how many ranks' traces there are.
        total: communication.
        exposed: communication while nothing computes.
        idle: nothing runs.
        step_seconds: the mean step; None where steps are not marked.
        lines: the shares by rank.
    """

    workers: int
    ranks: int
    total: Spread
    exposed: Spread
    idle: Spread
    step_seconds: float | None
    lines: list[Shares]


@dataclass(frozen=True, slots=True)
class ByWorkers:
    """All numbers of workers, the fewest first.

    Attributes:
        span_of: what shares are of, the same in all.
    """

    span_of: SpanOf
    rows: list[WorkersRow]
    remarks: list[str]


def by_workers(traces: Mapping[int, Sequence[Trace]]) -> ByWorkers:
    """Compare communication by how many workers there were.

    Args:
        traces: of some or all ranks, by workers; at least two numbers.

    Raises:
        BadInput: fewer than two numbers, traces that are not of different ranks, one that stands
            at two numbers, two of runs as large, or one without a device.
    """
    if len(traces) < 2:
        raise BadInput("communication by workers takes two or more: --trace 8=A --trace 16=B")
    sizes = {w: in_order(count(w, "worker"), found) for w, found in sorted(traces.items())}
    for (few, some), (many, others) in combinations(sizes.items(), 2):
        in_both = {trace.path.resolve() for trace in some}
        for trace in others:
            if trace.path.resolve() in in_both:
                raise BadInput(f"{trace.path} is named for {count(few, 'worker')} and for {many}")
        sized = [next((t.ranks for t in each if t.ranks), None) for each in (some, others)]
        if sized[0] and sized[0] == sized[1]:
            raise BadInput(
                f"the traces for {count(few, 'worker')} and for {many} are both of runs of "
                f"{count(sized[0], 'rank')}: give each number of workers the traces of its own run"
            )
    of = span_of([trace for found in sizes.values() for trace in found])
    rows = [_row(workers, found, of) for workers, found in sizes.items()]
    return ByWorkers(of, rows, _remarks(sizes, of))


def _row(workers: int, ranks: Sequence[Trace], of: SpanOf) -> WorkersRow:
    lines = []
    for trace in ranks:
        found = shares(trace, of)
        if not found:
            raise BadInput(
                f"{trace.path} for {count(workers, 'worker')} has no event on a device: record it "
                "with ProfilerActivity.CUDA"
            )
        lines += found
    steps = [line.span_seconds / line.steps for line in lines if line.steps]
    return WorkersRow(
        workers=workers,
        ranks=len(ranks),
        total=_spread([line.communication for line in lines]),
        exposed=_spread([line.exposed for line in lines]),
        idle=_spread([line.idle for line in lines]),
        step_seconds=fmean(steps) if steps else None,
        lines=lines,
    )


def _spread(values: Sequence[float]) -> Spread:
    return Spread(fmean(values), min(values), max(values))


def _remarks(sizes: Mapping[int, Sequence[Trace]], of: SpanOf) -> list[str]:
    said = []
    each = {w: next((t.ranks for t in found if t.ranks), None) for w, found in sizes.items()}
    known = {workers: ranks for workers, ranks in each.items() if ranks}
    if len({ranks / workers for workers, ranks in known.items()}) > 1:
        told = ", ".join(f"{ranks} for {workers}" for workers, ranks in known.items())
        said.append(f"the traces tell of other numbers of ranks than of workers: {told}")
    for workers, found in sizes.items():
        if each[workers] and len(found) < (each[workers] or 0):
            said.append(f"{count(workers, 'worker')}: {len(found)} of {each[workers]} ranks")
    devices = {trace.device.name for found in sizes.values() for trace in found}
    if len(devices - {""}) > 1:
        said.append(f"not all ran on the same device: {', '.join(sorted(devices - {''}))}")
    if of == "device" and any(trace.steps for found in sizes.values() for trace in found):
        said.append(
            "steps are not marked in all traces, so that shares are of the time from the first "
            "event on the device to the last"
        )
    return said


def by_workers_grids(found: ByWorkers) -> list[Grid]:
    """A line for each number of workers."""
    head = ["workers", "ranks' traces", "communication", "not hidden", "idle", "step"]
    rows = [
        [
            str(row.workers),
            str(row.ranks),
            _spread_text(row.total),
            _spread_text(row.exposed),
            _spread_text(row.idle),
            NONE if row.step_seconds is None else short_time(row.step_seconds),
        ]
        for row in found.rows
    ]
    whole = {
        "steps": "the time of the marked steps, to the end of the last or of what they launched",
        "device": "the time from the first event on the device to the last",
    }[found.span_of]
    notes = [
        *found.remarks,
        f"shares of {whole}; not hidden: communication while nothing computes",
    ]
    if any(row.ranks > 1 for row in found.rows):
        notes.append("of several ranks the mean, and the least and the most")
    return [Grid("Communication by number of workers", head, rows, notes)]


def _spread_text(found: Spread) -> str:
    if found.least == found.most:
        return percent(found.mean)
    return f"{percent(found.mean)} ({100 * found.least:.1f} to {100 * found.most:.1f})"


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
