"""How long ranks communicated, by collective.

A kernel's time holds the wait for the slowest rank. What other work hides is in `shares`; what a
link carries, nccl-tests measure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.tta.profile.kernels import communicates
from genset.tta.profile.span import length, seconds, union, when
from genset.tta.traces.trace import Kernel
from genset.tta.words import name_column, share, short_time


@dataclass(frozen=True, slots=True)
class CollectiveTime:
    """The kernels of one collective, over all ranks given.

    Attributes:
        collective: as recorded: "allreduce"; "" of kernels of which it is not.
        calls: how many kernels of it ran.
        seconds: in which at least one of them ran on its device, summed over devices.
        share: of all kernels' time, 0 to 1.
    """

    collective: str
    calls: int
    seconds: float
    share: float


@dataclass(frozen=True, slots=True)
class Communication:
    """The kernels that communicate.

    Attributes:
        of_kernel_time: their share of all kernels' time, 0 to 1.
        collectives: the longest first.
    """

    of_kernel_time: float
    collectives: list[CollectiveTime]


def communication(ranks: Sequence[Sequence[Kernel]]) -> Communication | None:
    """What the kernels of each rank did; None if none communicates."""
    whole = sum(kernel.length for kernels in ranks for kernel in kernels)
    groups: dict[str, list[tuple[int, Kernel]]] = {}
    for rank, kernels in enumerate(ranks):
        for kernel in filter(communicates, kernels):
            groups.setdefault(kernel.collective, []).append((rank, kernel))
    found = []
    for name, calls in groups.items():
        on: dict[tuple[int, int], list[tuple[float, float]]] = {}
        for rank, kernel in calls:
            on.setdefault((rank, kernel.device), []).append(when(kernel))
        time = seconds(sum(length(union(stretches)) for stretches in on.values()))
        of_whole = sum(kernel.length for _, kernel in calls) / whole if whole else 0.0
        found.append(CollectiveTime(name, len(calls), time, of_whole))
    total = sum(of.share for of in found)
    if not total:
        return None
    return Communication(total, sorted(found, key=lambda of: (-of.seconds, of.collective)))


def communication_tables(found: Mapping[str, Communication]) -> list[Table]:
    """A line for each collective; by run."""
    if not found:
        return []
    columns = [
        name_column("run"),
        Column("collective", format=lambda text: clean(text, 40)),
        Column("calls", format=lambda calls: f"{calls:,}"),
        Column("seconds", "time", format=short_time),
        Column("share", "of kernel time", format=share),
    ]
    rows = [
        [name, line.collective or None, line.calls, line.seconds, line.share]
        for name, of in found.items()
        for line in of.collectives
    ]
    notes = ["a kernel's time includes the wait for the slowest rank"]
    return [Table(columns, rows, "Communication by collective", notes)]
