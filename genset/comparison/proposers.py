"""Which of the models that proposed classes for a release a model is."""

import re

from genset.core.errors import GensetError
from genset.score.results.count import ELSEWHERE
from genset.score.results.names import is_of
from genset.score.results.results import Scored
from genset.score.results.runs import Run, load_run
from genset.sets.truths.truth import Truth


def proposer_names(truth: Truth, model: Scored) -> frozenset[str]:
    """What a model was called when it proposed, by each of its runs; none if it proposed nothing.

    It proposed by its run on the release before, which has another key. So it is the same model if
    the weights of that run are its own. Where that run is not here, and where answers were given
    (of which each set has its own), it is the same by its name.
    """
    runs = ((name, key) for name, keys in truth.proposers.items() for key in keys or ("",))
    return frozenset(name for name, key in runs if _is_it(model, name, key))


def _is_it(model: Scored, name: str, key: str) -> bool:
    if model.run.key == key:
        return True
    before = _find(model, key)
    if before is not None and before.weights_hash == model.run.weights_hash:
        return True
    by_name = is_of(model.run.model, name)
    return by_name and (before is None or before.device == ELSEWHERE)


def _find(model: Scored, key: str) -> Run | None:
    """The run of this key on whichever set, beside the model's own; None where it is not here."""
    if model.folder is None or not re.fullmatch("[0-9a-f]{12,64}", key):
        return None
    for folder in sorted(model.folder.parent.parent.glob(f"*/*-{key[:12]}")):
        try:
            if (found := load_run(folder)) is not None and found.key == key:
                return found
        except GensetError:
            continue  # another set's run, which is no matter here
    return None
