"""Reads the JSON file of an entry, field by field."""

import json
import math
import re
from datetime import date
from pathlib import Path
from typing import Any, NoReturn

from genset.core.safe import clean
from genset.tta.logs.common import as_percent, decoded, number
from genset.tta.runs import TASKS, TOP1, MalformedLog, Task

# What DAWNBench asks of every entry; an entry without them still counts.
_ASKED = ("author", "framework", "model", "hardware", "timestamp")

# What `misc` of our own inference entries says of their `scores`, also where these are tiny.
PER_CENT = "per cent"

# Of what `misc` may hold, that which the runs of one entry have in common, without upper case and
# what divides words: "batchSize" and "batch_size". Not seeds, versions, hours or addresses.
_SETTINGS = re.compile(
    "(global|train)?batchsize|(num|max|total|train)?epochs|warmup(epochs)?|(lr)?schedule"
    "|(base|max|peak|initial)?(lr|learningrate)|optimizer|(min|max)?momentum|(use)?nesterov"
    "|weightdecay|labelsmoothing|movingaveragedecay|dropout|mixup|im(age|g)size|resolution|dataset"
    "|(mixed)?precision|amp"
)

_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)", re.ASCII)


class Fields:
    """One JSON object of a file, with the line of each field for messages.

    Raises:
        MalformedLog: the file is no JSON object; from each method, a field is not what it must be.
    """

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        text = decoded(data)
        if text is None:
            raise MalformedLog(path, "it is not UTF-8 text")
        self._text = text
        try:
            values = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
        except json.JSONDecodeError as error:
            raise MalformedLog(path, f"it is no JSON: {error.msg}", error.lineno) from None
        except ValueError as error:  # a number of thousands of digits, a field twice
            raise MalformedLog(path, f"it is no JSON: {error}") from None
        except RecursionError:
            raise MalformedLog(path, "it is no JSON: nested too deeply") from None
        if not isinstance(values, dict):
            raise MalformedLog(path, "it is no JSON object")
        self.values: dict[str, Any] = values

    def text(self, name: str) -> str:
        """The field's text, on one line; empty if it is missing or null."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, str):
            self.refuse(name, "is no text")
        return " ".join(value.split()) if value else ""

    def number(self, name: str) -> float | None:
        """The field's number, from 0 up, also where it is written as text."""
        value = self.values.get(name)
        if isinstance(value, str):
            value = number(value.strip())
            if value is None:
                self.refuse(name, "is no number")
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(name, "is no number")
        try:
            exact = float(value)
        except OverflowError:
            self.refuse(name, "is too large")
        if not math.isfinite(exact) or exact < 0:
            self.refuse(name, "is no number from 0 up")
        return exact

    def score(self, name: str) -> float | None:
        """A score in per cent; one of at most 1 is a fraction of 1, unless ``misc`` says not."""
        value = self.number(name)
        if value is not None and value > 100:
            self.refuse(name, "is over 100")
        if value is None or value > 1 or self.misc().get("scores") == PER_CENT:
            return value
        return as_percent(value)

    def day(self, name: str) -> date | None:
        """A day written as 2018-04-20 or 2018-4-20, also with a time behind it."""
        if not (text := self.text(name)):
            return None
        if not (match := _DAY.match(text)):
            self.refuse(name, "is no day: write it as 2018-04-20")
        try:
            return date(*(int(part) for part in match.groups()))
        except ValueError:
            self.refuse(name, "is a day that there is not")

    def misc(self) -> "dict[str, Any]":
        """The object ``misc``; empty where it is missing or anything else."""
        misc = self.values.get("misc")
        return misc if isinstance(misc, dict) else {}

    def settings(self) -> dict[str, str]:
        """What ``misc`` says of how it was trained: numbers and texts by known names."""
        return {
            name: clean(str(value), 200)
            for name, value in self.misc().items()
            if _SETTINGS.fullmatch(re.sub("[^a-z]", "", name.lower()))
            and isinstance(value, str | int | float)
            and value != ""
        }

    def recording(self) -> "dict[str, Any] | None":
        """What `genset tta record` noted of its work, if it wrote this file."""
        recording = self.misc().get("recording")
        return recording if isinstance(recording, dict) else None

    def missing(self) -> list[str]:
        """The fields that DAWNBench asks for and that are not here."""
        return [name for name in _ASKED if self.values.get(name) in (None, "")]

    def own_task(self, scores: tuple[str, ...]) -> Task | None:
        """The task that ``misc`` names, as `genset tta record` writes it."""
        misc = self.misc()
        name, score, threshold = misc.get("task"), misc.get("score"), misc.get("threshold")
        if not isinstance(name, str) or not name.strip():
            return None
        if known := TASKS.get(name.lower()):
            return known
        least = None
        if isinstance(threshold, int | float) and not isinstance(threshold, bool):
            least = float(threshold) if 0 <= threshold <= 100 else None
        fitting = score if isinstance(score, str) and score in scores else TOP1
        return Task(" ".join(name.split()), fitting, least)

    def refuse(self, name: str, why: str) -> NoReturn:
        """Say that a field is wrong, and on which line."""
        at = self._text.find(f'"{name}"')
        line = self._text.count("\n", 0, at) + 1 if at >= 0 else None
        shown = str(self.values.get(name))[:60]
        raise MalformedLog(self.path, f"{name} {why}: {' '.join(shown.split())}", line)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the field {name[:40]!r} is there twice")
        found[name] = value
    return found
