"""Communication at several numbers of workers: all of it, and what nothing hides (Figure 2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.core.table import Column, Table
from genset.tta.figures import label_axes, write_figure
from genset.tta.profile.profile import in_order
from genset.tta.profile.shares import Shares, shares
from genset.tta.profile.span import SpanOf, span_of
from genset.tta.traces.trace import Trace
from genset.tta.words import share, short_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Spread:
    """A share of time over ranks, 0 to 1: the mean, the least and the most."""

    mean: float
    least: float
    most: float

    def __str__(self) -> str:
        if self.least == self.most:
            return share(self.mean)
        return f"{share(self.mean)} ({100 * self.least:.1f} to {100 * self.most:.1f})"


@dataclass(frozen=True, slots=True)
class WorkersRow:
    """One number of workers.

    Attributes:
        ranks: how many ranks' traces there are.
        total: communication.
        exposed: communication while nothing computes.
        idle: nothing runs.
        step_seconds: the mean step; None if steps are not marked.
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
        BadInput: fewer than two numbers, traces that are not of different ranks, two of runs as
            large, or one without a device.
    """
    if len(traces) < 2:
        raise BadInput("--trace needs two or more numbers of workers: --trace 8=A --trace 16=B")
    sizes = {w: in_order(count(w, "worker"), found) for w, found in sorted(traces.items())}
    for (few, some), (many, others) in combinations(sizes.items(), 2):
        if _ranks(some) and _ranks(some) == _ranks(others):
            raise BadInput(
                f"the traces for {count(few, 'worker')} and for {many} are both of runs of "
                f"{count(_ranks(some), 'rank')}: give each number of workers its own run's traces"
            )
    of = span_of([trace for found in sizes.values() for trace in found])
    rows = [_row(workers, found, of) for workers, found in sizes.items()]
    return ByWorkers(of, rows, _remarks(sizes, of))


def by_workers_tables(found: ByWorkers) -> list[Table]:
    """What `genset tta scaling --trace` prints: a line for each number of workers."""
    columns = [
        Column("workers"),
        Column("ranks", "ranks' traces"),
        *(Column(name, align="right") for name in ("communication", "not hidden", "idle")),
        Column("step_seconds", "step", format=short_time),
    ]
    rows = [
        [row.workers, row.ranks, row.total, row.exposed, row.idle, row.step_seconds]
        for row in found.rows
    ]
    return [Table(columns, rows, "Communication by number of workers", found.remarks)]


def draw_by_workers(found: ByWorkers, path: Path) -> None:
    """The figure of `genset tta scaling` with traces alone."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4.2), layout="constrained")
    draw_communication(figure.subplots(), found)
    write_figure(figure, path)


def draw_communication(axes: "Axes", found: ByWorkers) -> None:
    """All communication and what nothing hides, side by side; whiskers span the ranks."""
    width = 0.38
    bars = (
        (-0.5, "in all", "#a6cee3", "", [row.total for row in found.rows]),
        (0.5, "not hidden", "#e08214", "//", [row.exposed for row in found.rows]),
    )
    for side, label, colour, hatch, spreads in bars:
        places = [at + side * width for at in range(len(spreads))]
        means = [100 * spread.mean for spread in spreads]
        below = [100 * (spread.mean - spread.least) for spread in spreads]
        above = [100 * (spread.most - spread.mean) for spread in spreads]
        style: dict[str, Any] = {"edgecolor": "0.35", "linewidth": 0.6, "hatch": hatch}
        if any(below) or any(above):
            style |= {"yerr": [below, above], "ecolor": "0.2", "capsize": 3}
        drawn = axes.bar(places, means, width, label=label, color=colour, **style)
        axes.bar_label(drawn, [f"{mean:.0f}" for mean in means], padding=2, fontsize=8)
    axes.set_xticks(range(len(found.rows)), [str(row.workers) for row in found.rows])
    axes.set_ylim(0, 100)
    label_axes(axes, "workers", "time in communication, %")
    axes.grid(visible=False, axis="x")
    axes.legend(frameon=False, fontsize=9)


def _ranks(traces: Sequence[Trace]) -> int:
    """How many ranks the run had; 0 if it is not recorded."""
    return next((trace.ranks for trace in traces if trace.ranks), 0)


def _row(workers: int, ranks: Sequence[Trace], of: SpanOf) -> WorkersRow:
    lines = [line for trace in ranks for line in shares(trace, of)]
    if silent := next((trace.path for trace in ranks if not trace.on_device()), None):
        raise BadInput(
            f"{silent} for {count(workers, 'worker')} has no event on a device: record it with "
            "ProfilerActivity.CUDA"
        )
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
    remarks = [
        f"{count(workers, 'worker')}: {len(traces)} of {ranks} ranks"
        for workers, traces in sizes.items()
        if (ranks := _ranks(traces)) > len(traces)
    ]
    everything = [trace for traces in sizes.values() for trace in traces]
    devices = {trace.device.name for trace in everything} - {""}
    if len(devices) > 1:
        remarks.append(f"the runs are on different devices: {', '.join(sorted(devices))}")
    if of == "device" and any(trace.steps for trace in everything):
        remarks.append(
            "steps are not marked in all traces: shares are of the time from the first event on "
            "the device to the last"
        )
    return remarks
