"""Reads one DAWNBench entry: its JSON file, its TSV file, or both.

Which task it is for is told by a folder above it (``ImageNet``, ``CIFAR10``, ``SQuAD``), by
``task`` in its ``misc``, or by the scores that it has; what `genset tta record` wrote says so
itself.
"""

import re
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.numbers import duration
from genset.tta.logs.dawnbench.curve import Curve, read_curve
from genset.tta.logs.dawnbench.fields import Fields
from genset.tta.logs.entries import FAILED, STOPPED, About, Inference, MalformedLog, Training
from genset.tta.logs.read_as import Format, ReadAs
from genset.tta.logs.tasks import F1, SCORES, TASKS, TOP1, TOP5, Task

SUFFIXES = (".json", ".tsv")
_SHORT = 8  # digits of a commit that are shown
_SHA256 = re.compile("[0-9a-f]{64}")


# A JSON file alone is an entry if it has one of these; else it is the JSON of something else.
_TELLING = ("authorEmail", "codeURL", "costPerHour", "latency", "timestamp", *SCORES)
_TOLD = re.compile("|".join(f'"{name}"' for name in _TELLING).encode())


def recognizes(path: Path, start: bytes) -> bool:
    """Whether a file is one of an entry's two, by its name, and a JSON file alone by its fields."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        return path.with_suffix(".tsv").is_file() or _TOLD.search(start) is not None
    return suffix == ".tsv"


def read(path: Path, read_as: ReadAs) -> list[Training]:
    """Read one training run, from either of its files; its columns have names of their own.

    Raises:
        BadInput: there is no such file, or it has no right reading (`MalformedLog`).
    """
    return [read_run(path)]


def read_entry(json_file: Path | None, tsv_file: Path | None) -> Training | Inference:
    """An entry of which at least one file is there.

    Raises:
        MalformedLog: it has no right reading.
    """
    if json_file is None:
        assert tsv_file is not None
        raise MalformedLog(tsv_file, "no .json file beside it says what it is")
    fields = _fields(json_file)
    if tsv_file is not None:
        return _training(fields, _curve(tsv_file, fields))
    if fields.values.get("latency") is None and fields.values.get("cost") is None:
        if fields.recording() is not None:
            raise MalformedLog(json_file, "its recording was cut off before the first epoch")
        reason = "neither a .tsv file with epochs beside it nor a latency or a cost in it"
        raise MalformedLog(json_file, reason)
    return _inference(fields)


def read_run(path: Path) -> Training:
    """Read one training run: a TSV file, with or without a JSON file beside it, or the JSON file.

    Raises:
        BadInput: there is no such file, or it has no right reading (`MalformedLog`).
    """
    beside = {suffix: path.with_suffix(suffix) for suffix in SUFFIXES}
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"{path} is no training log: name a .tsv file, or a folder of them")
    beside[path.suffix.lower()] = path
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    if not beside[".tsv"].is_file():
        raise MalformedLog(path, "no .tsv file with its epochs beside it")
    if beside[".json"].is_file():
        fields = _fields(beside[".json"])
        return _training(fields, _curve(beside[".tsv"], fields))
    curve = _curve(beside[".tsv"], None)
    task = _task(beside[".tsv"], None, curve.columns)
    return Training(
        About(name=path.stem, path=path, task=task, remarks=curve.remarks), curve.epochs
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise MalformedLog(path, f"it cannot be read: {error.strerror}") from None


def _fields(path: Path) -> Fields:
    return Fields(path, _bytes(path))


def _curve(path: Path, fields: Fields | None) -> Curve:
    recorded = fields is not None and fields.recording() is not None
    return read_curve(path, _bytes(path), percent=recorded)


def _task(path: Path, fields: Fields | None, scores: tuple[str, ...]) -> Task:
    own = fields.own_task(scores) if fields else None
    if own and fields and fields.recording() is not None:
        return own
    folders = (TASKS.get(folder.name.lower()) for folder in list(path.absolute().parents)[:2])
    if known := next((task for task in folders if task), own):
        return known
    by_score = {TOP5: TASKS["imagenet"], F1: TASKS["squad"], TOP1: TASKS["cifar10"]}
    return next(task for score, task in by_score.items() if score in scores)


def _training(fields: Fields, curve: Curve) -> Training:
    task = _task(fields.path, fields, curve.columns)
    if not any(task.score in epoch.scores for epoch in curve.epochs):
        tsv_file = fields.path.with_suffix(".tsv")
        raise MalformedLog(tsv_file, f"no {task.score}, which {task.name} is judged by")
    remarks = [*curve.remarks]
    recording = fields.recording() or {"finished": True}
    if recording.get("finished") is not True:
        remarks.append("its training did not end by itself")
    if recording.get("interruptions"):
        remarks.append("its training was interrupted and went on")
    if recording.get("setAside"):
        remarks.append(_set_aside(recording.get("setAsideHours")))
    return Training(_about(fields, task, remarks), curve.epochs)


def _set_aside(hours: object) -> str:
    """A remark on attempts that are no part of the run, and on the hours that they took."""
    said = "an earlier attempt at it did not end, and it began anew"
    if isinstance(hours, int | float) and hours > 0:
        said += f": {duration(hours)} of training are left out"
    return said


def _inference(fields: Fields) -> Inference:
    values = fields.values
    # "accuracy" stands in the example of DAWNBench's own README.
    named = {"accuracy": TOP1, **{score: score for score in SCORES}}
    given = {score: name for name, score in named.items() if values.get(name) is not None}
    if not given:
        raise MalformedLog(fields.path, f"no score: add {', '.join(SCORES[:2])} or {F1}")
    task = _task(fields.path, fields, tuple(given))
    remarks = [] if task.score in given else [f"no {task.score}, which {task.name} is judged by"]
    price, latency, cost = (fields.number(n) for n in ("costPerHour", "latency", "cost"))
    if cost is None and price is not None and latency is not None:
        cost = price * latency / 3_600_000  # dollars an hour, milliseconds
    return Inference(
        _about(fields, task, remarks),
        latency=latency,
        cost=cost,
        score=fields.score(given[task.score]) if task.score in given else None,
    )


def _about(fields: Fields, task: Task, remarks: list[str]) -> About:
    if missing := fields.missing():
        remarks.append(f"no {', '.join(missing)}")
    return About(
        name=fields.path.stem,
        path=fields.path,
        task=task,
        author=fields.text("author"),
        framework=fields.text("framework"),
        model=fields.text("model"),
        hardware=fields.text("hardware"),
        submitted=fields.day("timestamp"),
        cost_per_hour=fields.number("costPerHour"),
        remarks=tuple(remarks),
        entry=_recorded_text(fields, "entry"),
        settings=fields.settings(),
        checkpoint=_checkpoint(fields),
        origin=_origin(fields),
        ending=_ending(fields),
    )


def _recorded_text(fields: Fields, name: str) -> str:
    """A text that `genset tta record` wrote into ``misc``; empty where it wrote none."""
    value = fields.misc().get(name) if fields.recording() is not None else None
    return " ".join(value.split()) if isinstance(value, str) else ""


def _origin(fields: Fields) -> dict[str, str]:
    """The commit that a recorded run was made of, and the mark of its command."""
    code = fields.misc().get("code")
    commit = code.get("commit") if isinstance(code, dict) else None
    found = {"command": _recorded_text(fields, "command")}
    if isinstance(code, dict) and isinstance(commit, str):
        changed = " with changes" if code.get("changed") is True else ""
        found["commit"] = f"{commit[:_SHORT]}{changed}"
    return {what: text for what, text in found.items() if text}


def _ending(fields: Fields) -> str:
    """How a recorded run ended that did not end by itself."""
    recording = fields.recording() or {"finished": True}
    if recording.get("finished") is True:
        return ""
    return STOPPED if recording.get("stopped") is True else FAILED


def _checkpoint(fields: Fields) -> str:
    """The sha256 of the weights that a recorded run left."""
    left = fields.misc().get("checkpoint") if fields.recording() is not None else None
    digest = left.get("sha256") if isinstance(left, dict) else None
    return digest if isinstance(digest, str) and _SHA256.fullmatch(digest) else ""


DAWNBENCH = Format("dawnbench", recognizes, read)
