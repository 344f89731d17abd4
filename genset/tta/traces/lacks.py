"""What a trace does not hold, and what to record so that the next one does."""

from genset.core.numbers import count
from genset.core.safe import clean
from genset.tta.traces.trace import Kernel, Operator, Trace

_CALLS = ("nccl", "rccl")
_LISTS = ("TensorList", "GenericList", "OptionalTensorList")


def lacks(trace: Trace, dropped: int) -> list[str]:
    """A sentence for each thing that is not in the trace.

    Args:
        trace: whatever it lacks so far.
        dropped: how many events have no right time.
    """
    said = []
    if dropped:
        said.append(
            f"{count(dropped, 'event')} left out: they have no time, a negative one, or one days "
            "away from the rest."
        )
    if trace.unseen:
        said.append(
            f"It has no kernels, though {trace.unseen}: record with ProfilerActivity.CUDA, and "
            "where that was done, let no other profiler run beside it (CUPTI takes one at a time)."
        )
    elif not trace.kernels:
        said.append(
            "It has no kernels: if a GPU was used, record with ProfilerActivity.CUDA (also for "
            "AMD's)."
        )
    if not trace.operators:
        said.append("It has no operators: record with ProfilerActivity.CPU too.")
    else:
        said += _of_inputs(trace.operators)
        said += _of_launches(trace.kernels)
    said += _of_messages(trace.kernels)
    if not trace.steps:
        said.append("It marks no steps: call the profiler's step() after each training step.")
    return said


def _of_inputs(operators: list[Operator]) -> list[str]:
    shaped = [operator for operator in operators if operator.shapes is not None]
    if not shaped:
        return ["It has no shapes of inputs: record with record_shapes=True."]
    said = []
    if not any(each.values for each in shaped):
        said.append(
            "It has no strides and paddings of convolutions: record with PyTorch 2.1 or newer."
        )
    lists = sum(
        any(
            kind.startswith(_LISTS) and not shape
            for kind, shape in zip(each.types, each.shapes or (), strict=True)
        )
        for each in shaped
    )
    if lists:
        said.append(
            f"{count(lists, 'operator')} took a list of tensors whose shapes are not recorded "
            "(PyTorch leaves out those of long lists, and older ones of all)."
        )
    return said


def _of_launches(kernels: list[Kernel]) -> list[str]:
    lost = sum(kernel.operator is None for kernel in kernels)
    if not lost:
        return []
    return [
        f"{count(lost, 'kernel')} of {len(kernels):,} cannot be told which operator launched "
        "them: their launches lie before the recording, or in no operator."
    ]


def _of_messages(kernels: list[Kernel]) -> list[str]:
    said = []
    silent = sum(
        kernel.collective is None and any(word in kernel.name.lower() for word in _CALLS)
        for kernel in kernels
    )
    if silent:
        said.append(
            f"{count(silent, 'communication kernel')} of which it does not say how much they "
            "moved: record with PyTorch 2.4 or newer."
        )
    moved = [kernel.collective for kernel in kernels if kernel.collective]
    odd = [
        each for each in moved if not each.bytes_each and (each.elements_in or each.elements_out)
    ]
    if odd:
        types = ", ".join(sorted({each.unknown_type for each in odd} - {""})) or "none is recorded"
        said.append(
            f"{count(len(odd), 'communication kernel')} moved elements of a type whose bytes are "
            f"not known ({clean(types, 120)}), so that its message has no size."
        )
    return said
