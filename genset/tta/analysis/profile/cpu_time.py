"""Where the host's time went: each operator's own, without that of the operators it called."""

from collections.abc import Iterable
from dataclasses import dataclass

from genset.tta.analysis.profile.intervals import seconds
from genset.tta.traces.trace import Operator


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
