"""Reads a log of MLPerf Training, of any round: one file is one run.

By MLPerf's rules time runs from ``run_start`` to ``run_stop``, and a run counts if it reached the
target of its benchmark. Five runs or more in one folder, ``result_0.txt`` and so on, are an entry.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from math import inf
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput
from genset.core.files import packaged_rows
from genset.core.validation import read_json
from genset.tta.logs import mlperf_lines as lines
from genset.tta.logs.common import Format, ReadAs, as_percent
from genset.tta.runs import CLOCKS_APART, About, Epoch, MalformedLog, Stop, Task, Training

_LARGEST = 1 << 20

# What submitters write where there is nothing to say.
_NOTHING = ("", "n/a", "na", "none", "null", "0", "-", "tbd")


def _system_of(path: Path) -> dict[str, Any]:
    """What describes the system of a log's file; empty where nothing does."""
    folders = list(path.absolute().parents)
    if len(folders) < 4:
        return {}
    system, results = folders[1], folders[2]
    described = [results.parent / "systems" / f"{system.name}.json"] * (results.name == "results")
    for file in [*described, system / "entry.json"]:
        with suppress(BadInput):  # not there, or not as it should be
            return read_json(file, dict[str, Any], _LARGEST)
    return {}


def _hardware(described: dict[str, Any]) -> str:
    for device in ("accelerator", "host_processor"):
        if name := _text(described, f"{device}_model_name"):
            count = _count(described, f"{device}s_per_node")
            nodes = _count(described, "number_of_nodes")
            return f"{count * (nodes or 1)} x {name}" if count else name
    return _text(described, "hardware")  # of v0.5


def _text(described: dict[str, Any], name: str) -> str:
    text = " ".join(str(described.get(name) or "").split())
    return "" if text.lower() in _NOTHING else text[:200]


def _count(described: dict[str, Any], name: str) -> int | None:
    text = _text(described, name)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark of MLPerf Training.

    Attributes:
        score: what it is judged by.
        targets: by round, which scores count as reached, in the log's own unit.
        fractions: logs hold fractions of 1, from this round on; empty: they hold no fractions.
        percent: people read the score in per cent; else in a unit of its own.
        hundredfold: fractions of it are read a hundredfold without being per cent, as BLEU.
        lower_is_better: of the first score; further ones rise.
        parts: as lines name several scores that are logged one by one, in the order of `targets`.
    """

    score: str
    targets: Mapping[str, lines.Scores]
    fractions: str = "0.5"
    percent: bool = False
    hundredfold: bool = False
    lower_is_better: bool = False
    parts: tuple[str, ...] = ()

    def target(self, form: str, seconds: float) -> lines.Scores | None:
        """The scores that count as reached, by a log's form and its time; None if not known.

        From v0.7 on lines do not tell their round. Then it is the one of the day.
        """
        day = datetime.fromtimestamp(seconds, UTC).date() if seconds < _YEAR_5000 else date.max
        round_name = form or next(name for name, until in _ROUNDS if day <= until)
        past = [at for name, at in self.targets.items() if float(name) <= float(round_name)]
        return past[-1] if past else None


_YEAR_5000 = 95_617_584_000

# Rounds that changed a target, and when the next one's work began: halfway between the deadlines.
_ROUNDS = (
    ("0.7", date(2020, 12, 1)),
    ("1.0", date(2022, 1, 1)),
    ("2.0", date.max),
)
_TARGETS = ("0.5", "0.6", "0.7", "1.0", "2.0")


# By the rules of MLPerf Training, rounds v0.5 to v6.1. Both of two targets must be reached.
_ROWS = packaged_rows(Path(__file__).with_suffix(".csv"))
_BENCHMARKS = {
    row["name"]: Benchmark(
        row["score"],
        {at: tuple(map(float, row[at].split())) for at in _TARGETS if row[at]},
        row["fractions_from"],
        percent=row["scale"] == "percent",
        hundredfold=row["scale"] == "hundredfold",
        lower_is_better=row["less_is_better"] == "yes",
        parts=tuple(row["parts"].split()),
    )
    for row in _ROWS
}
_ALSO = {word: row["name"] for row in _ROWS for word in row["also"].split()}  # other names


def known_name(name: str) -> str:
    """The name of a benchmark that goes by several; empty if it is none of those known."""
    plain = name.strip().lower().replace("-", "_")
    plain = _ALSO.get(plain, plain)
    return plain if plain in _BENCHMARKS else ""


def benchmark(name: str) -> Benchmark:
    """What a benchmark is judged by; one that is not known, by its ``eval_accuracy``."""
    return _BENCHMARKS.get(known_name(name), Benchmark("eval_accuracy", {}, fractions=""))


# Texts that may quote a line of a log.
_NO_LOGS = (".md", ".rst", ".html", ".py", ".sh", ".awk", ".ipynb", ".patch", ".diff", ".json")

# No run evaluates first after as many epochs: what is counted are samples, or tokens.
_SAMPLES = 1000

RESULT = re.compile(r"result_\d+\.txt")  # as MLPerf names a run's log
_ROUND = re.compile(r"v\d+\.\d+(\.\d+)?")

# Some logs begin with as much of other words; a file that is named as MLPerf names them is a log.
_BEGINNING = 8 << 20


def recognizes(path: Path, start: bytes) -> bool:
    """Whether a file has lines of MLPerf's near its beginning."""
    if path.suffix.lower() in _NO_LOGS or path.parts[-3:-2] == ("power",):
        return False
    if lines.MARK in start or not path.name.startswith("result"):
        return lines.MARK in start
    with path.open("rb") as file:
        return lines.MARK in file.read(_BEGINNING)


def read(path: Path, read_as: ReadAs) -> list[Training]:
    """Read the one run of a log.

    Raises:
        MalformedLog: it has no right reading.
    """
    log = lines.gather(lines.read_lines(path))
    if log.start is None:
        raise MalformedLog(path, "no run_start: when training began is not known")
    if second := log.second_run():
        after = f"{second.seconds - log.start:,.0f} s after the first"
        reason = f"a second run_start, {after}: write each run into a file of its own"
        raise MalformedLog(path, reason, second.at)
    log.evaluations = [found for found in log.evaluations if found.seconds >= log.start]
    if not log.evaluations:
        raise MalformedLog(path, "no eval_accuracy after run_start: nothing was measured")
    # As the log names it, or else as a folder above it is called.
    folders = (known_name(folder.name) for folder in list(path.absolute().parents)[:3])
    stated = log.benchmark or log.values.get("submission_benchmark", "")
    name = known_name(stated) or stated or next((name for name in folders if name), "unknown")
    judged = benchmark(name)
    log.evaluations = lines.joined(log.evaluations, judged.parts)
    if not log.evaluations:
        raise MalformedLog(path, f"no evaluation has {' and '.join(judged.parts)}")
    targets = log.target or judged.target(log.form, log.start)
    scale, watts = _scale(path, log, judged), _watts(path)
    target = scale(targets[0]) if targets else None
    task = Task(f"MLPerf {name}", judged.score, target, judged.lower_is_better, judged.percent)
    stop = _stop(log, targets, judged)
    latest = inf if log.stop is None else stop.hours + CLOCKS_APART  # of scores measured afterwards
    epochs = tuple(
        Epoch(epoch, hours, {judged.score: scale(found.values[0])}, watts and watts * hours)
        for epoch, found in zip(lines.numbered(log.evaluations), log.evaluations, strict=True)
        for hours in [min((found.seconds - log.start) / 3600, latest)]
    )
    stop = replace(stop, watt_hours=watts and watts * stop.hours)
    parts = judged.parts[1:] or ("that of masks",)
    about = _about(path, log, task, name, dict(zip(parts, (targets or ())[1:], strict=False)))
    return [Training(about, epochs, stop, cut_off=log.stop is None)]


def _watts(path: Path) -> float | None:
    """The mean power of a run's nodes, where MLPerf Power's logs lie beside its own."""
    nodes = (path.parent / "power" / path.stem).glob("node_*.txt")
    found = [lines.mean_watts(node) for node in sorted(nodes) if node.is_file()]
    return sum(w for w in found if w is not None) if found and None not in found else None


def _about(
    path: Path, log: lines.RunLog, task: Task, benchmark: str, others: Mapping[str, float]
) -> About:
    remarks = [f"it must reach {part} {target:g} as well" for part, target in others.items()]
    if task.threshold is not None and log.target is None:
        remarks.append("no eval_target in it: MLPerf's own for the benchmark counts")
    if log.stop is None:
        remarks.append("no run_stop: it was cut off, or its last evaluation is its end")
    if (log.evaluations[0].epoch or 0) >= _SAMPLES:
        remarks.append("its epochs are samples")
    if log.succeeded is False:
        remarks.append("its run_stop says that it did not succeed")
    system, names = _system_of(path), lines.SETTINGS
    return About(
        name=path.stem,
        path=path,
        task=task,
        author=log.values.get("submission_org", "") or _text(system, "submitter"),
        framework=_text(system, "framework"),
        model=benchmark,
        hardware=_hardware(system) or log.values.get("submission_platform", ""),
        remarks=tuple(remarks),
        entry=_entry(path),
        settings={names[key]: text for key, text in log.values.items() if key in names},
    )


def _scale(path: Path, log: lines.RunLog, judged: Benchmark) -> Callable[[float], float]:
    """What makes a log's scores such as people read them.

    Raises:
        MalformedLog: a score is over 1 where the round's logs hold fractions of 1.
    """
    since = float(judged.fractions or "inf")
    fractions = float(log.form or "0.7") >= since and max(log.target or [0]) <= 1
    over = (e for e in log.evaluations if fractions and max(e.values) > 1)
    if first := next(over, None):
        reason = f"{judged.score} is over 1: log eval_target in the same unit, or fractions of 1"
        raise MalformedLog(path, reason, first.at)
    return as_percent if fractions and (judged.percent or judged.hundredfold) else float


def _stop(log: lines.RunLog, targets: lines.Scores | None, judged: Benchmark) -> Stop:
    """How the run ended by MLPerf's rules, in hours since its start.

    Where no ``run_stop`` says whether it succeeded, it did if an evaluation reached the target.
    """
    assert log.start is not None
    good = (e for e in log.evaluations if targets and _reaches(e.values, targets, judged))
    first = next(good, None)
    last = first or log.evaluations[-1]
    succeeded = first is not None and log.succeeded is not False
    seconds = last.seconds if log.stop is None else log.stop
    return Stop((seconds - log.start) / 3600, succeeded)


def _reaches(values: lines.Scores, targets: lines.Scores, judged: Benchmark) -> bool:
    """Whether an evaluation is as good as the target in all its parts."""
    pairs = enumerate(zip(values, targets, strict=False))
    return all(v <= t if judged.lower_is_better and at == 0 else v >= t for at, (v, t) in pairs)


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


MLPERF = Format(
    "mlperf",
    recognizes,
    read,
    frozenset(),
    "MLPerf's rules say what of a benchmark counts, which way it goes, and from when to when",
)
