"""Traces as PyTorch's profiler writes them, of a training whose numbers are known beforehand."""

from pathlib import Path
from typing import Any

from tests.tta.profile.events import Event, event, kernel, launch, operator, write

PRODUCT = "volta_sgemm_128x64_nn"
ON_MATRIX_UNITS = "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
V100 = "Tesla V100-SXM2-16GB"

STEPS = 2
STEP = 1000.0  # microseconds, of which 600 compute, 200 only communicate, 100 only copy
TALK = 300.0  # of each step, 100 of them beside a kernel
SIZE = 512  # of the matrices


def write_rank(path: Path, rank: int = 0, ranks: int = 2, talk: float = TALK, **said: Any) -> Path:
    """One rank: in each step two products, an all-reduce and a copy, and 100 µs of nothing.

    Args:
        talk: microseconds of each all-reduce, which begins 100 before the products end.
        said: `device` (its name), `steps` (False: not marked), `shapes` (False: not recorded).
    """
    events: list[Event] = []
    for step in range(STEPS):
        begin = 1e9 + step * STEP
        if said.get("steps", True):
            events.append(event("user_annotation", f"ProfilerStep#{step}", begin, STEP))
        products = ((PRODUCT, "float", 0.0, 400.0), (ON_MATRIX_UNITS, "c10::Half", 400.0, 200.0))
        for place, (name, kind, after, length) in enumerate(products):
            number, called = 10 * step + place + 1, begin + 20 * place
            inputs = _inputs(kind) if said.get("shapes", True) else {}
            events += [
                operator("aten::mm", called, 10, External_id=number, **inputs),
                launch(called + 2, number, External_id=number),
                kernel(name, begin + after, length, number),
            ]
        if talk:
            moved = {"Collective_name": "allreduce", "Group_size": ranks, "stream": 20}
            events.append(kernel(ALL_REDUCE, begin + 500, talk, 90 + step, **moved))
        copied = {"device": 0, "stream": 7, "correlation": 80 + step, "bytes": 4096}
        name, at = "Memcpy HtoD (Pinned -> Device)", begin + 500 + max(talk, 100)
        events.append(event("gpu_memcpy", name, at, 100, **copied))
    device = {"id": 0, "name": said.get("device", V100), "computeMajor": 7, "computeMinor": 0}
    spread = {"backend": "nccl", "rank": rank, "world_size": ranks}
    return write(path, events, deviceProperties=[device], distributedInfo=spread)


def write_host(path: Path) -> Path:
    """A trace of the host alone: two products."""
    calls = [operator("aten::mm", 1000.0 * at, 500.0, **_inputs("float")) for at in (1, 2)]
    return write(path, calls, deviceProperties=[])


def _inputs(kind: str) -> dict[str, Any]:
    shapes = [[SIZE, SIZE], [SIZE, SIZE]]
    return {"Input_Dims": shapes, "Input_type": [kind, kind], "Concrete_Inputs": ["", ""]}
