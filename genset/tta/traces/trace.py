"""What a profiler's trace holds, as every analysis takes it.

Times are microseconds on the trace's own clock; `start` counts from the first event of the trace.
Numbers by which events name each other are None where they are not recorded.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from genset.core.errors import BadInput

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Device:
    """The accelerator that the kernels ran on.

    Attributes:
        maker: whose runtime launched the kernels; "none" in a trace of the host alone.
        name: as the runtime tells it, "Tesla V100-SXM2-32GB"; "" if it is not recorded.
    """

    maker: Literal["nvidia", "amd", "none"]
    name: str = ""


@dataclass(slots=True)
class OnDevice:
    """What ran on the device.

    Attributes:
        operator: place in `Trace.operators` of the innermost operator that launched it, or None.
        launched: when the host launched it: the call of the runtime, or else the operator's start;
            None if neither is recorded.
        correlation, external: the numbers of the launch and of the operator.
    """

    name: str
    start: float
    length: float
    device: int
    operator: int | None = None
    launched: float | None = None
    correlation: int | None = None
    external: int | None = None


@dataclass(slots=True)
class Kernel(OnDevice):
    """A kernel; `collective` is "allreduce", "_allgather_base", as recorded, or ""."""

    collective: str = ""


class Copy(OnDevice):
    """A copy or a filling of memory ("Memcpy HtoD …", "Memset")."""


@dataclass(slots=True)
class Operator:
    """An operator on the host ("aten::conv2d"), with what it was called on.

    Attributes:
        thread: the number here of the host's thread it ran on.
        parent: place in `Trace.operators` of the operator that called it, or None.
        self_time: its time less that of the operators it called.
        shapes: of each input, () of a scalar and of a list of tensors. None if the trace was
            recorded without shapes.
        types: of each input, "float", "c10::Half", "Scalar", "" …; as long as `shapes`.
        values: of each input that is no tensor, as recorded ("[2, 2]", "1", "False"), "" of others;
            () if the trace has none (PyTorch before 2.1).
        collective: that it is a call of, as recorded; "" of others.
        external: its number.
    """

    name: str
    start: float
    length: float
    thread: int
    parent: int | None
    self_time: float
    shapes: tuple[Shape, ...] | None = None
    types: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    collective: str = ""
    external: int | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """One rank's trace.

    Attributes:
        unseen: by what a device shows that worked beside the host though none of its kernels is
            recorded, "it launched 12 kernels"; "" where nothing shows one, or kernels are recorded.
        rank, ranks: this one's number and how many there are; None if it is not recorded.
        kernels, copies: by start.
        operators: by start, a parent before what it calls.
        steps: start and length of each training step that the profiler marked (ProfilerStep#3).
        missing: what the trace does not have and how to record it, a sentence each.
    """

    path: Path
    device: Device
    unseen: str = ""
    rank: int | None = None
    ranks: int | None = None
    kernels: list[Kernel] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    steps: list[tuple[float, float]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def on_device(self) -> list[Kernel | Copy]:
        """Kernels and copies."""
        return [*self.kernels, *self.copies]


def refused(path: Path, why: str) -> BadInput:
    """A refusal in one line that names the file."""
    return BadInput(f"{path} cannot be read as a trace: {why}")


HOW = """\
from torch.profiler import profile, schedule
with profile(record_shapes=True, schedule=schedule(wait=5, warmup=3, active=3, repeat=1),
             on_trace_ready=lambda p: p.export_chrome_trace("rank0.json.gz")) as profiler:
    for batch in batches:  # yours: 11 or more
        train(batch)  # yours: a whole training step
        profiler.step()"""
