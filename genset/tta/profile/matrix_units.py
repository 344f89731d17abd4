"""How much of the kernels' time is in kernels that use matrix units (Tensor Cores, MFMA).

A kernel that uses them may still leave them waiting: how busy they are, only counters of the
hardware tell.

Kernels are told apart by their names. NVIDIA calls the units Tensor Cores; AMD's are behind its
MFMA and WMMA instructions. The first family whose pattern is found in a name is the kernel's. What
is in no family is unclassified: a name that says nothing is not counted on either side. PyTorch's
own list ends before Hopper (kineto#1041); NVIDIA's naming is that of cuBLAS, cuDNN and CUTLASS as
profilers print it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from genset.core.files import packaged_rows
from genset.core.table import Cell, Column, Table
from genset.tta.figures import stacked_bars
from genset.tta.profile.trace import Kernel
from genset.tta.words import name_column, share, shares, short_name, short_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Verdict = Literal["yes", "no", "unclassified"]


@dataclass(frozen=True, slots=True)
class Family:
    """Kernels that are named alike.

    Attributes:
        generation: of the device, "Ampere", "Turing, Ampere"; "" of kernels that run on any.
        verdict: whether they use matrix units.
    """

    name: str
    generation: str
    verdict: Verdict


UNCLASSIFIED = Family("unclassified", "", "unclassified")
COMMUNICATION = Family("communication", "", "no")


# Each with the pattern of its kernels' names, without regard to case.
_FAMILIES = {
    re.compile(row["names"], re.IGNORECASE): Family(
        row["family"], row["generation"], cast("Verdict", row["matrix_units"])
    )
    for row in packaged_rows(Path(__file__).with_name("kernels.csv"))
}

# NCCL's and RCCL's kernels, and the all-reduces that frameworks write themselves.
_COMMUNICATES = re.compile(
    r"^(void )?(nccl|rccl|msccl|nvshmem)|nccl(dev)?kernel|cross_device_reduce|deep_ep::|"
    r"(one|two)_?shot_all_?reduce|multimem_all_?(reduce|gather)",
    re.IGNORECASE,
)
# A name from a stranger may be long; what tells its family stands in its beginning.
_LONGEST = 2000
_NAMES = 50_000


def communicates(kernel: Kernel) -> bool:
    """Whether it moves data between devices: the trace says so, or its name does."""
    return bool(kernel.collective) or family(kernel.name) is COMMUNICATION


@lru_cache(_NAMES)
def family(name: str) -> Family:
    """The family of the kernel, `UNCLASSIFIED` if its name is in none."""
    text = name[:_LONGEST]
    if _COMMUNICATES.search(text):
        return COMMUNICATION
    found = (known for pattern, known in _FAMILIES.items() if pattern.search(text))
    return next(found, UNCLASSIFIED)


@dataclass(frozen=True, slots=True)
class FamilyShare(Family):
    """Kernels of one family.

    Attributes:
        share: of all kernels' time, 0 to 1.
        kernels: how many ran.
    """

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
    """

    kernel_seconds: float
    yes: float
    no: float
    unclassified: float
    families: list[FamilyShare]


def matrix_units(kernels: Iterable[Kernel]) -> MatrixUnits | None:
    """Count the kernels' time by their names; None without a kernel that took time."""
    by_family: dict[Family, list[float]] = {}
    for kernel in kernels:
        by_family.setdefault(family(kernel.name), []).append(kernel.length)
    whole = sum(map(sum, by_family.values()))
    if whole <= 0:
        return None
    families = [
        FamilyShare(of.name, of.generation, of.verdict, sum(times) / whole, len(times))
        for of, times in by_family.items()
    ]
    families.sort(key=lambda family: (-family.share, family.name))
    yes, no, unclassified = (
        sum(family.share for family in families if family.verdict == verdict)
        for verdict in ("yes", "no", "unclassified")
    )
    return MatrixUnits(whole / 1e6, yes, no, unclassified, families)


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
    return Table(columns, rows, "Kernel time by family")
