"""Which runs on several sets are of one model."""

import json
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl

from genset.evaluation.results.count import ELSEWHERE
from genset.evaluation.results.results import Results, Scored
from genset.evaluation.results.runs import Run

# Options of a spec that change answers and are in no other part of a run's record.
_OF_ANSWERS = ("prompts", "names", "classes", "background")


class Joined(NamedTuple):
    """A model's runs on each set, in the sets' order; None where there is none."""

    label: str
    by_name: bool
    runs: tuple[Scored | None, ...]


def join(sets: Sequence[Results]) -> tuple[list[Joined], int]:
    """Find the runs of each model: those of the same weights, used in the same way.

    The name shown does not matter, and a file may have moved. Answers that were computed elsewhere
    have no weights; their name is all that is known of them, so it joins them.

    Args:
        sets: what was scored on each set.

    Returns:
        The models, the best on the first set first, then those that only later sets have; and how
        many runs were left out, because a later one on the same set is of the same model.
    """
    found: dict[tuple[str, ...], list[Scored | None]] = {}
    older = 0
    for place, results in enumerate(sets):
        for model in results.models:
            runs = found.setdefault(identity_of(model.run), [None] * len(sets))
            before = runs[place]
            older += before is not None
            if before is None or model.run.created_at > before.run.created_at:
                runs[place] = model
    names = {key: next(run for run in runs if run).run.model for key, runs in found.items()}
    shared = {name for name in names.values() if list(names.values()).count(name) > 1}
    return [
        Joined(
            f"{names[key]} [{_short(key)}]" if names[key] in shared else names[key],
            key[0] == ELSEWHERE,
            tuple(runs),
        )
        for key, runs in found.items()
    ], older


def identity_of(run: Run) -> tuple[str, ...]:
    """What two runs of one model have in common, on whichever sets they are."""
    if run.device == ELSEWHERE:
        return (ELSEWHERE, run.model)
    options = dict(parse_qsl(run.spec.partition("?")[2].replace("+", "%2B")))
    used = {name: options[name] for name in _OF_ANSWERS if name in options}
    how = (run.preprocessing, run.precision, used)
    return (run.weights_hash, *(json.dumps(each, sort_keys=True) for each in how))


def _short(key: tuple[str, ...]) -> str:
    return "answers" if key[0] == ELSEWHERE else key[0].removeprefix("sha256:")[:8]
