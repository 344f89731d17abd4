"""Reads what trackers keep by step: the Trainer's trainer_state.json, MLflow's store, W&B's file.

Each becomes a table with a row for each time at which something was logged.
"""

import json
import re
import sqlite3
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput
from genset.core.validation import read_json
from genset.tta.logs.common import Format, ReadAs, Sheet, read_bytes, sheet_of
from genset.tta.logs.tables import trainings
from genset.tta.runs import MalformedLog, Training

_MOST_BYTES = 256 << 20
_MOST_POINTS = 1_000_000

Row = Mapping[str, Any]


# Hugging Face's Trainer

_STATE = "trainer_state.json"
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")
_NO_TIME = (
    "the Trainer logs none: in a TrainerCallback's on_log, set "
    'state.log_history[-1]["seconds"] = time.monotonic() - self.began'
)


def _read_state(path: Path, read_as: ReadAs) -> list[Training]:
    try:
        state = read_json(path, dict[str, Any], _MOST_BYTES)
    except BadInput as error:
        raise MalformedLog(path, str(error)) from None
    history = state.get("log_history")
    rows = [row for row in history if isinstance(row, dict)] if isinstance(history, list) else []
    sheet = sheet_of(path, rows)
    done, planned = state.get("global_step"), state.get("max_steps")
    sheet.cut_off = isinstance(done, int) and isinstance(planned, int) and done < planned
    folder = path.parent.parent if _CHECKPOINT.fullmatch(path.parent.name) else path.parent
    return trainings(sheet, read_as, folder.name, no_time=_NO_TIME)


def is_of_earlier_checkpoint(path: Path) -> bool:
    """Whether a run's later checkpoint, or the run itself, has left the same file with more."""
    if path.name != _STATE or not (found := _CHECKPOINT.fullmatch(path.parent.name)):
        return False
    states = path.parent.parent.glob(f"checkpoint-*/{_STATE}")
    numbers = [match for state in states if (match := _CHECKPOINT.fullmatch(state.parent.name))]
    later = any(int(number[1]) > int(found[1]) for number in numbers)
    return later or (path.parent.parent / _STATE).is_file()


# MLflow: points are metric, value, milliseconds since 1970, step.

_TIME = "time since the run began, in seconds"
Point = tuple[str, Any, int, int]


def _text(path: Path) -> str:
    return read_bytes(path).decode(errors="replace")


def _is_mlflow(path: Path, start: bytes) -> bool:
    if path.name != "meta.yaml" or b"lifecycle_stage: deleted" in start:
        return False
    return (path.parent / "metrics").is_dir()


def _read_mlflow(path: Path, read_as: ReadAs) -> list[Training]:
    """Read a run's folder: a file for each metric, a line ``time value step`` for each value."""
    about = dict(re.findall(r"^(\w+): '?([^'\n]*)", _text(path), re.M))
    points: list[Point] = []
    folder = path.parent / "metrics"
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        for at, line in enumerate(_text(file).splitlines(), 1):
            words = line.split()
            if len(words) != 3 or not (words[0] + words[2].lstrip("-")).isdecimal():
                raise MalformedLog(file, f"no time, value and step: {line[:40]!r}", at)
            metric = file.relative_to(folder).as_posix()
            points.append((metric, words[1], int(words[0]), int(words[2])))
    name = about.get("run_name") or about.get("run_id", path.parent.name)
    settings = {file.name: _text(file) for file in path.parent.glob("params/*")}
    sheet = _of_points(path, name, int(about.get("start_time") or 0), points)
    # Finished or failed: an earlier end than its own, as a kill is, leaves open what it is.
    sheet.cut_off = about.get("status") not in ("3", "4")
    return trainings(sheet, replace(read_as, time=_TIME), name, settings=settings)


def _is_mlflow_store(path: Path, start: bytes) -> bool:
    tables = "SELECT 1 FROM sqlite_master WHERE name = 'latest_metrics'"
    return start.startswith(b"SQLite format 3\0") and bool(_ask(path, tables))


def _read_mlflow_store(path: Path, read_as: ReadAs) -> list[Training]:
    """Read the runs of a SQLite file that were not deleted and have a metric."""
    runs = _ask(
        path,
        "SELECT run_uuid, coalesce(nullif(name, ''), run_uuid), start_time, status FROM runs "
        "WHERE lifecycle_stage = 'active' AND run_uuid IN (SELECT run_uuid FROM metrics)",
    )
    value = "CASE WHEN is_nan THEN 'nan' ELSE value END"
    points = f"SELECT key, {value}, timestamp, step FROM metrics WHERE run_uuid = ?"  # noqa: S608
    found = []
    for uuid, name, start, status in runs:
        settings = dict(_ask(path, "SELECT key, value FROM params WHERE run_uuid = ?", uuid))
        sheet = _of_points(path, name, start or 0, _ask(path, points, uuid))
        sheet.cut_off = status not in ("FINISHED", "FAILED")
        found += trainings(sheet, replace(read_as, time=_TIME), name, settings=settings)
    return found


def _ask(path: Path, question: str, *values: str) -> list[Any]:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as store:
            return store.execute(question, values).fetchmany(_MOST_POINTS + 1)
    except sqlite3.Error as error:
        raise MalformedLog(path, f"it is no store of MLflow's: {error}") from None


def _of_points(path: Path, name: str, start: int, points: Sequence[Point]) -> Sheet:
    if not points or len(points) > _MOST_POINTS:
        raise MalformedLog(path, f"run {name} has no metric, or over {_MOST_POINTS:,} values")
    start = start or min(time for _, _, time, _ in points)
    # Where steps are not counted all are 0: then rows with a score are.
    counted = len({step for *_, step in points}) > 1
    rows: dict[tuple[int, int], dict[str, Any]] = {}
    for metric, value, time, step in sorted(points, key=lambda point: point[2:]):
        new = {_TIME: (time - start) / 1000} | ({"step": step} if counted else {})
        rows.setdefault((time, step), new)[metric] = value
    return sheet_of(path, list(rows.values()))


# W&B's file, of runs online and offline: LevelDB's log of protobuf records.

_BLOCK, _HEADER = 32_768, 7
_WHOLE, _FIRST, _LAST = 1, 2, 4
# Numbers in wandb_internal.proto: of a record, of a history or run, and of an item of these.
_HISTORY, _RUN, _EXIT, _ITEM, _CONFIG, _UPDATE, _NAME = 2, 17, 18, 1, 4, 1, 8
_KEY, _NESTED, _JSON = 1, 2, 16


def _read_wandb(path: Path, read_as: ReadAs) -> list[Training]:
    rows: list[Row] = []
    settings: dict[str, str] = {}
    name, ended = path.stem, False
    try:
        for field, value in chain.from_iterable(map(_fields, _records(read_bytes(path)))):
            ended = ended or field == _EXIT
            if field == _HISTORY:
                rows.append(_items(value, _ITEM))
            for part, inner in _fields(value) if field == _RUN else ():
                if part == _NAME:
                    name = inner.decode()
                elif part == _CONFIG:
                    settings |= {k: str(v) for k, v in _items(inner, _UPDATE).items()}
    except (ValueError, IndexError, struct.error):
        raise MalformedLog(path, "it is no file of W&B's, or of an unknown version") from None
    sheet = sheet_of(path, rows)
    sheet.cut_off = not ended
    read_as = replace(read_as, time=read_as.time or "_runtime")
    return trainings(sheet, read_as, name, settings=settings)


def _records(data: bytes) -> Iterator[bytes]:
    """The records of a log; one that was cut off is the end."""
    at, parts = _HEADER, b""
    while at + _HEADER <= len(data):
        if _BLOCK - at % _BLOCK < _HEADER:
            at += _BLOCK - at % _BLOCK
            continue
        length, kind = struct.unpack_from("<HB", data, at + 4)
        part = data[at + _HEADER : at + _HEADER + length]
        at += _HEADER + length
        if not kind or len(part) < length:
            return
        parts = part if kind in (_WHOLE, _FIRST) else parts + part
        if kind in (_WHOLE, _LAST):
            yield parts


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The number and bytes of each field that is a text or a message."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 2:
            length, at = _varint(data, at)
            yield tag >> 3, data[at : at + length]
            at += length
        elif tag & 7:
            at += {1: 8, 5: 4}.get(tag & 7, len(data))
        else:
            _, at = _varint(data, at)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def _items(data: bytes, number: int) -> dict[str, Any]:
    """Keys with their values, which are numbers and texts; others are left out."""
    found: dict[str, Any] = {}
    for item in (item for field, item in _fields(data) if field == number):
        parts = list(_fields(item))
        key = "/".join(text.decode() for part, text in parts if part in (_KEY, _NESTED))
        value = json.loads(next((text for part, text in parts if part == _JSON), b"null"))
        if isinstance(value, int | float | str):
            found[key] = value
    return found


_COLUMNS = frozenset(("metric", "epoch", "time", "lower_is_better"))
_TIMED = _COLUMNS - {"time"}
STATE = Format(
    "trainer-state",
    lambda path, start: path.suffix == ".json" and b'"log_history"' in start,
    _read_state,
    _COLUMNS,
    "it holds one run",
)
MLFLOW = Format("mlflow", _is_mlflow, _read_mlflow, _TIMED, "MLflow keeps runs and their times")
MLFLOW_STORE = Format("mlflow-sqlite", _is_mlflow_store, _read_mlflow_store, _TIMED, MLFLOW.ignores)
WANDB = Format(
    "wandb",
    lambda path, start: start.startswith(b":W&B"),
    _read_wandb,
    _COLUMNS,
    "it holds one run",
)
