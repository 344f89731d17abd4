"""Makes operators, kernels, copies and steps of the columns that were collected."""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from genset.tta.traces.collect import Collector, Columns
from genset.tta.traces.trace import Copy, Kernel, Operator

_DAY = 86_400e6  # microseconds: what is further from the rest has no right time
_COMMUNICATES = ("nccl", "rccl")
_NONE = -1
_ROUNDED = 1.0  # microseconds: older traces have whole ones
_DEEPEST_LOOK = 16


@dataclass(frozen=True, slots=True)
class TraceParts:
    """What a `genset.tta.traces.trace.Trace` has of the same names.

    Attributes:
        dropped: how many events were left out because their times are none.
    """

    kernels: list[Kernel]
    copies: list[Copy]
    operators: list[Operator]
    steps: list[tuple[float, float]]
    dropped: int


def build(found: Collector) -> TraceParts:
    """Order what was collected, nest it, and join what ran on the device to its operators."""
    columns = [found.operators, found.kernels, found.copies]
    starts = np.concatenate([np.array(of.starts) for of in (*columns, found.launches)])
    middle = float(np.median(starts)) if len(starts) else 0.0
    orders = operators, kernels, copies = [_order(of, middle) for of in columns]
    steps = sorted(step for step in found.steps if abs(step[0] - middle) < _DAY)
    zero = min(
        [of.starts[order[0]] for of, order in zip(columns, orders, strict=True) if order]
        + [start for start, _ in steps[:1]],
        default=0.0,
    )
    lost = len(found.steps) - len(steps)
    lost += sum(len(of.starts) - len(order) for of, order in zip(columns, orders, strict=True))
    launches = _order(found.launches, middle)
    # A float holds the time since 1970 to a quarter of a microsecond.
    base = float(found.base or 0)
    slack = 2 * math.ulp(max(abs(base), abs(middle), abs(base + middle)))
    nesting = nest(_spans(found.operators, operators), _spans(found.launches, launches), slack)
    launchers = _Launchers(found, operators, launches, nesting, zero)
    return TraceParts(
        kernels=[_kernel(found.kernels, place, launchers, zero) for place in kernels],
        copies=[_copy(found.copies, place, launchers, zero) for place in copies],
        operators=_operators(found, operators, nesting, zero),
        steps=[(start - zero, length) for start, length in steps],
        dropped=found.dropped + lost,
    )


def _order(columns: Columns, middle: float) -> list[int]:
    """Places by start, the longest first, without what is days away from the rest."""
    starts, lengths = np.array(columns.starts), np.array(columns.lengths)
    order = np.lexsort((-lengths, starts))
    found: list[int] = order[np.abs(starts[order] - middle) < _DAY].tolist()
    return found


# Which operator called which, and which one launched what, by when they ran


@dataclass(frozen=True, slots=True)
class Spans:
    """Times on the host's threads, by start, and of those with one start the longest first.

    Attributes:
        starts, lengths: in microseconds.
        threads: the thread of each, any number that differs from others'.
    """

    starts: Sequence[float]
    lengths: Sequence[float]
    threads: Sequence[int]

    def ends(self) -> list[float]:
        """When each ended."""
        return [at + length for at, length in zip(self.starts, self.lengths, strict=True)]


@dataclass(frozen=True, slots=True)
class Nesting:
    """Which operators are around operators and launches.

    Attributes:
        parents: of each operator the place of the one that called it, or -1.
        self_times: of each operator its time less that of what it called; never below 0.
        launched_by: of each launch the place of the innermost operator around it, or -1.
    """

    parents: list[int]
    self_times: list[float]
    launched_by: list[int]


def nest(operators: Spans, launches: Spans, slack: float = 0.0) -> Nesting:
    """Nest operators by thread, and put each launch into the innermost operator around it.

    What overlaps without one being inside the other did not call each other: the later one ends
    the earlier one's calls.

    Args:
        operators: by start; a parent before its children.
        launches: by start.
        slack: how far two times may be off by rounding.
    """
    starts, ends, threads = operators.starts, operators.ends(), operators.threads
    launches_end = launches.ends()
    parents = [_NONE] * len(starts)
    self_times = list(operators.lengths)
    launched_by = [_NONE] * len(launches.starts)
    open_by_thread: dict[int, list[int]] = {}
    for place, launch in _merged(operators, launches):
        if launch:
            running = open_by_thread.get(launches.threads[place], [])
            start, end = launches.starts[place], launches_end[place]
            while running and ends[running[-1]] + slack < start:
                running.pop()
            for inner in running[: -_DEEPEST_LOOK - 1 : -1]:
                if end <= ends[inner] + slack + _ROUNDED:
                    launched_by[place] = inner
                    break
            continue
        start, end = starts[place], ends[place]
        running = open_by_thread.setdefault(threads[place], [])
        while running and (
            ends[running[-1]] - start <= slack / 2 or end > ends[running[-1]] + slack
        ):
            running.pop()
        if running:
            parents[place] = running[-1]
            self_times[running[-1]] -= min(end, ends[running[-1]]) - start
        running.append(place)
    return Nesting(parents, [max(0.0, time) for time in self_times], launched_by)


def _merged(operators: Spans, launches: Spans) -> Iterable[tuple[int, bool]]:
    """The places of both by start, each with whether it is a launch; operators come first."""
    place = 0
    for launch, start in enumerate(launches.starts):
        while place < len(operators.starts) and operators.starts[place] <= start:
            yield place, False
            place += 1
        yield launch, True
    for rest in range(place, len(operators.starts)):
        yield rest, False


def _spans(columns: Columns, order: list[int]) -> Spans:
    return Spans(
        [columns.starts[place] for place in order],
        [columns.lengths[place] for place in order],
        [columns.threads[place] for place in order],
    )


class _Launchers:
    """Finds what launched what ran on the device, when, and what the operator moved."""

    def __init__(
        self,
        found: Collector,
        operators: list[int],
        launches: list[int],
        nesting: Nesting,
        zero: float,
    ) -> None:
        self._columns, self._parents = found.operators, nesting.parents
        self._order = operators
        self._launches, self._zero = found.launches, zero
        self._by_launch = {
            found.launches.correlations[place]: (place, operator)
            for place, operator in zip(launches, nesting.launched_by, strict=True)
        }
        self._by_external: dict[int, list[int]] = defaultdict(list)
        # If it is the launch's own number in place of the operator's, it tells nothing.
        if found.kernels.external != found.kernels.correlations:
            for operator, place in enumerate(operators):
                if (external := self._columns.external[place]) >= 0:
                    self._by_external[external].append(operator)

    def operator(self, columns: Columns, place: int) -> int | None:
        """The place of the operator, in their order."""
        _, launched = self._by_launch.get(columns.correlations[place], (-1, -1))
        if launched >= 0:
            return launched
        # A number is given again to a later operator: it launched what comes after it.
        reused = self._by_external.get(columns.external[place])
        if not reused:
            return None
        before = bisect_right(reused, columns.starts[place], key=self._start)
        return reused[max(0, before - 1)]

    def time(self, columns: Columns, place: int, operator: int | None) -> float | None:
        """When the host launched it, as far as the trace tells."""
        launch, _ = self._by_launch.get(columns.correlations[place], (-1, -1))
        if launch >= 0:
            return self._launches.starts[launch] - self._zero
        return None if operator is None else self._start(operator) - self._zero

    def collective(self, operator: int | None) -> str:
        """The collective that the operator is, or else the nearest around it that is one."""
        while operator is not None and operator >= 0:
            if found := self._columns.collectives.get(self._order[operator]):
                return found
            operator = self._parents[operator]
        return ""

    def _start(self, operator: int) -> float:
        return self._columns.starts[self._order[operator]]


def _operators(found: Collector, order: list[int], nesting: Nesting, zero: float) -> list[Operator]:
    columns = found.operators
    made = []
    for place, parent, self_time in zip(order, nesting.parents, nesting.self_times, strict=True):
        inputs = columns.inputs[place]
        made.append(
            Operator(
                name=columns.names[place],
                start=columns.starts[place] - zero,
                length=columns.lengths[place],
                thread=found.thread_numbers[columns.threads[place]],
                parent=parent if parent >= 0 else None,
                self_time=self_time,
                shapes=inputs.shapes,
                types=inputs.types,
                values=inputs.values,
            )
        )
    return made


def _kernel(columns: Columns, place: int, launchers: _Launchers, zero: float) -> Kernel:
    name = columns.names[place]
    operator = launchers.operator(columns, place)
    collective = columns.collectives.get(place, "")
    if not collective and any(word in name.lower() for word in _COMMUNICATES):
        collective = launchers.collective(operator)
    return Kernel(
        name=name,
        start=columns.starts[place] - zero,
        length=columns.lengths[place],
        device=max(0, columns.devices[place]),
        stream=max(0, columns.streams[place]),
        operator=operator,
        collective=collective,
        launched=launchers.time(columns, place, operator),
    )


def _copy(columns: Columns, place: int, launchers: _Launchers, zero: float) -> Copy:
    return Copy(
        name=columns.names[place],
        start=columns.starts[place] - zero,
        length=columns.lengths[place],
        device=max(0, columns.devices[place]),
        stream=max(0, columns.streams[place]),
        bytes=columns.bytes[place] if columns.bytes[place] >= 0 else None,
        launched=launchers.time(columns, place, launchers.operator(columns, place)),
    )
