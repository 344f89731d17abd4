"""Which runs on several sets are of one model."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl

from genset.reporting.series.data import AMONG, Among
from genset.reporting.series.gather.conventions import convention_of, in_order
from genset.score.results.count import ELSEWHERE
from genset.score.results.results import ModelAnswers, Results
from genset.score.results.runs import Run

# Options of a spec that change answers and are in no other part of a run's record.
_OF_ANSWERS = ("prompts", "names", "classes", "background")


_Row = tuple[tuple[str, ...], Among]  # whose, by which convention


class Joined(NamedTuple):
    """A model's runs on each set, in the sets' order; None where there is none.

    On sets of a user's own classes they are of one `convention`. `is_first` is of one row of each
    model: its runs of no convention are there.
    """

    label: str
    by_name: bool
    runs: tuple[ModelAnswers | None, ...]
    convention: Among = "all"
    is_first: bool = True


def join(sets: Sequence[Results]) -> tuple[list[Joined], int]:
    """Find the runs of each model: those of the same weights, used in the same way.

    The name shown does not matter, and a file may have moved. Answers that were computed elsewhere
    have no weights; their name is all that is known of them, so it joins them.

    Args:
        sets: what was scored on each set.

    Returns:
        The models, the best on the first set first, then those that only later sets have; and how
        many runs were left out, because a later one on the same set is of the same model, by the
        same convention.
    """
    found: dict[_Row, list[ModelAnswers | None]] = {}
    known: dict[tuple[str, ...], tuple[Among, ...]] = {}
    for results in sets:
        for model in results.models:
            key = identity_of(model.run)
            known[key] = in_order([*known.get(key, ()), convention_of(results, model)])
    older = 0
    for place, results in enumerate(sets):
        for model in results.models:
            key = identity_of(model.run)
            convention = convention_of(results, model) or (*known[key], AMONG[0])[0]
            runs = found.setdefault((key, convention), [None] * len(sets))
            before = runs[place]
            older += before is not None
            if before is None or model.run.created_at > before.run.created_at:
                runs[place] = model
    names: dict[tuple[str, ...], str] = {}
    for (key, _), runs in found.items():
        names.setdefault(key, next(run for run in runs if run).run.model)
    shared = {name for name, times in Counter(names.values()).items() if times > 1}
    are_mixed = len({each for those in known.values() for each in those}) > 1
    return [
        Joined(
            (f"{names[key]} [{_short(key)}]" if names[key] in shared else names[key])
            + (f" ({convention})" if are_mixed and known[key] else ""),
            key[0] == ELSEWHERE,
            tuple(runs),
            convention,
            convention == (*known[key], AMONG[0])[0],
        )
        for (key, convention), runs in found.items()
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
