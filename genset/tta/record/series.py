"""Several runs of one command, with a seed each: what `genset tta stability` asks for.

They lie in a folder of their own, ``seed-3`` or ``run-3`` each. The same words again go on with
those that are missing: that were not begun, were cut off, or failed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput, GensetError
from genset.tta.record.header import Header, code_of, mark_of, recordings
from genset.tta.record.recording import recorded
from genset.tta.record.running import Job, Outcome, Output, record

PLACE = "{seed}"
_MOST = 1000  # runs of one command
_RANGE = re.compile(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?")


def parse_seeds(text: str) -> tuple[int, ...]:
    """Seeds written as ``0..4`` or ``0,1,5`` or both, in that order.

    Raises:
        BadInput: it is not of that form, names one twice, or more than 1,000.
    """
    seeds: list[int] = []
    for part in text.split(","):
        if not (found := _RANGE.fullmatch(part.strip())):
            raise BadInput(f"--seeds {text}: write them like 0..4 or 0,1,5")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise BadInput(f"--seeds {text}: {first} is more than {last}")
        if len(seeds) + last - first >= _MOST:
            raise BadInput(f"--seeds {text}: more than {_MOST:,} runs")
        seeds += range(first, last + 1)
    if len(set(seeds)) < len(seeds):
        raise BadInput(f"--seeds {text}: one is there twice")
    return tuple(seeds)


def choose_runs(words: Sequence[str], runs: int | None, seeds: str) -> dict[str, int | None]:
    """The seeds of the runs that are asked for, by the names of their files; {} for one recording.

    A seed is None where the words have no place for one.

    Args:
        words: of the command, and where its checkpoint will be.
        runs: how many runs; None where that is not said.
        seeds: as they were written; "" for 0 to `runs` - 1.

    Raises:
        BadInput: they are not of one number, are no seeds, or have no place to go.
    """
    has_place = any(PLACE in word for word in words)
    if runs is None and not seeds:
        if has_place:
            raise BadInput(f"{PLACE} stands for the seed of a run: say --runs N or --seeds 0..4")
        return {}
    if seeds and not has_place:
        raise BadInput(f"--seeds {seeds}: the command has no {PLACE}: write it where one belongs")
    found = parse_seeds(seeds) if seeds else range(runs or 0)
    if runs is not None and runs != len(found):
        raise BadInput(f"--runs {runs}, but --seeds {seeds} are {len(found)}: say one of the two")
    if not has_place:
        return {f"run-{number + 1}": None for number in found}
    return {f"seed-{seed}": seed for seed in found}


def _with_seed(word: str, seed: int | None) -> str:
    """A word of the command with its seed in the place for it."""
    return word if seed is None else word.replace(PLACE, str(seed))


@dataclass(frozen=True, slots=True)
class Series:
    """What came of the runs.

    Attributes:
        folder: that they lie in.
        before: those that were recorded before, and were not run again.
        recorded: those that were run now, in order; of one that logged nothing, too.
        failures: why, by name, a run that was run now is no finished one.
        missing: the names of those that are still to be run: failed ones, and all that come after
            a signal or a full disk.
    """

    folder: Path
    before: list[str]
    recorded: dict[str, Outcome]
    failures: dict[str, str]
    missing: list[str]


class MissingRuns(GensetError):
    """Some runs are missing; the lines say which and why."""

    def __init__(self, series: Series) -> None:
        names = ", ".join(series.missing)
        self._lines = [f"{name}: {why}" for name, why in series.failures.items()]
        if names:
            again = "the same command again goes on with them"
            self._lines.append(f"missing in {series.folder}: {names}; {again}")
        super().__init__("; ".join(self._lines))


def record_series(job: Job, folder: Path, runs: Mapping[str, int | None], report: Output) -> Series:
    """Run a command once for each of these runs, and record each as an entry in a folder.

    A run that fails does not end the others. A signal that asks us to end does, and so does a disk
    that takes no more: what comes after could not be kept.

    Args:
        job: the command, with ``{seed}`` where a seed belongs.
        folder: of the entries.
        runs: which ones: the seed of each by its name.
        report: where words go.

    Raises:
        BadInput: the command cannot be started, or something else lies in the folder, such as runs
            of another model, task, threshold or machine.
    """
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file: name a folder for several runs")
    _check_folder(job.header, folder)
    if len(runs) > 1:
        _remark_on_words(job, runs, report)
    found = {name: recorded(folder / name) for name in runs}
    before = {name: m for name, m in found.items() if m and m["recording"].get("finished") is True}
    _remark_on_before(job, before, report)
    series = Series(folder, list(before), {}, {}, [])
    to_run = [name for name in runs if name not in before]
    for at, name in enumerate(to_run):
        report.say(f"{name}: {at + 1} of {len(to_run)} to run, {len(before)} recorded before")
        try:
            done = record(_job_of(job, folder, runs[name]), folder / name, report)
        except OSError as error:
            series.failures[name] = f"{error.filename or folder}: {error.strerror or error}"
            series.missing.extend(to_run[at:])
            break
        series.recorded[name] = done
        if done.failure:
            series.failures[name] = done.failure
        if done.path is None or done.exit_code or done.stopped:
            series.missing.append(name)
        if done.stopped:
            series.missing.extend(to_run[at + 1 :])
            break
    return series


def _job_of(job: Job, folder: Path, seed: int | None) -> Job:
    """The command of one run."""
    facts = {"entry": folder.resolve().name, "command": mark_of(job.command)}
    return replace(
        job,
        command=[_with_seed(word, seed) for word in job.command],
        checkpoint=job.checkpoint and Path(_with_seed(str(job.checkpoint), seed)),
        facts={**job.facts, **facts, **({} if seed is None else {"seed": seed})},
        in_place=True,
    )


def _check_folder(header: Header, folder: Path) -> None:
    """Refuse to add to runs that tables would not take for the same entry's.

    Raises:
        BadInput: a recording in the folder, finished or not, is of something else.
    """
    texts, task = ("model", "hardware", "framework"), ("task", "score", "threshold")
    stated: dict[str, Any] = {name: " ".join(getattr(header, name).split()) for name in texts}
    values = (header.task.name, header.task.score, header.task.threshold)
    stated |= dict(zip(task, values, strict=True))
    for entry in recordings(sorted(folder.glob("*.json"))):
        found: dict[str, Any] = {name: entry.text(name) for name in texts}
        found |= {name: entry.misc.get(name) for name in task}
        for name, value in stated.items():
            if value not in ("", None) and found[name] not in ("", None, value):
                other = f"{name} {found[name]}, not {value}"
                raise BadInput(f"{entry.path} is of {other}: say the same, or name another folder")


def _remark_on_words(job: Job, runs: Mapping[str, int | None], report: Output) -> None:
    """Say where runs have nothing of their own."""
    without_seed = None in runs.values()
    if without_seed:
        report.say(
            f"the command has no {PLACE}: its {len(runs)} runs differ only as the program differs "
            "by itself"
        )
    if job.checkpoint and (without_seed or PLACE not in str(job.checkpoint)):
        report.say(f"each run writes {job.checkpoint} anew: every hash is kept, and the last file")


def _remark_on_before(job: Job, before: Mapping[str, Any], report: Output) -> None:
    """Say where what was recorded before is of another command or commit than what is run now."""
    code, mark = code_of(job.command), mark_of(job.command)
    for name, misc in before.items():
        if misc.get("command", mark) != mark:
            report.say(f"{name} is of another command: if that trains otherwise, it is no repeat")
        commit = (misc.get("code") or {}).get("commit")
        if commit and code and commit != code["commit"]:
            both = f"{commit[:8]}, what is run now of {code['commit'][:8]}"
            report.say(f"{name} is of commit {both}: if the program differs, so may the times")
