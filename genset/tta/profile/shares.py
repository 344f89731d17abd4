"""What a rank's device did with its time: compute, copy, communicate, or nothing.

Computing is the time in which at least one kernel runs that does not communicate. Communication
that nothing hides ("exposed") is, as HolisticTraceAnalysis defines it, the time in which a kernel
communicates and none computes; a copy at the same time hides nothing. What runs on several streams
at once counts once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from genset.core.numbers import count
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.tta.figures import stacked_bars
from genset.tta.profile.kernels import communicates
from genset.tta.profile.span import Span, SpanOf, ends, length, seconds, span, union, when, within
from genset.tta.traces.trace import Kernel, Trace
from genset.tta.words import name_column, share, short_name, short_time
from genset.tta.words import shares as words_of_shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Shares:
    """One device of one rank. Shares are 0 to 1, of the span.

    `computing`, `exposed`, `copying_alone` and `idle` add up to 1; `copies` and `communication`
    overlap with others.

    Attributes:
        rank: its number; None if the trace does not tell.
        device: its number in the rank's machine.
        span_of: "steps": the marked steps with all that they launched (see `Span`); "device": from
            the first event on the device to the last.
        steps: how many are marked in the span; 0 if it is the device's.
        span_seconds: its length.
        computing: a kernel runs that does not communicate.
        copies: memory is copied or filled.
        communication: a kernel communicates.
        exposed: a kernel communicates and none computes.
        copying_alone: memory is copied or filled and no kernel runs.
        idle: nothing runs.
    """

    path: Path
    rank: int | None
    device: int
    span_of: SpanOf
    steps: int
    span_seconds: float
    computing: float
    copies: float
    communication: float
    exposed: float
    copying_alone: float
    idle: float


def shares(trace: Trace, of: SpanOf) -> list[Shares]:
    """A line for each device that the rank worked on; none of a trace of the host alone."""
    devices = sorted({event.device for event in trace.on_device()})
    steps = span(trace, "steps") if of == "steps" else None
    lines = (_of_device(trace, device, steps) for device in devices)
    return [line for line in lines if line is not None]


def shares_tables(found: Mapping[str, Sequence[Shares]], devices: Mapping[str, str]) -> list[Table]:
    """Shares of time by run and rank, a line each; `devices` are the runs' names of devices."""
    if not found:
        return []
    several = any(len({line.device for line in lines}) > 1 for lines in found.values())
    parts = ("computing", "communication not hidden", "copies alone", "idle")
    columns = [
        name_column("run"),
        Column("device", format=lambda text: clean(text, 32)),
        Column("rank"),
        *[Column("of_machine", "of its machine", format=lambda at: f"device {at}")] * several,
        Column("span_seconds", "time"),
        *(Column(name, align="right") for name in parts),
        Column("communication", "communication in all", format=share),
        Column("copies", "copies in all", format=share),
    ]
    rows = [
        [
            name,
            devices[name] or None,
            line.rank,
            *[line.device] * several,
            Cell(line.span_seconds, short_time(line.span_seconds) + steps),
            *map(Cell, values, words_of_shares(values)),
            line.communication,
            line.copies,
        ]
        for name, lines in found.items()
        for line in lines
        for values in [[line.computing, line.exposed, line.copying_alone, line.idle]]
        for steps in [f" ({count(line.steps, 'step')})" if line.steps else ""]
    ]
    return [Table(columns, rows, "Shares of time by rank")]


def draw_shares(axes: "Axes", found: Mapping[str, Sequence[Shares]]) -> None:
    """What each rank's device did with its time, a bar each."""
    lines = [line for several in found.values() for line in several]
    bars = [
        ("computing", "#1f4e79", "", [line.computing for line in lines]),
        ("communication not hidden", "#e08214", "//", [line.exposed for line in lines]),
        ("copies alone", "#a6cee3", "..", [line.copying_alone for line in lines]),
        ("idle", "#f4f4f4", "", [line.idle for line in lines]),
    ]
    names = []
    for name, several in found.items():
        machines = len({line.device for line in several}) > 1
        for line in several:
            label = short_name(name, 24)
            if len(several) > 1:
                label += "" if line.rank is None else f", rank {line.rank}"
                label += f", device {line.device}" if machines else ""
            names.append(label)
    stacked_bars(axes, names, bars, "share of time, %", "what the device did")


def _of_device(trace: Trace, device: int, steps: Span | None) -> Shares | None:
    """Of the steps, or from the device's first event to its last."""
    kernels = [kernel for kernel in trace.kernels if kernel.device == device]
    computing = [when(kernel) for kernel in kernels if not communicates(kernel)]
    communication = [when(kernel) for kernel in kernels if communicates(kernel)]
    copies = [when(copy) for copy in trace.copies if copy.device == device]
    start, end = ends([*computing, *communication, *copies])
    if steps:
        start, end = steps.start, steps.end
    if end <= start:
        return None
    whole = end - start
    # All time with computing, with any kernel, with anything: what each adds nothing else hides.
    parts = ([*computing], [*computing, *communication], [*computing, *communication, *copies])
    compute, kernel, busy = (length(union(within(part, start, end))) / whole for part in parts)
    return Shares(
        path=trace.path,
        rank=trace.rank,
        device=device,
        span_of="steps" if steps else "device",
        steps=len(trace.steps) if steps else 0,
        span_seconds=seconds(whole),
        computing=compute,
        copies=length(union(within(copies, start, end))) / whole,
        communication=length(union(within(communication, start, end))) / whole,
        exposed=kernel - compute,
        copying_alone=busy - kernel,
        idle=max(0.0, 1.0 - busy),
    )


# By collective: a kernel's time holds the wait for the slowest rank. What a link carries,
# nccl-tests measure.


@dataclass(frozen=True, slots=True)
class CollectiveTime:
    """The kernels of one collective, over all ranks given.

    Attributes:
        collective: as recorded: "allreduce"; "" of kernels of which it is not.
        calls: how many kernels of it ran.
        seconds: in which at least one of them ran on its device, summed over devices.
        share: of all kernels' time, 0 to 1.
    """

    collective: str
    calls: int
    seconds: float
    share: float


@dataclass(frozen=True, slots=True)
class Communication:
    """The kernels that communicate.

    Attributes:
        of_kernel_time: their share of all kernels' time, 0 to 1.
        collectives: the longest first.
    """

    of_kernel_time: float
    collectives: list[CollectiveTime]


def communication(ranks: Sequence[Sequence[Kernel]]) -> Communication | None:
    """What the kernels of each rank did; None if none communicates."""
    whole = sum(kernel.length for kernels in ranks for kernel in kernels)
    groups: dict[str, list[tuple[int, Kernel]]] = {}
    for rank, kernels in enumerate(ranks):
        for kernel in filter(communicates, kernels):
            groups.setdefault(kernel.collective, []).append((rank, kernel))
    found = []
    for name, calls in groups.items():
        on: dict[tuple[int, int], list[tuple[float, float]]] = {}
        for rank, kernel in calls:
            on.setdefault((rank, kernel.device), []).append(when(kernel))
        time = seconds(sum(length(union(stretches)) for stretches in on.values()))
        of_whole = sum(kernel.length for _, kernel in calls) / whole if whole else 0.0
        found.append(CollectiveTime(name, len(calls), time, of_whole))
    total = sum(of.share for of in found)
    if not total:
        return None
    return Communication(total, sorted(found, key=lambda of: (-of.seconds, of.collective)))


def communication_tables(found: Mapping[str, Communication]) -> list[Table]:
    """A line for each collective; by run."""
    if not found:
        return []
    columns = [
        name_column("run"),
        Column("collective", format=lambda text: clean(text, 40)),
        Column("calls", format=lambda calls: f"{calls:,}"),
        Column("seconds", "time", format=short_time),
        Column("share", "of kernel time", format=share),
    ]
    rows = [
        [name, line.collective or None, line.calls, line.seconds, line.share]
        for name, of in found.items()
        for line in of.collectives
    ]
    return [Table(columns, rows, "Communication by collective")]
