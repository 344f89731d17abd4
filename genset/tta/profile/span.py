"""Stretches of time, and the time that a trace's figures are of: its marked steps, to their end.

The host runs ahead of the device: what a step launched may run after the step's mark has ended.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from genset.tta.traces.trace import Copy, Kernel, Operator, Trace

# From, to; in a list: by start, none touching another.
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


def seconds(microseconds: float) -> float:
    """A time of a trace, as every answer has it."""
    return microseconds / 1e6


def union(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The stretches by start, with those that overlap or touch made one."""
    found: list[Stretch] = []
    for start, end in sorted(stretches):
        if end <= start:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def within(stretches: Iterable[Stretch], start: float, end: float) -> Iterator[Stretch]:
    """The parts of stretches that lie between `start` and `end`."""
    return ((max(a, start), min(b, end)) for a, b in stretches if a < end and b > start)


def length(stretches: Iterable[Stretch]) -> float:
    """All their time."""
    return sum(end - start for start, end in stretches)


def when(event: Kernel | Copy | Operator) -> Stretch:
    """From, to."""
    return event.start, event.start + event.length


def ends(stretches: Iterable[Stretch]) -> Stretch:
    """From the first's start to the last's end; nothing of none."""
    starts, last = inf, -inf
    for start, end in stretches:
        starts, last = min(starts, start), max(last, end)
    return (starts, last) if last >= starts else (0.0, 0.0)


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
    launched = [when(event) for event in events if start <= _launched(event) <= marked]
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


def _launched(event: Kernel | Copy | Operator) -> float:
    """An operator by its call; infinite if the launch is not recorded."""
    if isinstance(event, Operator):
        return event.start
    return inf if event.launched is None else event.launched


def _marked(trace: Trace) -> bool:
    """Whether steps are marked and an event on the device lies in them."""
    events = trace.on_device()
    if not trace.steps or not events:
        return bool(trace.steps)
    found = span(trace, "steps")
    return any(map(found.overlaps, events))
