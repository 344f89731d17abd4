"""The time that a trace's figures are of: its marked steps, with all that they launched.

The host runs ahead of the device: what a step launched may run after the step's mark has ended.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from genset.tta.analysis.profile.intervals import Stretch
from genset.tta.traces.trace import Copy, Kernel, Operator, Trace

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
