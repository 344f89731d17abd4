"""Sorts a trace's events into operators, launches, what ran on the device, and steps.

Equal words and tuples are kept once, so a trace of millions of events stays small.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from genset.core.safe import clean
from genset.tta.profile.trace import Copy, Device, Kernel, Operator, Shape, Trace, refused

# Names of categories: PyTorch before 1.11 wrote the second ones.
_OPERATORS = ("cpu_op", "operator")
_KERNELS = ("kernel", "concurrent_kernel")
_COPIES = ("gpu_memcpy", "gpu_memset", "memcpy", "memset")
_COUNTERS = "cuda_profiler_range"
_LAUNCHES = ("cuda_runtime", "cuda_driver", "runtime", "hip_runtime")

# Other accelerators have categories and processes of their own: Meta's MTIA, Intel's XPU, Habana's
# HPU, Ascend's NPU; XLA (JAX, TensorFlow) names its devices.
_FOREIGN = re.compile(r"(mtia|xpu|hpu|glow|privateuse1)_|npu")
_FOREIGN_PROCESS = re.compile(r"/device:\w+|Ascend Hardware|\bTPU\b")
_STEP = re.compile(r"ProfilerStep\s*#?\d+")

# torch.compile marks what it spends its own time on as if it were an operator.
_TIMED = "(dynamo_timed)"

# Calls of a process group are annotations. Like operators they are called on tensors.
_CALLS = ("nccl:", "rccl:", "gloo:", "mpi:", "ucc:")

_LONGEST_NAME = 10_000  # characters: kernels made of templates come near it
_LONGEST_VALUE = 1000
_MOST = 4_000_000  # events that are taken, of 300 bytes each; a trace of 1 GB has half of them

_T = TypeVar("_T")
_Take = Callable[[dict[str, Any], float, float], None]
_Inputs = tuple[tuple[Shape, ...] | None, tuple[str, ...], tuple[str, ...]]


@dataclass(slots=True)
class Launch:
    """A call of the runtime that starts something on the device.

    Attributes:
        operator: place of the innermost operator around it, or None.
    """

    start: float
    length: float
    thread: int
    correlation: int
    operator: int | None = None


class Collector:
    """Takes a trace's events, one by one, in the order of the file.

    Attributes:
        trace: gets what is collected.
        base: the first event's time on the trace's clock, from which all others are counted.
        dropped: events that were left out because their times are none.
        events: all of them, also of kinds that are not collected.
        launched: how many calls of the runtime launch a kernel.
        counted: of how many kernels there are hardware counters, in place of their times.
        hip: whether there is a call of AMD's runtime.
    """

    def __init__(self, path: Path) -> None:
        self.trace = Trace(path, Device("none"))
        self.launches: list[Launch] = []
        self.base: float | None = None
        self.dropped = 0
        self.events = 0
        self.hip = False
        self.launched = 0
        self.counted = 0
        self._threads: dict[tuple[str, str], int] = {}
        self._taken = 0
        self._memory = _Memory()
        self._takes: dict[str, _Take] = {
            **dict.fromkeys(_OPERATORS, self._operator),
            **dict.fromkeys(_KERNELS, self._kernel),
            **dict.fromkeys(_COPIES, self._copy),
            **dict.fromkeys(_LAUNCHES, self._launch),
            "user_annotation": self._annotation,
        }

    def add(self, event: dict[str, Any]) -> None:
        """Collect an event.

        Raises:
            BadInput: it is another accelerator's, or there is too much.
        """
        self.events += 1
        phase = event.get("ph")
        if phase != "X":
            if phase == "M":
                found = _FOREIGN_PROCESS.search(str(_arguments(event).get("name"))[:100])
                if found and event.get("name") == "process_name":
                    self._refuse_foreign(found[0])
            return
        category = event.get("cat")
        if type(category) is not str:
            return
        self.counted += category == _COUNTERS
        take = self._takes.get(category.lower())
        if take is None:
            if _FOREIGN.match(category.lower()):
                self._refuse_foreign(clean(category, 40))
            return
        moment, length = _moment(event.get("ts")), _length(event.get("dur"))
        if moment is None or length is None:
            self.dropped += 1
            return
        if self.base is None:
            self.base = moment
        self._taken += 1
        if self._taken > _MOST:
            raise refused(self.trace.path, "it has more events than fit: record fewer steps")
        take(event, float(moment - self.base), length)

    def _operator(self, event: dict[str, Any], start: float, length: float) -> None:
        name = self._memory.name(event.get("name"))
        if name.endswith(_TIMED):
            return
        if _STEP.fullmatch(name):  # an operator in PyTorch before 1.11
            self.trace.steps.append((start, length))
            return
        arguments = _arguments(event)
        thread, inputs = self._thread(event), self._inputs(arguments)
        operator = Operator(name, start, length, thread, None, length, *inputs)
        operator.collective = self._collective(arguments)
        operator.external = _external(arguments)
        self.trace.operators.append(operator)

    def _annotation(self, event: dict[str, Any], start: float, length: float) -> None:
        name = event.get("name")
        if type(name) is not str:
            return
        if _STEP.fullmatch(name):
            self.trace.steps.append((start, length))
        elif name.startswith(_CALLS):
            self._operator(event, start, length)
            call = self.trace.operators[-1]
            called = self._memory.name(name.partition(":")[2].split(" ")[0])
            call.collective = call.collective or called

    def _launch(self, event: dict[str, Any], start: float, length: float) -> None:
        name = event.get("name")
        if type(name) is str:
            self.hip = self.hip or name.startswith("hip")
            self.launched += "LaunchKernel" in name or "GraphLaunch" in name
        correlation = amount(_arguments(event).get("correlation"))
        if correlation is not None:
            self.launches.append(Launch(start, length, self._thread(event), correlation))

    def _kernel(self, event: dict[str, Any], start: float, length: float) -> None:
        collective = self._collective(_arguments(event))
        kernel = Kernel(**self._on_device(event, start, length), collective=collective)
        self.trace.kernels.append(kernel)

    def _copy(self, event: dict[str, Any], start: float, length: float) -> None:
        self.trace.copies.append(Copy(**self._on_device(event, start, length)))

    def _on_device(self, event: dict[str, Any], start: float, length: float) -> dict[str, Any]:
        """What kernels and copies have in common."""
        arguments = _arguments(event)
        device = _first(arguments.get("device"), arguments.get("inDevice"), event.get("pid"))
        return {
            "name": self._memory.name(event.get("name")),
            "start": start,
            "length": length,
            "device": device or 0,
            "correlation": _first(arguments.get("correlation")),
            "external": _external(arguments),
        }

    def _collective(self, arguments: dict[str, Any]) -> str:
        name = arguments.get("Collective name")
        return self._memory.name(name) if type(name) is str and name else ""

    def _refuse_foreign(self, what: str) -> None:
        why = f"it is of another accelerator or profiler ({what})"
        read = "genset reads PyTorch's traces of NVIDIA's and AMD's GPUs and of CPUs"
        raise refused(self.trace.path, f"{why}; {read}")

    def _inputs(self, arguments: dict[str, Any]) -> _Inputs:
        shapes = _shapes(arguments.get("Input Dims", arguments.get("Input dims")))
        if shapes is None:
            return None, (), ()
        memory, count = self._memory, len(shapes)
        return (
            memory.once(shapes),
            memory.words(arguments.get("Input type"), count) or memory.once(("",) * count),
            memory.words(arguments.get("Concrete Inputs"), count) or (),
        )

    def _thread(self, event: dict[str, Any]) -> int:
        thread = str(event.get("pid"))[:100], str(event.get("tid"))[:100]
        return self._threads.setdefault(thread, len(self._threads))


class _Memory:
    """Words and tuples, each kept once."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[Any, Any] = {}

    def name(self, raw: Any) -> str:
        """A stranger's name, on one line and of characters that print."""
        if type(raw) is not str:
            return "(no name)"
        if raw not in self._names:
            self._names[raw] = sys.intern(clean(raw, _LONGEST_NAME)) or "(no name)"
        return self._names[raw]

    def words(self, raw: Any, count: int) -> tuple[str, ...] | None:
        """A list of `count` short words, or None; what is no word is ""."""
        if type(raw) is not list or len(raw) != count:
            return None
        return self.once(
            tuple(clean(word, _LONGEST_VALUE) if type(word) is str and word else "" for word in raw)
        )

    def once(self, value: _T) -> _T:
        """The first of all tuples that are equal to this one."""
        found: _T = self._values.setdefault(value, value)
        return found


def _arguments(event: dict[str, Any]) -> dict[str, Any]:
    found = event.get("args")
    return found if type(found) is dict else {}


def _external(arguments: dict[str, Any]) -> int | None:
    return _first(arguments.get("External id"), arguments.get("external id"))


def _first(*values: Any) -> int | None:
    return next((value for value in values if amount(value) is not None), None)


# What stands in an event, as it should be: anything else is None.

_FURTHEST = 1e17  # microseconds: thousands of years, and still exact to some
_LARGEST = 2**62
_LONGEST = 86_400e6  # microseconds: no profiler records a day
_DIMENSIONS = 32
_TENSORS = 1000  # of one operator


def _moment(value: Any) -> float | None:
    """A time on the trace's clock in microseconds, an int where it is recorded as one."""
    right = type(value) in (float, int) and -_FURTHEST < value < _FURTHEST
    return value if right else None


def _length(value: Any) -> float | None:
    """How long something took in microseconds: not negative, less than a day."""
    return float(value) if type(value) in (float, int) and 0 <= value < _LONGEST else None


def amount(value: Any) -> int | None:
    """A whole number that is not negative; not true or false."""
    return value if type(value) is int and 0 <= value < _LARGEST else None


def _shapes(value: Any) -> tuple[Shape, ...] | None:
    """The shapes of an operator's inputs, () of a list of tensors; None if they are none."""
    if type(value) is not list or len(value) > _TENSORS:
        return None
    listed = (type(item) is list and item and type(item[0]) is list for item in value)
    found = [() if is_list else _shape(item) for item, is_list in zip(value, listed, strict=True)]
    return None if None in found else tuple(found)  # type: ignore[arg-type]


def _shape(value: Any) -> Shape | None:
    right = type(value) is list and len(value) <= _DIMENSIONS
    return tuple(value) if right and None not in map(amount, value) else None
