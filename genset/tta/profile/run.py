"""One run's profile, from the traces of its ranks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.tta.profile.communication import Communication, communication
from genset.tta.profile.matrix_units import MatrixUnits, matrix_units
from genset.tta.profile.peaks import Peaks, find_peaks, named_peaks, own_peaks
from genset.tta.profile.roofline import Roofline, roofline
from genset.tta.profile.shares import Shares, SpanOf, seconds, shares, span, span_of
from genset.tta.profile.work import count_work
from genset.tta.traces.trace import Kernel, Operator, Trace


def in_order(name: str, traces: Sequence[Trace]) -> list[Trace]:
    """The traces of the run by rank; those without a number last, as given.

    Raises:
        BadInput: none, a file or a rank given twice, runs of different sizes or different devices.
    """
    if not traces:
        raise BadInput(f"{name}: no trace is given")
    for one, other in combinations(traces, 2):
        _apart(name, one, other)
    return sorted(traces, key=lambda trace: (trace.rank is None, trace.rank or 0))


def _apart(name: str, one: Trace, other: Trace) -> None:
    """Refuse two that are one, or of different runs."""
    paths = f"{one.path} and {other.path}"
    if one.path.resolve() == other.path.resolve():
        raise BadInput(f"{name}: {one.path} is named twice; name each rank's trace once")
    if _same_events(one, other):
        raise BadInput(f"{name}: {paths} hold the same events; name each rank's trace once")
    if one.rank is not None and one.rank == other.rank:
        raise BadInput(
            f"{name}: {paths} are both of rank {one.rank}; if they are different runs, give them "
            "different names"
        )
    if one.ranks and other.ranks and one.ranks != other.ranks:
        raise BadInput(
            f"{name}: {one.path} is of a run of {count(one.ranks, 'rank')} and {other.path} of one "
            f"of {other.ranks}; give them different names"
        )
    for told, silent in ((one, other), (other, one)):
        if (told.ranks or 1) > 1 and silent.ranks is None and silent.rank is None:
            raise BadInput(
                f"{name}: {told.path} is of a run of {told.ranks} ranks and {silent.path} says "
                "nothing of ranks, as a run on one device does; give them different names"
            )
    kinds = [_device(one), _device(other)]
    named = one.device.name and other.device.name
    if one.device.maker != other.device.maker or (named and kinds[0] != kinds[1]):
        raise BadInput(
            f"{name}: {one.path} ran on {kinds[0]} and {other.path} on {kinds[1]}; give them "
            "different names"
        )


def _same_events(one: Trace, other: Trace) -> bool:
    events = (one.kernels, one.copies, one.operators)
    return any(events) and events == (other.kernels, other.copies, other.operators)


def _device(trace: Trace) -> str:
    if trace.device.maker == "none":
        return "the host alone"
    return trace.device.name or {"nvidia": "NVIDIA's", "amd": "AMD's"}[trace.device.maker]


@dataclass(frozen=True, slots=True)
class OperatorTime:
    """Operators of one name.

    Attributes:
        own_seconds: summed over calls and threads.
        share: of all operators' own time, 0 to 1.
    """

    name: str
    calls: int
    own_seconds: float
    share: float


def cpu_time(operators: Iterable[Operator]) -> list[OperatorTime]:
    """By operator, the longest first."""
    times: dict[str, float] = {}
    counts: dict[str, int] = {}
    for operator in operators:
        times[operator.name] = times.get(operator.name, 0.0) + operator.own
        counts[operator.name] = counts.get(operator.name, 0) + 1
    whole = sum(times.values())
    return [
        OperatorTime(name, counts[name], seconds(own), own / whole if whole > 0 else 0.0)
        for name, own in sorted(times.items(), key=lambda item: (-item[1], item[0]))
    ]


# A share of kernel time that is worth a remark where its kernels' names do not tell.
_MUCH = 0.1
_LISTED = 8  # ranks that are named in a sentence


@dataclass(frozen=True, slots=True)
class Given:
    """What the user says of the device that traces do not hold.

    Attributes:
        peak_tflops: 10^12 FLOP/s at most.
        peak_gbs: 10^9 bytes/s to and from its memory at most.
        link_gbits: Gbit/s between devices, as advertised.
        device: whose peaks to take; "" for those of the device that the traces name.
    """

    peak_tflops: float | None = None
    peak_gbs: float | None = None
    link_gbits: float | None = None
    device: str = ""

    def peaks(self, device: str) -> Peaks | None:
        """The peaks of a device of this name, and what is said in their place.

        Raises:
            BadInput: a device is named whose peaks are not known, or a peak is not above 0.
        """
        known = named_peaks(self.device) if self.device else find_peaks(device)
        return own_peaks(known, self.peak_tflops, self.peak_gbs)


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
        communication: None if no kernel communicates.
        cpu_time: of traces of the host alone, by operator, the longest first; else none.
        roofline: work and throughput by operator.
        remarks: what the numbers need to be read right, a sentence each.
        lacks: what the traces do not hold and how to record it, a sentence each, which names the
            ranks that it is of where these are not all.
    """

    name: str
    device: str
    maker: Literal["nvidia", "amd", "none"]
    ranks: int | None
    traces: list[Path]
    shares: list[Shares]
    outside: float
    matrix_units: MatrixUnits | None
    communication: Communication | None
    cpu_time: list[OperatorTime]
    roofline: Roofline
    remarks: list[str]
    lacks: list[str]


def profile(name: str, traces: Sequence[Trace], given: Given | None = None) -> Profile:
    """Analyse a run.

    Args:
        traces: one of each rank, at least one.

    Raises:
        BadInput: the traces are not of different ranks of one run (see `in_order`).
    """
    given = given or Given()
    ranks = in_order(name, traces)
    maker = ranks[0].device.maker
    device = next((trace.device.name for trace in ranks if trace.device.name), "")
    of = span_of(ranks)
    spans = [span(trace, of) for trace in ranks]
    kernels = [
        [kernel for kernel in trace.kernels if over.holds(kernel)]
        for trace, over in zip(ranks, spans, strict=True)
    ]
    host = maker == "none"
    units = matrix_units(kernel for each in kernels for kernel in each)
    world = next((trace.ranks for trace in ranks if trace.ranks), None)
    talk = communication(kernels, given.link_gbits, world)
    peaks = given.peaks(device)
    unseen = next((trace.unseen for trace in ranks if trace.unseen), "")
    return Profile(
        name=name,
        device=device,
        maker=maker,
        ranks=world,
        traces=[trace.path for trace in ranks],
        shares=[line for trace in ranks for line in shares(trace, of)],
        outside=_outside(ranks, kernels),
        matrix_units=units,
        communication=talk,
        cpu_time=cpu_time(op for trace in ranks for op in trace.operators) if host else [],
        roofline=roofline([] if unseen else list(map(count_work, ranks, spans)), peaks),
        remarks=[*_of_span(ranks, of), *_of_unseen(unseen), *_of_units(units), *_of_talk(talk)],
        lacks=_lacks(ranks),
    )


def _outside(ranks: Sequence[Trace], inside: Sequence[Sequence[Kernel]]) -> float:
    whole = sum(kernel.length for trace in ranks for kernel in trace.kernels)
    held = sum(kernel.length for kernels in inside for kernel in kernels)
    return max(0.0, 1 - held / whole) if whole > 0 else 0.0


def _of_span(ranks: Sequence[Trace], of: SpanOf) -> list[str]:
    """What the shares are of, where that is not what it seems."""
    said = []
    whole = next((trace.ranks for trace in ranks if trace.ranks), None)
    if whole and len(ranks) < whole:
        said.append(
            f"{len(ranks)} of {whole} ranks: the others may have computed, and waited, otherwise"
        )
    if of == "device" and any(trace.steps for trace in ranks):
        marked = sum(bool(trace.steps) for trace in ranks)
        said.append(
            f"steps are marked in {marked} of {len(ranks)} traces, or no kernel lies in them, so "
            "that shares are of the time from the first event on the device to the last"
        )
    return said


def _of_unseen(unseen: str) -> list[str]:
    if not unseen:
        return []
    return [
        f"the trace is of the host alone, though {unseen}: an operator's time there is that of its "
        "launch, so that no achieved rate is told"
    ]


def _lacks(ranks: Sequence[Trace]) -> list[str]:
    """What several lack is said once, and whose it is where not all do."""
    of: dict[str, list[str]] = {}
    for trace in ranks:
        who = f"rank {trace.rank}" if trace.rank is not None else trace.path.name
        for lack in trace.lacks:
            of.setdefault(lack, []).append(who)
    each = "Each rank: " if len(ranks) > 1 else ""
    return [
        f"{each if len(whose) == len(ranks) else f'{_listed(whose)}: '}{lack}"
        for lack, whose in of.items()
    ]


def _listed(whose: Sequence[str]) -> str:
    more = f" and {len(whose) - _LISTED} more" if len(whose) > _LISTED else ""
    return ", ".join(whose[:_LISTED]) + more


def _of_units(units: MatrixUnits | None) -> list[str]:
    if units is None or units.unclassified < _MUCH:
        return []
    return [
        f"{100 * units.unclassified:.0f} % of kernel time is in kernels whose names do not tell "
        "whether they use matrix units"
    ]


def _of_talk(talk: Communication | None) -> list[str]:
    over = [rate for rate in talk.rates if (rate.of_link or 0) > 1] if talk else []
    return [
        f"{rate.collective}'s bus rate is {rate.of_link:.2f} times the link's: is that of "
        "all links together, in both directions?"
        for rate in over
    ]
