"""The products and convolutions of a trace, and how long the device was at each.

An operator counts once, with the kernels of all that it called (see `heads_of`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
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
    works: dict[tuple[object, ...], Work | None] = {}  # many calls are on the same shapes
    calls: list[Call] = []
    counts = Counter[tuple[str, bool]]()  # of other work, by name and whether it is recorded
    times = defaultdict[tuple[str, bool], float](float)
    busy = defaultdict[int, list[Stretch]](list)
    for place, kernels, time, whole in (_on_host if on_host else _on_device)(trace, over):
        operator = None if place is None else trace.operators[place]
        work = _work(operator, works) if operator and whole else None
        if operator is None or work is None:
            key = operator.name if operator else "", not whole
            counts[key] += max(1, len(kernels))
            times[key] += time
            continue
        verdicts = {family(kernel.name).verdict for kernel in kernels} or {"unclassified"}
        units = True if "yes" in verdicts else None if "unclassified" in verdicts else False
        shapes = tuple(filter(None, operator.shapes or ()))
        calls.append(Call(operator.name, shapes, work, time / 1e6, units))
        for kernel in kernels:
            busy[kernel.device].append(when(kernel))
        if on_host:
            busy[0].append(when(operator))
    others = [OtherWork(*key, counts[key], time / 1e6) for key, time in times.items()]
    devices = len({kernel.device for kernel in trace.kernels if over.overlaps(kernel)}) or 1
    return TraceWork(
        on="host" if on_host else "device",
        seconds=sum(c.seconds for c in calls) + sum(work.seconds for work in others),
        devices=devices,
        span=(over.end - over.start) / 1e6 * devices,
        busy=sum(map(covered, busy.values())) / 1e6,
        calls=calls,
        others=sorted(others, key=lambda work: (-work.seconds, work.name)),
    )


# An operator's place, its kernels, microseconds, and whether it has a formula and all of it counts.
_Part = tuple[int | None, Sequence[Kernel], float, bool]


def _work(operator: Operator, known: dict[tuple[object, ...], Work | None]) -> Work | None:
    """None if what its formula needs is not recorded."""
    key = operator.name, operator.shapes, operator.types, operator.values
    if key not in known:
        try:
            known[key] = PRODUCTS[operator.name](Inputs(operator))
        except CannotTell:
            known[key] = None
    return known[key]


def _on_device(trace: Trace, over: Span) -> Iterator[_Part]:
    """Operators by their kernels, and kernels that none with a formula launched."""
    heads = heads_of(trace.operators)
    launched = defaultdict[int, list[Kernel]](list)
    for kernel in trace.kernels:
        if communicates(kernel):
            continue
        head = None if kernel.operator is None else heads[kernel.operator]
        if head is not None:
            launched[head].append(kernel)
        elif over.overlaps(kernel):
            yield kernel.operator, [kernel], kernel.length, False
    for place in sorted(launched):
        operator, kernels = trace.operators[place], launched[place]
        # If some kernels were launched after the last step, not all of it is in the span.
        called = over.calls(operator.start) and all(over.calls(k.launched) for k in kernels)
        counted = kernels if called else [kernel for kernel in kernels if over.overlaps(kernel)]
        if (time := covered(map(when, counted))) > 0:
            yield place, counted, time, called


def _on_host(trace: Trace, over: Span) -> Iterator[_Part]:
    """Operators by their own time; the host is one device."""
    times = defaultdict[int, float](float)
    for place, head in enumerate(heads_of(trace.operators)):
        operator = trace.operators[place]
        if head is not None:
            times[head] += operator.self_time
        elif over.calls(operator.start) and operator.self_time > 0:
            yield place, (), operator.self_time, False
    for place in sorted(times):
        if times[place] > 0 and over.calls(trace.operators[place].start):
            yield place, (), times[place], True


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
