"""How fast the ranks of a run talked."""

from collections.abc import Sequence

from genset.text.numbers import NONE
from genset.text.safe import clean
from genset.text.tables import Grid
from genset.tta.analysis.profile.run import Profile
from genset.tta.show.profile.numbers import amount, rate, share, time
from genset.tta.show.words import name


def communication_grids(runs: Sequence[Profile]) -> list[Grid]:
    """A line for each collective, and what part of it has no size."""
    known = [(run, run.communication) for run in runs if run.communication]
    if not known:
        return []
    linked = any(talk.link_gbits is not None for _, talk in known)
    head = ["run", "collective", "ranks", "calls", "moved", "time", "algorithm", "bus"]
    head += ["fastest call's bus", *["bus ÷ link"] * linked]
    rows = [
        [
            name(run.name),
            clean(each.collective, 40),
            NONE if each.group is None else str(each.group),
            f"{each.calls:,}",
            amount(each.bytes, "B"),
            time(each.seconds),
            _gbits(each.algorithm_gbits),
            _gbits(each.bus_gbits),
            _gbits(each.fastest_gbits),
            *[share(each.of_link)] * linked,
        ]
        for run, talk in known
        for each in talk.rates
    ]
    notes = [
        f"{name(run.name)}: {share(talk.of_kernel_time)} of kernel time is communication"
        for run, talk in known
    ]
    notes += [
        f"{name(run.name)}: of {share(talk.unsized)} of it the trace does not say what it moved"
        for run, talk in known
        if talk.unsized
    ]
    notes += [
        f"{name(run.name)}: the link's advertised rate is {_gbits(talk.link_gbits)}"
        for run, talk in known
        if talk.link_gbits is not None
    ]
    if rows:
        notes.append(
            "algorithm: the message over its time; bus: what each link carried, as nccl-tests "
            "count; a kernel's time holds the wait for the slowest rank, so these are lower bounds"
        )
    return [Grid("Communication by collective", head, rows, notes)]


def _gbits(value: float | None) -> str:
    return NONE if value is None else f"{rate(value)} Gbit/s"
