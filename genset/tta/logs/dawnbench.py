"""Reads one DAWNBench entry: its JSON file, its TSV file, or both.

Which task it is for is told by a folder above it (``ImageNet``, ``CIFAR10``, ``SQuAD``), by
``task`` in its ``misc``, or by the scores that it has; what `genset tta record` wrote says so
itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput
from genset.core.numbers import agree, count, duration
from genset.core.safe import clean
from genset.tta.logs.common import (
    Format,
    as_percent,
    decoded,
    is_whole,
    number,
    read_bytes,
)
from genset.tta.logs.dawnbench_json import EntryFile, RecordedRun
from genset.tta.logs.metrics import task_above
from genset.tta.runs import (
    F1,
    FAILED,
    SCORES,
    STOPPED,
    TASKS,
    TOP1,
    TOP5,
    About,
    Epoch,
    Inference,
    MalformedLog,
    Task,
    Training,
)

WATT_HOURS = "wattHours"
_COLUMNS = ("epoch", "hours", WATT_HOURS, *SCORES)
_KNOWN = {name.lower(): name for name in _COLUMNS}

# Where no score of a column exceeds 1 and one of the other exceeds this, the two are in different
# units: top-5 is never twenty times top-1.
_APART = 20

_A_CENTURY = 876_600

# Lines by their numbers in the file, with their values by column.
_Rows = list[tuple[int, dict[str, float]]]


@dataclass(frozen=True, slots=True)
class Curve:
    """A training log. `columns` are the scores that it has; `remarks` say how they were read.

    `cut_off`: its last line is not whole, and not among the epochs.
    """

    epochs: tuple[Epoch, ...]
    columns: tuple[str, ...]
    remarks: tuple[str, ...]
    cut_off: bool


def read_curve(path: Path, data: bytes, percent: bool = False) -> Curve:
    """Read the TSV file's bytes; `path` is for messages.

    `percent` is for a log whose writer is known to have meant per cent, however small the scores.

    Raises:
        MalformedLog: there is no right reading.
    """
    text = decoded(path, data)
    # Not str.splitlines, which also splits at characters that editors count no lines by.
    numbered = enumerate(re.split(r"\r\n|\n|\r", text), 1)
    lines = [(at, line) for at, line in numbered if line.strip() and line.lstrip()[0] != "#"]
    if not lines:
        raise MalformedLog(path, "it is empty")
    (head_at, head), *body = lines
    tabs = "\t" in head
    names = _cells(head, tabs)
    while not names[-1]:
        names.pop()
    columns = _columns(path, head_at, names)
    # A time that was cut off may look whole: 1.2 of 1.25. A score then only gets lower.
    ended = text.endswith(("\n", "\r"))
    cut = False
    if body and not ended and columns["hours"] == len(names) - 1:
        *above, last = (_cells(line, tabs)[-1] for _, line in body)
        cut = not is_whole(last, above)
    body = body[: len(body) - cut]
    rows = [(at, _row(path, at, _cells(line, tabs), len(names), columns)) for at, line in body]
    if not rows:
        raise MalformedLog(path, "it has no epoch below the header")
    if not ended and columns.get(WATT_HOURS) == len(names) - 1:
        rows[-1][1].pop(WATT_HOURS, None)  # 1.2 of 1.25 is another energy
    _in_order(path, rows)
    if not percent:
        _not_swapped(path, rows)
    if not (percent or ended or cut):
        # A unit may not rest on a last line that may be cut off: 1 may be 1 of 12.5.
        *others, cut_off = [[row[name] for name in SCORES if name in row] for _, row in rows]
        if not any(others) and max(cut_off, default=2) <= 1:
            reason = "its only score stands in a line without an end, which may be cut off"
            raise MalformedLog(path, reason, rows[-1][0])
    return _scaled(path, rows, [name for name in SCORES if name in columns], percent, cut)


def _cells(line: str, tabs: bool) -> list[str]:
    return [cell.strip() for cell in line.split("\t")] if tabs else line.split()


def _columns(path: Path, at: int, cells: list[str]) -> dict[str, int]:
    """Where each known column is."""
    names = [_KNOWN.get(re.sub(r"[^a-z0-9]", "", cell.lower()), cell) for cell in cells]
    for name in ("epoch", "hours"):
        if name not in names:
            mend = "begin with a line of names divided by tabs: epoch, hours, top1Accuracy ..."
            raise MalformedLog(path, f"no column {name}; {mend}", at)
    if doubled := [name for name in _COLUMNS if names.count(name) > 1]:
        raise MalformedLog(path, f"two columns {doubled[0]}", at)
    if not any(name in names for name in SCORES):
        raise MalformedLog(path, f"no score: add a column {', '.join(SCORES[:2])} or {F1}", at)
    return {name: names.index(name) for name in _COLUMNS if name in names}


def _row(
    path: Path, at: int, cells: list[str], width: int, columns: dict[str, int]
) -> dict[str, float]:
    """A line's numbers by column; a score that is not there was not measured."""
    while len(cells) > width and not cells[-1]:  # tabs at its end are nothing
        cells.pop()
    if len(cells) != width:
        mend = "; leave a cell empty for what was not measured" if len(cells) < width else ""
        raise MalformedLog(path, f"{count(len(cells), 'cell')} for {width} columns{mend}", at)
    row = {}
    for name, place in columns.items():
        cell = cells[place]
        if not cell and name not in ("epoch", "hours"):
            continue
        value = number(cell)
        if value is None or value < 0:
            raise MalformedLog(path, f"{name} is no number from 0 up: {cell[:40]!r}", at)
        if name == "hours" and value > _A_CENTURY:
            raise MalformedLog(path, f"more hours than a century has: {cell[:40]}", at)
        if name in SCORES and value > 100:
            raise MalformedLog(path, f"{name} is over 100: {cell[:40]}", at)
        row[name] = value
    return row


def _in_order(path: Path, rows: _Rows) -> None:
    """Refuse a log whose time or epochs run backwards: which line came first is not known."""
    before: dict[str, float] = {}
    for at, row in rows:
        for name in ("hours", "epoch", WATT_HOURS):
            if name in row and row[name] < before.get(name, 0.0):
                was = f"{row[name]:g} after {before[name]:g}"
                raise MalformedLog(path, f"{name} runs backwards: {was}", at)
        before |= row


# What a training comes to, in fractions of 1 or in per cent.
_LIKE_SCORES = ((0.2, 1.0), (20.0, 100.0))


def _not_swapped(path: Path, rows: _Rows) -> None:
    """Refuse values that stand under each other's names."""
    columns = {name: [row.get(name) for _, row in rows] for name in ("hours", *SCORES)}
    steps = {name: _steps(values) for name, values in columns.items()}
    odd = next((at for at, row in rows if row["epoch"] % 1), None)
    for name, grows in steps.items():
        if odd is not None and len(grows) > 1 and set(grows) == {1.0}:
            why = f"{name} counts up by one and epoch does not"
            raise MalformedLog(path, f"{why}: are the two columns swapped?", odd)
    at, last = rows[-1]
    if not any(low <= last["hours"] <= high for low, high in _LIKE_SCORES):
        return
    hours = steps.pop("hours")
    for name, grows in steps.items():
        evenly = len(grows) > 3 and 0 < max(grows) < 1.2 * min(grows)
        if evenly and hours[0] > 3 * hours[-1]:
            why = f"{name} rises evenly and hours does not"
            raise MalformedLog(path, f"{why}: are the two columns swapped?", at)


def _steps(values: Sequence[float | None]) -> list[float]:
    """How much a column grows from row to row; empty if a row has nothing in it."""
    there = [value for value in values if value is not None]
    return [b - a for a, b in pairwise(there)] if len(there) == len(values) else []


def _scaled(path: Path, rows: _Rows, columns: list[str], percent: bool, cut: bool) -> Curve:
    """Scores in per cent. A file is in fractions of 1 if no score of it is over 1."""
    found = [(name, [row[name] for _, row in rows if name in row]) for name in columns]
    measured = {name: max(values) for name, values in found if values}
    if not measured:
        raise MalformedLog(path, "no epoch has a score")
    if min(measured.values()) <= 1 and max(measured.values()) > _APART and not percent:
        raise MalformedLog(path, "one score is in fractions of 1, the other in per cent")
    fractions = max(measured.values()) <= 1 and not percent
    epochs = []
    for at, row in rows:
        scores = {c: as_percent(row[c]) if fractions else row[c] for c in columns if c in row}
        if TOP1 in scores and TOP5 in scores and scores[TOP5] < scores[TOP1]:
            raise MalformedLog(path, "top-5 below top-1: are the two columns swapped?", at)
        epochs.append(Epoch(row["epoch"], row["hours"], scores, row.get(WATT_HOURS)))
    remarks = []
    if fractions and F1 not in measured:  # DAWNBench's own example has F1 in fractions
        remarks.append("scores read as fractions of 1: none is over 1")
    if without := sum(len(epoch.scores) < len(columns) for epoch in epochs):
        lack = agree(without, "lacks", "lack")
        remarks.append(f"{without} of {count(len(epochs), 'epoch')} {lack} a score")
    return Curve(tuple(epochs), tuple(columns), tuple(remarks), cut)


SUFFIXES = (".json", ".tsv")
_SHORT = 8  # digits of a commit that are shown

# A JSON file alone is an entry if it has one of these; else it is the JSON of something else.
_TELLING = ("authorEmail", "codeURL", "costPerHour", "latency", "timestamp", *SCORES)
_ENTRY_FIELDS = re.compile("|".join(f'"{name}"' for name in _TELLING).encode())


def recognizes(path: Path, start: bytes) -> bool:
    """Whether a file is one of an entry's two, by its name, and a JSON file alone by its fields."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        return path.with_suffix(".tsv").is_file() or _ENTRY_FIELDS.search(start) is not None
    return suffix == ".tsv"


def read_entry(path: Path, metric: str = "") -> Training | Inference:
    """An entry, from either of its files.

    Raises:
        MalformedLog: it has no right reading.
    """
    json_file, tsv_file = _files(path)
    if not json_file.is_file():
        raise MalformedLog(tsv_file, "no .json file beside it says what it is")
    if tsv_file.is_file():
        return read_run(path, metric)
    entry = read_json(json_file)
    if entry.values.latency is None and entry.values.cost is None:
        if entry.recorded:
            raise MalformedLog(json_file, "its recording was cut off before the first epoch")
        reason = "neither a .tsv file with epochs beside it nor a latency or a cost in it"
        raise MalformedLog(json_file, reason)
    scores = entry.scores()
    if not scores:
        raise MalformedLog(entry.path, f"no score: add {', '.join(SCORES[:2])} or {F1}")
    task = _task(entry.path, entry, tuple(scores))
    remarks = [] if task.score in scores else [f"no {task.score}, which {task.name} is judged by"]
    price, latency, cost = entry.values.cost_per_hour, entry.values.latency, entry.values.cost
    if cost is None and price is not None and latency is not None:
        cost = price * latency / 3_600_000  # dollars an hour, milliseconds
    return Inference(_about(entry, task, remarks), latency, cost, scores.get(task.score))


def _files(path: Path) -> list[Path]:
    """The JSON file and the table of an entry, of which one is named."""
    files = {suffix: path.with_suffix(suffix) for suffix in SUFFIXES}
    return list((files | {path.suffix.lower(): path}).values())


def read_run(path: Path, metric: str = "") -> Training:
    """Read one training run: a TSV file, with or without a JSON file beside it, or the JSON file.

    Raises:
        BadInput: there is no such file, or it has no right reading (`MalformedLog`).
    """
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"{path} is no training log: name a .tsv file, or a folder of them")
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    json_file, tsv_file = _files(path)
    if not tsv_file.is_file():
        raise MalformedLog(path, "no .tsv file with its epochs beside it")
    return _training(read_json(json_file) if json_file.is_file() else None, tsv_file, metric)


def read_json(path: Path) -> EntryFile:
    """The JSON file of an entry.

    Raises:
        MalformedLog: it cannot be read, or has no right reading.
    """
    return EntryFile(path, read_bytes(path))


def _task(path: Path, entry: EntryFile | None, scores: tuple[str, ...]) -> Task:
    """As a recording says; else as a folder above is called, as ``misc`` says, or by the scores."""
    stated = entry.task(scores) if entry else None
    if stated and entry and entry.recorded:
        return stated
    by_score = {TOP5: TASKS["imagenet"], F1: TASKS["squad"], TOP1: TASKS["cifar10"]}
    known = (task for score, task in by_score.items() if score in scores)
    return task_above(path) or stated or next(known)


def _training(entry: EntryFile | None, tsv_file: Path, metric: str) -> Training:
    curve = read_curve(tsv_file, read_bytes(tsv_file), percent=bool(entry and entry.recorded))
    task = _task(tsv_file, entry, curve.columns)
    if metric and metric not in curve.columns:
        raise MalformedLog(tsv_file, f"no column {metric}; there are {', '.join(curve.columns)}")
    if metric not in ("", task.score):
        task = replace(task, score=metric, threshold=None)
    if not any(task.score in epoch.scores for epoch in curve.epochs):
        raise MalformedLog(tsv_file, f"no {task.score}, which {task.name} is judged by")
    if entry is None:
        about = About(tsv_file.stem, tsv_file, task, remarks=curve.remarks)
        return Training(about, curve.epochs, cut_off=curve.cut_off)
    remarks = [*curve.remarks]
    if entry.recorded:
        if all(score <= 1 for epoch in curve.epochs for score in epoch.scores.values()):
            remarks.append("no score is over 1 %: fractions of 1 must be recorded a hundredfold")
        attempts = entry.recorded.recording
        if attempts.late:
            remarks.append("several of its epochs came at once: their times are bounds")
        if not attempts.finished:
            remarks.append("its training did not end by itself")
        if attempts.interruptions:
            remarks.append("its training was interrupted and went on")
        if attempts.set_aside:
            remark = "an earlier attempt at it did not end, and it began anew"
            if attempts.set_aside_hours:
                remark += f": {duration(attempts.set_aside_hours)} of training are left out"
            remarks.append(remark)
        if attempts.energy:
            lost = ", not measured to the end" * (curve.epochs[-1].watt_hours is None)
            remarks.append(f"energy of {clean(attempts.energy, 100)}{lost}")
    return Training(_about(entry, task, remarks), curve.epochs, cut_off=curve.cut_off)


def _about(entry: EntryFile, task: Task, remarks: list[str]) -> About:
    if missing := entry.missing():
        remarks.append(f"no {', '.join(missing)}")
    about = About(
        name=entry.path.stem,
        path=entry.path,
        task=task,
        author=entry.text("author"),
        framework=entry.text("framework"),
        model=entry.text("model"),
        hardware=entry.text("hardware"),
        submitted=entry.day,
        cost_per_hour=entry.values.cost_per_hour,
        remarks=tuple(remarks),
        settings=entry.settings(),
    )
    return replace(about, **_recorded(entry.recorded)) if entry.recorded else about


def _recorded(run: RecordedRun) -> dict[str, Any]:
    """What a recording says of a run beyond what every entry does."""
    origin = {"command": run.command} if run.command else {}
    if run.code:
        changed = " with changes" if run.code.changed else ""
        origin["commit"] = f"{run.code.commit[:_SHORT]}{changed}"
    return {
        "entry": " ".join(run.entry.split()),
        "checkpoint": run.checkpoint.sha256 if run.checkpoint else "",
        "origin": origin,
        "ending": "" if run.recording.finished else STOPPED if run.recording.stopped else FAILED,
    }


DAWNBENCH = Format(
    "dawnbench",
    recognizes,
    lambda path, read_as: [read_run(path, read_as.metric)],
    frozenset(["metric"]),
    "the columns of DAWNBench's entries have fixed names and meanings",
)
