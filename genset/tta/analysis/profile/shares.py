"""What a rank's device did with its time: compute, copy, communicate, or nothing.

Computing is the time in which at least one kernel runs that does not communicate. Communication
that nothing hides ("exposed") is, as HolisticTraceAnalysis defines it, the time in which a kernel
communicates and none computes; a copy beside it hides nothing. What runs on several streams at
once counts once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

from genset.tta.analysis.profile.communication import communicates
from genset.tta.analysis.profile.intervals import Stretch, length, seconds, union, within, without
from genset.tta.traces.trace import Copy, Kernel, Trace

SpanOf = Literal["steps", "device"]


@dataclass(frozen=True, slots=True)
class Shares:
    """One device of one rank. Shares are 0 to 1, of the span.

    `computing`, `exposed`, `copying_alone` and `idle` add up to 1; `copies` and `communication`
    overlap with others.

    Attributes:
        rank: its number; None if the trace does not tell.
        device: its number in the rank's machine.
        span_of: "steps": from the start of the first marked step to the end of the last; "device":
            from the first event on the device to the last.
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


def span_of(traces: Sequence[Trace]) -> SpanOf:
    """Steps, if every rank's device worked in steps that are marked; else the device's events."""
    return "steps" if all(_marked(trace) for trace in traces) else "device"


def window(trace: Trace, of: SpanOf) -> Stretch | None:
    """From, to, microseconds: the marked steps; None for all of the trace."""
    return _steps(trace) if of == "steps" else None


def shares(trace: Trace, of: SpanOf) -> list[Shares]:
    """A line for each device that the rank worked on; none of a trace of the host alone."""
    devices = sorted({k.device for k in trace.kernels} | {c.device for c in trace.copies})
    return [each for device in devices if (each := _of_device(trace, device, of)) is not None]


def _of_device(trace: Trace, device: int, of: SpanOf) -> Shares | None:
    computing = [_when(k) for k in trace.kernels if k.device == device and not communicates(k)]
    communication = [_when(k) for k in trace.kernels if k.device == device and communicates(k)]
    copies = [_when(c) for c in trace.copies if c.device == device]
    start, end = _steps(trace) if of == "steps" else _ends([*computing, *communication, *copies])
    if end <= start:
        return None
    compute, talk, copy = (
        union(within(each, start, end)) for each in (computing, communication, copies)
    )
    exposed = without(talk, compute)
    alone = without(copy, union([*compute, *talk]))
    span = end - start
    busy = [length(compute) / span, length(exposed) / span, length(alone) / span]
    return Shares(
        path=trace.path,
        rank=trace.rank,
        device=device,
        span_of=of,
        steps=len(trace.steps) if of == "steps" else 0,
        span_seconds=seconds(span),
        computing=busy[0],
        copies=length(copy) / span,
        communication=length(talk) / span,
        exposed=busy[1],
        copying_alone=busy[2],
        idle=max(0.0, 1.0 - sum(busy)),
    )


def _when(event: Kernel | Copy) -> Stretch:
    return event.start, event.start + event.length


def _marked(trace: Trace) -> bool:
    """Whether steps are marked and an event on the device lies in them."""
    if not trace.steps:
        return False
    start, end = _steps(trace)
    if not trace.kernels and not trace.copies:
        return True
    events = chain(map(_when, trace.kernels), map(_when, trace.copies))
    return any(True for _ in within(events, start, end))


def _steps(trace: Trace) -> Stretch:
    return _ends([(start, start + long) for start, long in trace.steps])


def _ends(stretches: Sequence[Stretch]) -> Stretch:
    if not stretches:
        return 0.0, 0.0
    return min(start for start, _ in stretches), max(end for _, end in stretches)
