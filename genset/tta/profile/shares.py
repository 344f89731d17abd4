"""What a rank's device did with its time: compute, copy, communicate, or nothing.

Computing is the time in which at least one kernel runs that does not communicate. Communication
that nothing hides ("exposed") is, as HolisticTraceAnalysis defines it, the time in which a kernel
communicates and none computes; a copy at the same time hides nothing. What runs on several streams
at once counts once.

Figures are of a trace's marked steps, to their end: the host runs ahead of the device, so what a
step launched may run after the step's mark has ended.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from genset.core.numbers import count
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.tta.figures import stacked_bars
from genset.tta.profile.matrix_units import communicates
from genset.tta.profile.trace import Copy, Kernel, Operator, Trace
from genset.tta.words import name_column, share, short_name, short_time
from genset.tta.words import shares as words_of_shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From, to.
Stretch = tuple[float, float]

SpanOf = Literal["steps", "device"]

# What share of the steps' time the device must be late for it to count: a kernel that was still
# running belongs to the steps, as it does for other readers of traces.
_LATE = 0.01


@dataclass(frozen=True, slots=True)
class Span:
    """Microseconds on the trace's clock.

    Attributes:
        start: of the first marked step; where the device was at earlier work then, of what the
            steps launched on it.
        end: the later of the last mark's end and the end of the last event on the device that was
            launched from the first mark's start to the last mark's end. (Of a trace of the host
            alone, of the last operator called then.)
        called: from, to: when the host called for the work that is the span's.
    """

    start: float
    end: float
    called: Stretch

    def overlaps(self, event: Kernel | Copy) -> bool:
        """Whether the event, or a part of it, runs in the span."""
        if event.start < self.start:
            return event.start + event.length > self.start
        return event.start <= self.end

    def calls(self, at: float | None) -> bool:
        """Whether the host called for the span's work then; true if the time is not known."""
        return at is None or self.called[0] <= at <= self.called[1]


def covered(stretches: Iterable[Stretch], start: float = -inf, end: float = inf) -> float:
    """The time from `start` to `end` in which at least one of the stretches is."""
    found = 0.0
    for first, last in sorted(stretches):
        first, last = max(first, start), min(last, end)
        if last > first:
            found += last - first
            start = last
    return found


def when(event: Kernel | Copy | Operator) -> Stretch:
    """From, to."""
    return event.start, event.start + event.length


def ends(stretches: Iterable[Stretch]) -> Stretch:
    """From the first's start to the last's end; nothing of none."""
    starts, lasts = zip(*stretches, strict=True) if (stretches := [*stretches]) else ([0.0], [0.0])
    return min(starts), max(lasts)


def span_of(traces: Sequence[Trace]) -> SpanOf:
    """Steps, if every rank's device worked in steps that are marked; else the device's events."""
    return "steps" if all(_marked(trace) for trace in traces) else "device"


def span(trace: Trace, of: SpanOf) -> Span:
    """The marked steps and what they launched, or from the first event on the device to the last.

    Of a trace of the host alone, operators take the place of the device's events.
    """
    events: Sequence[Kernel | Copy | Operator] = trace.on_device() or trace.operators
    if of == "device":
        return Span(*ends(map(when, events)), called=(-inf, inf))
    start, marked = ends((start, start + length) for start, length in trace.steps)
    launched = [when(event) for event in events if start <= _called(event) <= marked]
    end = max([marked, *(stretch[1] for stretch in launched)])
    return Span(_begun(trace, start, launched), end, called=(start, marked))


def _begun(trace: Trace, marked: float, launched: Sequence[Stretch]) -> float:
    """When the device begins the marked steps.

    A host that runs ahead marks them long before: then the device is still at work that was
    launched before anything was recorded.
    """
    if not (launched and trace.on_device()):
        return marked
    first, last = ends(launched)
    earlier = (
        when(event)[1]
        for event in trace.on_device()
        if event.launched is None and event.start < first
    )
    begun = min(first, max([marked, *earlier]))
    return begun if begun - marked > _LATE * (last - marked) else marked


def _called(event: Kernel | Copy | Operator) -> float:
    """When the host called for it; infinite if that is not recorded."""
    called = event.start if isinstance(event, Operator) else event.launched
    return inf if called is None else called


def _marked(trace: Trace) -> bool:
    """Whether steps are marked and an event on the device lies in them."""
    events = trace.on_device()
    if not trace.steps or not events:
        return bool(trace.steps)
    found = span(trace, "steps")
    return any(map(found.overlaps, events))


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
    return [line for device in devices if (line := _of_device(trace, device, steps))]


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
            rank = f"rank {line.rank}" * (len(several) > 1 and line.rank is not None)
            parts = [short_name(name, 24), rank, f"device {line.device}" * machines]
            names.append(", ".join(filter(None, parts)))
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
    compute, kernel, busy = (covered(part, start, end) / whole for part in parts)
    return Shares(
        path=trace.path,
        rank=trace.rank,
        device=device,
        span_of="steps" if steps else "device",
        steps=len(trace.steps) if steps else 0,
        span_seconds=whole / 1e6,
        computing=compute,
        copies=covered(copies, start, end) / whole,
        communication=covered(communication, start, end) / whole,
        exposed=kernel - compute,
        copying_alone=busy - kernel,
        idle=max(0.0, 1.0 - busy),
    )
