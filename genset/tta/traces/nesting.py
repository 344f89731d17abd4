"""Which operator called which, and which one launched what, told from when they ran."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_NONE = -1
_ROUNDED = 1.0  # microseconds: older traces have whole ones
_DEEPEST_LOOK = 16


@dataclass(frozen=True, slots=True)
class Spans:
    """Times on the host's threads, by start, and of those with one start the longest first.

    Attributes:
        starts, lengths: in microseconds.
        threads: the thread of each, any number that tells it from others.
    """

    starts: Sequence[float]
    lengths: Sequence[float]
    threads: Sequence[int]

    def ends(self) -> list[float]:
        """When each ended."""
        return [at + length for at, length in zip(self.starts, self.lengths, strict=True)]


@dataclass(frozen=True, slots=True)
class Nesting:
    """Where operators and launches stand.

    Attributes:
        parents: of each operator the place of the one that called it, or -1.
        own: of each operator its time less that of what it called; never below 0.
        launched_by: of each launch the place of the innermost operator around it, or -1.
    """

    parents: list[int]
    own: list[float]
    launched_by: list[int]


def nest(operators: Spans, launches: Spans, slack: float = 0.0) -> Nesting:
    """Nest operators by thread, and put each launch into the innermost operator around it.

    What overlaps without one being inside the other did not call each other: the later one ends
    the earlier one's calls.

    Args:
        operators: by start; a parent stands before its children.
        launches: by start.
        slack: how far two times may be off by rounding.
    """
    starts, ends, threads = operators.starts, operators.ends(), operators.threads
    launches_end = launches.ends()
    parents = [_NONE] * len(starts)
    own = list(operators.lengths)
    launched_by = [_NONE] * len(launches.starts)
    open_by_thread: dict[int, list[int]] = {}
    for place, launch in _merged(operators, launches):
        if launch:
            running = open_by_thread.get(launches.threads[place], [])
            start, end = launches.starts[place], launches_end[place]
            while running and ends[running[-1]] + slack < start:
                running.pop()
            for inner in running[: -_DEEPEST_LOOK - 1 : -1]:
                if end <= ends[inner] + slack + _ROUNDED:
                    launched_by[place] = inner
                    break
            continue
        start, end = starts[place], ends[place]
        running = open_by_thread.setdefault(threads[place], [])
        while running and (
            ends[running[-1]] - start <= slack / 2 or end > ends[running[-1]] + slack
        ):
            running.pop()
        if running:
            parents[place] = running[-1]
            own[running[-1]] -= min(end, ends[running[-1]]) - start
        running.append(place)
    return Nesting(parents, [max(0.0, time) for time in own], launched_by)


def _merged(operators: Spans, launches: Spans) -> Iterable[tuple[int, bool]]:
    """The places of both by start, each with whether it is a launch; operators come first."""
    place = 0
    for launch, start in enumerate(launches.starts):
        while place < len(operators.starts) and operators.starts[place] <= start:
            yield place, False
            place += 1
        yield launch, True
    for rest in range(place, len(operators.starts)):
        yield rest, False
