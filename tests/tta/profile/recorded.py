"""Traces as PyTorch's profiler writes them, of a training whose numbers are known beforehand."""

import gzip
import json
from pathlib import Path
from typing import Any

PRODUCT = "volta_sgemm_128x64_nn"
ON_MATRIX_UNITS = "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
V100 = "Tesla V100-SXM2-16GB"

STEPS = 2
STEP = 1000.0  # microseconds, of which 600 compute, 200 only communicate, 100 only copy
TALK = 300.0  # of each step, 100 of them beside a kernel
ELEMENTS = 1_000_000  # of an all-reduce
SIZE = 512  # of the matrices


def write_rank(path: Path, rank: int = 0, ranks: int = 2, talk: float = TALK, **said: Any) -> Path:
    """One rank: in each step two products, an all-reduce and a copy, and 100 µs of nothing.

    Args:
        talk: microseconds of each all-reduce, which begins 100 before the products end.
        said: `device` (its name), `steps` (False: not marked), `shapes` (False: not recorded).
    """
    events: list[dict[str, Any]] = []
    for step in range(STEPS):
        begin = 1e9 + step * STEP
        if said.get("steps", True):
            name = f"ProfilerStep#{step}"
            events.append(_event("user_annotation", name, begin, STEP))
        products = ((PRODUCT, "float", 0.0, 400.0), (ON_MATRIX_UNITS, "c10::Half", 400.0, 200.0))
        for place, (kernel, kind, after, length) in enumerate(products):
            number = 10 * step + place + 1
            inputs: dict[str, Any] = {"External id": number}
            if said.get("shapes", True):
                inputs |= {
                    "Input Dims": [[SIZE, SIZE], [SIZE, SIZE]],
                    "Input type": [kind, kind],
                    "Concrete Inputs": ["", ""],
                }
            events.append(_event("cpu_op", "aten::mm", begin + 20 * place, 10, **inputs))
            launch = {"correlation": number, "External id": number}
            launched = begin + 20 * place + 2
            events.append(_event("cuda_runtime", "cudaLaunchKernel", launched, 2, **launch))
            events.append(_on_device("kernel", kernel, begin + after, length, 7, number))
        if talk:
            moved = {
                "Collective name": "allreduce",
                "In msg nelems": ELEMENTS,
                "Out msg nelems": ELEMENTS,
                "Group size": ranks,
                "dtype": "Float",
            }
            events.append(_on_device("kernel", ALL_REDUCE, begin + 500, talk, 20, 90 + step, moved))
        copied = begin + 500 + max(talk, 100)
        name = "Memcpy HtoD (Pinned -> Device)"
        events.append(_on_device("gpu_memcpy", name, copied, 100, 7, 80 + step, {"bytes": 4096}))
    device = {
        "id": 0,
        "name": said.get("device", V100),
        "computeMajor": 7,
        "computeMinor": 0,
    }
    trace = {
        "schemaVersion": 1,
        "deviceProperties": [device],
        "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks},
        "traceEvents": events,
    }
    return _write(path, trace)


def write_host(path: Path) -> Path:
    """A trace of the host alone: two products."""
    inputs = {
        "Input Dims": [[SIZE, SIZE], [SIZE, SIZE]],
        "Input type": ["float", "float"],
        "Concrete Inputs": ["", ""],
    }
    events = [
        _event("cpu_op", "aten::mm", 1000.0 * at, 500.0, **{"External id": at, **inputs})
        for at in (1, 2)
    ]
    return _write(path, {"schemaVersion": 1, "deviceProperties": [], "traceEvents": events})


def _write(path: Path, trace: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(trace).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def _event(kind: str, name: str, ts: float, dur: float, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": kind, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur} | (
        {"args": args} if args else {}
    )


def _on_device(
    kind: str,
    name: str,
    ts: float,
    dur: float,
    stream: int,
    correlation: int,
    more: dict[str, Any] | None = None,
) -> dict[str, Any]:
    args = {"device": 0, "stream": stream, "correlation": correlation, **(more or {})}
    return _event(kind, name, ts, dur, **args) | {"pid": 0, "tid": stream}
