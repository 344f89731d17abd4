"""Where a device's time went, and how much of the kernels' is in those that use matrix units."""

from collections.abc import Sequence

from genset.core.numbers import NONE, count
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.analysis.profile.matrix_units import FamilyShare
from genset.tta.analysis.profile.run import Profile
from genset.tta.analysis.profile.shares import Shares
from genset.tta.show.profile.numbers import percent, percents, short_time
from genset.tta.show.words import short_name

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
        f"{short_name(run.name)}: {percent(run.outside)} of the trace's kernel time lies outside of the "
        "marked steps and of what they launched, and is in no table"
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
