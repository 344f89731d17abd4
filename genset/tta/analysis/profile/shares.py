"""What a rank's device did with its time: compute, copy, communicate, or nothing.

Computing is the time in which at least one kernel runs that does not communicate. Communication
that nothing hides ("exposed") is, as HolisticTraceAnalysis defines it, the time in which a kernel
communicates and none computes; a copy beside it hides nothing. What runs on several streams at
once counts once.
"""

from dataclasses import dataclass
from pathlib import Path

from genset.tta.analysis.profile.communication import communicates
from genset.tta.analysis.profile.intervals import length, seconds, union, within, without
from genset.tta.analysis.profile.span import Span, SpanOf, ends, span, when
from genset.tta.traces.trace import Trace


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
