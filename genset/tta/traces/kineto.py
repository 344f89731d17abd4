"""Reads traces of PyTorch's profiler (Kineto's Chrome JSON)."""

import gc
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from genset.core.numbers import count
from genset.core.safe import clean
from genset.tta.traces import fields
from genset.tta.traces.build import build
from genset.tta.traces.collect import Collector
from genset.tta.traces.stream import Members, read_events
from genset.tta.traces.trace import Device, Operator, Trace, refused

_AMD = re.compile(r"\b(AMD|Radeon|Instinct|MI\d{2,3}\w?|gfx\d+)\b", re.IGNORECASE)


def read_trace(path: Path) -> Trace:
    """Read one rank's trace.

    A kernel is joined to the operator that was running on the thread and at the time of its
    launch; if the launch is not recorded, to the operator of its "External id".

    Raises:
        BadInput: it cannot be read, is cut off, or is no trace of an NVIDIA or AMD GPU or a CPU.
    """
    members: Members = {"distributedInfo": None, "deviceProperties": None}
    was_on = gc.isenabled()
    gc.disable()  # millions of objects that all stay: looking for others takes a third longer
    try:
        found = Collector(path)
        for event in read_events(path, members):
            found.add(event)
        build(found)
    finally:
        if was_on:
            gc.enable()
    if not (found.kernels or found.copies or found.operators or found.steps):
        raise refused(path, _why_nothing(found))
    rank, ranks = _distributed(members["distributedInfo"])
    known = members["deviceProperties"]
    known = [about for about in known if type(about) is dict] if type(known) is list else []
    device = _device(known, found)
    trace = Trace(
        path=path,
        device=device,
        unseen="" if device.maker != "none" else _unseen(known, found),
        rank=rank,
        ranks=ranks,
        kernels=found.kernels,
        copies=found.copies,
        operators=found.operators,
        steps=found.steps,
    )
    return replace(trace, missing=list(_missing(trace, found.dropped)))


def _why_nothing(found: Collector) -> str:
    if not found.events:
        return "it has no event: the profiler recorded nothing"
    if found.dropped:
        return "none of its events has a right time"
    return "none of its events is one of PyTorch's profiler"


def _distributed(recorded: Any) -> tuple[int | None, int | None]:
    """The rank, and how many there are."""
    if type(recorded) is not dict:
        return None, None
    rank = fields.amount(recorded.get("rank"))
    ranks = fields.amount(recorded.get("world_size")) or None
    if rank is not None and ranks is not None and rank >= ranks:
        rank = ranks = None
    return rank, ranks


def _device(known: Sequence[dict[str, Any]], found: Collector) -> Device:
    """The device that most kernels ran on."""
    used = Counter(event.device for event in found.kernels or found.copies)
    if not used:
        return Device("none")
    number = used.most_common(1)[0][0]
    about = next((about for about in known if about.get("id") == number), {})
    name = about.get("name")
    name = clean(name) if type(name) is str else ""
    return Device("amd" if found.hip or _AMD.search(name) else "nvidia", name)


def _unseen(known: Sequence[dict[str, Any]], found: Collector) -> str:
    """What in a trace without an event on a device shows that there was one."""
    if found.launched:
        return f"it launched {count(found.launched, 'kernel')}"
    names = [clean(about["name"], 60) for about in known if type(about.get("name")) is str]
    return f"it names {names[0]}" if names and names[0] else ""


def _missing(trace: Trace, dropped: int) -> Iterator[str]:
    """A sentence for each thing that is not in the trace.

    Args:
        dropped: how many events have no right time.
    """
    if dropped:
        yield (
            f"{count(dropped, 'event')} left out, whose time is missing, negative, or days away "
            "from the rest."
        )
    if trace.unseen:
        yield (
            f"No kernels, but {trace.unseen}: record with ProfilerActivity.CUDA, and with no other "
            "profiler at the same time (CUPTI takes one)."
        )
    elif not trace.kernels:
        yield "No kernels: if a GPU was used, record with ProfilerActivity.CUDA (also for AMD's)."
    if not trace.operators:
        yield "No operators: record with ProfilerActivity.CPU too."
    else:
        yield from _missing_inputs(trace.operators)
        if lost := sum(kernel.operator is None for kernel in trace.kernels):
            yield (
                f"{count(lost, 'kernel')} of {len(trace.kernels):,} without an operator: they were "
                "launched before the recording, or in no operator."
            )
    if not trace.steps:
        yield "No steps: call the profiler's step() after each training step."


def _missing_inputs(operators: Sequence[Operator]) -> Iterator[str]:
    shaped = [operator for operator in operators if operator.shapes is not None]
    if not shaped:
        yield "No shapes of inputs: record with record_shapes=True."
        return
    if not any(operator.values for operator in shaped):
        yield "No strides and paddings of convolutions: record with PyTorch 2.1 or newer."
