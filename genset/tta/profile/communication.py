"""How fast the ranks communicated: Gbit/s by collective, as nccl-tests counts them.

The algorithm's rate is the message's size over the time. The bus rate is that times what each link
must carry of it, so that it can be held against the link's own: 2 (n - 1) / n for an all-reduce of
n ranks, (n - 1) / n for an all-gather, a reduce-scatter and an all-to-all, 1 for a broadcast, a
reduce and a send. A kernel's time holds the wait for the slowest rank: rates are lower bounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from genset.core.numbers import count
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.tta.profile.kernels import communicates
from genset.tta.profile.span import length, seconds, union, when
from genset.tta.traces.trace import Collective, Kernel
from genset.tta.words import name_column, quantity, rate, share, short_name, short_time


@dataclass(frozen=True, slots=True)
class Rate:
    """One collective in groups of one size.

    Attributes:
        group: how many ranks take part; None if it is not recorded and no rate needs it.
        group_assumed: it is not recorded, and assumed to be all ranks of the run.
        calls: how many kernels of it ran, over all ranks given.
        bytes: their messages' sizes, summed.
        seconds: in which at least one of them ran on its device, summed over devices.
        algorithm_gbits: of the message over the time.
        bus_gbits: of each link; None of a collective or a group that is not known.
        fastest_algorithm_gbits, fastest_bus_gbits: of the fastest call, which waited least.
        of_link: `bus_gbits` over the link's rate, if known.
    """

    collective: str
    group: int | None
    group_assumed: bool
    calls: int
    bytes: int
    seconds: float
    algorithm_gbits: float
    bus_gbits: float | None
    fastest_algorithm_gbits: float | None
    fastest_bus_gbits: float | None
    of_link: float | None


@dataclass(frozen=True, slots=True)
class Communication:
    """The kernels that communicate.

    Attributes:
        of_kernel_time: their share of all kernels' time, 0 to 1.
        unknown: the part of their time in kernels whose message has no known size, 0 to 1.
        unknown_calls: how many those are.
        link_gbits: the link's advertised rate, if given.
        rates: the longest first.
    """

    of_kernel_time: float
    unknown: float
    unknown_calls: int
    link_gbits: float | None
    rates: list[Rate]


def communication(
    ranks: Sequence[Sequence[Kernel]], link: float | None, world: int | None = None
) -> Communication | None:
    """What the kernels of each rank moved; None if none communicates.

    Args:
        ranks: each rank's kernels.
        world: how many ranks the run has: a group whose size is not recorded is thought to be all.
        link: Gbit/s of the link between devices, as its maker gives it.
    """
    whole = sum(kernel.length for kernels in ranks for kernel in kernels)
    communicating = [
        (rank, kernel) for rank, kernels in enumerate(ranks) for kernel in kernels
        if communicates(kernel)
    ]  # fmt: skip
    time = sum(kernel.length for _, kernel in communicating)
    if not time:
        return None
    groups: dict[_Group, list[_Call]] = {}
    unsized: list[Kernel] = []
    for rank, kernel in communicating:
        moved = kernel.collective
        group = _group(moved, world)
        size = _size(moved, group.ranks)
        if size is None:
            unsized.append(kernel)
        else:
            groups.setdefault(group, []).append(_Call(rank, kernel, size))
    rates = [
        rate for group, calls in groups.items() if (rate := _rate(group, calls, link)) is not None
    ]
    return Communication(
        of_kernel_time=time / whole,
        unknown=sum(kernel.length for kernel in unsized) / time,
        unknown_calls=len(unsized),
        link_gbits=link,
        rates=sorted(rates, key=lambda rate: (-rate.seconds, rate.collective, rate.group or 0)),
    )


def communication_tables(found: Mapping[str, Communication]) -> list[Table]:
    """A line for each collective, and what part of it has no size; by run."""
    if not found:
        return []
    linked = any(of.link_gbits is not None for of in found.values())
    columns = [
        name_column("run"),
        Column("collective", format=lambda text: clean(text, 40)),
        Column("ranks"),
        Column("calls", format=lambda calls: f"{calls:,}"),
        Column("bytes", "moved", format=lambda moved: quantity(moved, "B")),
        Column("seconds", "time", format=short_time),
        Column("algorithm_gbits", "algorithm", format=_gbits_words),
        Column("bus_gbits", "bus", format=_gbits_words),
        Column("fastest_bus_gbits", "fastest call's bus", format=_gbits_words),
        *[Column("of_link", "bus ÷ link", format=share)] * linked,
    ]
    rows = [
        [
            name,
            line.collective,
            line.group and Cell(line.group, f"{line.group}{' (assumed)' * line.group_assumed}"),
            line.calls,
            line.bytes,
            line.seconds,
            line.algorithm_gbits,
            line.bus_gbits,
            _fastest(line),
            *[line.of_link] * linked,
        ]
        for name, of in found.items()
        for line in of.rates
    ]
    notes = [f"{short_name(name)}: {note}" for name, of in found.items() for note in _notes(of)]
    if not rows:
        return [Table(title="Communication", notes=notes)]
    notes.append(
        "algorithm: the message over its time; bus: what each link carried, as nccl-tests count; "
        "lower bounds, since a kernel's time includes the wait for the slowest rank"
    )
    return [Table(columns, rows, "Communication by collective", notes)]


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
    return 1.0 if kind.endswith(("reduce", "reduceoop")) else None


class _Group(NamedTuple):
    """Calls of one collective in groups of one size."""

    collective: str
    ranks: int | None
    assumed: bool


class _Call(NamedTuple):
    """A kernel and its message's bytes."""

    rank: int
    kernel: Kernel
    size: int


def _group(moved: Collective | None, world: int | None) -> _Group:
    if moved is None:
        return _Group("", None, assumed=False)
    if moved.group is None and bus_factor(moved.name, None) != bus_factor(moved.name, world):
        return _Group(moved.name, world, assumed=True)
    return _Group(moved.name, moved.group, assumed=False)


def _rate(group: _Group, calls: Sequence[_Call], link: float | None) -> Rate | None:
    on: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for rank, kernel, _ in calls:
        on.setdefault((rank, kernel.device), []).append(when(kernel))
    time = seconds(sum(length(union(stretches)) for stretches in on.values()))
    if time <= 0:
        return None
    moved = sum(call.size for call in calls)
    factor = bus_factor(group.collective, group.ranks)
    algorithm = _gbits(moved, time)
    bus = None if factor is None else algorithm * factor
    fastest = max(
        (_gbits(size, seconds(kernel.length)) for _, kernel, size in calls if kernel.length > 0),
        default=None,
    )
    return Rate(
        collective=group.collective,
        group=group.ranks,
        group_assumed=group.assumed,
        calls=len(calls),
        bytes=moved,
        seconds=time,
        algorithm_gbits=algorithm,
        bus_gbits=bus,
        fastest_algorithm_gbits=fastest,
        fastest_bus_gbits=None if factor is None or fastest is None else fastest * factor,
        of_link=None if bus is None or not link else bus / link,
    )


def _size(moved: Collective | None, ranks: int | None) -> int | None:
    """The message's bytes: of all ranks where each has a part (nccl-tests' own definition)."""
    if moved is None or not moved.element_bytes:
        return None
    elements = max(moved.elements_in, moved.elements_out or 0)
    if moved.elements_out is None and "gather" in moved.name:
        elements *= ranks or 0
    return elements * moved.element_bytes or None


def _gbits(size: float, time: float) -> float:
    return 8 * size / time / 1e9


def _notes(found: Communication) -> Iterator[str]:
    yield f"{share(found.of_kernel_time)} of kernel time is communication"
    if found.unknown_calls:
        kernels = count(found.unknown_calls, "kernel")
        yield f"{share(found.unknown)} of it ({kernels}): the message's size is not recorded"
    assumed = next((line.group for line in found.rates if line.group_assumed), None)
    if assumed is not None:
        yield (
            f"assumed: the size of a group is not recorded, and assumed to be all {assumed} ranks "
            "of the run; in smaller groups a link carried less"
        )
    if found.link_gbits is not None:
        yield f"the link's advertised rate is {_gbits_words(found.link_gbits)}"


def _fastest(found: Rate) -> Cell | None:
    """The fastest call's bus rate; if there is none, its algorithm rate, marked so."""
    bus, algorithm = found.fastest_bus_gbits, found.fastest_algorithm_gbits
    if found.bus_gbits is None and algorithm is not None:
        return Cell(None, f"{_gbits_words(algorithm)} (algorithm)")
    return None if bus is None else Cell(bus, _gbits_words(bus))


def _gbits_words(value: float) -> str:
    return f"{rate(value)} Gbit/s"
