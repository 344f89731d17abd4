"""Reads what MLPerf's submitters say of a system, in a JSON file that lies where MLPerf puts it.

From v0.6 on it is ``SUBMITTER/systems/SYSTEM.json`` for ``SUBMITTER/results/SYSTEM/BENCHMARK/``;
in v0.5 ``SYSTEM/entry.json`` beside the benchmarks' folders. Such files are often missing, and some
are no JSON: then nothing is known.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genset.tta.logs.numbers import decoded

_LARGEST = 1 << 20

# What submitters write where there is nothing to say.
_NOTHING = ("", "n/a", "na", "none", "null", "0", "-", "tbd")


@dataclass(frozen=True, slots=True)
class System:
    """What a log was made on. A text that is not known is empty."""

    hardware: str = ""
    framework: str = ""
    submitter: str = ""


def system_of(path: Path) -> System:
    """The system of a log's file, by the file that describes it."""
    folders = list(path.absolute().parents)
    if len(folders) < 4:
        return System()
    system, results = folders[1], folders[2]
    described = [system / "entry.json"]
    if results.name == "results":
        described.insert(0, results.parent / "systems" / f"{system.name}.json")
    return next((_system(told) for file in described if (told := _read(file))), System())


def _read(path: Path) -> dict[str, Any] | None:
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        told = json.loads(decoded(path.read_bytes()) or "")
    except (OSError, ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _system(told: dict[str, Any]) -> System:
    accelerator, nodes = _text(told, "accelerator_model_name"), _count(told, "number_of_nodes")
    each = _count(told, "accelerators_per_node")
    if not accelerator:
        accelerator = _text(told, "host_processor_model_name")
        each = _count(told, "host_processors_per_node")
    hardware = _text(told, "hardware")  # of v0.5
    if accelerator:
        count = each * nodes if each and nodes else each
        hardware = f"{count} x {accelerator}" if count else accelerator
    return System(hardware, _text(told, "framework"), _text(told, "submitter"))


def _text(told: dict[str, Any], name: str) -> str:
    text = " ".join(str(told.get(name) or "").split())
    return "" if text.lower() in _NOTHING else text[:200]


def _count(told: dict[str, Any], name: str) -> int | None:
    text = _text(told, name)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None
