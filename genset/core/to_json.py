"""Answers as what JSON holds."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import date
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

_AS_IT_IS = frozenset({str, int, bool, type(None)})


def to_json(answer: Any, paths: Callable[[Path], str] = str) -> Any:
    """Objects, lists, texts and numbers; a number that is infinite, or none, is null.

    `paths` says what to write of a file's place. What has a form of its own tells it by a method
    `as_json`; what else JSON does not know stays as it is.
    """
    if type(answer) in _AS_IT_IS or (type(answer) is float and isfinite(answer)):
        return answer  # at once: nearly all of a large answer is such
    inner = partial(to_json, paths=paths)
    if hasattr(answer, "as_json"):
        return inner(answer.as_json())
    if hasattr(answer, "_asdict"):  # a named tuple
        return inner(answer._asdict())
    if is_dataclass(answer):
        return {field.name: inner(getattr(answer, field.name)) for field in fields(answer)}
    if isinstance(answer, dict):
        return {str(key): inner(value) for key, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [inner(value) for value in answer]
    if isinstance(answer, date):
        return answer.isoformat()
    if isinstance(answer, Path):
        return paths(answer)
    return None if isinstance(answer, float) and not isfinite(answer) else answer
