"""Profiles of runs, from the traces of their ranks: read, compared, printed."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Literal

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.core.progress import progress
from genset.core.safe import clean
from genset.core.table import Table
from genset.tta.figures import check_few, new_figure
from genset.tta.profile import matrix_units, roofline, shares
from genset.tta.profile.kineto import read_trace
from genset.tta.profile.peaks import DeviceOptions, Peaks, Point
from genset.tta.profile.trace import Trace
from genset.tta.profile.work import count_work
from genset.tta.words import short_name, short_time

_LINE = 0.09  # inches that the roofline is higher for each name below it
# A share of kernel time that is worth a remark if its kernels' names do not tell.
_MUCH = 0.1
_MAKERS = {"none": "the host alone", "nvidia": "an NVIDIA GPU", "amd": "an AMD GPU"}


@dataclass(frozen=True, slots=True)
class Profile:
    """One run, all its ranks together but for `shares`.

    Attributes:
        device: the accelerator's name as its runtime tells it; "" if it is not recorded, and of a
            trace of the host alone.
        maker: whose accelerator; "none" of traces of the host alone.
        ranks: how many ranks took part in the run; None if it is not recorded.
        traces: the files, by rank.
        shares: by rank and device; none of traces of the host alone.
        outside: share of the traces' kernel time in kernels that run outside of the marked steps'
            time, 0 to 1: nothing below counts them.
        matrix_units: None without kernels.
        roofline: work and throughput by operator.
        remarks: what a reader of the numbers should know, a sentence each.
        missing: what the traces do not have and how to record it, a sentence each, with the ranks
            that it is of if these are not all.
    """

    name: str
    device: str
    maker: Literal["nvidia", "amd", "none"]
    ranks: int | None
    traces: list[Path]
    shares: list[shares.Shares]
    outside: float
    matrix_units: matrix_units.MatrixUnits | None
    roofline: roofline.Roofline
    remarks: list[str]
    missing: list[str]


@dataclass(frozen=True, slots=True)
class PointProfile:
    """A run without a trace, from its work and time.

    Attributes:
        remarks: what a reader of the numbers should know, a sentence each.
    """

    point: Point
    peaks: Peaks | None
    remarks: list[str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one figure shows."""

    runs: list[Profile]
    points: list[PointProfile]


def compare(
    traces: Mapping[str, Sequence[Path]],
    points: Sequence[Point],
    options: Mapping[str, DeviceOptions],
) -> Comparison:
    """Read and analyse all runs, one at a time: no more traces are in memory than one run has.

    Args:
        traces: of each run's ranks, by the run's name.
        points: runs without a trace.
        options: by the names of all of these.

    Raises:
        BadInput: a file cannot be read, a trace is given for two runs, or is not of its run's
            ranks.
    """
    point_profiles = [_point_profile(point, options[point.name]) for point in points]
    runs = [profile(name, ranks, options[name]) for name, ranks in _read_traces(traces)]
    return Comparison(runs, point_profiles)


def profile(
    name: str,
    traces: Sequence[Trace],
    options: DeviceOptions = DeviceOptions(),  # noqa: B008 - immutable
) -> Profile:
    """Analyse a run.

    Args:
        traces: one of each rank, at least one.

    Raises:
        BadInput: the traces are not of different ranks of one run (see `in_order`).
    """
    ranks = in_order(name, traces)
    device = next((trace.device.name for trace in ranks if trace.device.name), "")
    of = shares.span_of(ranks)
    spans = [shares.span(trace, of) for trace in ranks]
    pairs = list(zip(ranks, spans, strict=True))
    kernels = [k for trace, over in pairs for k in trace.kernels if over.overlaps(k)]
    everything = sum(kernel.length for trace in ranks for kernel in trace.kernels)
    inside = sum(kernel.length for kernel in kernels)
    world = next((trace.ranks for trace in ranks if trace.ranks), None)
    units = matrix_units.matrix_units(kernels)
    unseen = any(trace.unseen for trace in ranks)
    works = [] if unseen else [count_work(trace, over) for trace, over in pairs]
    return Profile(
        name=name,
        device=device,
        maker=ranks[0].device.maker,
        ranks=world,
        traces=[trace.path for trace in ranks],
        shares=[line for trace in ranks for line in shares.shares(trace, of)],
        outside=max(0.0, 1 - inside / everything) if everything > 0 else 0.0,
        matrix_units=units,
        roofline=roofline.roofline(works, options.peaks(device)),
        remarks=list(_remarks(ranks, of, units)),
        missing=_missing(ranks),
    )


def in_order(name: str, traces: Sequence[Trace]) -> list[Trace]:
    """The traces of the run by rank; those without a number last, in their order.

    Raises:
        BadInput: none, a file or a rank given twice, runs of different sizes or different devices.
    """
    if not traces:
        raise BadInput(f"{name}: no trace is given")
    for one, other in combinations(traces, 2):
        devices = [trace.device.name or _MAKERS[trace.device.maker] for trace in (one, other)]
        named = one.device.name and other.device.name
        if one.path.resolve() == other.path.resolve():
            why = "are one file: give each rank's trace once"
        elif one.rank is not None and one.rank == other.rank:
            why = f"are both of rank {one.rank}; give different runs different names"
        elif one.device.maker != other.device.maker or (named and devices[0] != devices[1]):
            why = f"ran on {devices[0]} and on {devices[1]}; give them different names"
        else:
            continue
        raise BadInput(f"{name}: {one.path} and {other.path} {why}")
    return sorted(traces, key=lambda trace: (trace.rank is None, trace.rank or 0))


def profile_tables(found: Comparison, everything: bool = True) -> list[Table]:
    """What `genset tta profile` prints: a summary of each run, and `everything` behind it."""
    runs = found.runs
    units = {run.name: run.matrix_units for run in runs if run.matrix_units}
    points = [(point.point, point.peaks) for point in found.points]
    remarks = [(run.name, [*run.remarks, *run.roofline.remarks]) for run in runs]
    remarks += [(point.point.name, point.remarks) for point in found.points]
    missing = _lines((run.name, run.missing) for run in runs)
    if missing:
        missing.append("genset tta profile --how prints how to record it")
    lists = (("Remarks", _lines(remarks)), ("Not recorded", missing))
    summaries = _lines((run.name, _summary(run)) for run in runs)
    if not everything and runs:
        more = "genset tta profile --all prints tables, remarks, what is not recorded"
        return [Table(title="Summary", notes=[*summaries, more])]
    return [
        *[Table(title="Summary", notes=summaries)] * bool(runs),
        *shares.shares_tables(
            {run.name: run.shares for run in runs if run.shares},
            {run.name: run.device for run in runs},
        ),
        *matrix_units.matrix_units_tables(
            units, {run.name: run.outside for run in runs if run.matrix_units}
        ),
        *roofline.roofline_tables({run.name: run.roofline for run in runs}, points),
        *(Table(title=title, notes=notes) for title, notes in lists if notes),
    ]


def draw_profile(found: Comparison, path: Path) -> None:
    """Draw what is known: bars of time, and below them the roofline.

    Raises:
        BadInput: there is nothing to draw, or there are more runs than a figure holds.
    """
    names = [run.name for run in found.runs] + [point.point.name for point in found.points]
    places = {name: at for at, name in enumerate(names)}
    check_few(len(places), "runs")
    lines = {run.name: run.shares for run in found.runs if run.shares}
    units = {run.name: run.matrix_units for run in found.runs if run.matrix_units}
    rooflines = {run.name: run.roofline for run in found.runs}
    has_roofline = bool(found.points) or any(of.run for of in rooflines.values())
    if not (lines or units or has_roofline):
        raise BadInput("nothing to draw: no kernel is recorded, and no operator's work is known")
    bars = max(sum(map(len, lines.values())), len(units))
    heights = [1.9 + 0.3 * bars] * bool(bars) + [4.6 + _LINE * len(places)] * has_roofline
    columns = max(1, bool(lines) + bool(units))
    with new_figure(path, 6.4 * columns, sum(heights)) as figure:
        grid = figure.add_gridspec(len(heights), columns, height_ratios=heights)
        if lines:
            shares.draw_shares(figure.add_subplot(grid[0, 0]), lines)
        if units:
            matrix_units.draw_matrix_units(figure.add_subplot(grid[0, columns - 1]), units)
        if has_roofline:
            axes = figure.add_subplot(grid[-1, :])
            points = [(point.point, point.peaks) for point in found.points]
            roofline.draw_roofline(axes, rooflines, points, places)


def _lines(of: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    return [f"{short_name(name)}: {clean(line, 400)}" for name, lines in of for line in lines]


def _point_profile(point: Point, options: DeviceOptions) -> PointProfile:
    """Compared with the device's highest peak: what it computed in is not known."""
    peaks = options.peaks("")
    tflops = [(rate, roof) for roof, rate in peaks.tflops.items()] if peaks else []
    point = point.compared_with(peaks, max(tflops)[1] if tflops else None)
    return PointProfile(point, peaks, roofline.above_roof(point, "the point"))


def _read_traces(
    runs: Mapping[str, Sequence[Path]],
) -> Iterator[tuple[str, list[Trace]]]:
    """Read one run after another, and show how far it is.

    Raises:
        BadInput: a trace is given for two runs.
    """
    paths = [path for several in runs.values() for path in several]
    seen: dict[Path, str] = {}
    for name, path in ((name, path) for name, several in runs.items() for path in several):
        if (other := seen.setdefault(path.resolve(), name)) != name:
            raise BadInput(f"{path} is given for {other} and for {name}")
    read = iter(progress(map(read_trace, paths), total=len(paths), what="traces", unit="trace"))
    for name, several in runs.items():
        yield name, [next(read) for _ in several]


def _remarks(
    ranks: Sequence[Trace], of: shares.SpanOf, units: matrix_units.MatrixUnits | None
) -> Iterator[str]:
    whole = next((trace.ranks for trace in ranks if trace.ranks), None)
    if whole and len(ranks) < whole:
        yield f"{len(ranks)} of {whole} ranks: others may compute and wait differently"
    if of == "device" and any(trace.steps for trace in ranks):
        marked = sum(bool(trace.steps) for trace in ranks)
        yield (
            f"steps are marked in {marked} of {len(ranks)} traces, or have no kernel: shares are "
            "of the time from the first event on the device to the last"
        )
    if unseen := next((trace.unseen for trace in ranks if trace.unseen), ""):
        yield (
            f"the trace is of the host alone, but {unseen}: an operator's time there is that of "
            "its launch, so no achieved rates are computed"
        )
    if units and units.unclassified >= _MUCH:
        yield (
            f"{100 * units.unclassified:.0f} % of kernel time is in kernels whose names do not "
            "tell whether they use matrix units"
        )


def _missing(ranks: Sequence[Trace]) -> list[str]:
    """What the traces do not have, each once, with its ranks if these are not all."""
    of = defaultdict[str, list[str]](list)
    for trace in ranks:
        for sentence in trace.missing:
            of[sentence].append(trace.path.name if trace.rank is None else f"rank {trace.rank}")
    everybody = "each rank: " if len(ranks) > 1 else ""
    return [
        (everybody if len(names) == len(ranks) else ", ".join(names) + ": ") + sentence
        for sentence, names in of.items()
    ]


# What takes the device's time, and what shortens it.
_NEXT = {
    "idle": (
        "the device waits for the host",
        "load data with more workers, take larger batches, or launch less: torch.compile, "
        "CUDA graphs",
    ),
    "communication": (
        "communication that no computing hides",
        "overlap it with the backward pass (larger buckets), or take larger batches",
    ),
    "copies": (
        "copies that no computing hides",
        "pin memory and copy with non_blocking=True, or keep data on the device",
    ),
    "other": (
        "operators beside products, such as batch norm and elementwise ones",
        "fuse them with torch.compile, and keep activations in half precision",
    ),
    "products": (
        "products slower than the device's peak",
        "take larger batches, sizes in multiples of 8, channels_last for convolutions",
    ),
}
_HALF = "compute in half precision (torch.autocast), or allow TF32"


def _summary(run: Profile) -> list[str]:
    """The lines; of a trace without events on a device, what to record."""
    if not run.shares:
        return ["how busy a device was is not in it", *run.missing[:1]]
    parts = [(line.computing, line.exposed, line.copying_alone, line.idle) for line in run.shares]
    computing, exposed, copies, idle = map(fmean, zip(*parts, strict=True))
    time = short_time(fmean(line.span_seconds for line in run.shares))
    of = f" (mean of {count(len(run.shares), 'device')})" if len(run.shares) > 1 else ""
    lost = _lost(run, computing)
    lost |= {"communication": exposed, "copies": copies, "idle": idle}
    worst = max(lost, key=lambda name: lost[name])
    what, mend = _NEXT[worst]
    roofs = {point.roof for point in run.roofline.kinds}
    if worst == "products" and roofs == {"float32"}:
        mend = _HALF
    elif worst == "other" and not run.roofline.kinds:
        mend = "record with record_shapes=True, to see which operators take it"
    return [
        f"busy: computing {_percent(computing)} of {time}{of}, idle {_percent(idle)}",
        f"hinders most: {what}, {_percent(lost[worst])} of the time",
        f"next: {mend}",
    ]


def _lost(run: Profile, computing: float) -> dict[str, float]:
    """Shares of the time that computing takes beside products, and products below their peak."""
    kinds, units = run.roofline.kinds, run.matrix_units
    peaks = [1.0 if point.of_peak is None else min(1.0, point.of_peak) for point in kinds]
    parts = [point.share or 0.0 for point in kinds]
    slow = sum(share * (1 - peak) for share, peak in zip(parts, peaks, strict=True))
    other = 1 - sum(parts) if kinds or not units else units.no
    return {"other": computing * other, "products": computing * slow}


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
