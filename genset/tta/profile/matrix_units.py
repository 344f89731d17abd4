"""How much of the kernels' time is in kernels that use matrix units (Tensor Cores, MFMA).

A kernel that uses them may still leave them waiting: how busy they are, only counters of the
hardware tell.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.tta.figures import stacked_bars
from genset.tta.profile.kernels import Family, Verdict, family
from genset.tta.profile.span import seconds
from genset.tta.traces.trace import Kernel
from genset.tta.words import name_column, share, shares, short_name, short_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# How many unclassified kernels are named: in all, and in a table.
_NAMED, _PRINTED = 10, 5


@dataclass(frozen=True, slots=True)
class FamilyShare:
    """Kernels of one family.

    Attributes:
        generation: of the device that has such kernels; "" of any.
        share: of all kernels' time, 0 to 1.
        kernels: how many ran.
    """

    name: str
    generation: str
    verdict: Verdict
    share: float
    kernels: int


@dataclass(frozen=True, slots=True)
class NamedShare:
    """Kernels of one name, as recorded."""

    name: str
    share: float
    kernels: int


@dataclass(frozen=True, slots=True)
class MatrixUnits:
    """Shares of the kernels' time, 0 to 1; `yes`, `no` and `unclassified` add up to 1.

    Attributes:
        kernel_seconds: all kernels' time; those that run at once count each.
        yes: in kernels that use matrix units, by their names.
        unclassified: in kernels whose names do not tell.
        families: the longest first.
        unknown: the kernels that are unclassified, the longest first; at most ten names.
    """

    kernel_seconds: float
    yes: float
    no: float
    unclassified: float
    families: list[FamilyShare]
    unknown: list[NamedShare]


def matrix_units(kernels: Iterable[Kernel]) -> MatrixUnits | None:
    """Count the kernels' time by their names; None without a kernel that took time."""
    times: dict[str, float] = {}
    counts: dict[str, int] = {}
    for kernel in kernels:
        times[kernel.name] = times.get(kernel.name, 0.0) + kernel.length
        counts[kernel.name] = counts.get(kernel.name, 0) + 1
    whole = sum(times.values())
    if whole <= 0:
        return None
    by_family: dict[Family, list[str]] = {}
    for name in times:
        by_family.setdefault(family(name), []).append(name)
    families = [
        FamilyShare(
            of.name,
            of.generation,
            of.verdict,
            sum(times[name] for name in names) / whole,
            sum(counts[name] for name in names),
        )
        for of, names in by_family.items()
    ]
    unknown = [
        NamedShare(name, times[name] / whole, counts[name])
        for of, names in by_family.items()
        if of.verdict == "unclassified"
        for name in names
    ]
    yes, no, unclassified = (
        sum(family.share for family in families if family.verdict == verdict)
        for verdict in ("yes", "no", "unclassified")
    )
    return MatrixUnits(
        kernel_seconds=seconds(whole),
        yes=yes,
        no=no,
        unclassified=unclassified,
        families=sorted(families, key=lambda family: (-family.share, family.name)),
        unknown=sorted(unknown, key=lambda kernel: (-kernel.share, kernel.name))[:_NAMED],
    )


def matrix_units_tables(
    found: Mapping[str, MatrixUnits], outside: Mapping[str, float]
) -> list[Table]:
    """The share of kernel time by what kernels' names tell, in all and by family; by run.

    Args:
        outside: by run, the share of the trace's kernel time that no table counts.
    """
    if not found:
        return []
    columns = [
        name_column("run"),
        Column("kernel_seconds", "kernel time", format=short_time),
        *(Column(name, align="right") for name in ("use them", "do not", "unclassified")),
    ]
    rows = [
        [name, units.kernel_seconds, *map(Cell, values, shares(values))]
        for name, units in found.items()
        for values in [[units.yes, units.no, units.unclassified]]
    ]
    notes = [
        f"{short_name(name)}: {share(part)} of the trace's kernel time is outside of the marked "
        "steps and what they launched, and in no table"
        for name, part in outside.items()
        if part > 0
    ]
    title = "Matrix units (Tensor Cores): share of kernel time, by kernels' names"
    return [Table(columns, rows, title, notes), _families(found)]


def draw_matrix_units(axes: "Axes", found: Mapping[str, MatrixUnits]) -> None:
    """Kernel time by whether kernels use matrix units, a bar for each run."""
    bars = [
        ("use them", "#1b7837", "", [units.yes for units in found.values()]),
        ("unclassified", "#d9d9d9", "xx", [units.unclassified for units in found.values()]),
        ("do not", "#f4f4f4", "", [units.no for units in found.values()]),
    ]
    names = [short_name(name, 24) for name in found]
    title = "kernels that use matrix units, by name"
    stacked_bars(axes, names, bars, "share of kernel time, %", title)


def _families(found: Mapping[str, MatrixUnits]) -> Table:
    by_family: dict[tuple[str, str, Verdict], dict[str, float]] = {}
    for name, units in found.items():
        for of in units.families:
            by_family.setdefault((of.name, of.generation, of.verdict), {})[name] = of.share
    order = sorted(by_family.items(), key=lambda item: -max(item[1].values()))
    columns = [
        Column("family", "kernels"),
        Column("generation"),
        Column("matrix_units", "use them"),
        *(Column(name, short_name(name), format=share) for name in found),
    ]
    rows = [
        [name, generation or None, verdict, *map(by_run.get, found)]
        for (name, generation, verdict), by_run in order
    ]
    notes = [
        f"{short_name(name)}: unclassified: {share(kernel.share)} in {clean(kernel.name, 100)}"
        for name, units in found.items()
        for kernel in units.unknown[:_PRINTED]
    ]
    return Table(columns, rows, "Kernel time by family", notes)
