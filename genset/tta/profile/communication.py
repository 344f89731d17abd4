"""How fast the ranks talked: Gbit/s by collective, as nccl-tests counts them.

The algorithm's rate is the message's size over the time. The bus rate is that times what each link
must carry of it, so that it can be held against the link's own: 2 (n - 1) / n for an all-reduce of
n ranks, (n - 1) / n for an all-gather, a reduce-scatter and an all-to-all, 1 for a broadcast, a
reduce and a send. A kernel's time holds the wait for the slowest rank: rates are lower bounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from genset.core.numbers import NONE, count
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.profile.kernels import communicates
from genset.tta.profile.shares import length, seconds, union
from genset.tta.traces.trace import Collective, Kernel
from genset.tta.words import percent, quantity, rate, short_name, short_time

_BITS = 8
_GIGA = 1e9

Cause = Literal["size", "type", "group", "empty"]


@dataclass(frozen=True, slots=True)
class Rate:
    """One collective in groups of one size.

    Attributes:
        group: how many ranks take part; None if it is not recorded and no rate needs it.
        group_assumed: it is not recorded, and taken to be all ranks of the run.
        calls: how many kernels of it ran, over all ranks given.
        bytes: their messages' sizes, summed.
        seconds: in which at least one of them ran on its device, summed over devices.
        algorithm_gbits: of the message over the time.
        bus_gbits: of each link; None of a collective or a group that is not known.
        fastest_algorithm_gbits, fastest_bus_gbits: of the fastest call, which waited least.
        of_link: `bus_gbits` over the link's rate, if that is given.
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
class Unsized:
    """Kernels of whose message the size is not known.

    Attributes:
        cause: "size": the trace does not say it; "type": of elements whose bytes are not known;
            "group": it follows from the number of ranks, which is not recorded; "empty": no
            element was moved, as by a barrier.
        share: of the time of the kernels that communicate, 0 to 1.
        types: of elements whose bytes are not known, as recorded.
    """

    cause: Cause
    share: float
    calls: int
    types: list[str]


@dataclass(frozen=True, slots=True)
class Communication:
    """The kernels that communicate.

    Attributes:
        of_kernel_time: their share of all kernels' time, 0 to 1.
        unsized: what of their own time is in kernels whose message's size is not known, by cause.
        link_gbits: the link's advertised rate, if given.
        rates: the longest first.
    """

    of_kernel_time: float
    unsized: list[Unsized]
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
    talking = [
        (rank, kernel) for rank, kernels in enumerate(ranks) for kernel in kernels
        if communicates(kernel)
    ]  # fmt: skip
    time = sum(kernel.length for _, kernel in talking)
    if not time:
        return None
    groups: dict[_Group, list[_Call]] = {}
    unsized: dict[Cause, list[Kernel]] = {}
    for rank, kernel in talking:
        moved = kernel.collective
        group = _group(moved, world)
        size = _size(moved, group.ranks)
        if isinstance(size, int):
            groups.setdefault(group, []).append(_Call(rank, kernel, size))
        else:
            unsized.setdefault(size, []).append(kernel)
    rates = [
        rate for group, calls in groups.items() if (rate := _rate(group, calls, link)) is not None
    ]
    return Communication(
        of_kernel_time=time / whole,
        unsized=[_unsized(cause, kernels, time) for cause, kernels in sorted(unsized.items())],
        link_gbits=link,
        rates=sorted(rates, key=lambda rate: (-rate.seconds, rate.collective, rate.group or 0)),
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


def _unsized(cause: Cause, kernels: Sequence[Kernel], time: float) -> Unsized:
    types = {kernel.collective.unknown_type for kernel in kernels if kernel.collective}
    share = sum(kernel.length for kernel in kernels) / time
    return Unsized(cause, share, len(kernels), sorted(types - {""}) if cause == "type" else [])


def _rate(group: _Group, calls: Sequence[_Call], link: float | None) -> Rate | None:
    on: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for rank, kernel, _ in calls:
        on.setdefault((rank, kernel.device), []).append(
            (kernel.start, kernel.start + kernel.length)
        )
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


def _size(moved: Collective | None, ranks: int | None) -> "int | Cause":
    """The message's bytes: of all ranks where each has a part (nccl-tests' own definition)."""
    if moved is None:
        return "size"
    elements = max(moved.elements_in, moved.elements_out or 0)
    if not elements:
        return "empty"
    if not moved.bytes_each:
        return "type"
    if moved.elements_out is None and "gather" in moved.name:
        if ranks is None:
            return "group"
        elements *= ranks
    return elements * moved.bytes_each


def _gbits(size: float, time: float) -> float:
    return size * _BITS / time / _GIGA


def communication_grids(found: Mapping[str, Communication]) -> list[Grid]:
    """A line for each collective, and what part of it has no size; by run."""
    if not found:
        return []
    linked = any(talk.link_gbits is not None for talk in found.values())
    head = ["run", "collective", "ranks", "calls", "moved", "time", "algorithm", "bus"]
    head += ["fastest call's bus", *["bus ÷ link"] * linked]
    rows = [
        [
            short_name(run),
            clean(rate.collective, 40),
            _ranks(rate),
            f"{rate.calls:,}",
            quantity(rate.bytes, "B"),
            short_time(rate.seconds),
            _gbits_text(rate.algorithm_gbits),
            _gbits_text(rate.bus_gbits),
            _fastest(rate),
            *[percent(rate.of_link)] * linked,
        ]
        for run, talk in found.items()
        for rate in talk.rates
    ]
    notes = [f"{short_name(run)}: {note}" for run, talk in found.items() for note in _notes(talk)]
    if not rows:
        return [Grid("Communication", notes=notes)]
    notes.append(
        "algorithm: the message over its time; bus: what each link carried, as nccl-tests "
        "count; a kernel's time holds the wait for the slowest rank, so these are lower bounds"
    )
    return [Grid("Communication by collective", head, rows, notes)]


def _notes(talk: Communication) -> Iterator[str]:
    yield f"{percent(talk.of_kernel_time)} of kernel time is communication"
    for each in talk.unsized:
        yield _why(each)
    assumed = next((rate.group for rate in talk.rates if rate.group_assumed), None)
    if assumed is not None:
        yield (
            f"the sizes of groups are not recorded where it says so, and assumed to be all "
            f"{assumed} ranks of the run: in smaller groups a link carried less"
        )
    if talk.link_gbits is not None:
        yield f"the link's advertised rate is {_gbits_text(talk.link_gbits)}"


def _why(found: Unsized) -> str:
    """Why the size of a message is not known."""
    of = f"of {percent(found.share)} of it ({count(found.calls, 'kernel')})"
    if found.cause == "type":
        types = clean(", ".join(found.types), 120) or "not recorded"
        return f"{of} it is not known how many bytes an element has: its type is {types}"
    if found.cause == "group":
        return f"{of} the message follows from the number of ranks, which is not recorded"
    if found.cause == "empty":
        return f"{of} the trace says that it moved no element, as a barrier moves none"
    return f"{of} the trace does not say what it moved"


def _ranks(found: Rate) -> str:
    if found.group is None:
        return NONE
    return f"{found.group} (assumed)" if found.group_assumed else str(found.group)


def _fastest(found: Rate) -> str:
    if found.bus_gbits is None and found.fastest_algorithm_gbits is not None:
        return f"{_gbits_text(found.fastest_algorithm_gbits)} (algorithm)"
    return _gbits_text(found.fastest_bus_gbits)


def _gbits_text(value: float | None) -> str:
    return NONE if value is None else f"{rate(value)} Gbit/s"
