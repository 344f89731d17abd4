"""Orders the events that were collected, and joins them: who called and who launched what."""

import math
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import merge
from typing import TypeVar

import numpy as np

from genset.tta.traces.collect import Collector, Launch
from genset.tta.traces.trace import Copy, Kernel, Operator

_DAY = 86_400e6  # microseconds: what is further from the rest has no right time
_COMMUNICATES = ("nccl", "rccl")
_ROUNDED = 1.0  # microseconds: older traces have whole ones
_DEEPEST_LOOK = 16

_Event = TypeVar("_Event", Operator, Kernel, Copy, Launch)


def build(found: Collector) -> None:
    """Order what was collected, nest it, and join what ran on the device to its operators.

    What is days away from the rest is dropped; the first of the rest begins at 0.
    """
    taken: list[Sequence[Operator | Kernel | Copy]] = [found.operators, found.kernels, found.copies]
    starts = array("d", (event.start for several in (*taken, found.launches) for event in several))
    middle = float(np.median(starts)) if starts else 0.0
    timed = sum(map(len, taken)) + len(found.steps)
    found.operators = _in_order(found.operators, middle)
    found.kernels = _in_order(found.kernels, middle)
    found.copies = _in_order(found.copies, middle)
    found.launches = _in_order(found.launches, middle)
    found.steps = sorted(step for step in found.steps if abs(step[0] - middle) < _DAY)
    taken = [found.operators, found.kernels, found.copies]
    found.dropped += timed - sum(map(len, taken)) - len(found.steps)
    firsts = [several[0].start for several in taken if several]
    zero = min([*firsts, *(start for start, _ in found.steps[:1])], default=0.0)
    # A float holds the time since 1970 to a quarter of a microsecond.
    base = float(found.base or 0)
    slack = 2 * math.ulp(max(abs(base), abs(middle), abs(base + middle)))
    _nest(found.operators, found.launches, slack)
    _join(found, zero)
    for several in taken:
        for event in several:
            event.start -= zero
    found.steps = [(start - zero, length) for start, length in found.steps]


def _in_order(events: list[_Event], middle: float) -> list[_Event]:
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
    both: list[Iterable[tuple[int, Operator | Launch]]] = [
        enumerate(operators),
        enumerate(launches),
    ]
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


def _join(found: Collector, zero: float) -> None:
    """Say of what ran on the device when it was launched, and by which operator."""
    launches = {launch.correlation: launch for launch in found.launches}
    by_external: dict[int, list[int]] = defaultdict(list)
    # If it is the launch's own number in place of the operator's, it tells nothing.
    if any(kernel.external != kernel.correlation for kernel in found.kernels):
        for place, operator in enumerate(found.operators):
            if operator.external is not None:
                by_external[operator.external].append(place)
    device: list[Kernel | Copy] = [*found.kernels, *found.copies]
    for event in device:
        launch = None if event.correlation is None else launches.get(event.correlation)
        caller = launch.operator if launch else None
        if caller is None and event.external in by_external:
            # A number is given again to a later operator: it launched what comes after it.
            again = by_external[event.external]
            before = bisect_right(again, event.start, key=lambda at: found.operators[at].start)
            caller = again[max(0, before - 1)]
        cause = launch or (None if caller is None else found.operators[caller])
        event.launched = cause.start - zero if cause else None
        event.operator = caller
        if not isinstance(event, Kernel) or event.collective:
            continue
        if any(word in event.name.lower() for word in _COMMUNICATES):
            event.collective = _collective(found.operators, caller)


def _collective(operators: Sequence[Operator], place: int | None) -> str:
    """The collective that the operator is, or else the nearest around it that is one."""
    while place is not None:
        if operators[place].collective:
            return operators[place].collective
        place = operators[place].parent
    return ""
