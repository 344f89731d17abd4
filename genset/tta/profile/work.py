"""The products and convolutions of a trace, and how long the device was at each.

An operator counts once, with the kernels of all that it called (see `heads_of`).
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from genset.tta.profile.matrix_units import communicates, family
from genset.tta.profile.products import PRODUCTS, CannotTell, Inputs, Work
from genset.tta.profile.shares import Span, Stretch, covered, span, when
from genset.tta.profile.trace import Kernel, Operator, Shape, Trace


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an operator whose work is known.

    Attributes:
        shapes: of the tensors it was called on.
        seconds: in which at least one kernel ran that it, or an operator under it, launched; in a
            trace of the host alone, its own and that of the operators under it.
        matrix_units: whether a kernel of its uses them; None if no name tells.
    """

    name: str
    shapes: tuple[Shape, ...]
    work: Work
    seconds: float
    matrix_units: bool | None


@dataclass(frozen=True, slots=True)
class OtherWork:
    """Operators of one name that are not counted.

    Attributes:
        name: of the operator; "" of kernels that none launched (CUDA graphs, compiled code).
        recorded: false of a product or convolution whose shapes or values are not recorded.
        count: how many kernels; in a trace of the host alone, operators.
        seconds: the sum of their times.
    """

    name: str
    recorded: bool
    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class TraceWork:
    """The work in one trace's span.

    Attributes:
        on: whose time the seconds are.
        seconds: of all calls and other work; kernels that communicate are in neither.
        devices: on how many kernels ran; 1 of a trace of the host alone.
        span: its seconds, added up over the devices.
        busy: its seconds in which a kernel of `calls` ran, added up over the devices; what runs at
            once on one counts once. Never above `span`.
        calls: by start.
        others: longest first.
    """

    on: Literal["device", "host"]
    seconds: float
    devices: int
    span: float
    busy: float
    calls: list[Call] = field(default_factory=list)
    others: list[OtherWork] = field(default_factory=list)


def count_work(trace: Trace, over: Span | None = None) -> TraceWork:
    """The work of the trace's operators.

    Args:
        over: the time whose work counts: that of operators which were called then, over all of
            their kernels. If it is not given, from the first event on the device (of the host) to
            the last.
    """
    over = over or span(trace, "device")
    on_host = trace.device.maker == "none"
    tally = _Tally(trace.operators)
    devices = (_count_host if on_host else _count_device)(trace, over, tally)
    others = [OtherWork(*key, tally.counts[key], time / 1e6) for key, time in tally.times.items()]
    return TraceWork(
        on="host" if on_host else "device",
        seconds=sum(c.seconds for c in tally.calls) + sum(work.seconds for work in others),
        devices=devices,
        span=(over.end - over.start) / 1e6 * devices,
        busy=sum(map(covered, tally.busy.values())) / 1e6,
        calls=tally.calls,
        others=sorted(others, key=lambda work: (-work.seconds, work.name)),
    )


class _Tally:
    """What is counted so far; times are microseconds."""

    def __init__(self, operators: Sequence[Operator]) -> None:
        self._operators = operators
        self._works: dict[tuple[object, ...], Work | None] = {}
        self.calls: list[Call] = []
        # Of other work, by name and whether it is recorded.
        self.counts = Counter[tuple[str, bool]]()
        self.times = defaultdict[tuple[str, bool], float](float)
        self.busy = defaultdict[int, list[Stretch]](list)

    def add(self, place: int, time: float, kernels: Sequence[Kernel]) -> None:
        """Count an operator that has a formula.

        Args:
            kernels: of it and of those under it; none in a trace of the host alone.
        """
        operator = self._operators[place]
        work = self._work(operator)
        if work is None:
            self.add_other(operator.name, max(1, len(kernels)), time, recorded=False)
            return
        verdicts = {family(kernel.name).verdict for kernel in kernels} or {"unclassified"}
        units = True if "yes" in verdicts else None if "unclassified" in verdicts else False
        shapes = tuple(filter(None, operator.shapes or ()))
        self.calls.append(Call(operator.name, shapes, work, time / 1e6, units))
        for kernel in kernels or (operator,):
            device = kernel.device if isinstance(kernel, Kernel) else 0
            self.busy[device].append(when(kernel))

    def add_other(self, name: str, number: int, time: float, recorded: bool = True) -> None:
        self.counts[name, recorded] += number
        self.times[name, recorded] += time

    def _work(self, operator: Operator) -> Work | None:
        """None if what its formula needs is not recorded. Many calls are on the same shapes."""
        key = operator.name, operator.shapes, operator.types, operator.values
        if key not in self._works:
            try:
                self._works[key] = PRODUCTS[operator.name](Inputs(operator))
            except CannotTell:
                self._works[key] = None
        return self._works[key]


def _count_device(trace: Trace, over: Span, tally: _Tally) -> int:
    """Count operators by their kernels; the number of devices that kernels ran on."""
    heads = heads_of(trace.operators)
    launched = defaultdict[int, list[Kernel]](list)
    devices = set()
    for kernel in trace.kernels:
        inside = over.overlaps(kernel)
        if inside:
            devices.add(kernel.device)
        if communicates(kernel):
            continue
        head = None if kernel.operator is None else heads[kernel.operator]
        if head is not None:
            launched[head].append(kernel)
        elif inside:
            name = "" if kernel.operator is None else trace.operators[kernel.operator].name
            tally.add_other(name, 1, kernel.length)
    for place in sorted(launched):
        operator, kernels = trace.operators[place], launched[place]
        # If some kernels were launched after the last step, not all of it is in the span.
        called = over.calls(operator.start) and all(over.calls(k.launched) for k in kernels)
        counted = kernels if called else [kernel for kernel in kernels if over.overlaps(kernel)]
        time = covered(map(when, counted))
        if called and time > 0:
            tally.add(place, time, kernels)
        elif time > 0:
            tally.add_other(operator.name, len(counted), time)
    return max(1, len(devices))


def _count_host(trace: Trace, over: Span, tally: _Tally) -> int:
    """Count operators by their own time; the host is one device."""
    times = defaultdict[int, float](float)
    for head, operator in zip(heads_of(trace.operators), trace.operators, strict=True):
        if head is not None:
            times[head] += operator.self_time
        elif over.calls(operator.start) and operator.self_time > 0:
            tally.add_other(operator.name, 1, operator.self_time)
    for place in sorted(times):
        if times[place] > 0 and over.calls(trace.operators[place].start):
            tally.add(place, times[place], ())
    return 1


def heads_of(operators: Sequence[Operator]) -> list[int | None]:
    """For each operator, the one with a formula that it is, or was called by.

    That is the outermost but for wrappers: the time of their own goes with the call that they wrap,
    and what else they call stands for itself.
    """
    wrapped = _wrapped(operators)
    heads: list[int | None] = []
    for place, operator in enumerate(operators):
        parent = operator.parent
        head = None if parent is None or parent in wrapped else heads[parent]
        if head is None and operator.name in PRODUCTS:
            head = place
        heads.append(head)
    for wrapper, call in wrapped.items():
        heads[wrapper] = heads[call]
    return heads


def _wrapped(operators: Sequence[Operator]) -> dict[int, int]:
    """Operators that call themselves, each with the innermost such call: that is the one that runs.

    So vmap calls aten::mm on all of a batch, and autocast on tensors in half precision.
    """
    calls: list[int | None] = []
    inner: dict[int, int] = {}
    for place, operator in enumerate(operators):
        call = None if operator.parent is None else calls[operator.parent]
        if call is None:
            call = place if operator.name in PRODUCTS else None
        elif operator.name == operators[call].name:
            inner.setdefault(call, place)
            call = place
        calls.append(call)
    for call in sorted(inner, reverse=True):
        inner[call] = inner.get(inner[call], inner[call])
    return inner
