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
from genset.tta.traces import fields
from genset.tta.traces.build import Built, built
from genset.tta.traces.collect import Collected
from genset.tta.traces.stream import Members, read_events
from genset.tta.traces.trace import Device, Kernel, Operator, Trace, refused

_CALLS = ("nccl", "rccl")
_LISTS = ("TensorList", "GenericList", "OptionalTensorList")


def lacks(trace: Trace, dropped: int) -> list[str]:
    """A sentence for each thing that is not in the trace.

    Args:
        trace: whatever it lacks so far.
        dropped: how many events have no right time.
    """
    said = []
    if dropped:
        said.append(
            f"{count(dropped, 'event')} left out: they have no time, a negative one, or one days "
            "away from the rest."
        )
    if trace.unseen:
        said.append(
            f"It has no kernels, though {trace.unseen}: record with ProfilerActivity.CUDA, and "
            "where that was done, let no other profiler run beside it (CUPTI takes one at a time)."
        )
    elif not trace.kernels:
        said.append(
            "It has no kernels: if a GPU was used, record with ProfilerActivity.CUDA (also for "
            "AMD's)."
        )
    if not trace.operators:
        said.append("It has no operators: record with ProfilerActivity.CPU too.")
    else:
        said += _of_inputs(trace.operators)
        said += _of_launches(trace.kernels)
    said += _of_messages(trace.kernels)
    if not trace.steps:
        said.append("It marks no steps: call the profiler's step() after each training step.")
    return said


def _of_inputs(operators: list[Operator]) -> list[str]:
    shaped = [operator for operator in operators if operator.shapes is not None]
    if not shaped:
        return ["It has no shapes of inputs: record with record_shapes=True."]
    said = []
    if not any(each.values for each in shaped):
        said.append(
            "It has no strides and paddings of convolutions: record with PyTorch 2.1 or newer."
        )
    lists = sum(
        any(
            kind.startswith(_LISTS) and not shape
            for kind, shape in zip(each.types, each.shapes or (), strict=True)
        )
        for each in shaped
    )
    if lists:
        said.append(
            f"{count(lists, 'operator')} took a list of tensors whose shapes are not recorded "
            "(PyTorch leaves out those of long lists, and older ones of all)."
        )
    return said


def _of_launches(kernels: list[Kernel]) -> list[str]:
    lost = sum(kernel.operator is None for kernel in kernels)
    if not lost:
        return []
    return [
        f"{count(lost, 'kernel')} of {len(kernels):,} cannot be told which operator launched "
        "them: their launches lie before the recording, or in no operator."
    ]


def _of_messages(kernels: list[Kernel]) -> list[str]:
    said = []
    silent = sum(
        kernel.collective is None and any(word in kernel.name.lower() for word in _CALLS)
        for kernel in kernels
    )
    if silent:
        said.append(
            f"{count(silent, 'communication kernel')} of which it does not say how much they "
            "moved: record with PyTorch 2.4 or newer."
        )
    moved = [kernel.collective for kernel in kernels if kernel.collective]
    odd = [
        each for each in moved if not each.bytes_each and (each.elements_in or each.elements_out)
    ]
    if odd:
        types = ", ".join(sorted({each.unknown_type for each in odd} - {""})) or "none is recorded"
        said.append(
            f"{count(len(odd), 'communication kernel')} moved elements of a type whose bytes are "
            f"not known ({clean(types, 120)}), so that its message has no size."
        )
    return said


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
