"""Traces made by hand: what ran when, and operators from what they were called on."""

from pathlib import Path
from typing import Any

from genset.tta.profile.trace import Copy, Device, Kernel, Operator, Shape, Trace
from genset.tta.profile.work import Call, TraceWork, count_work

V100 = Device("nvidia", "Tesla V100-SXM2-16GB")
HOST = Device("none")
GEMM = "volta_sgemm_128x64_nn"
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def kernel(
    start: float, end: float, name: str = GEMM, on: tuple[int, int] = (0, 7), collective: str = ""
) -> Kernel:
    return Kernel(name, start, end - start, on[0], operator=None, collective=collective)


def copy(start: float, end: float, on: tuple[int, int] = (0, 7)) -> Copy:
    return Copy("Memcpy HtoD (Pinned -> Device)", start, end - start, on[0])


def operator(name: str, start: float, time: float) -> Operator:
    return Operator(name, start, time, thread=1, parent=None, self_time=time)


def trace(
    *kernels: Kernel,
    path: str = "rank0.json",
    copies: tuple[Copy, ...] = (),
    steps: tuple[tuple[float, float], ...] = (),
    **others: Any,
) -> Trace:
    """One rank's, of a V100 if nothing else is said; steps from, to."""
    others |= {"kernels": list(kernels), "copies": list(copies)}
    marked = [(start, end - start) for start, end in steps]
    return Trace(Path(path), steps=marked, **{"device": V100, **others})


Tensor = tuple[str, Shape]


def floats(*shape: int) -> Tensor:
    return "float", shape


def halves(*shape: int) -> Tensor:
    return "c10::Half", shape


def called(
    name: str,
    *inputs: Tensor | tuple[str, tuple[Shape, ...]] | str | None,
    at: float = 0.0,
    parent: int | None = None,
    values: bool = True,
) -> Operator:
    """An operator of 10 µs, called on tensors, and on values such as "[2, 2]".

    Args:
        values: whether the trace has them, as those of PyTorch since 2.1 do.
    """
    tensors = [None if isinstance(each, str) else each for each in inputs]
    return Operator(
        name,
        at,
        10.0,
        1,
        parent,
        10.0,
        tuple(each[1] if each else () for each in tensors),
        tuple(
            each[0] if each else "" if given is None else "Scalar"
            for each, given in zip(tensors, inputs, strict=True)
        ),
        tuple(each if isinstance(each, str) else "" for each in inputs) if values else (),
    )


def on_device(operators: list[Operator], *kernels: Kernel) -> TraceWork:
    """What is counted where the operators launched these kernels; else one of 2 µs each."""
    each = [launched(place, 100.0 * place, 2.0) for place in range(len(operators))]
    return count_work(trace(*(kernels or each), operators=operators))


def launched(
    operator: int | None, start: float, long: float, name: str = GEMM, at: float | None = None
) -> Kernel:
    """A kernel, and when the host launched it."""
    return Kernel(name, start, long, 0, operator, launched=at)


def only(operator: Operator) -> Call:
    """What is counted of one operator on the host."""
    found = count_work(trace(operators=[operator], device=HOST))
    assert not found.others, found.others
    (done,) = found.calls
    return done
