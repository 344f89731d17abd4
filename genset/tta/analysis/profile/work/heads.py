"""Which of the operators that call each other counts.

aten::convolution calls aten::_convolution, that aten::cudnn_convolution. The outermost that has a
formula counts; of calls of one name in each other the innermost.
"""

from collections.abc import Sequence

from genset.tta.analysis.profile.work.formulas import FORMULAS
from genset.tta.traces.trace import Operator


def heads_of(operators: Sequence[Operator]) -> list[int | None]:
    """For each operator, the one with a formula that it is, or was called by.

    That is the outermost but for wrappers: the time of their own goes with the call that they wrap,
    and what else they call stands for itself.
    """
    wrapped = _wrapped(operators)
    heads: list[int | None] = []
    for place, operator in enumerate(operators):
        parent = operator.parent
        head = None if parent is None or parent in wrapped else heads[parent]
        if head is None and operator.name in FORMULAS:
            head = place
        heads.append(head)
    for wrapper, call in wrapped.items():
        heads[wrapper] = heads[call]
    return heads


def _wrapped(operators: Sequence[Operator]) -> dict[int, int]:
    """Operators that call themselves, each with the innermost such call: that is the one that runs.

    So vmap calls aten::mm on all of a batch, and autocast on tensors in half precision.
    """
    calls: list[int | None] = []
    inner: dict[int, int] = {}
    for place, operator in enumerate(operators):
        call = None if operator.parent is None else calls[operator.parent]
        if call is None:
            call = place if operator.name in FORMULAS else None
        elif operator.name == operators[call].name:
            inner.setdefault(call, place)
            call = place
        calls.append(call)
    for call in sorted(inner, reverse=True):
        inner[call] = inner.get(inner[call], inner[call])
    return inner
