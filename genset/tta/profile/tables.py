"""What `genset tta profile` prints."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from genset.core.numbers import NONE, count
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.profile.communication import communication_grids
from genset.tta.profile.compared import Compared, Elsewhere
from genset.tta.profile.matrix_units import FamilyShare
from genset.tta.profile.peaks import Peaks, Point
from genset.tta.profile.roofline import Throughput
from genset.tta.profile.run import Profile
from genset.tta.profile.shares import Shares
from genset.tta.words import as_given, percent, percents, quantity, rate, short_name, short_time

_MOST_RANKS = 16  # lines of one run
_MOST_FAMILIES = 12
_MOST_KERNELS = 5
_MOST_CPU_OPERATORS = 15


def shares_grids(runs: Sequence[Profile]) -> list[Grid]:
    """Shares of time by rank, a line each."""
    runs = [run for run in runs if run.shares]
    if not runs:
        return []
    several = any(len({line.device for line in run.shares}) > 1 for run in runs)
    head = ["run", "device", "rank", *["of its machine"] * several, "time"]
    head += ["computing", "communication not hidden", "copies alone", "idle"]
    head += ["communication in all", "copies in all"]
    rows = [
        [
            short_name(run.name),
            clean(run.device, 32) or NONE,
            NONE if line.rank is None else str(line.rank),
            *[f"device {line.device}"] * several,
            _span(line),
            *percents([line.computing, line.exposed, line.copying_alone, line.idle]),
            percent(line.communication),
            percent(line.copies),
        ]
        for run in runs
        for line in run.shares[:_MOST_RANKS]
    ]
    notes = [
        f"{short_name(run.name)}: and {count(more, 'more rank')}, which --json has"
        for run in runs
        if (more := len(run.shares) - _MOST_RANKS) > 0
    ]
    notes.append(
        "computing, communication that nothing computes beside, copies alone and idle make up "
        "the time; communication and copies in all may lie behind computing"
    )
    return [Grid("Shares of time by rank", head, rows, notes)]


def _span(line: Shares) -> str:
    said = short_time(line.span_seconds)
    return f"{said} ({count(line.steps, 'step')})" if line.steps else said


def matrix_units_grids(runs: Sequence[Profile]) -> list[Grid]:
    """The share of kernel time by what kernels' names tell, in all and by family."""
    known = [(run, run.matrix_units) for run in runs if run.matrix_units]
    if not known:
        return []
    head = ["run", "kernel time", "use them", "do not", "unclassified"]
    rows = [
        [
            short_name(run.name),
            short_time(units.kernel_seconds),
            *percents([units.yes, units.no, units.unclassified]),
        ]
        for run, units in known
    ]
    notes = [
        "a kernel that uses them may leave them waiting most of its time: how busy they are, only "
        "the hardware's counters tell (Nsight Compute)"
    ]
    notes += [
        f"{short_name(run.name)}: {percent(run.outside)} of the trace's kernel time lies outside "
        "of the marked steps and of what they launched, and is in no table"
        for run, _ in known
        if run.outside > 0
    ]
    title = "Matrix units (Tensor Cores): share of kernel time, by kernels' names"
    return [Grid(title, head, rows, notes), *_families(runs), *_unknown(runs)]


def _families(runs: Sequence[Profile]) -> list[Grid]:
    found: dict[tuple[str, str], dict[str, FamilyShare]] = {}
    runs = [run for run in runs if run.matrix_units]
    for run in runs:
        for family in run.matrix_units.families if run.matrix_units else ():
            found.setdefault((family.name, family.generation), {})[run.name] = family
    order = sorted(found.values(), key=lambda by: -max(each.share for each in by.values()))
    head = ["kernels", "generation", "use them", *(short_name(run.name) for run in runs)]
    rows = []
    for by in order[:_MOST_FAMILIES]:
        family = next(iter(by.values()))
        shares = (percent(by[run.name].share) if run.name in by else NONE for run in runs)
        rows.append([family.name, family.generation or NONE, family.verdict, *shares])
    more = len(order) - len(rows)
    notes = [f"and {count(more, 'family', 'families')} more, which --json has"] * (more > 0)
    return [Grid("Kernel time by family", head, rows, notes)]


def _unknown(runs: Sequence[Profile]) -> list[Grid]:
    notes = [
        f"{short_name(run.name)}: {percent(kernel.share)} in {clean(kernel.name, 100)}"
        for run in runs
        if run.matrix_units
        for kernel in run.matrix_units.unknown[:_MOST_KERNELS]
    ]
    return [Grid("Unclassified kernels", notes=notes)] if notes else []


def cpu_grids(runs: Sequence[Profile]) -> list[Grid]:
    """The host's time by operator, of traces of the host alone."""
    grids = []
    for run in runs:
        if not run.cpu_time:
            continue
        rows = [
            [
                clean(each.name, 60),
                f"{each.calls:,}",
                short_time(each.own_seconds),
                percent(each.share),
            ]
            for each in run.cpu_time[:_MOST_CPU_OPERATORS]
        ]
        more = len(run.cpu_time) - len(rows)
        notes = [f"and {count(more, 'operator')} more, which --json has"] * (more > 0)
        notes.append("own time: without that of the operators that it called")
        title = f"{short_name(run.name)}: the processor's time by operator"
        grids.append(Grid(title, ["operator", "calls", "own time", "share"], rows, notes))
    return grids


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
        f"{short_name(run.name)}: of {run.roofline.devices} devices; times are the mean over them, "
        "FLOPs and bytes are of all together, and TFLOP/s and GB/s per device"
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


_LONGEST = 60  # characters of a name, as many as a column takes


def profile_grids(found: Compared) -> list[Grid]:
    """What `genset tta profile` prints."""
    found = found.shown(_LONGEST)
    grids = [
        *shares_grids(found.runs),
        *matrix_units_grids(found.runs),
        *communication_grids({r.name: r.communication for r in found.runs if r.communication}),
        *cpu_grids(found.runs),
        *roofline_grids(found.runs, found.points),
    ]
    for title, notes in (("Remarks", _remarks(found)), ("Not recorded", _lacks(found.runs))):
        if notes:
            grids.append(Grid(title, notes=notes))
    return grids


def _remarks(found: Compared) -> list[str]:
    of = [(run.name, [*run.remarks, *run.roofline.remarks]) for run in found.runs]
    of += [(point.point.name, point.remarks) for point in found.points]
    return [f"{short_name(who)}: {clean(remark, 400)}" for who, remarks in of for remark in remarks]


def _lacks(runs: Sequence[Profile]) -> list[str]:
    said = [f"{short_name(run.name)}: {clean(lack, 400)}" for run in runs for lack in run.lacks]
    return [*said, "genset tta profile --how prints how to record it"] if said else []
