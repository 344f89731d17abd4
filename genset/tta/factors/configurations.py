"""Reads the logs of a study, and sums up each of its configurations.

A configuration is what some factors on and some settings make; its runs are repeats. Optimizations
multiply: one makes an epoch so many times as fast. So times and throughputs are compared as ratios,
their means are geometric, and their intervals are Student's on the logarithms. So are those of the
epochs needed, which are above 0. Scores have plain means.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.statistics.contrasts import Contrast, contrast
from genset.statistics.intervals import Interval
from genset.tta.factors.study import RunSpec, Study
from genset.tta.logs.common import ReadAs
from genset.tta.logs.reading import read_runs
from genset.tta.one_entry import check_one_entry, machinery
from genset.tta.runs import MalformedLog, Training


class Estimate(NamedTuple):
    """A mean over repeats and its 95 % interval: None of one run, or of equal values."""

    mean: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Repeat:
    """One run of a configuration.

    Attributes:
        hours, epoch: to the threshold; None if it is never reached.
        final, best: scores, in their unit.
        throughput: epochs an hour, or photos a second; None of a log that does not tell.
    """

    name: str
    hours: float | None
    epoch: float | None
    final: float
    best: float
    throughput: float | None


@dataclass(frozen=True, slots=True)
class Configuration:
    """The runs with some factors on and some settings, summed up.

    Attributes:
        on: the factors, in the study's order.
        reached: how many of the runs reach the threshold. `hours` and `epochs` are of those.
        hours: to the threshold, a geometric mean; None if no run reaches it.
        epochs: to the threshold, as logged; a geometric mean.
        final: the last score, of all runs.
        throughput: a geometric mean; None where a log does not tell.
    """

    on: tuple[str, ...]
    settings: Mapping[str, float]
    runs: tuple[Repeat, ...]
    reached: int
    hours: Estimate | None
    epochs: Estimate | None
    final: Estimate
    throughput: Estimate | None

    def log_hours(self) -> list[float]:
        """Natural logarithms of the hours of the runs that reach the threshold."""
        return [log(run.hours) for run in self.runs if run.hours is not None]

    def log_throughputs(self) -> list[float]:
        """Natural logarithms; empty where a log does not tell."""
        found = [run.throughput for run in self.runs if run.throughput is not None]
        return [log(value) for value in found] if len(found) == len(self.runs) else []

    def finals(self) -> list[float]:
        """The last scores."""
        return [run.final for run in self.runs]


def read_logs(
    study: Study,
    read_as: ReadAs = ReadAs(),  # noqa: B008 - immutable
) -> list[tuple[RunSpec, list[Training]]]:
    """Read the logs that a study names.

    Raises:
        BadInput: a log cannot be read, or is named twice. A folder with one log that cannot be read
            is refused: fewer repeats would say something else.
    """
    found = []
    seen: dict[object, str] = {}
    for spec in study.runs:
        runs = _runs(spec, study.path.parent, read_as)
        for run in runs:
            key = tuple((e.epoch, e.hours, tuple(e.scores.items())) for e in run.epochs)
            if (other := seen.setdefault(key, spec.place)) != spec.place:
                name = run.about.name
                raise BadInput(f"{spec.place}: {name} has the epochs of a run of {other}")
        found.append((spec, runs))
    return found


def _runs(spec: RunSpec, folder: Path, read_as: ReadAs) -> list[Training]:
    refused: list[MalformedLog] = []
    paths = [folder / log for log in spec.logs]
    try:
        runs = read_runs(paths, refused, read_as)
    except BadInput as error:
        # Where nothing is left to read, the reason is why.
        raise BadInput(f"{spec.place}: {refused[0] if refused else error}") from None
    if refused:
        raise BadInput(f"{spec.place}: {refused[0]}")
    if not spec.names:
        return runs
    selected = [run for name in spec.names for run in _called(name, runs, spec.place)]
    return list({id(run): run for run in selected}.values())


def _called(name: str, runs: Sequence[Training], place: str) -> list[Training]:
    """The runs of this name or entry, or the one with it as a part of its name."""
    if whole := [run for run in runs if name in (run.about.name, run.about.entry)]:
        return whole
    part = [run for run in runs if name in run.about.name]
    if len(part) == 1:
        return part
    names = ", ".join(clean(run.about.name, 60) for run in (part or runs)[:5])
    which = "several have it in their name" if part else "there are"
    raise BadInput(f"{place}: no run is called {clean(name, 60)}; {which}: {names}")


def configurations(
    study: Study,
    read: Sequence[tuple[RunSpec, Sequence[Training]]],
    threshold: float,
    mixed: bool = False,
) -> tuple[list[Configuration], list[str]]:
    """Bring runs of the same factors and settings together, in the file's order.

    Returns:
        The configurations; and how runs differ, one line each, if `mixed` accepts it.

    Raises:
        BadInput: repeats are not of one entry, configurations are not of one model, hardware and
            framework, or a run reaches the threshold before any time has passed.
    """
    grouped: dict[object, tuple[RunSpec, list[Training]]] = {}
    for spec, runs in read:
        key = spec.on, tuple(sorted(spec.settings.items()))
        grouped.setdefault(key, (spec, []))[1].extend(runs)
    found, differences = [], []
    for spec, runs in grouped.values():
        try:
            differing = check_one_entry(runs, threshold, mixed)
        except BadInput as error:
            raise BadInput(f"{spec.place}: {error}") from None
        differences += [f"{spec.place}: {line}" for line in differing]
        found.append(
            _configuration(
                tuple(factor for factor in study.order if factor in spec.on),
                dict(sorted(spec.settings.items())),
                tuple(_repeat(run, threshold, study.photos) for run in runs),
                runs[0].about.task.percent,
            )
        )
    between = machinery([run for _, runs in read for run in runs])
    if between and not mixed:
        raise BadInput(
            f"{study.path}: the runs differ in more than `on` and `set`: {'; '.join(between)}. "
            "Compare runs of one, or use --mixed"
        )
    return found, [*differences, *(line for line in between if line not in differences)]


def _configuration(
    on: tuple[str, ...], settings: Mapping[str, float], runs: tuple[Repeat, ...], percent: bool
) -> Configuration:
    hours = [log(run.hours) for run in runs if run.hours is not None]
    epochs = [run.epoch for run in runs if run.epoch is not None]
    throughputs = [log(run.throughput) for run in runs if run.throughput is not None]
    final = _mean([run.final for run in runs])
    if percent and final.interval:
        low, high = final.interval
        final = Estimate(final.mean, Interval(max(0.0, low), min(100.0, high)))
    return Configuration(
        on=on,
        settings=settings,
        runs=runs,
        reached=len(hours),
        hours=_geometric(hours) if hours else None,
        epochs=_epochs(epochs) if epochs else None,
        final=final,
        throughput=_geometric(throughputs) if len(throughputs) == len(runs) else None,
    )


def _repeat(run: Training, threshold: float, photos: float | None) -> Repeat:
    reached = run.first_at(threshold)
    if reached and reached.hours <= 0:
        raise BadInput(f"{run.about.path}: it reaches {threshold:g} before any time has passed")
    hours = run.epoch_hours()
    throughput = None
    if hours:
        throughput = 1 / hours if photos is None else photos / (3600 * hours)
    return Repeat(
        name=run.about.name,
        hours=reached.hours if reached else None,
        epoch=reached.epoch if reached else None,
        final=run.scores()[-1],
        best=run.best(),
        throughput=throughput,
    )


def _mean(values: Sequence[float]) -> Estimate:
    found = contrast([values], [1])
    return Estimate(found.estimate, found.interval)


def _epochs(values: Sequence[float]) -> Estimate:
    # A log that counts from 0 may get there in its epoch 0, of which there is no logarithm.
    if min(values) > 0:
        return _geometric([log(value) for value in values])
    return Estimate(fmean(values), None)


def _geometric(logarithms: Sequence[float]) -> Estimate:
    return as_ratio(contrast([logarithms], [1]))


def as_ratio(found: Contrast) -> Estimate:
    """What was found on logarithms, as the numbers themselves."""
    interval = found.interval and Interval(exp(found.interval.low), _exp(found.interval.high))
    return Estimate(exp(found.estimate), interval)


def _exp(value: float) -> float:
    """Two runs that differ much have an interval whose end no number holds."""
    return exp(value) if value < 700 else float("inf")
