"""What `genset tta profile` prints of rooflines: achieved compared with the peaks, throughput."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.tta.profile.peaks import Peaks, Point
from genset.tta.profile.roofline import Roofline, Throughput
from genset.tta.words import (
    exact,
    name_column,
    quantity,
    rate,
    share,
    shares,
    short_name,
    short_time,
)

_MOST_OPERATORS = 10
_LITTLE = 0.005  # of the time whose work is not known, that changes no digit shown
_BINS = (0.1, 1.0, 10.0, 100.0)  # TFLOP/s
_COLUMNS = (
    Column("seconds", "time", format=short_time),
    Column("share", format=share),
    Column("flops", "FLOPs", format=lambda flops: quantity(flops, "FLOP")),
    Column("bytes", format=lambda moved: quantity(moved, "B")),
    Column("flops_per_byte", "FLOPs a byte", format=rate),
    Column("tflops", "TFLOP/s", format=rate),
    Column("gbs", "GB/s", format=rate),
    Column("of_peak", "achieved ÷ peak TFLOP/s", format=share),
    Column("of_bandwidth", "achieved ÷ peak GB/s", format=share),
    Column("roof", "compared with"),
)


def roofline_tables(
    found: Mapping[str, Roofline], points: Sequence[tuple[Point, Peaks | None]]
) -> list[Table]:
    """A line for each run, kind of operator and point by hand; then the longest operators."""
    rows = [row for name, of in found.items() for row in _run_rows(name, of)]
    rows += [[point.name, "by hand", *_cells(point)] for point, _ in points]
    peaks = [(name, of.peaks) for name, of in found.items() if of.kinds]
    peaks += [(point.name, of) for point, of in points]
    notes = [f"{short_name(name)}: {_peak_words(of)}" for name, of in peaks if of]
    if rows:
        notes.append(
            "whole: FLOPs of convolutions, matrix products and attention over all the time, idle "
            "and communication included; busy: over the time of the kernels that are counted; "
            "bytes are the least to move: each input read once, each output written once"
        )
        notes += [
            f"{short_name(name)}: {of.devices} devices; times are the mean over them, FLOPs and "
            "bytes of all together, TFLOP/s and GB/s per device"
            for name, of in found.items()
            if of.devices > 1 and of.kinds
        ]
        notes.append(
            "FLOPs of other kinds are estimates, and in no run's FLOPs; shares are of the time of "
            "kernels that do not communicate, or of all operators in a trace of the host alone"
        )
    tables = []
    if rows or notes:
        columns = [name_column("run"), Column("what"), *_COLUMNS]
        title = "Achieved: floating-point operations and bytes"
        tables.append(Table(columns, rows, title, notes))
    operators = (_operator_table(name, of) for name, of in found.items() if of.operators)
    return [*tables, *_throughput_tables(found), *operators]


def _run_rows(name: str, found: Roofline) -> Iterator[list[Any]]:
    whole = "whole, at least" if found.unknown > _LITTLE else "whole"
    for what, point in ((whole, found.run), ("busy", found.busy)):
        if point:
            yield [name, what, *_cells(point, found.devices)]
    for point in found.kinds:
        yield [name, point.kind or clean(point.name, 32), *_cells(point, found.devices)]


def _cells(point: Point, devices: int = 1) -> list[Any]:
    """FLOPs, and what follows from them, only if there are any."""
    moved = [point.bytes, point.gbs, point.of_bandwidth]
    flops = [point.flops, point.intensity, point.tflops, point.of_peak, point.roof]
    if not point.flops:
        flops = [None] * 5
    seconds = point.seconds / devices
    return [
        *(seconds, point.share, flops[0], moved[0], flops[1]),
        *(flops[2], moved[1], flops[3], moved[2], flops[4]),
    ]


def _peak_words(peaks: Peaks) -> str:
    """The peaks and where they come from."""
    rates = [f"{roof} {exact(tflops)} TFLOP/s" for roof, tflops in peaks.tflops.items()]
    if peaks.gbs is not None:
        rates.append(f"memory {exact(peaks.gbs)} GB/s")
    of = f"peaks of {clean(peaks.device, 40)}" if peaks.device else "peaks"
    return f"{of}: {', '.join(rates)} ({clean(peaks.source, 240)})"


def _throughput_tables(found: Mapping[str, Roofline]) -> list[Table]:
    found = {name: of for name, of in found.items() if of.throughput}
    if not found:
        return []
    bins = [f"under {_BINS[0]:g}", *(f"{low:g} to {high:g}" for low, high in pairwise(_BINS))]
    names = [*bins, f"{_BINS[-1]:g} and more", "not counted"]
    columns = [name_column("run"), *(Column(name, align="right") for name in names)]
    rows = [
        [name, *map(Cell, values, shares(values))]
        for name, of in found.items()
        for values in [[*_binned(of.throughput), of.unknown]]
    ]
    notes = [
        "over calls of operators, each at its FLOPs over the time of its kernels; FLOPs of norms, "
        "activations and other kinds than products, convolutions and attention are estimates"
    ]
    return [Table(columns, rows, "Share of time by throughput, TFLOP/s", notes)]


def _binned(found: Sequence[Throughput]) -> list[float]:
    bins = [0.0] * (len(_BINS) + 1)
    for line in found:
        bins[sum(line.tflops >= low for low in _BINS)] += line.share
    return bins


def _operator_table(name: str, found: Roofline) -> Table:
    columns = [
        Column("operator", format=lambda text: clean(text, 40)),
        Column("shapes", "on"),
        Column("calls", format=lambda calls: f"{calls:,}"),
        *_COLUMNS,
    ]
    rows = [
        [point.name, _shapes(point), point.count, *_cells(point, found.devices)]
        for point in found.operators[:_MOST_OPERATORS]
    ]
    more = len(found.operators) - len(rows)
    notes = [f"and {more} more, see --json"] if more else []
    if found.devices > 1:
        notes.append("calls, FLOPs and bytes of all devices; times and rates per device")
    title = f"{short_name(name)}: the operators that take longest, by shapes"
    return Table(columns, rows, title, notes)


def _shapes(point: Point) -> str | None:
    """The shapes of its tensors: "64×3×224×224, 64×3×7×7"."""
    shapes = ["×".join(map(str, shape)) or "1" for shape in point.shapes]
    return clean(", ".join(shapes), 48) or None
