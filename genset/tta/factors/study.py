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

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput
from genset.core.safe import clean

_MOST_BYTES = 1_000_000
_MOST_FACTORS = 20
_KEYS = ("run", "order", "set", "photos", "threshold")
_RUN_KEYS = ("log", "names", "on", "set")
_RUN_LINE = re.compile(r"^[ \t]*\[\[[ \t]*run[ \t]*\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Declared:
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
        photos: of an epoch; None if it is not said.
        threshold: in the score's unit; None if it is not said.
    """

    path: Path
    runs: tuple[Declared, ...]
    order: tuple[str, ...]
    photos: float | None
    threshold: float | None


def read_study(path: Path) -> Study:
    """Read a RUNS.toml; the logs that it names are not opened.

    Raises:
        BadInput: there is no such file, it is no TOML, or it says something that has no meaning;
            with the run and its line.
    """
    text = _text(path)
    try:
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{path}: {error}") from None
    _known(said, _KEYS, str(path))
    runs = said.get("run")
    if not isinstance(runs, list) or not runs or not all(isinstance(run, dict) for run in runs):
        raise BadInput(f'{path}: it names no runs: begin each with [[run]] and log = "..."')
    everywhere = _settings(said.get("set", {}), str(path))
    places = _places(path, text, len(runs))
    declared = tuple(
        _declared(run, place, everywhere) for run, place in zip(runs, places, strict=True)
    )
    _same_settings(declared)
    _all_say_on(runs, places)
    order = _order(path, said.get("order"), [run.get("on", []) for run in runs])
    photos = _number(said.get("photos"), f"{path}: photos")
    if photos is not None and photos <= 0:
        raise BadInput(f"{path}: photos is how many an epoch has, above 0")
    return Study(
        path, declared, order, photos, _number(said.get("threshold"), f"{path}: threshold")
    )


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        raise BadInput(f"{path} is no list of runs: it is over {_MOST_BYTES:,} bytes long")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path} is no list of runs: it is not UTF-8") from None


def _places(path: Path, text: str, count: int) -> list[str]:
    """What to call each run. Where runs are written in another way, the lines are not known."""
    lines = [text.count("\n", 0, match.start()) + 1 for match in _RUN_LINE.finditer(text)]
    if len(lines) != count:
        return [f"{path}, run {at}" for at in range(1, count + 1)]
    return [f"{path}, run {at} (line {line})" for at, line in enumerate(lines, 1)]


def _declared(run: Mapping[str, Any], place: str, everywhere: Mapping[str, float]) -> Declared:
    _known(run, _RUN_KEYS, place)
    logs = _texts(run.get("log", []), f"{place}: log")
    if not logs:
        raise BadInput(f'{place}: it names no log: log = "runs/NAME.tsv", or a folder of repeats')
    on = _texts(run.get("on", []), f"{place}: on")
    if len(set(on)) < len(on):
        raise BadInput(f"{place}: on names a factor twice: {', '.join(on)}")
    settings = {**everywhere, **_settings(run.get("set", {}), place)}
    return Declared(
        place, logs, _texts(run.get("names", []), f"{place}: names"), frozenset(on), settings
    )


def _all_say_on(runs: Sequence[Mapping[str, Any]], places: Sequence[str]) -> None:
    """A run that was not said to have anything on may have been forgotten."""
    silent = [place for run, place in zip(runs, places, strict=True) if "on" not in run]
    if silent and len(silent) < len(runs):
        raise BadInput(f"{silent[0]}: it has no on, which other runs say: on = [] for nothing")


def _same_settings(declared: Iterable[Declared]) -> None:
    """Runs that do not say a setting which others say could be compared with none of them."""
    names = {name for run in declared for name in run.settings}
    for run in declared:
        if missing := sorted(names - set(run.settings)):
            mend = f"say it in its set, or for all runs at the top: set = {{{missing[0]} = ...}}"
            raise BadInput(f"{run.place}: no {', '.join(missing)}, which other runs say: {mend}")


def _order(path: Path, said: Any, on: Iterable[Any]) -> tuple[str, ...]:
    named = list(dict.fromkeys(factor for factors in on for factor in _texts(factors, "")))
    spelled: dict[str, str] = {}
    for factor in named:
        if (other := spelled.setdefault(" ".join(factor.casefold().split()), factor)) != factor:
            raise BadInput(f"{path}: {other} and {factor} are one factor: spell it in one way")
    if len(named) > _MOST_FACTORS:
        raise BadInput(f"{path}: {len(named)} factors: at most {_MOST_FACTORS} are told apart")
    if said is None:
        return tuple(named)
    order = _texts(said, f"{path}: order")
    if len(set(order)) < len(order):
        raise BadInput(f"{path}: order names a factor twice: {', '.join(order)}")
    for missing, where in ((set(named) - set(order), "order"), (set(order) - set(named), "on")):
        if missing:
            names = ", ".join(sorted(missing))
            other = "runs have it on" if where == "order" else "order names it, and no run has it"
            raise BadInput(f"{path}: {where} lacks {names}: {other}")
    return order


def _known(said: Mapping[str, Any], keys: tuple[str, ...], place: str) -> None:
    for key in said:
        if key not in keys:
            raise BadInput(f"{place}: {clean(key, 40)!r} is none of {', '.join(keys)}")


def _texts(said: Any, what: str) -> tuple[str, ...]:
    """A text, or a list of texts, of which each is something."""
    texts = [said] if isinstance(said, str) else said
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadInput(f'{what} is a text, or a list of texts: ["one", "two"]')
    if any(not text.strip() or "\0" in text for text in texts):
        raise BadInput(f"{what} has an empty text")
    return tuple(texts)


def _settings(said: Any, place: str) -> dict[str, float]:
    if not isinstance(said, dict):
        raise BadInput(f"{place}: set is a table of numbers: {{batch = 256}}")
    found = {}
    for name, value in said.items():
        number = _number(value, f"{place}: {clean(name, 40)}")
        if number is None:
            raise BadInput(f"{place}: {clean(name, 40)} has no number")
        found[name] = number
    return found


def _number(value: Any, what: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        mend = "what is on or off, or has a name, belongs into on"
        raise BadInput(f"{what} is a number, not {clean(repr(value), 40)}: {mend}")
    return float(value)
