"""Reads RUNS.toml and its logs, and sums up each of its configurations.

order = ["amp", "warmup"]            # in which they are added; else as the file first names them
set = {batch = 256}                  # of all runs that do not say otherwise
photos = 1281167                     # of an epoch: throughput is then in photos a second
threshold = 93

[[run]]
log = "runs/plain"                   # a file, a folder of repeats, or a list of both
on = []

[[run]]
log = ["runs/amp-1.tsv", "runs/amp-2.tsv"]
on = ["amp"]
set = {batch = 512}

A configuration is what some factors on and some settings make; its runs are repeats. Optimizations
multiply: one makes an epoch so many times as fast. So times and throughputs are compared as ratios,
their means are geometric, and their intervals are Student's on the logarithms. So are those of the
epochs needed, which are above 0. Scores have plain means.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, NamedTuple

from msgspec import field

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.core.validation import Meta, Record, check, parse_toml, read_text
from genset.statistics.contrasts import Contrast, contrast
from genset.statistics.intervals import Interval
from genset.tta.logs.common import ReadAs
from genset.tta.logs.reading import read_runs
from genset.tta.one_entry import check_mixed, check_one_entry, differences, machinery
from genset.tta.runs import MalformedLog, Training

_MOST_BYTES = 1_000_000
_MOST_FACTORS = 20
_RUN_LINE = re.compile(r"^[ \t]*\[\[[ \t]*run[ \t]*\]\]", re.MULTILINE)

_Name = Annotated[str, Meta(pattern=r"^[^\0]*[^\s\0][^\0]*$", title="a text")]
# No pattern for the first: see `genset.settings`.
_Names = Annotated[str, Meta(min_length=1, title="a text")] | tuple[_Name, ...]
_Number = Annotated[
    float,
    Meta(
        ge=-1e300,
        le=1e300,
        title="a number",
        description="what is on or off, or has a name, belongs in `on`",
    ),
]


class _RunRecord(Record, frozen=True):
    """A ``[[run]]``."""

    log: Annotated[_Names, Meta(examples=["runs/NAME.tsv"])]
    names: _Names = ()
    on: _Names | None = None
    set: dict[str, _Number] = field(default_factory=dict)


class _StudyRecord(Record, frozen=True):
    """The whole file; its runs are checked one by one, so that errors name their lines."""

    run: Annotated[list[dict[str, Any]], Meta(min_length=1, title="[[run]] blocks with a log")]
    order: _Names | None = None
    set: dict[str, _Number] = field(default_factory=dict)
    photos: Annotated[float, Meta(gt=0, le=1e300, title="a number above 0")] | None = None
    threshold: Annotated[float, Meta(ge=-1e300, le=1e300, title="a number")] | None = None


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One ``[[run]]``: logs of a configuration, which are repeats of it.

    Attributes:
        place: which it is, for errors: "RUNS.toml, run 2 (line 9)".
        logs: files and folders, as written.
        names: which of the runs in the logs are meant, by a name or a part of one; all if empty.
        on: the factors that it had.
        settings: numbers by name, those of the whole file included.
    """

    place: str
    logs: tuple[str, ...]
    names: tuple[str, ...]
    on: frozenset[str]
    settings: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Study:
    """What a RUNS.toml says.

    Attributes:
        order: all factors, in the order in which they are added.
        photos: of an epoch; None if the file does not say.
        threshold: in the score's unit; None if the file does not say.
    """

    path: Path
    runs: tuple[RunSpec, ...]
    order: tuple[str, ...]
    photos: float | None
    threshold: float | None


def read_study(path: Path) -> Study:
    """Read a RUNS.toml; the logs that it names are not opened.

    Raises:
        BadInput: the file cannot be read, or something in it is wrong, with the run and its line.
    """
    text = read_text(path, _MOST_BYTES)
    document = parse_toml(text, _StudyRecord, str(path))
    places = _places(path, text, len(document.run))
    records = [
        check(run, _RunRecord, place) for run, place in zip(document.run, places, strict=True)
    ]
    runs = tuple(
        _run(record, place, document.set) for record, place in zip(records, places, strict=True)
    )
    names = {name for run in runs for name in run.settings}
    for run in runs:  # which could be compared with none of the others
        if missing := sorted(names - set(run.settings)):
            mend = f"add it to its set, or for all runs at the top: set = {{{missing[0]} = ...}}"
            raise BadInput(f"{run.place}: no {', '.join(missing)}, which other runs have: {mend}")
    silent = [place for run, place in zip(records, places, strict=True) if run.on is None]
    if silent and len(silent) < len(runs):
        raise BadInput(f"{silent[0]}: `on` is missing, which other runs have: on = [] for nothing")
    order = _order(path, document.order, [_texts(run.on) for run in records])
    return Study(path, runs, order, document.photos, document.threshold)


def _places(path: Path, text: str, count: int) -> list[str]:
    """What to call each run. If runs are written in another way, the lines are not known."""
    lines = [text.count("\n", 0, match.start()) + 1 for match in _RUN_LINE.finditer(text)]
    if len(lines) != count:
        return [f"{path}, run {at}" for at in range(1, count + 1)]
    return [f"{path}, run {at} (line {line})" for at, line in enumerate(lines, 1)]


def _run(record: _RunRecord, place: str, everywhere: Mapping[str, float]) -> RunSpec:
    logs, on = _texts(record.log), _texts(record.on)
    if not logs:
        raise BadInput(f'{place}: log is empty: log = "runs/NAME.tsv", or a folder of repeats')
    settings = {**everywhere, **record.set}
    return RunSpec(place, logs, _texts(record.names), frozenset(on), settings)


def _texts(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()


def _order(
    path: Path, value: str | tuple[str, ...] | None, on: Iterable[Sequence[str]]
) -> tuple[str, ...]:
    factors = list(dict.fromkeys(factor for several in on for factor in several))
    spelling: dict[str, str] = {}
    for factor in factors:
        if (other := spelling.setdefault(" ".join(factor.casefold().split()), factor)) != factor:
            raise BadInput(f"{path}: {other} and {factor} are one factor: spell it in one way")
    if len(factors) > _MOST_FACTORS:
        raise BadInput(f"{path}: {len(factors)} factors; at most {_MOST_FACTORS} are compared")
    if value is None:
        return tuple(factors)
    order = _texts(value)
    if sorted(order) != sorted(factors):
        factors_named = ", ".join(sorted(factors))
        raise BadInput(
            f"{path}: order must name each factor that runs have on, once: {factors_named}"
        )
    return order


# Configurations


def log_hours(runs: Sequence["Repeat"]) -> list[float]:
    """Natural logarithms of the hours of the runs that reach the threshold."""
    return [log(run.hours) for run in runs if run.hours is not None]


def log_throughputs(runs: Sequence["Repeat"]) -> list[float]:
    """Natural logarithms; empty where a log does not tell."""
    found = [log(run.throughput) for run in runs if run.throughput is not None]
    return found if len(found) == len(runs) else []


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
        lasted: hours until its last epoch.
    """

    name: str
    hours: float | None
    epoch: float | None
    final: float
    best: float
    throughput: float | None
    lasted: float


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


def read_logs(
    study: Study,
    read_as: ReadAs = ReadAs(),  # noqa: B008 - immutable
) -> list[tuple[RunSpec, list[Training]]]:
    """Read the logs that a study names.

    Raises:
        BadInput: a log cannot be read, or is named twice. A folder with one log that cannot be read
            is refused: fewer repeats would say something else.
    """
    found = [(spec, _runs(spec, study.path.parent, read_as)) for spec in study.runs]
    seen: dict[object, str] = {}
    for place, run in ((spec.place, run) for spec, runs in found for run in runs):
        key = tuple((e.epoch, e.hours, tuple(e.scores.items())) for e in run.epochs)
        if (other := seen.setdefault(key, place)) != place:
            raise BadInput(f"{place}: {run.about.name} has the epochs of a run of {other}")
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
    found: list[Configuration] = []
    differing: list[str] = []
    for spec, runs in grouped.values():
        try:
            lines = differences(runs, threshold) if mixed else check_one_entry(runs, threshold)
        except BadInput as error:
            raise BadInput(f"{spec.place}: {error}") from None
        differing += [f"{spec.place}: {line}" for line in lines]
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
    differing += [line for line in between if line not in differing]
    check_mixed(mixed, differing)
    return found, differing


def _configuration(
    on: tuple[str, ...], settings: Mapping[str, float], runs: tuple[Repeat, ...], percent: bool
) -> Configuration:
    hours, throughputs = log_hours(runs), log_throughputs(runs)
    needed = [run.epoch for run in runs if run.epoch is not None]
    # A log that counts from 0 may get there in its epoch 0, of which there is no logarithm.
    epochs = Estimate(fmean(needed), None) if needed and min(needed) <= 0 else None
    mean, interval, _ = contrast([[run.final for run in runs]], [1])
    if percent and interval:
        interval = Interval(max(0.0, interval.low), min(100.0, interval.high))
    return Configuration(
        on=on,
        settings=settings,
        runs=runs,
        reached=len(hours),
        hours=_geometric(hours),
        epochs=epochs or _geometric([*map(log, needed)]),
        final=Estimate(mean, interval),
        throughput=_geometric(throughputs),
    )


def _repeat(run: Training, threshold: float, photos: float | None) -> Repeat:
    reached = run.first_at(threshold)
    if reached and reached.hours <= 0:
        raise BadInput(f"{run.about.path}: it reaches {threshold:g} before any time has passed")
    hours = run.epoch_hours()
    per_hour = 1.0 if photos is None else photos / 3600
    return Repeat(
        name=run.about.name,
        hours=reached.hours if reached else None,
        epoch=reached.epoch if reached else None,
        final=run.scores()[-1],
        best=run.best(),
        throughput=per_hour / hours if hours else None,
        lasted=run.epochs[-1].hours,
    )


def _geometric(logarithms: Sequence[float]) -> Estimate | None:
    return as_ratio(contrast([logarithms], [1])) if logarithms else None


def as_ratio(found: Contrast) -> Estimate:
    """What was found on logarithms, as the numbers themselves."""
    if found.interval is None:
        return Estimate(exp(found.estimate), None)
    low, high = found.interval
    # Two runs that differ much have an interval whose end no number holds.
    return Estimate(exp(found.estimate), Interval(exp(low), exp(high) if high < 700 else inf))
