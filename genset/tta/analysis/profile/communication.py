"""How fast the ranks talked: Gbit/s by collective, as nccl-tests counts them.

The algorithm's rate is the message's size over the time. The bus rate is that times what each link
must carry of it, so that it can be held against the link's own: 2 (n - 1) / n for an all-reduce of
n ranks, (n - 1) / n for an all-gather, a reduce-scatter and an all-to-all, 1 for a broadcast, a
reduce and a send. A kernel's time holds the wait for the slowest rank: rates are lower bounds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genset.tta.analysis.profile.families import communicates as is_communication
from genset.tta.analysis.profile.intervals import length, seconds, union
from genset.tta.traces.trace import Collective, Kernel

_BITS = 8
_GIGA = 1e9


@dataclass(frozen=True, slots=True)
class Rate:
    """One collective in groups of one size.

    Attributes:
        group: how many ranks take part; None if it is not recorded.
        calls: how many kernels of it ran, over all ranks given.
        bytes: their messages' sizes, summed.
        seconds: in which at least one of them ran on its device, summed over devices.
        algorithm_gbits: of the message over the time.
        bus_gbits: of each link; None of a collective or a group that is not known.
        fastest_gbits: the bus rate of the fastest call, which waited least.
        of_link: `bus_gbits` over the link's rate, if that is given.
    """

    collective: str
    group: int | None
    calls: int
    bytes: int
    seconds: float
    algorithm_gbits: float
    bus_gbits: float | None
    fastest_gbits: float | None
    of_link: float | None


@dataclass(frozen=True, slots=True)
class Communication:
    """The kernels that communicate.

    Attributes:
        of_kernel_time: their share of all kernels' time, 0 to 1.
        unsized: the share of their own time in kernels whose message's size is not recorded.
        link_gbits: the link's advertised rate, if given.
        rates: the longest first.
    """

    of_kernel_time: float
    unsized: float
    link_gbits: float | None
    rates: list[Rate]


def communicates(kernel: Kernel) -> bool:
    """Whether it moves data between devices: the trace says so, or its name does."""
    return kernel.collective is not None or is_communication(kernel.name)


def communication(ranks: Sequence[Sequence[Kernel]], link: float | None) -> Communication | None:
    """What the kernels of each rank moved; None if none communicates.

    Args:
        ranks: each rank's kernels.
        link: Gbit/s of the link between devices, as its maker gives it.
    """
    whole = sum(kernel.length for kernels in ranks for kernel in kernels)
    talking = [
        (rank, kernel) for rank, kernels in enumerate(ranks) for kernel in kernels
        if communicates(kernel)
    ]  # fmt: skip
    time = sum(kernel.length for _, kernel in talking)
    if not time:
        return None
    groups: dict[tuple[str, int | None], list[tuple[int, Kernel]]] = {}
    unsized = 0.0
    for rank, kernel in talking:
        moved = kernel.collective
        if moved is None or not _size(moved):
            unsized += kernel.length
        else:
            groups.setdefault((moved.name, moved.group), []).append((rank, kernel))
    rates = [
        rate
        for (name, group), calls in groups.items()
        if (rate := _rate(name, group, calls, link)) is not None
    ]
    return Communication(
        of_kernel_time=time / whole,
        unsized=unsized / time,
        link_gbits=link,
        rates=sorted(rates, key=lambda each: (-each.seconds, each.collective, each.group or 0)),
    )


def bus_factor(collective: str, group: int | None) -> float | None:
    """What a link carries for each byte of the message; None if it is not known."""
    kind = "".join(letter for letter in collective.lower() if letter.isalpha())
    if "barrier" in kind:
        return None
    if any(word in kind for word in ("broadcast", "send", "recv", "pointtopoint")):
        return 1.0
    if group is None or group < 1:
        return None
    if "allreduce" in kind:
        return 2 * (group - 1) / group
    shared = ("allgather", "reducescatter", "alltoall", "gather", "scatter")
    if any(word in kind for word in shared):
        return (group - 1) / group
    return 1.0 if kind.endswith("reduce") else None


def _rate(
    name: str, group: int | None, calls: Iterable[tuple[int, Kernel]], link: float | None
) -> Rate | None:
    known = [(rank, kernel, _size(kernel.collective)) for rank, kernel in calls]
    on: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for rank, kernel, _ in known:
        on.setdefault((rank, kernel.device), []).append(
            (kernel.start, kernel.start + kernel.length)
        )
    time = seconds(sum(length(union(stretches)) for stretches in on.values()))
    if time <= 0:
        return None
    moved = sum(size for _, _, size in known)
    factor = bus_factor(name, group)
    algorithm = _gbits(moved, time)
    bus = None if factor is None else algorithm * factor
    each = [_gbits(size, seconds(kernel.length)) for _, kernel, size in known if kernel.length > 0]
    return Rate(
        collective=name,
        group=group,
        calls=len(known),
        bytes=moved,
        seconds=time,
        algorithm_gbits=algorithm,
        bus_gbits=bus,
        fastest_gbits=None if factor is None or not each else max(each) * factor,
        of_link=None if bus is None or not link else bus / link,
    )


def _size(moved: Collective | None) -> int:
    """The message's bytes: of all ranks where each has a part (nccl-tests' own definition)."""
    if moved is None or not moved.bytes_each:
        return 0
    return max(moved.elements_in, moved.elements_out) * moved.bytes_each


def _gbits(size: float, time: float) -> float:
    return size * _BITS / time / _GIGA
