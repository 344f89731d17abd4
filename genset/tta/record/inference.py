"""Writes an inference entry: what one photo takes, and what it costs."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from genset.core.files import write_text
from genset.tta.logs.dawnbench_json import PER_CENT
from genset.tta.record.recording import Header, names

_HOUR = 3_600_000  # milliseconds


def cost_of(latency: float, cost_per_hour: float | None) -> float | None:
    """What one photo costs if it takes so many milliseconds: US dollars, as DAWNBench counts."""
    return None if cost_per_hour is None else latency * cost_per_hour / _HOUR


def write_inference(
    folder: Path,
    header: Header,
    latency: float,
    scores: Mapping[str, float],
    misc: Mapping[str, Any],
) -> Path:
    """Write ``MODEL.json`` to a folder; ``MODEL-2.json`` where there is one already, and so on.

    Args:
        folder: of entries.
        header: what the entry says of itself.
        latency: of one photo, in milliseconds.
        scores: in per cent, by DAWNBench's names.
        misc: what else to say.

    Raises:
        OSError: it cannot be written.
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", header.model).strip("-.") or "model"
    *_, free = names(folder / name)
    path = free.with_suffix(".json")
    text = header.as_json(
        datetime.now(UTC).date(),
        {"task": header.task.name, "scores": PER_CENT, **misc},
        latency=latency,
        cost=cost_of(latency, header.cost_per_hour),
        **scores,
    )
    write_text(path, text)
    return path
