"""Reads DAWNBench entries from folders: every file ends up in an entry or is named as refused.

An entry is ``NAME.json`` with ``NAME.tsv`` beside it (training), or ``NAME.json`` alone with a
latency or a cost (inference). Which task it is for is told by a folder above it (``ImageNet``,
``CIFAR10``, ``SQuAD``), by ``task`` in its ``misc``, or by the scores that it has; what `genset tta
record` wrote says so itself.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from genset.errors import BadInput
from genset.tta.curve import Curve, read_curve
from genset.tta.entries import About, Entries, Inference, MalformedLog, Training
from genset.tta.fields import Fields
from genset.tta.tasks import F1, SCORES, TASKS, TOP1, TOP5, Task

_SUFFIXES = (".json", ".tsv")


def read_entries(folder: Path) -> Entries:
    """Read all entries in a folder and the folders in it, in the order of their paths.

    Hidden files and files that are neither JSON nor TSV are none of DAWNBench's.

    Raises:
        BadInput: there is no such folder, or no JSON or TSV file in it.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder")
    entries = Entries()
    found: dict[Path, dict[str, Path]] = {}
    for path in _logs_in(folder):
        files = found.setdefault(path.with_suffix(""), {})
        if (first := files.setdefault(path.suffix.lower(), path)) != path:
            entries.refused.append(MalformedLog(path, f"{first.name} has the same name"))
    if not found:
        raise BadInput(f"{folder} has no DAWNBench entries: no .json and .tsv files")
    for files in found.values():
        try:
            entry = _read_entry(files.get(".json"), files.get(".tsv"))
        except MalformedLog as error:
            entries.refused.append(error)
            continue
        if isinstance(entry, Training):
            entries.trainings.append(entry)
        else:
            entries.inferences.append(entry)
    return entries


def read_run(path: Path) -> Training:
    """Read one training run: a TSV file, with or without a JSON file beside it, or the JSON file.

    Raises:
        BadInput: there is no such file, or it has no right reading (`MalformedLog`).
    """
    beside = {suffix: path.with_suffix(suffix) for suffix in _SUFFIXES}
    if path.suffix.lower() not in _SUFFIXES:
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


def read_runs(paths: Iterable[Path], refused: list[MalformedLog]) -> list[Training]:
    """Read training runs: files one by one, and all that folders hold.

    A run's .json and .tsv file, both named, are one run. What a folder holds that has no right
    reading is added to `refused`.

    Raises:
        BadInput: a file that was named cannot be read, nothing is left, or two logs are copies.
    """
    runs: list[Training] = []
    for path in {_without_suffix(path): path for path in paths}.values():
        if not path.is_dir():
            runs.append(read_run(path))
            continue
        for file in _logs_in(path):
            if file.suffix.lower() == ".tsv":
                try:
                    runs.append(read_run(file))
                except MalformedLog as error:
                    refused.append(error)
    if not runs:
        raise BadInput("there is no training log that can be read")
    for at, run in enumerate(runs):
        for other in runs[:at]:
            if run.epochs == other.epochs:
                same = f"{other.about.path} and {run.about.path}"
                raise BadInput(f"{same} hold the same epochs: name each run once")
    return runs


def one_task(runs: Sequence[Training]) -> Task:
    """The task that all runs are for.

    Raises:
        BadInput: they are for different ones.
    """
    tasks = {run.about.task for run in runs}
    if len(tasks) > 1:
        names = ", ".join(sorted(f"{t.name} ({t.score}, {t.threshold} %)" for t in tasks))
        raise BadInput(f"the runs are for different tasks: {names}")
    return tasks.pop()


def threshold_of(task: Task, asked: float | None) -> float:
    """The threshold to hold scores against, in per cent.

    Raises:
        BadInput: none was asked for and the task has none, or it is not within 0 to 100.
    """
    threshold = task.threshold if asked is None else asked
    if threshold is None:
        raise BadInput(f"{task.name} has no threshold of its own: say one with --threshold")
    if not 0 <= threshold <= 100:
        raise BadInput(f"a threshold is from 0 to 100 per cent, not {threshold:g}")
    return threshold


def _without_suffix(path: Path) -> Path:
    """The same for both files of an entry; a folder's name has no suffix."""
    return path.resolve() if path.is_dir() else path.resolve().with_suffix("")


def _logs_in(folder: Path) -> list[Path]:
    """The JSON and TSV files in a folder and below; hidden ones are not meant."""
    found: list[Path] = []
    # Not Path.rglob, which passes over folders that it may not read without a word.
    for place, folders, files in os.walk(folder, onerror=_fail):
        folders[:] = [name for name in folders if not name.startswith(".")]
        shown = (Path(place, name) for name in files if not name.startswith("."))
        found += [path for path in shown if path.suffix.lower() in _SUFFIXES]
    # By names without suffix: NAME comes before NAME-2.
    return sorted(found, key=lambda path: (path.with_suffix(""), path.suffix))


def _fail(error: OSError) -> NoReturn:
    raise error


def _read_entry(json_file: Path | None, tsv_file: Path | None) -> Training | Inference:
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
    return Training(_about(fields, task, remarks), curve.epochs)


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
    )
