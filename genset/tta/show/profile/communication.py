"""How fast the ranks of a run talked."""

from collections.abc import Iterator, Sequence

from genset.core.numbers import NONE, count
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.analysis.profile.communication import Communication, Rate, Unsized
from genset.tta.analysis.profile.run import Profile
from genset.tta.show.profile.numbers import percent, quantity, rate, short_time
from genset.tta.show.words import short_name


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
            short_name(run.name),
            clean(rate.collective, 40),
            _ranks(rate),
            f"{rate.calls:,}",
            quantity(rate.bytes, "B"),
            short_time(rate.seconds),
            _gbits_text(rate.algorithm_gbits),
            _gbits_text(rate.bus_gbits),
            _fastest(rate),
            *[percent(rate.of_link)] * linked,
        ]
        for run, talk in known
        for rate in talk.rates
    ]
    notes = [f"{short_name(run.name)}: {note}" for run, talk in known for note in _notes(talk)]
    if not rows:
        return [Grid("Communication", notes=notes)]
    notes.append(
        "algorithm: the message over its time; bus: what each link carried, as nccl-tests "
        "count; a kernel's time holds the wait for the slowest rank, so these are lower bounds"
    )
    return [Grid("Communication by collective", head, rows, notes)]


def _notes(talk: Communication) -> Iterator[str]:
    yield f"{percent(talk.of_kernel_time)} of kernel time is communication"
    for each in talk.unsized:
        yield _why(each)
    assumed = next((rate.group for rate in talk.rates if rate.group_assumed), None)
    if assumed is not None:
        yield (
            f"the sizes of groups are not recorded where it says so, and assumed to be all "
            f"{assumed} ranks of the run: in smaller groups a link carried less"
        )
    if talk.link_gbits is not None:
        yield f"the link's advertised rate is {_gbits_text(talk.link_gbits)}"


def _why(found: Unsized) -> str:
    """Why the size of a message is not known."""
    of = f"of {percent(found.share)} of it ({count(found.calls, 'kernel')})"
    if found.cause == "type":
        types = clean(", ".join(found.types), 120) or "not recorded"
        return f"{of} it is not known how many bytes an element has: its type is {types}"
    if found.cause == "group":
        return f"{of} the message follows from the number of ranks, which is not recorded"
    if found.cause == "empty":
        return f"{of} the trace says that it moved no element, as a barrier moves none"
    return f"{of} the trace does not say what it moved"


def _ranks(found: Rate) -> str:
    if found.group is None:
        return NONE
    return f"{found.group} (assumed)" if found.group_assumed else str(found.group)


def _fastest(found: Rate) -> str:
    if found.bus_gbits is None and found.fastest_algorithm_gbits is not None:
        return f"{_gbits_text(found.fastest_algorithm_gbits)} (algorithm)"
    return _gbits_text(found.fastest_bus_gbits)


def _gbits_text(value: float | None) -> str:
    return NONE if value is None else f"{rate(value)} Gbit/s"
