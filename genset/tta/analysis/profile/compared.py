"""Runs side by side, with what was measured elsewhere."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from genset.errors import BadInput
from genset.progress import progress
from genset.tta.analysis.profile.run import Given, Profile, profile
from genset.tta.analysis.roofline.peaks import Peaks
from genset.tta.analysis.roofline.points import Point, held_against
from genset.tta.traces.kineto import read_trace
from genset.tta.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A run without a trace, whose work and time are given."""

    point: Point
    peaks: Peaks | None


@dataclass(frozen=True, slots=True)
class Compared:
    """What one figure shows."""

    runs: list[Profile]
    points: list[Elsewhere]


def compare(
    traces: Mapping[str, Sequence[Path]],
    points: Sequence[Point],
    given: Mapping[str, Given],
) -> Compared:
    """Read and analyse all runs.

    Args:
        traces: of each run's ranks, by the run's name.
        given: what is said of devices, by the names of runs and points.

    Raises:
        BadInput: a trace cannot be read, stands at two runs, or is not of a rank of its run.
    """
    elsewhere = [_elsewhere(point, given.get(point.name)) for point in points]
    return Compared(_profiles(traces, given), elsewhere)


def _elsewhere(point: Point, given: Given | None) -> Elsewhere:
    """Held against the device's highest peak: what it computed in is not known."""
    peaks = given.peaks("") if given else None
    best = max(((t, roof) for roof, t in peaks.tflops.items()), default=None) if peaks else None
    return Elsewhere(held_against(point, peaks, best[1] if best else None), peaks)


def _profiles(traces: Mapping[str, Sequence[Path]], given: Mapping[str, Given]) -> list[Profile]:
    """One run at a time: no more traces are held than one run has."""
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
