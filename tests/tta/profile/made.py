"""Traces made by hand, from lines of what ran when."""

from pathlib import Path
from typing import Any

from genset.tta.profile.trace import Copy, Device, Kernel, Operator, Trace

V100 = Device("nvidia", "Tesla V100-SXM2-16GB")
HOST = Device("none")
GEMM = "volta_sgemm_128x64_nn"
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def kernel(
    start: float,
    end: float,
    name: str = GEMM,
    on: tuple[int, int] = (0, 7),
    collective: str = "",
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
    marked = [(start, end - start) for start, end in steps]
    others = {"device": V100, **others}
    return Trace(
        Path(path), kernels=list(kernels), copies=list(copies), steps=marked, **others
    )  # fmt: skip
