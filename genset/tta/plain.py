"""Answers of this room as what JSON holds."""

from dataclasses import fields, is_dataclass
from datetime import date
from math import isfinite
from pathlib import Path
from typing import Any

from genset.statistics.intervals import Interval
from genset.tta.entries import MalformedLog


def plain(answer: Any) -> Any:
    """Objects, lists, texts and numbers; an end that is infinite is null."""
    if isinstance(answer, Interval):
        return {"low": plain(answer.low), "high": plain(answer.high)}
    if isinstance(answer, MalformedLog):
        return {"file": str(answer.path), "line": answer.line, "reason": answer.reason}
    if isinstance(answer, date):
        return answer.isoformat()
    if isinstance(answer, Path):
        return str(answer)
    if isinstance(answer, dict):
        return {str(key): plain(value) for key, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [plain(value) for value in answer]
    if isinstance(answer, float) and not isfinite(answer):
        return None
    if is_dataclass(answer):
        return {field.name: plain(getattr(answer, field.name)) for field in fields(answer)}
    return answer
