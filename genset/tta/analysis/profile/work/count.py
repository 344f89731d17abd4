"""The work of a trace: which operators count, and how long the device was at each."""

from dataclasses import dataclass, field
from typing import Literal

from genset.tta.analysis.profile.work.work import Missing, Work
from genset.tta.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Done:
    """An operator whose work is known.

    Attributes:
        place: in `Trace.operators`.
        seconds: in which at least one kernel ran that it, or an operator under it, launched; in a
            trace of the host alone, its own and that of the operators under it.
        matrix_units: whether most of its kernels' time is in kernels that use them; None if that
            cannot be told.
    """

    place: int
    name: str
    work: Work
    seconds: float
    matrix_units: bool | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Operators of one name whose work is not known.

    Attributes:
        name: of the operator; "" of kernels that none launched.
        missing: "shapes" or "values" of an operator that has a formula; "formula" of one that has
            none; "operator" of kernels that no operator launched.
        count: how many kernels; in a trace of the host alone, operators.
        seconds: the sum of their times.
    """

    name: str
    missing: Missing
    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Counted:
    """The work in one trace's window.

    Attributes:
        on: what the seconds are of.
        done: operators by start.
        left_out: longest first.
        seconds: the sum of the times of all kernels that do not communicate; in a trace of the
            host alone, of all operators.
        span: seconds of the window.
        causal: whether an attention among them says that it is masked, which is counted whole.
    """

    on: Literal["device", "host"]
    seconds: float
    span: float
    done: list[Done] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    causal: bool = False


def count(trace: Trace, window: tuple[float, float] | None = None) -> Counted:
    """The work of the trace's operators.

    Args:
        window: from, to, on the trace's clock (microseconds): kernels that start in it count (of a
            trace of the host alone, operators); all of the trace if it is not given.
    """
