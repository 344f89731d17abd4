"""Small traces, as tests write them: each event in the profiler's own words."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Event = dict[str, Any]


def event(category: str, name: str, start: float, length: float, **about: Any) -> Event:
    """An event of one process and thread; `about` are its arguments, blanks written as "_"."""
    arguments = {key.replace("_", " "): value for key, value in about.items()}
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": 1,
        "tid": arguments.pop("tid", 7),
        "ts": start,
        "dur": length,
        "args": arguments,
    }


def operator(name: str, start: float, length: float, **about: Any) -> Event:
    return event("cpu_op", name, start, length, **about)


def launch(start: float, correlation: int, **about: Any) -> Event:
    return event("cuda_runtime", "cudaLaunchKernel", start, 2, correlation=correlation, **about)


def kernel(name: str, start: float, length: float, correlation: int, **about: Any) -> Event:
    about = {"device": 0, "stream": 7, **about}
    return event("kernel", name, start, length, correlation=correlation, **about)


def write(path: Path, events: Sequence[Any], **members: Any) -> Path:
    """A trace with these events, and what stands beside them after them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"schemaVersion": 1, "traceEvents": events, **members}, indent=1)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path
