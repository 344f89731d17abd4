"""Columns of numbers, one row an event: a trace of millions of events stays small in them.

Times are microseconds from the first event that was kept; -1 is "not recorded" elsewhere.
"""

from array import array
from dataclasses import dataclass, field

from genset.tta.traces.events.fields import Inputs
from genset.tta.traces.trace import Collective


def _times() -> "array[float]":
    return array("d")


def _numbers() -> "array[int]":
    return array("q")


@dataclass(slots=True)
class Operators:
    """What ran on the host, in the order of the file.

    Attributes:
        collectives: by row, what is said to have been moved.
    """

    starts: "array[float]" = field(default_factory=_times)
    lengths: "array[float]" = field(default_factory=_times)
    threads: "array[int]" = field(default_factory=_numbers)
    external: "array[int]" = field(default_factory=_numbers)
    names: list[str] = field(default_factory=list)
    inputs: list[Inputs] = field(default_factory=list)
    collectives: dict[int, Collective] = field(default_factory=dict)


@dataclass(slots=True)
class Launches:
    """Calls of the runtime, in the order of the file."""

    starts: "array[float]" = field(default_factory=_times)
    lengths: "array[float]" = field(default_factory=_times)
    threads: "array[int]" = field(default_factory=_numbers)
    correlations: "array[int]" = field(default_factory=_numbers)


@dataclass(slots=True)
class OnDevice:
    """Kernels or copies, in the order of the file.

    Attributes:
        collectives: by row, what is said to have been moved.
    """

    starts: "array[float]" = field(default_factory=_times)
    lengths: "array[float]" = field(default_factory=_times)
    devices: "array[int]" = field(default_factory=_numbers)
    streams: "array[int]" = field(default_factory=_numbers)
    correlations: "array[int]" = field(default_factory=_numbers)
    external: "array[int]" = field(default_factory=_numbers)
    bytes: "array[int]" = field(default_factory=_numbers)
    names: list[str] = field(default_factory=list)
    collectives: dict[int, Collective] = field(default_factory=dict)
