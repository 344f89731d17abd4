"""Runs side by side, with what was measured elsewhere."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from genset.errors import BadInput
from genset.progress import progress
from genset.tta.analysis.profile.run import Given, Profile, profile
from genset.tta.analysis.roofline.points import Point
from genset.tta.traces.kineto import read_trace
from genset.tta.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Compared:
    """What one figure shows.

    Attributes:
        points: runs without a trace, whose work and time were given.
    """

    runs: list[Profile]
    points: list[Point]


def profiles(traces: Mapping[str, Sequence[Path]], given: Mapping[str, Given]) -> list[Profile]:
    """Read the traces of runs, one run at a time, and analyse each.

    Args:
        traces: of each run's ranks, by the run's name.
        given: what is said of devices, by the run's name.

    Raises:
        BadInput: a trace cannot be read, stands at two runs, or is not of a rank of its run.
    """
    seen: dict[Path, str] = {}
    for name, paths in traces.items():
        for path in paths:
            if seen.setdefault(path.resolve(), name) != name:
                raise BadInput(f"{path} is named for {seen[path.resolve()]} and for {name}")
    read = read_traces([path for paths in traces.values() for path in paths])
    return [
        profile(name, [next(read) for _ in paths], given.get(name))
        for name, paths in traces.items()
    ]


def read_traces(paths: Sequence[Path]) -> Iterator[Trace]:
    """Read one trace after another, and show how far it is."""
    read: Iterable[Trace] = map(read_trace, paths)
    return iter(progress(read, total=len(paths), what="traces", unit="trace"))
