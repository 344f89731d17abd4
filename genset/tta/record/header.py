"""What an entry says of itself: its task, who trained what on which machine; its name."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput
from genset.core.files import write_text
from genset.tta.logs.dawnbench import read_json
from genset.tta.logs.dawnbench_json import PER_CENT, EntryFile
from genset.tta.logs.metrics import task_above
from genset.tta.record.recorder import SCORE_WORDS
from genset.tta.runs import SCORES, TASKS, TOP1, Task

_HOUR = 3_600_000  # milliseconds


@dataclass(frozen=True, slots=True)
class Header:
    """What the author says of an entry; empty where nothing is said."""

    task: Task
    author: str
    author_email: str
    model: str
    hardware: str
    framework: str = ""
    code_url: str = ""
    cost_per_hour: float | None = None

    def as_json(self, day: date, misc: Mapping[str, Any], **measured: float | None) -> str:
        """The JSON file of an entry of this day, without what is not known."""
        fields: dict[str, Any] = {
            "version": "v1.0",
            "author": self.author,
            "authorEmail": self.author_email,
            "framework": self.framework,
            "codeURL": self.code_url,
            "model": self.model,
            "hardware": self.hardware,
            "costPerHour": self.cost_per_hour,
            **measured,
            "timestamp": day.isoformat(),
            "misc": misc,
        }
        known = {name: value for name, value in fields.items() if value not in ("", None)}
        return json.dumps(known, indent=4, ensure_ascii=False) + "\n"


def choose_task(name: str, score: str, threshold: float | None, output: Path) -> Task:
    """The task that was named; else that of what was recorded there before; else the folder's.

    Args:
        name: DAWNBench's, or one of the user's own; "" where it was not said.
        score: the word of `SCORE_WORDS` that the task is judged by; "" where it was not said:
            top1, if the task is the user's own.
        threshold: to reach; None for the task's own.
        output: the entry without its suffix, or the folder of several runs.

    Raises:
        BadInput: nothing says the task, it has no threshold, or another score decides it.
    """
    column = SCORE_WORDS[score] if score else ""
    if name:
        task = TASKS.get(name.lower()) or Task(name, column or TOP1, None)
    elif (found := _before(output) or task_above(output)) is not None:
        task = found
    else:
        known = ", ".join(f"{task.name} ({task.threshold:g} %)" for task in TASKS.values())
        raise BadInput(
            "which task is this? say one of your own with --task NAME --threshold PERCENT, or one "
            f"of DAWNBench's: --task {known}"
        )
    if column and column != task.score:
        raise BadInput(f"{task.name} is judged by {task.score}, not by {column}: leave --score out")
    return replace(task, threshold=task.threshold_or(threshold))


def _before(output: Path) -> Task | None:
    """The task of an earlier recording of this name, or in this folder."""
    paths = sorted(output.glob("*.json")) if output.is_dir() else [Path(f"{output}.json")]
    return next((task for entry in recordings(paths) if (task := entry.task(SCORES))), None)


def recordings(paths: Iterable[Path]) -> Iterator[EntryFile]:
    """The JSON files, of these, that are recordings', finished or not."""
    for path in paths:
        with suppress(BadInput):
            if (entry := read_json(path)).recorded:
                yield entry


def names(output: Path) -> Iterator[Path]:
    """``NAME.tsv``, ``NAME-2.tsv``, ... as far as there are entries, and the first that is free."""
    number = 1
    while True:
        path = output.with_name(f"{output.name}{'' if number == 1 else f'-{number}'}.tsv")
        yield path
        if not exists(path):
            return
        number += 1


def exists(path: Path) -> bool:
    """Whether an entry has one of its files."""
    return path.exists() or path.with_suffix(".json").exists()


def cost_of(latency: float, cost_per_hour: float | None) -> float | None:
    """What one photo costs if it takes so many milliseconds: US dollars, as DAWNBench counts."""
    return None if cost_per_hour is None else latency * cost_per_hour / _HOUR


def write_inference(
    folder: Path,
    header: Header,
    latency: float,
    scores: Mapping[str, float],
    misc: Mapping[str, Any],
) -> Path:
    """Write ``MODEL.json`` to a folder; ``MODEL-2.json`` where there is one already, and so on.

    Args:
        folder: of entries.
        header: what the entry says of itself.
        latency: of one photo, in milliseconds.
        scores: in per cent, by DAWNBench's names.
        misc: what else to say.

    Raises:
        OSError: it cannot be written.
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", header.model).strip("-.") or "model"
    *_, free = names(folder / name)
    path = free.with_suffix(".json")
    text = header.as_json(
        datetime.now(UTC).date(),
        {"task": header.task.name, "scores": PER_CENT, **misc},
        latency=latency,
        cost=cost_of(latency, header.cost_per_hour),
        **scores,
    )
    write_text(path, text)
    return path
