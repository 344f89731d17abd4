"""Reads what Nsight Compute measured of each kernel, as ``ncu --csv`` prints it.

    ncu --csv --metrics METRICS python train.py > counters.csv

with METRICS as in `METRICS`. The same from a report: ``ncu --csv --page raw --import FILE``.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.tta.traces.packed import lines_of

TIME, BYTES = "gpu__time_duration.sum", "dram__bytes.sum"
MATRIX_UNITS = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
METRICS = ",".join([MATRIX_UNITS, BYTES, TIME])

_PARTS_OF_BYTES = ("dram__bytes_read.sum", "dram__bytes_write.sum")
_ACTIVE, _ELAPSED = "pct_of_peak_sustained_active", "pct_of_peak_sustained_elapsed"
# The first of these that a file has is read. The second of each pair has more cycles below it, and
# the second pair is older: of products in half precision, bfloat16 and TF32 alone.
_OF_MATRIX_UNITS = tuple(
    f"{counter}.avg.{of}"
    for counter in ("sm__pipe_tensor_cycles_active", "sm__pipe_tensor_op_hmma_cycles_active")
    for of in (_ACTIVE, _ELAPSED)
)
_NAME = "Kernel Name"
_LONG = ("Metric Name", "Metric Unit", "Metric Value")
_WHICH = ("ID", "Process ID", "Host Name", "Device", "Context")

_SECONDS = {
    **dict.fromkeys(("ns", "nsecond", "nanosecond"), 1e-9),
    **dict.fromkeys(("us", "usecond", "microsecond"), 1e-6),
    **dict.fromkeys(("ms", "msecond", "millisecond"), 1e-3),
    **dict.fromkeys(("s", "second", "sec"), 1.0),
}
# As ncu counts: a kilobyte has 1,000 bytes.
_BYTES_EACH = {
    **{f"{each}byte": 1000.0**power for power, each in enumerate(("", "k", "m", "g", "t"))},
    **{f"{each}b": 1000.0**power for power, each in enumerate(("", "k", "m", "g", "t"))},
}
_PERCENT = {"%": 1.0, "": 1.0}
_NUMBER = re.compile(r"(\d{1,3}(,\d{3})+|\d+)(\.\d+)?([eE][+-]?\d{1,2})?", re.ASCII)
_NOT_MEASURED = ("", "n/a", "nan", "inf", "no data")
_FORBIDDEN = "ERR_NVGPUCTRPERM"
_LONGEST = 256 * 2**20  # characters: a million launches
_MOST_ROWS, _MOST_KERNELS = 10_000_000, 1_000_000
_LONGEST_SECONDS = 86_400
_ROUNDING = 1.005  # a share just above 1 was rounded


@dataclass(frozen=True, slots=True)
class MeasuredKernel:
    """One launch of a kernel, as the counters saw it.

    Attributes:
        seconds: above 0.
        bytes: read from and written to the device's memory; None if they were not measured.
        matrix_units: share of the cycles in which the matrix units (Tensor Cores) worked, 0 to
            1, as the file's metric has it; None if it was not measured.
    """

    name: str
    seconds: float
    bytes: float | None
    matrix_units: float | None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a file holds.

    Attributes:
        metric: what `matrix_units` of the kernels are; None if none was measured.
        passed_over: other metrics of matrix units in the file, which are not read.
    """

    metric: str | None
    passed_over: list[str]
    kernels: list[MeasuredKernel]


def cycles_of(metric: str) -> str:
    """Of which cycles a metric of matrix units is."""
    return "active" if metric.endswith(_ACTIVE) else "all"


def is_of_halves(metric: str) -> bool:
    """Whether it counts products in half precision, bfloat16 and TF32 alone."""
    return "hmma" in metric


@dataclass(slots=True)
class _Measured:
    """Metrics of one launch, by name, each as text with its unit."""

    name: str
    metrics: dict[str, tuple[str, str]] = field(default_factory=dict)


def read_counters(path: Path) -> Measurement:
    """Read the launches of a file, in its order.

    A row for each metric and a row for each launch (``--page raw``) are both read; what the
    program printed in between is passed over.

    Raises:
        BadInput: it is not there, is no such file, is cut off, lacks the kernels' times or
            matrix units.
    """
    try:
        rows = _rows(path)
        header = next(rows, None)
        if header is None:
            raise BadInput(
                f"{path} has no row of columns with {_NAME!r}: record it with ncu --csv --metrics "
                f"{METRICS}"
            )
        first = next(rows, None)
        if first is None:
            raise BadInput(f"{path} has no kernel: ncu measured none")
        read = _long if all(column in header for column in _LONG) else _wide
        measured = list(read(path, header, chain([first], rows)))
    except csv.Error as error:
        raise BadInput(f"{path} is no CSV file of Nsight Compute's: {error}") from None
    if not measured and read is _wide:
        raise BadInput(f"{path} has no kernel: ncu measured none")
    if not any(each.metrics for each in measured):
        raise BadInput(
            f"{path} has none of the metrics {', '.join(METRICS.split(','))}: measure them, "
            f"ncu --csv --metrics {METRICS} python train.py"
        )
    recorded = [name for name in _OF_MATRIX_UNITS if any(name in e.metrics for e in measured)]
    told = [
        metric
        for metric in recorded
        if any(_value(path, each, metric, _PERCENT) is not None for each in measured)
    ]
    metric = told[0] if told else None
    kernels = [_kernel(path, each, metric) for each in measured]
    if not recorded or (metric is None and all(kernel.bytes is None for kernel in kernels)):
        raise BadInput(
            f"{path} has no value of {MATRIX_UNITS}: measure it, ncu --csv --metrics {METRICS} "
            "python train.py"
        )
    return Measurement(metric, told[1:], kernels)


def _rows(path: Path) -> Iterator[list[str]]:
    """The row of columns and all rows below it that have as many."""
    columns = 0
    header: list[str] = []
    for count, row in enumerate(csv.reader(lines_of(path, _LONGEST))):
        if count > _MOST_ROWS:
            raise BadInput(f"{path} has more than {_MOST_ROWS:,} rows: measure fewer kernels")
        if row and row[0].startswith("==") and _FORBIDDEN in row[0]:
            raise BadInput(
                f"{path}: ncu had no right to read the GPU's counters ({_FORBIDDEN}): run it as "
                "root (in a container with --cap-add SYS_ADMIN), or let all users read them by "
                "loading NVIDIA's kernel module with NVreg_RestrictProfilingToAdminUsers=0 "
                f"(https://developer.nvidia.com/{_FORBIDDEN})"
            )
        if not header:
            if _NAME in row and len(row) > 1:
                header, columns = row, len(row)
                yield row
        elif len(row) == columns:
            if row != header:  # which is there again for each process
                yield row
        elif 1 < len(row) < columns and row[0].isdigit() and header[0] == "ID":
            raise BadInput(
                f"{path} has a row of {len(row)} columns where {columns} are due (launch "
                f"{row[0][:20]}): it is cut off or damaged"
            )


def _long(path: Path, header: list[str], rows: Iterator[list[str]]) -> Iterator[_Measured]:
    """Launches of a file that has a row for each metric."""
    name, (metric, unit, value) = header.index(_NAME), (header.index(each) for each in _LONG)
    which = [header.index(each) for each in _WHICH if each in header]
    launches: dict[tuple[str, ...], _Measured] = {}
    for row in rows:
        if not _is_wanted(row[metric]):
            continue
        key = (*(row[each] for each in which), row[name])
        launch = launches.get(key)
        if launch is not None and "ID" not in header and row[metric] in launch.metrics:
            yield launches.pop(key)  # without a number, a metric that comes again tells
            launch = None
        if launch is None:
            launch = launches[key] = _Measured(clean(row[name], 10_000))
            if len(launches) > _MOST_KERNELS:
                raise BadInput(f"{path} has more than {_MOST_KERNELS:,} kernels: measure fewer")
        launch.metrics[row[metric]] = row[value], row[unit]
    yield from launches.values()


def _wide(path: Path, header: list[str], rows: Iterator[list[str]]) -> Iterator[_Measured]:
    """Launches of a file that has a row for each, below a row of units."""
    name = header.index(_NAME)
    wanted = {column: place for place, column in enumerate(header) if _is_wanted(column)}
    units = next(rows, None)
    if units is None:
        return
    if units[name].strip():
        raise BadInput(f"{path} has no row of units below its columns' names: let ncu print it")
    for count, row in enumerate(rows):
        if count > _MOST_KERNELS:
            raise BadInput(f"{path} has more than {_MOST_KERNELS:,} kernels: measure fewer")
        metrics = {column: (row[place], units[place]) for column, place in wanted.items()}
        yield _Measured(clean(row[name], 10_000), metrics)


def _is_wanted(metric: str) -> bool:
    return metric in (TIME, BYTES, *_PARTS_OF_BYTES, *_OF_MATRIX_UNITS)


def _kernel(path: Path, measured: _Measured, metric: str | None) -> MeasuredKernel:
    length = _value(path, measured, TIME, _SECONDS)
    if not length or length > _LONGEST_SECONDS:
        raise BadInput(
            f"{path} has no time of {clean(measured.name)!r}: record {TIME} of every kernel"
        )
    moved = _value(path, measured, BYTES, _BYTES_EACH)
    if moved is None:
        parts = [_value(path, measured, part, _BYTES_EACH) for part in _PARTS_OF_BYTES]
        moved = sum(part for part in parts if part is not None) if None not in parts else None
    percent = None if metric is None else _value(path, measured, metric, _PERCENT)
    share = None if percent is None else percent / 100
    if share is not None and share > _ROUNDING:
        raise BadInput(
            f"{path}: {100 * share:.4g} % of the cycles of {clean(measured.name)!r} are more "
            "than all"
        )
    return MeasuredKernel(measured.name, length, moved, None if share is None else min(share, 1.0))


def _value(path: Path, measured: _Measured, metric: str, units: dict[str, float]) -> float | None:
    """A metric in the unit that counts 1; None if it was not measured."""
    text, unit = measured.metrics.get(metric, ("", ""))
    if text.strip().lower() in _NOT_MEASURED:
        return None
    if not _NUMBER.fullmatch(text.strip()) or len(text) > 40:
        raise BadInput(f"{path}: {metric} is no number of ncu's: {clean(text, 40)!r}")
    if (factor := units.get(unit.strip().lower())) is None:
        raise BadInput(f"{path}: {metric} is in a unit that is not known: {clean(unit, 20)!r}")
    return float(text.strip().replace(",", "")) * factor
