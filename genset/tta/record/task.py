"""Which task a recording is for: never guessed, since every table counts by it."""

from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput
from genset.tta.record.recorder import SCORE_WORDS
from genset.tta.record.recording import recordings
from genset.tta.runs import SCORES, TASKS, TOP1, Task

_ABOVE = 2  # folders that may be called like a task, as in ImageNet/train/ENTRY


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
    asked = SCORE_WORDS[score] if score else ""
    if name:
        task = TASKS.get(name.lower()) or Task(name, asked or TOP1, None)
    elif (found := _before(output) or _folders(output)) is not None:
        task = found
    else:
        known = ", ".join(f"{task.name} ({task.threshold:g} %)" for task in TASKS.values())
        raise BadInput(
            "which task is this? say one of your own with --task NAME --threshold PERCENT, or one "
            f"of DAWNBench's: --task {known}"
        )
    if asked and asked != task.score:
        raise BadInput(f"{task.name} is judged by {task.score}, not by {asked}: leave --score out")
    return replace(task, threshold=task.threshold_or(threshold))


def _before(output: Path) -> Task | None:
    """The task of an earlier recording of this name, or in this folder."""
    paths = sorted(output.glob("*.json")) if output.is_dir() else [Path(f"{output}.json")]
    return next((task for entry in recordings(paths) if (task := entry.task(SCORES))), None)


def _folders(output: Path) -> Task | None:
    """The task that a folder above is called like."""
    above = list(output.absolute().parents)[:_ABOVE]
    return next((TASKS[each.name.lower()] for each in above if each.name.lower() in TASKS), None)
