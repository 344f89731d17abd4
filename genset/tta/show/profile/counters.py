"""What Nsight Compute's counters measured."""

from collections.abc import Iterator, Sequence

from genset.core.numbers import NONE
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.analysis.profile.compared import Measured
from genset.tta.show.profile.numbers import amount, rate, share, time
from genset.tta.show.words import name
from genset.tta.traces.ncu import cycles_of, is_of_halves

_MOST_KERNELS = 10
_UNSAID = 0.999  # of the time in which a counter was read, above which nothing is said


def counters_grids(found: Sequence[Measured]) -> list[Grid]:
    """A line for each run, and the kernels that take longest."""
    if not found:
        return []
    head = ["run", "launches", "time", "matrix units work, mean weighted by time", "metric"]
    head += ["bytes", "GB/s", "÷ peak GB/s"]
    rows = [
        [
            name(each.name),
            f"{each.counters.launches:,}",
            time(each.counters.seconds),
            share(each.counters.matrix_units),
            each.metric or NONE,
            NONE if each.counters.bytes is None else amount(each.counters.bytes, "B"),
            rate(each.counters.gbs),
            share(each.counters.of_bandwidth),
        ]
        for each in found
    ]
    notes = [*_metrics(found), *(note for each in found for note in _parts(each))]
    title = "Measured by the hardware's counters (Nsight Compute)"
    return [Grid(title, head, rows, notes), *map(_kernels, found)]


def _metrics(found: Sequence[Measured]) -> Iterator[str]:
    """What the metrics are of, and whether they compare."""
    metrics = list(dict.fromkeys(each.metric for each in found if each.metric))
    for metric in metrics:
        of = {
            "active": "of the cycles in which an SM was active, idle ones left out",
            "all": "of all cycles of a kernel, on SMs that had nothing to do too",
        }[cycles_of(metric)]
        halves = ", products in half precision, bfloat16 and TF32 alone" * is_of_halves(metric)
        yield f"{metric}: {of}{halves}"
    if metrics:
        yield (
            "a kernel's is the mean over its launches, a run's that over all of its kernels' "
            "launches, longer ones counting more"
        )
    if len(metrics) > 1:
        yield "runs were measured by different metrics, which do not compare: measure both alike"
    for each in found:
        if each.metric is None:
            yield (
                f"{name(each.name)}: of no kernel the matrix units were measured: this device may "
                "have no counter of them"
            )
        elif each.passed_over:
            others = " and ".join(each.passed_over)
            yield f"{name(each.name)}: {each.metric} is taken, and {others} in its file passed over"


def _parts(found: Measured) -> list[str]:
    told = (
        ("matrix units", found.counters.with_matrix_units),
        ("bytes", found.counters.with_bytes),
    )
    return [
        f"{name(found.name)}: {what} were counted in {share(part)} of the time"
        for what, part in told
        if 0 < part < _UNSAID
    ]


def _kernels(found: Measured) -> Grid:
    kernels = found.counters.kernels
    rows = [
        [
            clean(kernel.name, 80),
            f"{kernel.launches:,}",
            time(kernel.seconds),
            share(kernel.share),
            share(kernel.matrix_units),
            rate(kernel.gbs),
        ]
        for kernel in kernels[:_MOST_KERNELS]
    ]
    more = len(kernels) - len(rows)
    notes = [f"and {more:,} more, which --json has"] * (more > 0)
    head = ["kernel", "launches", "time", "share", "matrix units work", "GB/s"]
    return Grid(f"{name(found.name)}: the kernels that take longest", head, rows, notes)
