"""Finds MLPerf's lines in a log, and reads the few that time to accuracy needs.

Each round has a form of its own::

    :::MLPv0.5.0 resnet 1543785258.927 (file.py:12) eval_accuracy: {"epoch": 1, "value": 0.1076}
    :::MLL 1560881731.835 eval_accuracy: {"value": 0.1076, "metadata": {"epoch_num": 1}}
    :::MLLOG {"time_ms": 1592886398000, "key": "eval_accuracy", "value": 0.1, "metadata": {...}}

They stand among everything else that a training prints, behind a worker's number or a logger's
name, behind a progress bar on the same line, and several on one line where workers print at once.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from genset.tta.logs.common import number
from genset.tta.runs import CLOCKS_APART

# An eval_accuracy may hold several scores, which must all reach their targets.
Scores = tuple[float, ...]

MARK = b":::ML"

# A line that is longer is no line of a log: it is not kept in memory.
_LONGEST = 65_536
_CHUNK = 1 << 20

_V05 = re.compile(r":::MLPv(0\.5)\.\d+ (\S+) (\d+(?:\.\d+)?) \(.*?:\d+\) (\w+)\s*(?::(.*))?$")
_V06 = re.compile(r":::MLL (\d+(?:\.\d+)?) (\w+): (\{.*)")
_LATER = re.compile(r":::MLLOG (\{.*)")
# What says how a run went, and how it was trained; a log has thousands of other lines.
KEYS = ("run_start", "run_stop", "eval_accuracy", "eval_target")
SUBMISSION = ("submission_benchmark", "submission_org", "submission_platform")
SETTINGS = {
    "global_batch_size": "batch size",
    "input_batch_size": "input batch size",  # of v0.5: of all workers together, or of one
    "opt_name": "optimizer",
    "opt_base_learning_rate": "learning rate",
    "opt_learning_rate_warmup_epochs": "warm-up epochs",
    "opt_learning_rate_warmup_steps": "warm-up steps",
    "opt_learning_rate_decay_boundary_epochs": "decay epochs",
    "max_sequence_length": "sequence length",
}
POWER_START, POWER_STOP = "power_measurement_start", "power_measurement_stop"
POWER = (POWER_START, POWER_STOP, "power_reading", "conversion_eff")
_READ = frozenset((*KEYS, *SUBMISSION, *SETTINGS, *POWER))
_WORDS = frozenset(key.encode() for key in _READ)
# Where each form has its key.
_KEY = re.compile(rb""""key" ?: ?"(\w+)"|\) (\w+)|:::MLL [0-9.]+ (\w+)""")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of MLPerf's log.

    Attributes:
        key: what it tells, as ``run_start``.
        seconds: since 1970.
        value: a number, a text, an object, or None.
        more: what stands beside the value: the epoch, the status.
        benchmark: as the line names it; empty from v0.6 on.
        form: "0.5", "0.6", or "" from v0.7 on.
        at: its number in the file, from 1.
    """

    key: str
    seconds: float
    value: Any = None
    more: dict[str, Any] = field(default_factory=dict)
    benchmark: str = ""
    form: str = ""
    at: int = 0


def read_lines(path: Path) -> Iterator[Line]:
    """The lines of MLPerf's in a file that can be read, in its order, however large it is.

    A line that was cut off or garbled by another is passed over.
    """
    for at, text, ended in _marked(path):
        # Two workers may print on one line.
        for part in re.split(r"(?=:::ML)", text)[1:]:
            line = _line(part.rstrip(), ended)
            if line and line.key in _READ:
                yield replace(line, at=at)


def _marked(path: Path) -> Iterator[tuple[int, str, bool]]:
    """The lines with MLPerf's mark and a key that is read: number, text, whether it was ended."""
    at, ended = 0, True
    with path.open("rb") as file:
        while line := file.readline(_CHUNK):
            at += ended
            ended = line.endswith(b"\n")
            # A progress bar ends its own lines with a carriage return.
            for part in filter(_has_key, line.rstrip(b"\n").split(b"\r")):
                yield at, part.decode("utf-8", errors="replace"), ended


def _has_key(line: bytes) -> bool:
    if MARK not in line or len(line) > _LONGEST:
        return False
    return any(not _WORDS.isdisjoint(found) for found in _KEY.findall(line))


def _line(text: str, ended: bool) -> Line | None:
    if match := _LATER.match(text):
        fields = _object(match[1]) or {}
        for name, unit in (("time_ms", 1000.0), ("time_s", 1.0)):
            if (time := as_number(fields.get(name))) is not None:
                return _with_value(str(fields.get("key")), time / unit, fields)
        return None
    if (match := _V06.match(text)) and (found := _object(match[3])) is not None:
        return _with_value(match[2], float(match[1]), found, "0.6")
    # A line of v0.5 that was cut off may look whole: 0.05 of 0.058, run_stop of run_stop: {...}.
    if (match := _V05.match(text)) and (ended or text.endswith("}")):
        form, benchmark, seconds, key, words = match.groups()
        value = _value((words or "").strip())
        more = value if isinstance(value, dict) else {}
        return Line(key, float(seconds), more.get("value", value), more, benchmark, form)
    return None


def _with_value(key: str, seconds: float, fields: dict[str, Any], form: str = "") -> Line:
    """A line of v0.6 or later: what stands beside its value is in ``metadata``."""
    more = fields.get("metadata")
    return Line(key, seconds, fields.get("value"), more if isinstance(more, dict) else {}, "", form)


def as_number(value: Any) -> float | None:
    """The finite number that a value is, also where it is written as text; None if it is none."""
    is_number = isinstance(value, str | int | float) and not isinstance(value, bool)
    return number(str(value).strip()) if is_number else None


def _value(words: str) -> Any:
    """What stands behind a key of v0.5: JSON, or bare words."""
    if words.startswith("{"):
        return _object(words)
    try:
        return json.loads(words) if words else None
    except (ValueError, RecursionError):
        return words


def _object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text begins with; some write it with single quotes in places."""
    for written in (text, text.replace("'", '"')):
        with suppress(ValueError, RecursionError):
            fields, _ = json.JSONDecoder().raw_decode(written)
            return fields if isinstance(fields, dict) else None
    return None


def mean_watts(path: Path) -> float | None:
    """The mean power of a node by its log, in watts; None if that does not say it.

    As in MLPerf's own summary: of its readings over the time of the measurement, times the power
    supply's efficiency.
    """
    lines = sorted(read_lines(path), key=lambda line: line.seconds)
    last = {line.key: line for line in lines}
    if not (start := last.get(POWER_START)):
        return None
    read = [start, *(line for line in lines if line.key == "power_reading")]
    watts = [as_number(line.value) for line in read[1:]]
    seconds = last.get(POWER_STOP, read[-1]).seconds - start.seconds
    efficiency = as_number(last["conversion_eff"].value) if "conversion_eff" in last else 1.0
    if efficiency is None or None in watts or seconds <= 0:
        return None
    times = (b.seconds - a.seconds for a, b in pairwise(read))
    return efficiency * sum(w * t for w, t in zip(watts, times, strict=True) if w) / seconds


_FAILED = ("abort", "aborted", "fail", "failed", "failure", "error")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One ``eval_accuracy``: what was measured, by part, in the log's own unit.

    `metric` is which of several scores it is, where lines say that.
    """

    seconds: float
    epoch: float | None
    values: Scores
    at: int = 0
    metric: str = ""


@dataclass(slots=True)
class RunLog:
    """What the lines of one log say.

    Attributes:
        start, stop: seconds since 1970; None if no line says it.
        last_start: the latest ``run_start``.
        succeeded: what ``run_stop`` says; None if it says nothing.
        target: the log's ``eval_target``, by part.
        values: of further keys, as `SETTINGS` and `SUBMISSION` name them; of a setting that has
            several, all.
    """

    start: float | None = None
    stop: float | None = None
    last_start: Line | None = None
    succeeded: bool | None = None
    target: Scores | None = None
    benchmark: str = ""
    form: str = ""
    evaluations: list[Evaluation] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)

    def second_run(self) -> Line | None:
        """The ``run_start`` of another run than the first; None if the log holds one run."""
        if self.start is None or self.last_start is None:
            return None
        late = self.last_start.seconds
        apart = late > self.start + 3600 * CLOCKS_APART or (
            self.stop is not None and late > self.stop
        )
        return self.last_start if apart and late > self.start else None


def gather(lines: Iterable[Line]) -> RunLog:
    """What lines say, whatever their order."""
    log = RunLog()
    settings: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        log.benchmark = log.benchmark or line.benchmark
        log.form = log.form or line.form
        if line.key == "run_start":
            log.start = line.seconds if log.start is None else min(log.start, line.seconds)
            if log.last_start is None or line.seconds > log.last_start.seconds:
                log.last_start = line
        elif line.key == "run_stop":
            log.stop = line.seconds if log.stop is None else min(log.stop, line.seconds)
            if (success := _success(line)) is not None:
                # Of several workers' words, one that says failed decides.
                log.succeeded = success and log.succeeded is not False
        elif line.key == "eval_target":
            log.target = log.target or numbers(line.value)
        elif line.key == "eval_accuracy":
            if values := numbers(line.value):
                named = str(line.more.get("metric", ""))
                found = Evaluation(line.seconds, _epoch(line), values, line.at, named)
                log.evaluations.append(found)
        elif isinstance(line.value, str | int | float | list):
            text = " ".join(str(line.value).split())[:200]
            if line.key in SETTINGS:
                settings[line.key].add(text)
            else:
                log.values.setdefault(line.key, text)
    # In no order of theirs: what is logged of evaluation may come before what is of training.
    log.values |= {key: " and ".join(sorted(values)) for key, values in settings.items()}
    log.evaluations = _without_repetitions(log.evaluations)
    return log


def _success(line: Line) -> bool | None:
    """What a ``run_stop`` says; None if it says nothing."""
    status, success = line.more.get("status"), line.more.get("success")
    if isinstance(line.value, dict) and success is None:
        success = line.value.get("success")
    words = {"success": True, "true": True, "false": False, **dict.fromkeys(_FAILED, False)}
    for word in (status, success):
        found = words.get(word.strip().lower()) if isinstance(word, str) else word
        if isinstance(found, bool):
            return found
    return None


def numbers(value: Any) -> Scores | None:
    """The scores in a value: a number, a list of them, or an object of them; None if none is."""
    if isinstance(value, dict):
        inner = next((v for v in value.values() if isinstance(v, dict)), value)
        value = [inner[name] for name in sorted(inner)]
    found = [as_number(part) for part in (value if isinstance(value, list) else [value])]
    if not found or None in found:
        return None
    # Seven digits are what logs of 32-bit numbers hold: 21.799999237 is 21.8.
    return tuple(float(f"{number:.7g}") for number in found if number is not None)


def _epoch(line: Line) -> float | None:
    names = ("epoch_num", "epoch", "first_epoch_num", "samples_count", "step_num")
    found = (as_number(line.more.get(name)) for name in names)
    return next((epoch for epoch in found if epoch is not None), None)


def _without_repetitions(evaluations: list[Evaluation]) -> list[Evaluation]:
    """Evaluations in the order of time: the same again is a worker's repetition."""
    found: list[Evaluation] = []
    seen: set[tuple[float | None, Scores]] = set()
    for evaluation in sorted(evaluations, key=lambda e: (e.seconds, e.values)):
        key = (evaluation.epoch, evaluation.values)
        last = bool(found) and found[-1].values == evaluation.values
        if not (last if evaluation.epoch is None else key in seen):
            found.append(evaluation)
            seen.add(key)
    return found


def joined(evaluations: list[Evaluation], parts: Sequence[str]) -> list[Evaluation]:
    """Evaluations with all scores of one time of training, where each is logged by itself."""
    if not parts or not any(evaluation.metric for evaluation in evaluations):
        return evaluations
    by_epoch: dict[float | None, dict[str, Evaluation]] = {}
    for evaluation in evaluations:
        by_epoch.setdefault(evaluation.epoch, {})[evaluation.metric.upper()] = evaluation
    return [
        replace(max(found.values(), key=lambda e: e.seconds), values=values)
        for found in by_epoch.values()
        if len(values := tuple(v for part in parts if part in found for v in found[part].values))
        == len(parts)
    ]


def numbered(evaluations: list[Evaluation]) -> list[float]:
    """The epoch of each evaluation: as logged if that never runs backwards, else counted from 1."""
    logged = [evaluation.epoch for evaluation in evaluations]
    known = [epoch for epoch in logged if epoch is not None]
    if len(known) == len(logged) and all(a <= b for a, b in pairwise(known)):
        return known
    return [float(at) for at in range(1, len(logged) + 1)]
