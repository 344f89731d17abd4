"""What operators achieved beside what the device could do at most."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from genset.core.numbers import NONE
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.analysis.profile.compared import Elsewhere
from genset.tta.analysis.profile.run import Profile
from genset.tta.analysis.roofline.peaks import Peaks
from genset.tta.analysis.roofline.points import Point
from genset.tta.analysis.roofline.roofline import Throughput
from genset.tta.show.profile.numbers import as_given, percent, percents, quantity, rate, short_time
from genset.tta.show.words import short_name

_MOST_OPERATORS = 10
_LITTLE = 0.005  # of the time whose work is not known, that changes no digit shown
_BINS = (0.1, 1.0, 10.0, 100.0)  # TFLOP/s
_HEAD = ("time", "share", "FLOPs", "bytes", "FLOPs a byte", "TFLOP/s", "GB/s")
_OF_PEAK = ("achieved ÷ peak TFLOP/s", "achieved ÷ peak GB/s", "held against")


def roofline_grids(runs: Sequence[Profile], points: Sequence[Elsewhere]) -> list[Grid]:
    """A line for each run, kind of operator and point given; then the longest operators."""
    rows = [row for run in runs for row in _of_run(run)]
    rows += [[short_name(point.point.name), "given", *_cells(point.point)] for point in points]
    held = [(run.name, run.roofline.peaks) for run in runs if run.roofline.kinds]
    held += [(point.point.name, point.peaks) for point in points]
    notes = [f"{short_name(who)}: {_peaks(peaks)}" for who, peaks in held if peaks]
    grids = []
    if rows:
        notes.append(
            "whole: FLOPs of convolutions, matrix products and attention, over all the time, idle "
            "and communication included; busy: over the time of the kernels that are counted; "
            "bytes are the least to move: each input read once, each output written once"
        )
        notes += _devices(runs)
        notes.append(
            "FLOPs of other kinds are estimates, and in no run's FLOPs; shares are of the time of "
            "kernels that do not communicate, of a trace of the host alone of all operators'"
        )
    if rows or notes:
        head = ["run", "what", *_HEAD, *_OF_PEAK]
        grids.append(Grid("Achieved: floating-point operations and bytes", head, rows, notes))
    return [*grids, *_throughput(runs), *(grid for run in runs for grid in _operators(run))]


def _of_run(run: Profile) -> Iterator[list[str]]:
    found = run.roofline
    whole = "whole, at least" if found.unknown > _LITTLE else "whole"
    for what, point in ((whole, found.run), ("busy", found.busy)):
        if point:
            yield [short_name(run.name), what, *_cells(point, found.devices)]
    for point in found.kinds:
        kind = point.kind or clean(point.name, 32)
        yield [short_name(run.name), kind, *_cells(point, found.devices)]


def _devices(runs: Sequence[Profile]) -> list[str]:
    """What is of all devices together where there are several, and what is of each."""
    return [
        f"{short_name(run.name)}: of {run.roofline.devices} devices; times are the mean over them, FLOPs "
        "and bytes are of all together, and TFLOP/s and GB/s per device"
        for run in runs
        if run.roofline.devices > 1 and run.roofline.kinds
    ]


def _cells(point: Point, devices: int = 1) -> list[str]:
    return [
        short_time(point.seconds / devices),
        percent(point.share),
        quantity(point.flops, "FLOP") if point.flops else NONE,
        quantity(point.bytes, "B"),
        rate(point.intensity) if point.flops else NONE,
        rate(point.tflops) if point.flops else NONE,
        rate(point.gbs),
        percent(point.of_peak if point.flops else None),
        percent(point.of_bandwidth),
        (point.roof if point.flops else None) or NONE,
    ]


def _peaks(peaks: Peaks) -> str:
    """The peaks and where they come from."""
    said = [f"{roof} {as_given(tflops)} TFLOP/s" for roof, tflops in peaks.tflops.items()]
    if peaks.gbs is not None:
        said.append(f"memory {as_given(peaks.gbs)} GB/s")
    of = f"peaks of {clean(peaks.device, 40)}" if peaks.device else "peaks"
    return f"{of}: {', '.join(said)} ({clean(peaks.source, 240)})"


def _throughput(runs: Sequence[Profile]) -> list[Grid]:
    known = [run for run in runs if run.roofline.throughput]
    if not known:
        return []
    said = [f"{low:g} to {high:g}" for low, high in pairwise(_BINS)]
    head = ["run", f"under {_BINS[0]:g}", *said, f"{_BINS[-1]:g} and more", "not counted"]
    rows = [
        [short_name(run.name), *percents([*_binned(run.roofline.throughput), run.roofline.unknown])]
        for run in known
    ]
    notes = [
        "over calls of operators, each at its FLOPs over the time of its kernels; norms, "
        "activations and others but products, convolutions and attention have estimated FLOPs"
    ]
    return [Grid("Share of time by throughput, TFLOP/s", head, rows, notes)]


def _binned(found: Sequence[Throughput]) -> list[float]:
    shares = [0.0] * (len(_BINS) + 1)
    for each in found:
        shares[sum(each.tflops >= low for low in _BINS)] += each.share
    return shares


def _operators(run: Profile) -> list[Grid]:
    points = run.roofline.operators[:_MOST_OPERATORS]
    if not points:
        return []
    rows = [
        [
            clean(point.name, 40),
            _shapes(point),
            f"{point.count:,}",
            *_cells(point, run.roofline.devices),
        ]
        for point in points
    ]
    more = len(run.roofline.operators) - len(points)
    notes = [f"and {more} more, which --json has"] if more else []
    if run.roofline.devices > 1:
        notes.append("calls, FLOPs and bytes of all devices; times and rates per device")
    title = f"{short_name(run.name)}: the operators that take longest, by shapes"
    return [Grid(title, ["operator", "on", "calls", *_HEAD, *_OF_PEAK], rows, notes)]


def _shapes(point: Point) -> str:
    """The shapes of its tensors: "64×3×224×224, 64×3×7×7"."""
    each = ["×".join(map(str, shape)) or "1" for shape in point.shapes]
    return clean(", ".join(each), 48) or NONE
