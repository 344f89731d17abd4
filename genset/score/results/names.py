"""What runs on one set are called in tables, and which of them a name means."""

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Sequence

from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.score.results.runs import Run

_CONVENTION = r" \((?:all|subset)(?:, max)?\)"
_KEY = r" \[[0-9a-f]{6,64}\]"
_APART = re.compile(f"(?:{_CONVENTION})?(?:{_KEY})?")
_FEWEST = 6  # letters by which a key is known


def by_convention(runs: Sequence[Run]) -> list[str]:
    """The model of each run; of a model with runs by several conventions, with the run's own.

    Two runs may be called the same.
    """
    conventions: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        conventions[run.model].add(run.convention)
    return [with_convention(run) if len(conventions[run.model]) > 1 else run.model for run in runs]


def names_of(runs: Sequence[Run]) -> list[str]:
    """The same, with a run's key behind it where another one would have its name."""
    names = by_convention(runs)
    taken = Counter(names)
    # A model's bare name means all its runs, so it is not that of one without a convention.
    taken.update(run.model for run, name in zip(runs, names, strict=True) if name != run.model)
    return [
        name if taken[name] == 1 else _with_key(name, run)
        for name, run in zip(names, runs, strict=True)
    ]


def with_options(runs: Sequence[Run]) -> list[str]:
    """The same, with the options of a run's spec that others of its name lack: "last ema=1".

    Where these tell nothing apart, the run's key is behind it.
    """
    options = [[*filter(None, run.spec.partition("?")[2].split("&"))] for run in runs]
    models = list(zip(by_convention(runs), options, strict=True))
    shared: dict[str, set[str]] = {}
    for name, query in models:
        shared[name] = shared.get(name, set(query)) & set(query)
    names = [
        " ".join([name, *(clean(option, 40) for option in query if option not in shared[name])])
        for name, query in models
    ]
    keys = [run.key for run in runs]
    taken = Counter(name for name, _ in set(zip(names, keys, strict=True)))
    return [
        name if taken[name] == 1 else _with_key(name, run)
        for name, run in zip(names, runs, strict=True)
    ]


def without_key(label: str) -> str:
    """A name in tables, without a run's key behind it."""
    return re.sub(f"{_KEY}$", "", label)


def with_convention(run: Run) -> str:
    """A run's model and, where it has one, its convention: "lite0 (subset, max)"."""
    return f"{run.model} ({run.convention})" if run.convention else run.model


def meant(name: str, runs: Sequence[Run], labels: Sequence[str]) -> list[int]:
    """The places of the runs that a name means.

    It is a label; else a model's name, which may have a convention or options of its spec behind
    it; else the start of a run's key.

    Args:
        name: what somebody typed.
        runs: those on a set.
        labels: what each is called in tables.
    """
    models, conventions = [run.model for run in runs], [with_convention(run) for run in runs]
    for known in (labels, models, conventions, with_options(runs)):
        if found := [place for place, label in enumerate(known) if label == name]:
            return found
    if len(name) < _FEWEST:
        return []
    return [place for place, run in enumerate(runs) if run.key.startswith(name)]


def the_one(name: str, runs: Sequence[Run], labels: Sequence[str], set_name: str) -> int:
    """The place of the run that a name means.

    Raises:
        BadInput: there is none, or several.
    """
    places = meant(name, runs, labels)
    if not places:
        known = ", ".join(labels) or "none"
        raise BadInput(f"no model {name!r} was scored on {set_name}; known: {known}")
    if len(places) > 1:
        raise BadInput(_several(name, [runs[n] for n in places], [labels[n] for n in places]))
    return places[0]


def _several(name: str, runs: Sequence[Run], labels: Sequence[str]) -> str:
    """That a name means all of these runs, and how to name each."""
    by_key = all(
        label == _with_key(run.model, run) for run, label in zip(runs, labels, strict=True)
    )
    if by_key:
        described = [
            f"{label}{_settings(run, runs)}" for run, label in zip(runs, labels, strict=True)
        ]
        return f"{name!r} names several runs; say which by its key alone: {', '.join(described)}"
    return f"{name!r} names several runs; say which: {', '.join(map(shlex.quote, labels))}"


def _settings(run: Run, runs: Sequence[Run]) -> str:
    """By what a run differs from the others, behind a space: " (crop=224, mean=0.5)"."""
    every = [_set(run) for run in runs]
    names = dict.fromkeys(name for settings in every for name in settings)
    differ = [name for name in names if len({repr(settings.get(name)) for settings in every}) > 1]
    shown = [f"{name}={clean(str(_set(run).get(name, 'none')), 40)}" for name in differ]
    return f" ({', '.join(shown)})" if shown else ""


def _set(run: Run) -> dict[str, object]:
    weights = run.weights_hash.removeprefix("sha256:")[:8]
    return {"set": run.set_name, "precision": run.precision, "weights": weights} | run.preprocessing


def _with_key(name: str, run: Run) -> str:
    return f"{name} [{run.key[:8]}]"
