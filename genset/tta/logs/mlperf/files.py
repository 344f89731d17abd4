"""Reads a log of MLPerf Training, of any round: one file is one run.

By MLPerf's rules time runs from ``run_start`` to ``run_stop``, and a run counts if it reached the
target of its benchmark. Five runs or more in one folder, ``result_0.txt`` and so on, are an entry.
"""

import re
from collections.abc import Callable
from pathlib import Path

from genset.tta.logs.entries import About, Epoch, MalformedLog, Stop, Training
from genset.tta.logs.mlperf.benchmarks import Benchmark, Targets, benchmark, known_name
from genset.tta.logs.mlperf.lines import MARK, SETTINGS, read_lines
from genset.tta.logs.mlperf.run import Told, gather, numbered, reaches
from genset.tta.logs.mlperf.systems import system_of
from genset.tta.logs.numbers import as_percent
from genset.tta.logs.read_as import Format, ReadAs
from genset.tta.logs.tasks import Task

# Texts that may quote a line of a log.
_NO_LOGS = (".md", ".rst", ".html", ".py", ".sh", ".awk", ".ipynb", ".patch", ".diff", ".json")

_RESULT = re.compile(r"result_\d+\.txt")
_ROUND = re.compile(r"v\d+\.\d+(\.\d+)?")

# Some logs begin with as much of other words; a file that is named as MLPerf names them is a log.
_BEGINNING = 8 << 20


def recognizes(path: Path, start: bytes) -> bool:
    """Whether a file has lines of MLPerf's near its beginning."""
    if path.suffix.lower() in _NO_LOGS:
        return False
    return MARK in start or (path.name.startswith("result") and _has_mark(path))


def is_result(path: Path) -> bool:
    """Whether a file is named as MLPerf names a run's log."""
    return _RESULT.fullmatch(path.name) is not None


def _has_mark(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return MARK in file.read(_BEGINNING)
    except OSError as error:
        raise MalformedLog(path, f"it cannot be read: {error.strerror}") from None


def read(path: Path, read_as: ReadAs) -> list[Training]:
    """Read the one run of a log.

    Raises:
        MalformedLog: it has no right reading.
    """
    told = gather(read_lines(path))
    if told.start is None:
        raise MalformedLog(path, "no run_start: when training began is not known")
    if second := told.second_run():
        after = f"{second.seconds - told.start:,.0f} s after the first"
        reason = f"a second run_start, {after}: write each run into a file of its own"
        raise MalformedLog(path, reason, second.at)
    told.evaluations = [
        evaluation for evaluation in told.evaluations if evaluation.seconds >= told.start
    ]
    if not told.evaluations:
        raise MalformedLog(path, "no eval_accuracy after run_start: nothing was measured")
    name = _benchmark_of(path, told)
    judged = benchmark(name)
    targets = told.target or judged.target(told.form, told.start)
    scale = _scale(path, told, judged)
    task = Task(
        f"MLPerf {name}",
        judged.score,
        scale(targets[0]) if targets else None,
        judged.lower_is_better,
        judged.percent,
    )
    epochs = tuple(
        Epoch(epoch, (each.seconds - told.start) / 3600, {judged.score: scale(each.values[0])})
        for epoch, each in zip(numbered(told.evaluations), told.evaluations, strict=True)
    )
    return [Training(_about(path, told, task, name), epochs, _stop(told, targets, judged))]


def _about(path: Path, told: Told, task: Task, benchmark: str) -> About:
    remarks = []
    if task.threshold is not None and told.target is None:
        remarks.append("no eval_target in it: MLPerf's own for the benchmark counts")
    if told.stop is None:
        remarks.append("no run_stop: it was cut off, or its last evaluation is its end")
    if told.succeeded is False:
        remarks.append("its run_stop says that it did not succeed")
    system = system_of(path)
    return About(
        name=path.stem,
        path=path,
        task=task,
        author=told.said.get("submission_org", "") or system.submitter,
        framework=system.framework,
        model=benchmark,
        hardware=system.hardware or told.said.get("submission_platform", ""),
        remarks=tuple(remarks),
        entry=_entry(path),
        settings={SETTINGS[key]: text for key, text in told.said.items() if key in SETTINGS},
    )


def _scale(path: Path, told: Told, judged: Benchmark) -> Callable[[float], float]:
    """What makes a log's scores such as people read them.

    Raises:
        MalformedLog: a score is over 1 where the round's logs hold fractions of 1.
    """
    fractions = judged.is_fraction(told.form) and max(told.target or (0.0,)) <= 1
    over = (e for e in told.evaluations if fractions and max(e.values) > 1)
    if first := next(over, None):
        reason = f"{judged.score} is over 1: log eval_target in the same unit, or fractions of 1"
        raise MalformedLog(path, reason, first.at)
    return as_percent if fractions and (judged.percent or judged.hundredfold) else float


def _benchmark_of(path: Path, told: Told) -> str:
    """The benchmark as the log names it, or else as a folder above it is called."""
    folders = (known_name(folder.name) for folder in list(path.absolute().parents)[:3])
    said = told.benchmark or told.said.get("submission_benchmark", "")
    return known_name(said) or said or next((name for name in folders if name), "unknown")


def _stop(told: Told, targets: Targets | None, judged: Benchmark) -> Stop:
    """How the run ended by MLPerf's rules, in hours since its start.

    Where no ``run_stop`` says whether it succeeded, it did if an evaluation reached the target.
    """
    assert told.start is not None
    first = None
    if targets:
        first = next((e for e in told.evaluations if reaches(e.values, targets, judged)), None)
    last = first or told.evaluations[-1]
    succeeded = first is not None and told.succeeded is not False
    seconds = last.seconds if told.stop is None else told.stop
    return Stop((seconds - told.start) / 3600, succeeded)


def _entry(path: Path) -> str:
    """The folders that tell an entry of several runs from others: submitter, system, benchmark."""
    if not path.name.startswith("result_"):
        return ""
    folders = [folder.name for folder in path.absolute().parents]
    below = folders.index("results") if "results" in folders[:3] else 0
    # Some of v0.5 have folders between the submitter's and their results; the round is above it.
    above = folders[below + 1 :]
    depth = next((at for at, name in enumerate(above[:5]) if _ROUND.fullmatch(name)), 0)
    if below and depth:
        submitter = [name for name in above[:depth] if not name.endswith("submission")]
        return "/".join(reversed([*folders[:below], *submitter]))
    plain = [name for name in folders if name != "results" and not name.endswith("submission")]
    if known_name(folders[0]):
        return "/".join(reversed(plain[:3]))
    # Some of v0.7 have no folder of the benchmark.
    described = below == 1 and (path.absolute().parents[2] / "systems").is_dir()
    return "/".join(reversed(plain[: 2 if described else 1]))


MLPERF = Format("mlperf", recognizes, read)
