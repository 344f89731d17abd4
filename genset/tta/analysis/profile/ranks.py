"""Whether traces are of different ranks of one run."""

from collections.abc import Sequence
from itertools import combinations

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.tta.traces.trace import Trace


def in_order(name: str, traces: Sequence[Trace]) -> list[Trace]:
    """The traces of the run by rank; those without a number last, as given.

    Raises:
        BadInput: none, a file or a rank given twice, runs of different sizes or different devices.
    """
    if not traces:
        raise BadInput(f"{name}: no trace is given")
    for one, other in combinations(traces, 2):
        _apart(name, one, other)
    return sorted(traces, key=lambda trace: (trace.rank is None, trace.rank or 0))


def _apart(name: str, one: Trace, other: Trace) -> None:
    """Refuse two that are one, or of different runs."""
    paths = f"{one.path} and {other.path}"
    if one.path.resolve() == other.path.resolve():
        raise BadInput(f"{name}: {one.path} is named twice; name each rank's trace once")
    if _same_events(one, other):
        raise BadInput(f"{name}: {paths} hold the same events; name each rank's trace once")
    if one.rank is not None and one.rank == other.rank:
        raise BadInput(
            f"{name}: {paths} are both of rank {one.rank}; if they are different runs, give them "
            "different names"
        )
    if one.ranks and other.ranks and one.ranks != other.ranks:
        raise BadInput(
            f"{name}: {one.path} is of a run of {count(one.ranks, 'rank')} and {other.path} of one "
            f"of {other.ranks}; give them different names"
        )
    for told, silent in ((one, other), (other, one)):
        if (told.ranks or 1) > 1 and silent.ranks is None and silent.rank is None:
            raise BadInput(
                f"{name}: {told.path} is of a run of {told.ranks} ranks and {silent.path} says "
                "nothing of ranks, as a run on one device does; give them different names"
            )
    kinds = [_device(one), _device(other)]
    named = one.device.name and other.device.name
    if one.device.maker != other.device.maker or (named and kinds[0] != kinds[1]):
        raise BadInput(
            f"{name}: {one.path} ran on {kinds[0]} and {other.path} on {kinds[1]}; give them "
            "different names"
        )


def _same_events(one: Trace, other: Trace) -> bool:
    events = (one.kernels, one.copies, one.operators)
    return any(events) and events == (other.kernels, other.copies, other.operators)


def _device(trace: Trace) -> str:
    if trace.device.maker == "none":
        return "the host alone"
    return trace.device.name or {"nvidia": "NVIDIA's", "amd": "AMD's"}[trace.device.maker]
