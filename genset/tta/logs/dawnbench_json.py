"""Reads the JSON file of an entry."""

import re
import time
from datetime import date
from pathlib import Path
from typing import Annotated, Any, NoReturn

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.core.validation import Invalid, Meta, Record, check, parse_json
from genset.tta.logs.common import as_percent, decoded, number
from genset.tta.runs import SCORES, TASKS, TOP1, MalformedLog, Task

# What DAWNBench asks of every entry; an entry without them still counts.
_REQUESTED = ("author", "framework", "model", "hardware", "timestamp")

# What `misc` of genset's inference entries says of their `scores`, also where these are tiny.
PER_CENT = "per cent"

# Of what `misc` may hold, that which the runs of one entry have in common, without upper case and
# what divides words: "batchSize" and "batch_size". Not seeds, versions, hours or addresses.
_SETTINGS = re.compile(
    "(global|train)?batchsize|(num|max|total|train)?epochs|warmup(epochs)?|(lr)?schedule"
    "|(base|max|peak|initial)?(lr|learningrate)|optimizer|(min|max)?momentum|(use)?nesterov"
    "|weightdecay|labelsmoothing|movingaveragedecay|dropout|mixup|im(age|g)size|resolution|dataset"
    "|(mixed)?precision|amp"
)

_Text = Annotated[str, Meta(title="a text")]
_Number = Annotated[float, Meta(ge=0, title="a number from 0 up")]
_Score = Annotated[float, Meta(ge=0, le=100, title="a number from 0 to 100")]


class _Document(Record, frozen=True, rename="camel", forbid_unknown_fields=False):
    """The fields that are read; an entry may have others."""

    author: _Text | None = None
    framework: _Text | None = None
    model: _Text | None = None
    hardware: _Text | None = None
    timestamp: _Text | None = None
    cost_per_hour: _Number | None = None
    latency: _Number | None = None
    cost: _Number | None = None
    top1_accuracy: _Score | None = None
    top5_accuracy: _Score | None = None
    f1_score: _Score | None = None
    accuracy: _Score | None = None  # in the example of DAWNBench's README
    misc: Any = None


class Attempts(Record, frozen=True, rename="camel", forbid_unknown_fields=False):
    """What `genset tta record` noted of its work: see `genset.tta.record.recording`."""

    finished: bool = False
    stopped: bool = False
    interruptions: int = 0
    hours: Annotated[float, Meta(ge=0)] = 0.0
    set_aside: int = 0
    set_aside_hours: Annotated[float, Meta(ge=0)] = 0.0
    energy: str = ""
    watt_hours: Annotated[float, Meta(ge=0)] | None = None
    late: bool = False


class _Code(Record, frozen=True, forbid_unknown_fields=False):
    commit: str
    changed: bool | None = None


class _Weights(Record, frozen=True, forbid_unknown_fields=False):
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class RecordedRun(Record, frozen=True, forbid_unknown_fields=False):
    """What ``misc`` says of a run that was recorded."""

    recording: Attempts
    entry: str = ""
    command: str = ""
    code: _Code | None = None
    checkpoint: _Weights | None = None


_NUMBERS = ("costPerHour", "latency", "cost", "top1Accuracy", "top5Accuracy", "f1Score", "accuracy")


class EntryFile:
    """The JSON file of an entry.

    Attributes:
        values: its fields.
        misc: the object ``misc``; empty where it is missing or anything else.
        recorded: what `genset tta record` noted in it, if it wrote this file.
        day: of ``timestamp``, written as 2018-04-20 or 2018-4-20, also with a time behind it.

    Raises:
        MalformedLog: the file is no JSON object, or a field is not what it must be.
    """

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self._text = text = decoded(path, data)
        try:
            document = parse_json(text.encode(), dict[str, Any], "")
            texts = {n: document[n] for n in _NUMBERS if isinstance(document.get(n), str)}
            numbers = {name: number(of.strip()) for name, of in texts.items()}
            document |= {name: of for name, of in numbers.items() if of is not None}
            self.values = check(document, _Document, "")
            misc = self.values.misc if isinstance(self.values.misc, dict) else {}
            self.recorded = check(misc, RecordedRun, "") if "recording" in misc else None
        except Invalid as error:
            self._refuse(str(error.keys[-1]) if error.keys else "it", error.words)
        except BadInput as error:
            raise MalformedLog(path, str(error).lstrip(",: ")) from None
        self.misc: dict[str, Any] = misc
        self.day = self._day()

    def text(self, name: str) -> str:
        """A field's text, on one line; empty if it is missing or null."""
        return " ".join((getattr(self.values, name) or "").split())

    def scores(self) -> dict[str, float]:
        """Scores in per cent by column; one of at most 1 is a fraction of 1, unless misc says not.

        ``accuracy`` is top-1.
        """
        values = self.values
        top1 = values.accuracy if values.top1_accuracy is None else values.top1_accuracy
        measured = (top1, values.top5_accuracy, values.f1_score)
        scores = {n: v for n, v in zip(SCORES, measured, strict=True) if v is not None}
        if self.misc.get("scores") == PER_CENT:
            return scores
        return {name: as_percent(v) if v <= 1 else v for name, v in scores.items()}

    def settings(self) -> dict[str, str]:
        """What ``misc`` says of how it was trained: numbers and texts by known names."""
        return {
            name: clean(str(value), 200)
            for name, value in self.misc.items()
            if _SETTINGS.fullmatch(re.sub("[^a-z]", "", name.lower()))
            and isinstance(value, str | int | float)
            and value != ""
        }

    def missing(self) -> list[str]:
        """The fields that DAWNBench asks for and that are not here."""
        return [name for name in _REQUESTED if not getattr(self.values, name)]

    def task(self, scores: tuple[str, ...]) -> Task | None:
        """The task that ``misc`` names, as `genset tta record` writes it."""
        name, score, threshold = (self.misc.get(key) for key in ("task", "score", "threshold"))
        if not isinstance(name, str) or not name.strip():
            return None
        if known := TASKS.get(name.lower()):
            return known
        least = None
        if isinstance(threshold, int | float) and not isinstance(threshold, bool):
            least = float(threshold) if 0 <= threshold <= 100 else None
        fitting = score if isinstance(score, str) and score in scores else TOP1
        return Task(" ".join(name.split()), fitting, least)

    def _day(self) -> date | None:
        text = self.text("timestamp")
        try:
            day = time.strptime(re.split("[ T]", text)[0], "%Y-%m-%d")
        except ValueError:
            why = f' must be a day, such as 2018-04-20, not "{text[:40]}"'
            return self._refuse("timestamp", why) if text else None
        return date(*day[:3])

    def _refuse(self, name: str, why: str) -> NoReturn:
        """Say that a field is wrong, and on which line."""
        at = self._text.find(f'"{name}"')
        line = self._text.count("\n", 0, at) + 1 if at >= 0 else None
        raise MalformedLog(self.path, f"{name}{why}", line)
