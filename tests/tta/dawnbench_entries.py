"""Entries in DAWNBench's format, as tests write them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FIELDS: dict[str, Any] = {
    "version": "v1.0",
    "author": "Ann",
    "authorEmail": "ann@example.org",
    "framework": "PyTorch 2.4",
    "model": "ResNet 50",
    "hardware": "8 V100 / 488 GB / 64 CPU",
    "costPerHour": 10.0,
    "timestamp": "2018-04-20",
    "misc": {},
}
HEAD = "epoch\thours\ttop1Accuracy\ttop5Accuracy"


def write_tsv(path: Path, scores: Sequence[float], hour: float = 1.0) -> Path:
    """A log whose epochs take an hour each and have these top-5 accuracies."""
    rows = [f"{at}\t{at * hour}\t{score / 2}\t{score}" for at, score in enumerate(scores, 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([HEAD, *rows, ""]))
    return path


def write_entry(path: Path, scores: Sequence[float], hour: float = 1.0, **changed: Any) -> Path:
    """Such a log with its JSON file; a field that is changed to None is left out."""
    fields = {name: value for name, value in (FIELDS | changed).items() if value is not None}
    write_tsv(path.with_suffix(".tsv"), scores, hour)
    path.with_suffix(".json").write_text(json.dumps(fields))
    return path.with_suffix(".tsv")


def write_inference(path: Path, **fields: Any) -> None:
    """An entry without a log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(FIELDS | {"costPerHour": None} | fields))
