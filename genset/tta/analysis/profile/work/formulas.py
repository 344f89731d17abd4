"""Which operators have a formula for their work."""

from collections.abc import Mapping

from genset.tta.analysis.profile.work.convolution import CONVOLUTIONS
from genset.tta.analysis.profile.work.elements import ELEMENTS
from genset.tta.analysis.profile.work.inputs import Formula, Inputs
from genset.tta.analysis.profile.work.pooling import POOLING
from genset.tta.analysis.profile.work.products import CAUSAL, PRODUCTS
from genset.tta.analysis.profile.work.work import CannotTell, Work
from genset.tta.traces.trace import Operator

FORMULAS: Mapping[str, Formula] = {
    **ELEMENTS,
    **POOLING,
    **PRODUCTS,
    **CONVOLUTIONS,
}


def work_of(operator: Operator) -> Work | None:
    """The operator's work; None if it has no formula.

    Raises:
        CannotTell: the trace does not hold what its formula needs.
    """
    formula = FORMULAS.get(operator.name)
    return None if formula is None else formula(Inputs(operator))


def is_causal(operator: Operator) -> bool:
    """Whether an attention says that no query sees later keys."""
    place = CAUSAL.get(operator.name)
    try:
        return place is not None and Inputs(operator).flags(place, 1) == (True,)
    except CannotTell:
        return False
