"""The best answers of every model that was scored on a set: what others go on from."""

import csv
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from genset.core.errors import BadInput, GensetError
from genset.score.results.names import meant, names_of, several
from genset.score.results.runs import Run, find_runs, gives_counts, load_predictions

_MEND = "delete the folder and run genset evaluate again"


@dataclass(frozen=True, slots=True)
class BestAnswers:
    """One run's answers.

    Attributes:
        name: the model's in tables.
        key: of the run.
        by_photo: by photo id, wnids, best first; without those that are no class.
    """

    name: str
    key: str
    by_photo: Mapping[str, tuple[str, ...]]


def best_answers(
    runs: Path, set_name: str, content_hash: str, models: Collection[str] = ()
) -> list[BestAnswers]:
    """What the finished runs on exactly this set answered, by the models' names.

    Args:
        runs: the folder of all runs.
        set_name: of the set.
        content_hash: of the set.
        models: names in tables, or starts of runs' keys; none for all models.

    Raises:
        BadInput: no model was scored on the set, or none, or several, of a name.
        GensetError: a run's predictions cannot be read, or do not give its counts.
    """
    found = [run for run in find_runs(runs, set_name) if run[1].set_hash == content_hash]
    if not found:
        raise BadInput(
            f"{runs} has no model that was scored on {set_name} as it is now: genset evaluate "
            f"{set_name} --model SPEC"
        )
    names = names_of([run for _, run in found])
    named = [(name, *each) for name, each in zip(names, found, strict=True)]
    if models:
        named = [_find(named, model, set_name) for model in dict.fromkeys(models)]
    return [
        BestAnswers(name, run.key, _by_photo(folder, run))
        for name, folder, run in sorted(named, key=lambda each: (each[0], each[2].key))
    ]


def _find(
    named: Collection[tuple[str, Path, Run]], model: str, set_name: str
) -> tuple[str, Path, Run]:
    listed = list(named)
    labels, runs = [label for label, *_ in listed], [run for *_, run in listed]
    places = meant(model, runs, labels)
    if not places:
        known = ", ".join(labels)
        raise BadInput(f"no model {model!r} was scored on {set_name}; known: {known}")
    if len(places) > 1:
        raise BadInput(several(model, [runs[n] for n in places], [labels[n] for n in places]))
    return listed[places[0]]


def _by_photo(folder: Path, run: Run) -> dict[str, tuple[str, ...]]:
    try:
        predictions = load_predictions(folder)
    except (OSError, ValueError, csv.Error) as error:
        raise GensetError(f"{folder}: predictions cannot be read ({error}); {_MEND}") from None
    if not gives_counts(run, predictions):
        raise GensetError(f"{folder}: predictions do not give the run's counts; {_MEND}")
    return {
        prediction.image: tuple(wnid for wnid in prediction.top if wnid)
        for prediction in predictions
    }
