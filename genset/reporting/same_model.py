"""Which runs on several sets are of one model."""

import json
from urllib.parse import parse_qsl

from genset.score.results.count import ELSEWHERE
from genset.score.results.results import Results, Scored
from genset.score.results.runs import Run

# Options of a spec that change answers and are in no other part of a run's record.
_OF_ANSWERS = ("prompts", "names", "classes", "background")

Identity = tuple[str, ...]


def identity_of(run: Run) -> Identity:
    """What two runs of one model have in common: weights, preprocessing, precision, convention.

    The name shown does not matter, and a file may have moved. Answers that were computed elsewhere
    have no weights; their name is all that is known of them, so it joins them.
    """
    if run.device == ELSEWHERE:
        return (ELSEWHERE, run.model, run.convention)
    options = dict(parse_qsl(run.spec.partition("?")[2].replace("+", "%2B")))
    used = {name: options[name] for name in _OF_ANSWERS if name in options}
    how = (run.preprocessing, run.precision, used)
    return (run.weights_hash, *(json.dumps(part, sort_keys=True) for part in how), run.convention)


def is_by_name(run: Run) -> bool:
    """Whether the name alone joins it with a run on another set."""
    return run.device == ELSEWHERE


def latest_runs(results: Results) -> dict[Identity, Scored]:
    """A run of each model on a set: of several the latest, in the place of the first."""
    found: dict[Identity, Scored] = {}
    for model in (*results.models, *results.flagged):
        key = identity_of(model.run)
        if key not in found or model.run.created_at > found[key].run.created_at:
            found[key] = model
    return found
