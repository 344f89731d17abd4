"""What a rank's device did with its time: compute, copy, communicate, or nothing.

Computing is the time in which at least one kernel runs that does not communicate. Communication
that nothing hides ("exposed") is, as HolisticTraceAnalysis defines it, the time in which a kernel
communicates and none computes; a copy beside it hides nothing. What runs on several streams at
once counts once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Literal

from genset.tta.profile.kernels import communicates
from genset.tta.traces.trace import Copy, Kernel, Operator, Trace

_MICROSECONDS = 1e6  # a second

# From, to; in a list: by start, none touching another.
Stretch = tuple[float, float]


def seconds(microseconds: float) -> float:
    """A time of a trace, as every answer has it."""
    return microseconds / _MICROSECONDS


def union(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The stretches by start, with those that overlap or touch made one."""
    found: list[Stretch] = []
    for start, end in sorted(stretches):
        if end <= start:
            continue
        if found and start <= found[-1][1]:
            if end > found[-1][1]:
                found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def within(stretches: Iterable[Stretch], start: float, end: float) -> Iterator[Stretch]:
    """What of each lies between `start` and `end`."""
    return ((max(a, start), min(b, end)) for a, b in stretches if a < end and b > start)


def without(one: Sequence[Stretch], other: Sequence[Stretch]) -> list[Stretch]:
    """What of the union `one` the union `other` does not cover."""
    left: list[Stretch] = []
    place = 0
    for start, end in one:
        while place < len(other) and other[place][1] <= start:
            place += 1
        at = start
        for a, b in _from(other, place, end):
            if a > at:
                left.append((at, a))
            at = max(at, b)
        if at < end:
            left.append((at, end))
    return left


def _from(stretches: Sequence[Stretch], place: int, end: float) -> Iterable[Stretch]:
    while place < len(stretches) and stretches[place][0] < end:
        yield stretches[place]
        place += 1


def length(stretches: Iterable[Stretch]) -> float:
    """All their time."""
    return sum(end - start for start, end in stretches)


SpanOf = Literal["steps", "device"]


@dataclass(frozen=True, slots=True)
class Span:
    """Microseconds on the trace's clock.

    Attributes:
        start: of the first marked step.
        end: the later of the last mark's end and the end of the last event on the device that was
            launched from the first mark's start to the last mark's end. (Of a trace of the host
            alone, of the last operator called then.)
        called: from, to: when the host called for the work that is the span's.
    """

    start: float
    end: float
    called: Stretch

    def holds(self, event: Kernel | Copy) -> bool:
        """Whether the event, or a part of it, runs in the span."""
        if event.start < self.start:
            return event.start + event.length > self.start
        return event.start <= self.end

    def calls(self, at: float | None) -> bool:
        """Whether the host called for the span's work then; of what is not known, it did."""
        return at is None or self.called[0] <= at <= self.called[1]


def span_of(traces: Sequence[Trace]) -> SpanOf:
    """Steps, if every rank's device worked in steps that are marked; else the device's events."""
    return "steps" if all(_marked(trace) for trace in traces) else "device"


def span(trace: Trace, of: SpanOf) -> Span:
    """The marked steps and what they launched, or from the first event on the device to the last.

    Of a trace of the host alone, operators stand in place of the device's events.
    """
    events = [*_on_device(trace)] or trace.operators
    if of == "device":
        return Span(*ends(map(when, events)), called=(-inf, inf))
    start, marked = ends((start, start + length) for start, length in trace.steps)
    launched = (when(event)[1] for event in events if start <= _launched(event) <= marked)
    return Span(start, max(marked, max(launched, default=marked)), called=(start, marked))


def when(event: Kernel | Copy | Operator) -> Stretch:
    """From, to."""
    return event.start, event.start + event.length


def ends(stretches: Iterable[Stretch]) -> Stretch:
    """From the first's start to the last's end; nothing of none."""
    starts, last = inf, -inf
    for start, end in stretches:
        starts, last = min(starts, start), max(last, end)
    return (starts, last) if last >= starts else (0.0, 0.0)


def _on_device(trace: Trace) -> Iterator[Kernel | Copy]:
    yield from trace.kernels
    yield from trace.copies


def _launched(event: Kernel | Copy | Operator) -> float:
    """An operator by its call; where the launch is not recorded, no time."""
    if isinstance(event, Operator):
        return event.start
    return inf if event.launched is None else event.launched


def _marked(trace: Trace) -> bool:
    """Whether steps are marked and an event on the device lies in them."""
    if not trace.steps:
        return False
    found = span(trace, "steps")
    events = [*_on_device(trace)]
    return not events or any(found.holds(event) for event in events)


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
    devices = sorted({k.device for k in trace.kernels} | {c.device for c in trace.copies})
    found = span(trace, "steps") if of == "steps" else None
    return [each for device in devices if (each := _of_device(trace, device, found)) is not None]


def _of_device(trace: Trace, device: int, steps: Span | None) -> Shares | None:
    """Of the steps, or from the device's first event to its last."""
    computing = [when(k) for k in trace.kernels if k.device == device and not communicates(k)]
    communication = [when(k) for k in trace.kernels if k.device == device and communicates(k)]
    copies = [when(c) for c in trace.copies if c.device == device]
    start, end = ends([*computing, *communication, *copies])
    if steps:
        start, end = steps.start, steps.end
    if end <= start:
        return None
    compute, talk, copy = (
        union(within(each, start, end)) for each in (computing, communication, copies)
    )
    exposed = without(talk, compute)
    alone = without(copy, union([*compute, *talk]))
    whole = end - start
    busy = [length(compute) / whole, length(exposed) / whole, length(alone) / whole]
    return Shares(
        path=trace.path,
        rank=trace.rank,
        device=device,
        span_of="steps" if steps else "device",
        steps=len(trace.steps) if steps else 0,
        span_seconds=seconds(whole),
        computing=busy[0],
        copies=length(copy) / whole,
        communication=length(talk) / whole,
        exposed=busy[1],
        copying_alone=busy[2],
        idle=max(0.0, 1.0 - sum(busy)),
    )
