"""How much of the kernels' time is in kernels that use matrix units (Tensor Cores, MFMA).

A kernel that uses them may still leave them waiting: how busy they are, only counters of the
hardware tell.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from genset.tta.profile.kernels import Family, Verdict, family
from genset.tta.profile.shares import seconds
from genset.tta.traces.trace import Kernel

# How many kernels that no family knows are named.
_NAMED = 10


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
        yes: in kernels that use matrix units, as their names tell.
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
    """Count the kernels' time by what their names tell; None without a kernel that took time."""
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
            each.name,
            each.generation,
            each.verdict,
            sum(times[name] for name in names) / whole,
            sum(counts[name] for name in names),
        )
        for each, names in by_family.items()
    ]
    yes, no, unclassified = (
        sum(family.share for family in families if family.verdict == verdict)
        for verdict in ("yes", "no", "unclassified")
    )
    unknown = [
        NamedShare(name, times[name] / whole, counts[name])
        for each, names in by_family.items()
        if each.verdict == "unclassified"
        for name in names
    ]
    return MatrixUnits(
        kernel_seconds=seconds(whole),
        yes=yes,
        no=no,
        unclassified=unclassified,
        families=sorted(families, key=lambda family: (-family.share, family.name)),
        unknown=sorted(unknown, key=lambda each: (-each.share, each.name))[:_NAMED],
    )
