"""What this machine is, in the words of DAWNBench's field ``hardware``."""

import os
import platform
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

_MAKER = Path("/sys/class/dmi/id/sys_vendor")
_PRODUCT = Path("/sys/class/dmi/id/product_name")
_CLOUDS = ("Amazon EC2", "Google", "Microsoft Corporation", "Alibaba Cloud")


def hardware() -> str:
    """Accelerators, memory, processors and cloud machine: "8 Tesla V100 / 480 GB / 64 CPU"."""
    gpus = Counter(_visible(_gpus(), os.environ.get("CUDA_VISIBLE_DEVICES")))
    parts = [f"{count} {name}" for name, count in gpus.items()]
    if memory := _memory_gb():
        parts.append(f"{memory} GB")
    parts.append(f"{_processors()} CPU" + ("" if gpus else f" ({_processor()})"))
    return " / ".join(parts) + _cloud()


def _gpus() -> list[str]:
    program = shutil.which("nvidia-smi")
    if not program:
        return []
    asked = [program, "--query-gpu=name", "--format=csv,noheader"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=20, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return []
    names = (line.removeprefix("NVIDIA ").strip() for line in done.stdout.splitlines())
    return [name for name in names if name]


def _visible(gpus: list[str], chosen: str | None) -> list[str]:
    """Those that CUDA_VISIBLE_DEVICES leaves to a program."""
    if chosen is None:
        return gpus
    wanted = [word.strip() for word in chosen.split(",") if word.strip()]
    if all(word.isdigit() for word in wanted):
        return [gpus[int(word)] for word in wanted if int(word) < len(gpus)]
    return gpus[: len(wanted)]  # by their long names: how many is all that counts here


def _memory_gb() -> int | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (ValueError, OSError, AttributeError):
        return None


def _processors() -> int:
    """Those that this program may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", _read(Path("/proc/cpuinfo")), re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def _cloud() -> str:
    maker, product = _read(_MAKER).strip(), _read(_PRODUCT).strip()
    return f" ({maker} [{product}])" if maker in _CLOUDS and product else ""


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
