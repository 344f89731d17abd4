"""Makes one run of a log's lines: its evaluations in the order of time, and how it ended.

Time runs from ``run_start`` to ``run_stop``. Workers may each repeat every line, at times of their
own and in any order in the file: of the same line the earliest counts. Starts that are further
apart than workers' clocks, or after a stop, are those of several runs.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from genset.tta.logs.mlperf.benchmarks import Benchmark, Targets
from genset.tta.logs.mlperf.lines import SETTINGS, Line, as_number

# Workers start at once. In MLPerf's published results no log has two starts that differ.
_SECONDS_APART = 10

_FAILED = ("abort", "aborted", "fail", "failed", "failure", "error")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One ``eval_accuracy``: what was measured, by part, in the log's own unit."""

    seconds: float
    epoch: float | None
    values: Targets
    at: int = 0


@dataclass(slots=True)
class Told:
    """What the lines of one log tell.

    Attributes:
        start, stop: seconds since 1970; None if no line tells.
        last_start: the latest ``run_start``.
        succeeded: what ``run_stop`` says; None if it says nothing.
        target: the log's ``eval_target``, by part.
        said: values of further keys, as `SETTINGS` and `SUBMISSION` name them; of a setting that
            has several, all.
    """

    start: float | None = None
    stop: float | None = None
    last_start: Line | None = None
    succeeded: bool | None = None
    target: Targets | None = None
    benchmark: str = ""
    form: str = ""
    evaluations: list[Evaluation] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)

    def second_run(self) -> Line | None:
        """The ``run_start`` of another run than the first; None if the log holds one run."""
        if self.start is None or self.last_start is None:
            return None
        late = self.last_start.seconds
        apart = late > self.start + _SECONDS_APART or (self.stop is not None and late > self.stop)
        return self.last_start if apart and late > self.start else None


def gather(lines: Iterable[Line]) -> Told:
    """What lines tell, whatever their order."""
    told = Told()
    said: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        told.benchmark = told.benchmark or line.benchmark
        told.form = told.form or line.form
        if line.key == "run_start":
            told.start = line.seconds if told.start is None else min(told.start, line.seconds)
            if told.last_start is None or line.seconds > told.last_start.seconds:
                told.last_start = line
        elif line.key == "run_stop":
            told.stop = line.seconds if told.stop is None else min(told.stop, line.seconds)
            _judge(told, line)
        elif line.key == "eval_target":
            told.target = told.target or numbers(line.value)
        elif line.key == "eval_accuracy":
            if values := numbers(line.value):
                told.evaluations.append(Evaluation(line.seconds, _epoch(line), values, line.at))
        elif _is_plain(line.value):
            text = " ".join(str(line.value).split())[:200]
            if line.key in SETTINGS:
                said[line.key].add(text)
            else:
                told.said.setdefault(line.key, text)
    # In no order of theirs: what is logged of evaluation may come before what is of training.
    told.said |= {key: " and ".join(sorted(values)) for key, values in said.items()}
    told.evaluations = _once(told.evaluations)
    return told


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | list)


def _judge(told: Told, line: Line) -> None:
    """Take the word of a ``run_stop``: of several, one that says failed decides."""
    status, success = line.more.get("status"), line.more.get("success")
    if isinstance(line.value, dict) and success is None:
        success = line.value.get("success")
    if isinstance(success, str):
        success = success.strip().lower() == "true"
    said = success if isinstance(success, bool) else None
    if isinstance(status, str):
        word = status.strip().lower()
        said = False if word in _FAILED else True if word == "success" else said
    if said is not None:
        told.succeeded = said and told.succeeded is not False


def numbers(value: Any) -> Targets | None:
    """The scores in a value: a number, a list of them, or an object of them; None if none is."""
    if isinstance(value, dict):
        inner = next((v for v in value.values() if isinstance(v, dict)), value)
        value = [inner[name] for name in sorted(inner)]
    found = [as_number(each) for each in (value if isinstance(value, list) else [value])]
    if not found or None in found:
        return None
    # Seven digits are what logs of 32-bit numbers hold: 21.799999237 is 21.8.
    return tuple(float(f"{number:.7g}") for number in found if number is not None)


def _epoch(line: Line) -> float | None:
    for name in ("epoch_num", "epoch", "first_epoch_num"):
        if (epoch := as_number(line.more.get(name))) is not None:
            return epoch
    return None


def _once(evaluations: list[Evaluation]) -> list[Evaluation]:
    """Evaluations in the order of time, each told once: the same again is a worker's repetition."""
    kept: list[Evaluation] = []
    seen: set[tuple[float, Targets]] = set()
    for evaluation in sorted(evaluations, key=lambda e: (e.seconds, e.values)):
        if evaluation.epoch is None:
            if kept and kept[-1].values == evaluation.values:
                continue
        elif (key := (evaluation.epoch, evaluation.values)) in seen:
            continue
        else:
            seen.add(key)
        kept.append(evaluation)
    return kept


def numbered(evaluations: list[Evaluation]) -> list[float]:
    """The epoch of each evaluation: as logged if that never runs backwards, else counted from 1."""
    logged = [evaluation.epoch for evaluation in evaluations]
    known = [epoch for epoch in logged if epoch is not None]
    if len(known) == len(logged) and all(a <= b for a, b in pairwise(known)):
        return known
    return [float(at) for at in range(1, len(logged) + 1)]


def reaches(values: Targets, targets: Targets, judged: Benchmark) -> bool:
    """Whether an evaluation is as good as the target in all its parts."""
    pairs = zip(values, targets, strict=False)
    return all(v <= t if judged.lower_is_better else v >= t for v, t in pairs)
