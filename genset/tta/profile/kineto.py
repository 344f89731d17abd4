"""Reads traces of PyTorch's profiler (Kineto's Chrome JSON), and joins who launched what."""

import gc
import math
import re
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from pathlib import Path
from typing import Any

import numpy as np

from genset.core.numbers import count
from genset.core.safe import clean
from genset.tta.profile.collect import Collector, Launch, amount
from genset.tta.profile.trace import Device, Kernel, Operator, Trace, read_events, refused

_AMD = re.compile(r"\b(AMD|Radeon|Instinct|MI\d{2,3}\w?|gfx\d+)\b", re.IGNORECASE)


def read_trace(path: Path) -> Trace:
    """Read one rank's trace.

    A kernel is joined to the operator that was running on the thread and at the time of its
    launch; if the launch is not recorded, to the operator of its "External id".

    Raises:
        BadInput: it cannot be read, is cut off, or is no trace of an NVIDIA or AMD GPU or a CPU.
    """
    members: dict[str, Any] = {"distributedInfo": None, "deviceProperties": None}
    gc.disable()  # millions of objects that all stay: looking for others takes a third longer
    try:
        found = Collector(path)
        for event in read_events(path, members):
            found.add(event)
        build(found)
    finally:
        gc.enable()
    trace = found.trace
    if not (trace.kernels or trace.copies or trace.operators or trace.steps):
        why = "is one of PyTorch's profiler" if not found.dropped else "has a right time"
        nothing = "it has no event: the profiler recorded nothing"
        raise refused(path, f"none of its events {why}" if found.events else nothing)
    if type(group := members["distributedInfo"]) is dict:
        rank, ranks = amount(group.get("rank")), amount(group.get("world_size")) or None
        if rank is None or not ranks or rank < ranks:
            trace.rank, trace.ranks = rank, ranks
    known = members["deviceProperties"]
    known = [about for about in known if type(about) is dict] if type(known) is list else []
    trace.device = _device(known, found)
    if trace.device.maker == "none" and found.launched:
        trace.unseen = f"it launched {count(found.launched, 'kernel')}"
    elif trace.device.maker == "none":
        names = [clean(about["name"], 60) for about in known if type(about.get("name")) is str]
        trace.unseen = f"it names {names[0]}" if names and names[0] else ""
    trace.missing += _missing(trace, found)
    return trace


def _device(known: Sequence[dict[str, Any]], found: Collector) -> Device:
    """The device that most kernels ran on."""
    used = Counter(event.device for event in found.trace.kernels or found.trace.copies)
    if not used:
        return Device("none")
    number = used.most_common(1)[0][0]
    about = next((about for about in known if about.get("id") == number), {})
    name = about.get("name")
    name = clean(name) if type(name) is str else ""
    return Device("amd" if found.hip or _AMD.search(name) else "nvidia", name)


def _missing(trace: Trace, found: Collector) -> Iterator[str]:
    """A sentence for each thing that is not in the trace."""
    if found.dropped:
        yield (
            f"{count(found.dropped, 'event')} left out, whose time is missing, negative, or days "
            "away from the rest."
        )
    if trace.unseen and found.counted:
        yield (
            f"No times of kernels, but hardware counters of {found.counted:,}: record without "
            "experimental_config, since CUPTI's counters make each kernel run several times."
        )
    elif trace.unseen:
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
    if not any(op.values for op in shaped) and any("conv" in op.name for op in shaped):
        yield "No strides and paddings of convolutions: record with PyTorch 2.1 or newer."


_DAY = 86_400e6  # microseconds: what is further from the rest has no right time
_COMMUNICATES = ("nccl", "rccl")
_ROUNDED = 1.0  # microseconds: older traces have whole ones
_DEEPEST_LOOK = 16


def build(found: Collector) -> None:
    """Order what was collected, nest it, and join what ran on the device to its operators.

    What is days away from the rest is dropped; the first of the rest begins at 0.
    """
    trace = found.trace
    taken: list[list[Any]] = [trace.operators, trace.kernels, trace.copies]
    starts = array("d", (event.start for several in (*taken, found.launches) for event in several))
    middle = float(np.median(starts)) if starts else 0.0
    found.dropped += sum(map(len, [*taken, trace.steps]))
    for several in (*taken, found.launches):
        several[:] = _in_order(several, middle)
    trace.steps = sorted(step for step in trace.steps if abs(step[0] - middle) < _DAY)
    found.dropped -= sum(map(len, [*taken, trace.steps]))
    firsts = [several[0].start for several in taken if several]
    zero = min([*firsts, *(start for start, _ in trace.steps[:1])], default=0.0)
    # A float holds the time since 1970 to a quarter of a microsecond.
    base = float(found.base or 0)
    slack = 2 * math.ulp(max(abs(base), abs(middle), abs(base + middle)))
    _nest(trace.operators, found.launches, slack)
    _join(trace, found.launches, zero)
    for several in taken:
        for event in several:
            event.start -= zero
    trace.steps = [(start - zero, length) for start, length in trace.steps]


def _in_order(events: list[Any], middle: float) -> list[Any]:
    """By start, the longest first, without what is days away from the rest."""
    starts = np.array([event.start for event in events])
    lengths = np.array([event.length for event in events])
    order = np.lexsort((-lengths, starts))
    return [events[at] for at in order[np.abs(starts[order] - middle) < _DAY].tolist()]


def _nest(operators: Sequence[Operator], launches: Sequence[Launch], slack: float) -> None:
    """Nest operators by thread, and put each launch into the innermost operator around it.

    What overlaps without one being inside the other did not call each other: the later one ends
    the earlier one's calls.

    Args:
        operators: by start; a parent before its children.
        launches: by start.
        slack: how far two times may be off by rounding.
    """
    ends = array("d", (operator.start + operator.length for operator in operators))
    open_by_thread: dict[int, list[int]] = defaultdict(list)
    both: list[Iterable[tuple[int, Any]]] = [enumerate(operators), enumerate(launches)]
    for place, event in merge(*both, key=lambda item: item[1].start):
        start, end = event.start, event.start + event.length
        running = open_by_thread[event.thread]
        if isinstance(event, Launch):
            while running and ends[running[-1]] + slack < start:
                running.pop()
            inner = reversed(running[-_DEEPEST_LOOK:])
            around = (at for at in inner if end <= ends[at] + slack + _ROUNDED)
            event.operator = next(around, None)
            continue
        while running and (
            ends[running[-1]] - start <= slack / 2 or end > ends[running[-1]] + slack
        ):
            running.pop()
        if running:
            event.parent = running[-1]
            operators[running[-1]].self_time -= min(end, ends[running[-1]]) - start
        running.append(place)
    for operator in operators:
        operator.self_time = max(0.0, operator.self_time)


def _join(trace: Trace, calls: Sequence[Launch], zero: float) -> None:
    """Say of what ran on the device when it was launched, and by which operator."""
    launches = {launch.correlation: launch for launch in calls}
    by_external: dict[int, list[int]] = defaultdict(list)
    # If it is the launch's own number in place of the operator's, it tells nothing.
    if any(kernel.external != kernel.correlation for kernel in trace.kernels):
        for place, operator in enumerate(trace.operators):
            if operator.external is not None:
                by_external[operator.external].append(place)
    for event in trace.on_device():
        launch = None if event.correlation is None else launches.get(event.correlation)
        caller = launch.operator if launch else None
        if caller is None and event.external in by_external:
            # A number is given again to a later operator: it launched what comes after it.
            again = by_external[event.external]
            before = bisect_right(again, event.start, key=lambda at: trace.operators[at].start)
            caller = again[max(0, before - 1)]
        cause = launch or (None if caller is None else trace.operators[caller])
        event.launched = cause.start - zero if cause else None
        event.operator = caller
        if not isinstance(event, Kernel) or event.collective:
            continue
        if any(word in event.name.lower() for word in _COMMUNICATES):
            event.collective = _collective(trace.operators, caller)


def _collective(operators: Sequence[Operator], place: int | None) -> str:
    """The collective that the operator is, or else the nearest around it that is one."""
    while place is not None:
        if operators[place].collective:
            return operators[place].collective
        place = operators[place].parent
    return ""
