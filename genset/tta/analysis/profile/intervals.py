"""Stretches of time on one line: their union, and what of one set another leaves over."""

from collections.abc import Iterable, Iterator, Sequence

_MICROSECONDS = 1e6  # a second

# From, to; in a list: by start, none touching another.
Stretch = tuple[float, float]


def seconds(microseconds: float) -> float:
    """A time of a trace, as every answer has it."""
    return microseconds / _MICROSECONDS


def union(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The stretches by start, with those that overlap or touch made one."""
    found: list[Stretch] = []
    for start, end in sorted(stretches):
        if end <= start:
            continue
        if found and start <= found[-1][1]:
            if end > found[-1][1]:
                found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def within(stretches: Iterable[Stretch], start: float, end: float) -> Iterator[Stretch]:
    """What of each lies between `start` and `end`."""
    return ((max(a, start), min(b, end)) for a, b in stretches if a < end and b > start)


def without(one: Sequence[Stretch], other: Sequence[Stretch]) -> list[Stretch]:
    """What of the union `one` the union `other` does not cover."""
    left: list[Stretch] = []
    place = 0
    for start, end in one:
        while place < len(other) and other[place][1] <= start:
            place += 1
        at = start
        for a, b in _from(other, place, end):
            if a > at:
                left.append((at, a))
            at = max(at, b)
        if at < end:
            left.append((at, end))
    return left


def _from(stretches: Sequence[Stretch], place: int, end: float) -> Iterable[Stretch]:
    while place < len(stretches) and stretches[place][0] < end:
        yield stretches[place]
        place += 1


def length(stretches: Iterable[Stretch]) -> float:
    """All their time."""
    return sum(end - start for start, end in stretches)
