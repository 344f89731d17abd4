"""What the hardware's counters say: how busy the matrix units were, and what memory moved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from genset.tta.traces.ncu import MeasuredKernel


@dataclass(frozen=True, slots=True)
class KernelCounters:
    """All launches of the kernels of one name.

    Attributes:
        share: of all kernels' time, 0 to 1.
        matrix_units: share of the cycles in which the matrix units worked, 0 to 1, the mean of
            the launches weighted by their time; None if it was not measured.
        gbs: 10^9 bytes/s to and from memory; None if they were not measured.
    """

    name: str
    launches: int
    seconds: float
    share: float
    matrix_units: float | None
    gbs: float | None


@dataclass(frozen=True, slots=True)
class Counters:
    """All measured kernels.

    Attributes:
        matrix_units, gbs: as of one name, over the time in which they were measured.
        with_matrix_units, with_bytes: share of all kernels' time in which they were, 0 to 1.
        bytes: to and from memory, where they were measured.
        of_bandwidth: achieved ÷ peak bytes/s; None without a peak.
        kernels: by name, most time first.
    """

    launches: int
    seconds: float
    matrix_units: float | None
    with_matrix_units: float
    bytes: float | None
    gbs: float | None
    with_bytes: float
    of_bandwidth: float | None
    kernels: list[KernelCounters]


def counters(measured: Sequence[MeasuredKernel], peak_gbs: float | None) -> Counters:
    """Sum up the counters.

    Args:
        measured: at least one launch.
        peak_gbs: 10^9 bytes/s of the device's memory at most, if it is known.
    """
    seconds = _seconds(measured)
    names: dict[str, list[MeasuredKernel]] = {}
    for each in measured:
        names.setdefault(each.name, []).append(each)
    kernels = [
        KernelCounters(
            name=name,
            launches=len(of),
            seconds=_seconds(of),
            share=_seconds(of) / seconds,
            matrix_units=_busy(of),
            gbs=_gbs(of),
        )
        for name, of in names.items()
    ]
    gbs = _gbs(measured)
    with_bytes = [each for each in measured if each.bytes is not None]
    return Counters(
        launches=len(measured),
        seconds=seconds,
        matrix_units=_busy(measured),
        with_matrix_units=_part(measured, lambda each: each.matrix_units is not None),
        bytes=sum(each.bytes or 0.0 for each in with_bytes) if with_bytes else None,
        gbs=gbs,
        with_bytes=_part(measured, lambda each: each.bytes is not None),
        of_bandwidth=None if gbs is None or peak_gbs is None else gbs / peak_gbs,
        kernels=sorted(kernels, key=lambda kernel: (-kernel.seconds, kernel.name)),
    )


def _seconds(measured: Sequence[MeasuredKernel]) -> float:
    return sum(each.seconds for each in measured)


def _busy(measured: Sequence[MeasuredKernel]) -> float | None:
    known = [(each.seconds, each.matrix_units) for each in measured]
    told = [(time, busy) for time, busy in known if busy is not None]
    if not told:
        return None
    return sum(time * busy for time, busy in told) / sum(time for time, _ in told)


def _gbs(measured: Sequence[MeasuredKernel]) -> float | None:
    known = [each for each in measured if each.bytes is not None]
    return sum(each.bytes or 0.0 for each in known) / _seconds(known) / 1e9 if known else None


def _part(measured: Sequence[MeasuredKernel], holds: Callable[[MeasuredKernel], bool]) -> float:
    return _seconds([each for each in measured if holds(each)]) / _seconds(measured)
