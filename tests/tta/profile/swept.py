"""Shares of a device's time straight from a trace's JSON, by counting what is running.

Nothing of genset's is used: starts and ends are sorted, and between two of them the number of
running events of each kind is known.
"""

import gzip
import json
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

Event = dict[str, Any]
ON_DEVICE = {"kernel": "computing", "gpu_memcpy": "copying", "gpu_memset": "copying"}


def events(path: Path) -> list[Event]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        # Exact, since a float of microseconds since 1970 is rounded to a quarter of one.
        found: list[Event] = json.load(file, parse_float=Decimal)["traceEvents"]
    return found


def kind(event: Event) -> str | None:
    """Of an event on the device; None of others."""
    if event.get("cat") == "kernel" and event["name"].startswith("nccl"):
        return "talking"
    return ON_DEVICE.get(event.get("cat", ""))


def ends(found: list[Event]) -> tuple[Decimal, Decimal]:
    return min(e["ts"] for e in found), max(e["ts"] + e["dur"] for e in found)


def launches(found: list[Event]) -> dict[int, Decimal]:
    """When each call of the runtime was made, by the number that its kernel has too."""
    calls = [event for event in found if event.get("cat") in ("cuda_runtime", "cuda_driver")]
    return {event["args"]["correlation"]: event["ts"] for event in calls}


def shares(found: list[Event]) -> dict[str, float]:
    """Of the marked steps and what they launched, or from the device's first event to its last."""
    running = [event for event in found if kind(event)]
    steps = [
        event
        for event in found
        if event.get("cat") in ("user_annotation", "cpu_op")
        and event["name"].startswith("ProfilerStep#")
    ]
    start, end = ends(steps or running)
    if steps:
        called = launches(found)
        # What was launched before the recording has no call.
        made = [called.get(event["args"]["correlation"], end + 1) for event in running]
        ours = [event for event, call in zip(running, made, strict=True) if start <= call <= end]
        end = max(end, ends(ours)[1]) if ours else end
    turns: list[tuple[Decimal, str | None, int]] = [(start, "", 0), (end, "", 0)]
    for event in running:
        turns.append((event["ts"], kind(event), 1))
        turns.append((event["ts"] + event["dur"], kind(event), -1))
    turns.sort(key=lambda turn: turn[0])
    now: Counter[str] = Counter()
    spent: dict[str, Decimal] = defaultdict(Decimal)
    before = start
    for at, what, more in turns:
        long = min(at, end) - max(before, start)
        if long > 0:
            for each in ("computing", "talking", "copying"):
                spent[each] += long if now[each] else 0
            spent["exposed"] += long if now["talking"] and not now["computing"] else 0
            alone = now["copying"] and not now["talking"] and not now["computing"]
            spent["copying_alone"] += long if alone else 0
            spent["idle"] += 0 if any(now.values()) else long
        before = at
        now[what or ""] += more
    return {what: float(long / (end - start)) for what, long in spent.items()}


def of_kernel_time(found: list[Event], *words: str) -> float:
    """The share of kernel time in kernels with one of the words in their names."""
    kernels = [event for event in found if event.get("cat") == "kernel"]
    named = [k for k in kernels if any(word in k["name"].lower() for word in words)]
    return float(sum(k["dur"] for k in named)) / float(sum(k["dur"] for k in kernels))
