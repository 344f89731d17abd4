"""Reads RUNS.toml: which runs there are, and what each of them had.

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
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import field

from genset.core.errors import BadInput
from genset.core.validation import Meta, Record, check, parse_toml, read_text

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
    _check_settings(runs)
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
    if len(set(on)) < len(on):
        raise BadInput(f"{place}: `on` names a factor twice: {', '.join(on)}")
    settings = {**everywhere, **record.set}
    return RunSpec(place, logs, _texts(record.names), frozenset(on), settings)


def _texts(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()


def _check_settings(runs: Iterable[RunSpec]) -> None:
    """Refuse runs without a setting that others have: they could be compared with none of them."""
    names = {name for run in runs for name in run.settings}
    for run in runs:
        if missing := sorted(names - set(run.settings)):
            mend = f"add it to its set, or for all runs at the top: set = {{{missing[0]} = ...}}"
            raise BadInput(f"{run.place}: no {', '.join(missing)}, which other runs have: {mend}")


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
    if len(set(order)) < len(order):
        raise BadInput(f"{path}: order names a factor twice: {', '.join(order)}")
    if missing := sorted(set(factors) - set(order)):
        raise BadInput(f"{path}: order has no {', '.join(missing)}, which runs have on")
    if unused := sorted(set(order) - set(factors)):
        raise BadInput(f"{path}: order has {', '.join(unused)}, which no run has on")
    return order
