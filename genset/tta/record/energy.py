"""Energy that a machine uses: its GPUs' by NVIDIA's NVML, its processors' and memory's by RAPL.

NVML counts millijoules from Volta on (`nvmlDeviceGetTotalEnergyConsumption`). Linux shows RAPL's
microjoules, of Intel's and AMD's processors, as files that begin again at 0 after some minutes.
"""

import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.tta.record.header import visible

POWERCAP = Path("/sys/class/powercap")

_EVERY = 10.0  # seconds between readings: a counter may begin again only once between two


@dataclass(slots=True)
class _Source:
    """A counter of joules; `turn` is where it begins again at 0, 0.0 of one that never does."""

    part: str
    joules: Callable[[], float]
    turn: float
    last: float
    used: float = 0.0

    def advance(self) -> None:
        now = self.joules()
        if now < self.last and not self.turn:
            raise OSError(f"the {self.part}'s counter was reset")
        self.used += now - self.last + (self.turn if now < self.last else 0.0)
        self.last = now


class Meter:
    """Counts what the machine uses from now on.

    Args:
        say: gets a line for what is not measured, and when a reading fails.

    Attributes:
        parts: what is measured: "2 GPUs, 2 CPU packages, memory".

    Raises:
        BadInput: nothing of the machine can be measured.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._sources: list[_Source] = []
        reasons = []
        for sources in (_gpus, _zones):
            try:
                self._sources += sources()
            except (OSError, ValueError) as error:
                reasons.append(str(error))
        if not self._sources:
            raise BadInput(f"--energy: nothing can be measured: {'; '.join(reasons)}")
        for reason in reasons:
            say(f"energy is not measured of all: {reason}")
        counts = Counter(source.part for source in self._sources)
        names = (part if part == "memory" else count(of, part) for part, of in counts.items())
        self.parts = ", ".join(names)
        self._next = time.monotonic() + _EVERY

    def watt_hours(self) -> float | None:
        """What was used until now; None once a reading has failed."""
        self._next = time.monotonic() + _EVERY
        try:
            for source in self._sources:
                source.advance()
        except (OSError, ValueError) as error:
            self.stop(str(error))
        return sum(source.used for source in self._sources) / 3600 if self._sources else None

    def stop(self, why: str) -> None:
        """Measure no more, and say why."""
        if self._sources:
            self._say(f"energy is recorded no more: {why}")
        self._sources = []

    def tick(self) -> None:
        """Read the counters if that was not done for a while."""
        if time.monotonic() >= self._next:
            self.watt_hours()


def _gpus() -> list[_Source]:
    """Those that CUDA_VISIBLE_DEVICES leaves; OSError says why there are none."""
    try:
        import pynvml as nvml
    except ImportError:
        raise OSError("NVIDIA's GPUs need pip install 'genset[energy]'") from None
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    try:
        nvml.nvmlInit()
        handles = [nvml.nvmlDeviceGetHandleByIndex(at) for at in range(nvml.nvmlDeviceGetCount())]
        places = visible([nvml.nvmlDeviceGetUUID(handle) for handle in handles], chosen)
        models = {nvml.nvmlDeviceGetName(handle) for handle in handles}
    except nvml.NVMLError as error:
        raise OSError(f"no NVIDIA GPU: {error}") from None
    if not places or "MIG-" in (chosen or ""):
        raise OSError("CUDA_VISIBLE_DEVICES leaves no whole NVIDIA GPU")
    by_bus = os.environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    if len(models) > 1 and len(places) < len(handles) and not by_bus:
        raise OSError("which of different GPUs is 0, CUDA_DEVICE_ORDER=PCI_BUS_ID would say")

    def source(at: int) -> _Source:
        def joules() -> float:
            try:
                return float(nvml.nvmlDeviceGetTotalEnergyConsumption(handles[at])) / 1e3
            except nvml.NVMLError as error:
                raise OSError(f"GPU {at}: {error} (NVIDIA's count from Volta on)") from None

        return _Source("GPU", joules, 0.0, joules())

    return [source(at) for at in places]


def _zones() -> list[_Source]:
    """CPU packages and memory; cores and graphics are parts of a package."""
    found = []
    for zone in sorted(POWERCAP.glob("intel-rapl:*")):
        name = (zone / "name").read_text().strip()
        if name == "dram" or name.startswith("package"):

            def joules(path: Path = zone / "energy_uj") -> float:
                try:
                    return int(path.read_text()) / 1e6
                except PermissionError:
                    raise OSError(f"only root reads RAPL: sudo chmod a+r {path}") from None

            turn = int((zone / "max_energy_range_uj").read_text()) / 1e6
            part = "memory" if name == "dram" else "CPU package"
            found.append(_Source(part, joules, turn, joules()))
    if not found:
        raise OSError(f"no CPU package is counted in {POWERCAP}/intel-rapl:*")
    return found
