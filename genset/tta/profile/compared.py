"""Runs side by side, with what was measured elsewhere."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from genset.core.apart import told_apart
from genset.core.errors import BadInput
from genset.core.progress import progress
from genset.tta.profile.peaks import Peaks, Point, held_against
from genset.tta.profile.roofline import point_above
from genset.tta.profile.run import Given, Profile, profile
from genset.tta.traces.kineto import read_trace
from genset.tta.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A run without a trace, whose work and time are given.

    Attributes:
        remarks: what the numbers need to be read right, a sentence each.
    """

    point: Point
    peaks: Peaks | None
    remarks: list[str]


@dataclass(frozen=True, slots=True)
class Compared:
    """What one figure shows."""

    runs: list[Profile]
    points: list[Elsewhere]

    def shown(self, longest: int) -> "Compared":
        """The same, its names cut to so many characters to be shown, and still told apart."""
        runs, points = self.runs, self.points
        names = [run.name for run in runs] + [point.point.name for point in points]
        cut = told_apart(names, longest)
        return Compared(
            [replace(run, name=cut[run.name]) for run in runs],
            [replace(p, point=replace(p.point, name=cut[p.point.name])) for p in points],
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be read.

    Attributes:
        traces: of each run's ranks, by the run's name.
        points: runs without a trace.
        given: what is said of devices, by the names of all of these.
    """

    traces: Mapping[str, Sequence[Path]]
    points: Sequence[Point]
    given: Mapping[str, Given]


def compare(asked: Asked) -> Compared:
    """Read and analyse all runs.

    Raises:
        BadInput: a file cannot be read, a trace stands at two runs, or is not of its run's ranks.
    """
    given = asked.given
    elsewhere = [_elsewhere(point, given.get(point.name)) for point in asked.points]
    return Compared(_profiles(asked.traces, given), elsewhere)


def _elsewhere(point: Point, given: Given | None) -> Elsewhere:
    """Held against the device's highest peak: what it computed in is not known."""
    peaks = given.peaks("") if given else None
    best = max(((t, roof) for roof, t in peaks.tflops.items()), default=None) if peaks else None
    held = held_against(point, peaks, best[1] if best else None)
    return Elsewhere(held, peaks, point_above(held))


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


def read_devices(paths: Mapping[int, Sequence[Path]]) -> dict[int, list[Trace]]:
    """The traces of each number of workers without the host's part, which is most of them."""
    read = read_traces([path for several in paths.values() for path in several])
    return {
        workers: [replace(next(read), operators=[]) for _ in several]
        for workers, several in paths.items()
    }


def read_traces(paths: Sequence[Path]) -> Iterator[Trace]:
    """Read one trace after another, and show how far it is."""
    read: Iterable[Trace] = map(read_trace, paths)
    return iter(progress(read, total=len(paths), what="traces", unit="trace"))
