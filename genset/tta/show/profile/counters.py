"""What Nsight Compute's counters measured."""

from collections.abc import Sequence

from genset.text.numbers import NONE
from genset.text.safe import clean
from genset.text.tables import Grid
from genset.tta.analysis.profile.compared import Measured
from genset.tta.show.profile.numbers import amount, rate, share, time
from genset.tta.show.words import name

_MOST_KERNELS = 10
_UNSAID = 0.999  # of the time in which a counter was read, above which nothing is said


def counters_grids(found: Sequence[Measured]) -> list[Grid]:
    """A line for each run, and the kernels that take longest."""
    if not found:
        return []
    head = ["run", "launches", "time", "matrix units work", "bytes", "GB/s", "÷ peak GB/s"]
    rows = [
        [
            name(each.name),
            f"{each.counters.launches:,}",
            time(each.counters.seconds),
            share(each.counters.matrix_units),
            NONE if each.counters.bytes is None else amount(each.counters.bytes, "B"),
            rate(each.counters.gbs),
            share(each.counters.of_bandwidth),
        ]
        for each in found
    ]
    notes = ["matrix units work: of the cycles of the kernels' time, as the hardware counted"]
    notes += [note for each in found for note in _parts(each)]
    title = "Measured by the hardware's counters (Nsight Compute)"
    return [Grid(title, head, rows, notes), *map(_kernels, found)]


def _parts(found: Measured) -> list[str]:
    told = (
        ("matrix units", found.counters.with_matrix_units),
        ("bytes", found.counters.with_bytes),
    )
    return [
        f"{name(found.name)}: {what} were counted in {share(part)} of the time"
        for what, part in told
        if part < _UNSAID
    ]


def _kernels(found: Measured) -> Grid:
    kernels = found.counters.kernels
    rows = [
        [
            clean(each.name, 80),
            f"{each.launches:,}",
            time(each.seconds),
            share(each.share),
            share(each.matrix_units),
            rate(each.gbs),
        ]
        for each in kernels[:_MOST_KERNELS]
    ]
    more = len(kernels) - len(rows)
    notes = [f"and {more:,} more, which --json has"] * (more > 0)
    head = ["kernel", "launches", "time", "share", "matrix units work", "GB/s"]
    return Grid(f"{name(found.name)}: the kernels that take longest", head, rows, notes)
