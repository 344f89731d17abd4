"""Reads traces of PyTorch's profiler (Kineto's Chrome JSON)."""

import gc
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from genset.core.numbers import count
from genset.core.safe import clean
from genset.tta.traces.build import Built, built
from genset.tta.traces.events import fields
from genset.tta.traces.events.collect import Collected
from genset.tta.traces.lacks import lacks
from genset.tta.traces.refused import refused
from genset.tta.traces.stream import Members, read_events
from genset.tta.traces.trace import Device, Trace

_AMD = re.compile(r"\b(AMD|Radeon|Instinct|MI\d{2,3}\w?|gfx\d+)\b", re.IGNORECASE)


def read_trace(path: Path) -> Trace:
    """Read one rank's trace.

    A kernel is joined to the operator that was running on the thread and at the time of its
    launch; where the launch is not recorded, to the operator of its "External id".

    Raises:
        BadInput: it cannot be read, is cut off, or is no trace of an NVIDIA or AMD GPU or a CPU.
    """
    members: Members = {"distributedInfo": None, "deviceProperties": None}
    with _no_collection():
        found = Collected(path)
        for event in read_events(path, members):
            found.add(event)
        parts = built(found)
    if not (parts.kernels or parts.copies or parts.operators or parts.steps):
        raise refused(path, _nothing_in(found, parts))
    rank, ranks = _distributed(members["distributedInfo"])
    device = _device(members["deviceProperties"], parts, hip=found.hip)
    unseen = "" if device.maker != "none" else _unseen(members["deviceProperties"], found)
    trace = Trace(
        path=path,
        device=device,
        unseen=unseen,
        rank=rank,
        ranks=ranks,
        kernels=parts.kernels,
        copies=parts.copies,
        operators=parts.operators,
        steps=parts.steps,
    )
    return replace(trace, lacks=lacks(trace, parts.dropped))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Millions of objects that all stay: looking for those that do not takes a third longer."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _nothing_in(found: Collected, parts: Built) -> str:
    if not found.events:
        return "it has no event: the profiler recorded nothing"
    if parts.dropped:
        return "none of its events has a right time"
    return "none of its events is one of PyTorch's profiler"


def _distributed(recorded: Any) -> tuple[int | None, int | None]:
    """The rank, and how many there are."""
    if type(recorded) is not dict:
        return None, None
    rank = fields.amount(recorded.get("rank"))
    ranks = fields.amount(recorded.get("world_size")) or None
    if rank is not None and ranks is not None and rank >= ranks:
        rank = ranks = None
    return rank, ranks


def _unseen(recorded: Any, found: Collected) -> str:
    """By what a trace without an event on a device shows that there was one."""
    if found.launched:
        return f"it launched {count(found.launched, 'kernel')}"
    known = [each for each in recorded if type(each) is dict] if type(recorded) is list else []
    names = [clean(each["name"], 60) for each in known if type(each.get("name")) is str]
    return f"it names {names[0]}" if names and names[0] else ""


def _device(recorded: Any, parts: Built, *, hip: bool) -> Device:
    """The device that most kernels ran on."""
    used = Counter(kernel.device for kernel in parts.kernels or parts.copies)
    if not used:
        return Device("none")
    number = used.most_common(1)[0][0]
    known = [each for each in recorded if type(each) is dict] if type(recorded) is list else []
    about: dict[str, Any] = next((each for each in known if each.get("id") == number), {})
    raw = about.get("name")
    name = clean(raw) if type(raw) is str else ""
    return Device("amd" if hip or _AMD.search(name) else "nvidia", name)
