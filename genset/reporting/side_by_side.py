"""The same models on two sets: which runs are of one model, their accuracies, the difference.

Sets like ImageNet-A and ImageNet-R have 200 of the 1,000 classes. Papers score models on them in
two ways that give different numbers: a model chooses among all 1,000 classes, or the answers of the
other 800 are struck out, and the best of the rest counts.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl

import numpy as np
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.comparison.logits import find_logits
from genset.comparison.marks import nearly_all
from genset.score.results.count import ELSEWHERE
from genset.score.results.results import ModelAnswers, Results
from genset.score.results.runs import Accuracy, Run
from genset.statistics.bootstrap import Floats, Resampling
from genset.statistics.matched import Matched, match

Bools = NDArray[np.bool_]

Missing = Literal["", "run", "classes", "answers", "part"]

# Options of a spec that change answers and are in no other part of a run's record.
_OF_ANSWERS = ("prompts", "names", "classes", "background")

Identity = tuple[str, ...]
RIGHT, WRONG, UNKNOWN = 1, 0, -1
_AT_ONCE = 4096  # photos, of which 200 logits are 6 MB


@dataclass(frozen=True, slots=True)
class Score:
    """A top-1 accuracy on one set.

    Attributes:
        accuracy: of the photos that count.
        part: how many photos it answered, and how many any model did; None where nearly all.
    """

    accuracy: Accuracy
    part: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ModelOnSets:
    """One model on both sets; None where its accuracy is not known.

    `difference` is the second set's accuracy less the first's, over the classes that both have,
    each counted once; None where something is `missing`: a run on both sets, a choice among all
    1,000 classes, answers of the classes that count, or answers to nearly all photos.
    """

    label: str
    first: Score | None
    second: Score | None
    difference: Matched | None
    missing: Missing


@dataclass(frozen=True, slots=True)
class Way:
    """Two sets compared in one way.

    Attributes:
        among: what models choose among: "all" classes that they know, or the "subset" that both
            sets have; on classes of a user's own, the convention of these runs.
        models: the report's, then those that only the other set has.
        mean: of the models that have a difference; None for fewer than two.
    """

    among: str
    models: tuple[ModelOnSets, ...]
    mean: Matched | None


@dataclass(frozen=True, slots=True)
class SetComparison:
    """Another set beside the report's.

    Attributes:
        name: of the set.
        content_hash: of its photos.
        classes: how many both have.
        photos: of these classes, in the report's set and in the other.
        is_of_imagenet: whether all classes of both are ImageNet's.
        ways: in which they are compared; none where they share no class.
        flagged: labels of models that are left out, because their answers cannot be right.
        by_name: labels of those that only their name joins: their answers were computed elsewhere.
    """

    name: str
    content_hash: str
    classes: int
    photos: tuple[int, int]
    is_of_imagenet: bool
    ways: tuple[Way, ...]
    flagged: tuple[str, ...]
    by_name: tuple[str, ...]


class _ModelRuns(NamedTuple):
    """A model with its run on either set."""

    label: str
    runs: tuple[ModelAnswers | None, ModelAnswers | None]

    @property
    def run(self) -> ModelAnswers:
        """One of its runs."""
        return next(run for run in self.runs if run)


class _Marks(NamedTuple):
    """The answers of K models to N photos of one set.

    Attributes:
        wnids: N: the photos' classes.
        clusters: N numbers, equal for photos that are drawn together.
        right, counted: N x K: whether the answer is right, and whether the photo counts.
        missing: K: why a model's accuracy is not known; "" where it is.
    """

    wnids: NDArray[np.str_]
    clusters: NDArray[np.int64]
    right: Bools
    counted: Bools
    missing: list[Missing]


def compare_sets(
    first: Results, other: tuple[str, Results], resampling: Resampling, *, flagged_too: bool
) -> SetComparison:
    """Compare models on a report's set and on another one.

    Args:
        first: the models on the report's set.
        other: the other set's name, and the models on it.
        resampling: how classes are resampled for intervals.
        flagged_too: count models, too, whose answers as a whole cannot be right.
    """
    name, second = other
    sets = first, second
    runs = [latest_runs(results) for results in sets]
    joined = [
        _ModelRuns((runs[0].get(key) or runs[1][key]).label, (runs[0].get(key), runs[1].get(key)))
        for key in dict.fromkeys([*runs[0], *runs[1]])
    ]
    flagged = [
        model.label
        for model in joined
        if not flagged_too and any(run.flags for run in model.runs if run)
    ]
    counted = [model for model in joined if model.label not in flagged]
    shared = sorted(set(first.wnids) & set(second.wnids))
    photos = [int(np.isin(results.truth, shared).sum()) for results in sets]
    return SetComparison(
        name=name,
        content_hash=second.photos.content_hash,
        classes=len(shared),
        photos=(photos[0], photos[1]),
        is_of_imagenet=all(results.is_of_imagenet for results in sets),
        ways=tuple(
            _way(sets, models, among, shared, resampling)
            for among, models in _ways(sets, counted, shared)
        ),
        flagged=tuple(flagged),
        by_name=tuple(model.label for model in counted if model.run.run.device == ELSEWHERE),
    )


def _ways(
    sets: tuple[Results, Results], models: Sequence[_ModelRuns], shared: Sequence[str]
) -> list[tuple[str, Sequence[_ModelRuns]]]:
    """What models choose among where two sets are compared, and which models."""
    if not shared:
        return []
    if all(results.is_of_imagenet for results in sets):
        whole = len(shared) == len(imagenet1k())
        return [(among, models) for among in (("all",) if whole else ("all", "subset"))]
    of = {model.label: model.run.run.convention or "all" for model in models}
    return [(name, [m for m in models if of[m.label] == name]) for name in sorted(set(of.values()))]


def _way(
    sets: tuple[Results, Results],
    models: Sequence[_ModelRuns],
    among: str,
    shared: Sequence[str],
    resampling: Resampling,
) -> Way:
    is_subset = among == "subset" and all(results.is_of_imagenet for results in sets)
    marks = [
        _marks(results, [model.runs[n] for model in models], shared if is_subset else None)
        for n, results in enumerate(sets)
    ]
    scores = [_scores(side) for side in marks]
    inside = [np.isin(side.wnids, shared) for side in marks]
    whole = [_nearly_all(side.counted[here]) for side, here in zip(marks, inside, strict=True)]
    missing: list[Missing] = [
        one or other or ("" if is_whole else "part")
        for one, other, is_whole in zip(
            marks[0].missing, marks[1].missing, whole[0] & whole[1], strict=True
        )
    ]
    usable = np.array([not why for why in missing], bool)
    found, mean = _match(marks, inside, usable, resampling)
    differences = iter(found)
    return Way(
        among=among,
        models=tuple(
            ModelOnSets(model.label, one, two, None if why else next(differences), why)
            for model, one, two, why in zip(models, *scores, missing, strict=True)
        ),
        mean=mean,
    )


def _marks(
    results: Results, models: Sequence[ModelAnswers | None], subset: Sequence[str] | None
) -> _Marks:
    """The answers on a set; with a `subset`, the best ones among it on photos of these classes."""
    places = np.arange(len(results.truth))
    if subset is not None:
        places = np.flatnonzero(np.isin(results.truth, subset))
    right = np.zeros((len(places), len(models)), bool)
    counted, missing = right.copy(), list[Missing]()
    for n, model in enumerate(models):
        missing.append("")
        if model is None:
            missing[n] = "run"
        elif subset is not None:
            best = best_among(results, model, subset)[places]
            counted[:, n] = model.answered[places]
            right[:, n] = (best == RIGHT) & counted[:, n]
            missing[n] = "answers" if UNKNOWN in best[counted[:, n]] else ""
        elif model.run.classes == len(imagenet1k()) or not results.is_of_imagenet:
            right[:, n], counted[:, n] = results.right(model), model.answered
        else:
            missing[n] = "classes"
    return _Marks(results.truth[places], results.clusters[places], right, counted, missing)


def _nearly_all(counted: Bools) -> Bools:
    return nearly_all(counted) if counted.any() else np.zeros(counted.shape[1], bool)


def _scores(marks: _Marks) -> list[Score | None]:
    by_any, whole = int(marks.counted.any(axis=1).sum()), _nearly_all(marks.counted)
    found: list[Score | None] = []
    for n, missing in enumerate(marks.missing):
        photos = int(marks.counted[:, n].sum())
        if missing or not photos:
            found.append(None)
            continue
        accuracy = Accuracy.measured(marks.right[:, n], marks.counted[:, n], marks.clusters)
        found.append(Score(accuracy, None if whole[n] else (photos, by_any)))
    return found


def _match(
    marks: Sequence[_Marks], inside: Sequence[Bools], usable: Bools, resampling: Resampling
) -> tuple[list[Matched], Matched | None]:
    """Each usable model on both sets; and the mean of several, on photos that count for all."""
    models = int(usable.sum())
    if not models:
        return [], None
    both = list(zip(marks, inside, strict=True))
    wnids = np.concatenate([side.wnids[here] for side, here in both])
    _, classes = np.unique(wnids, return_inverse=True)
    second = np.repeat([False, True], [int(here.sum()) for here in inside])
    right: Floats = np.concatenate([m.right[here][:, usable] for m, here in both]).astype(float)
    counted = np.concatenate([m.counted[here][:, usable] for m, here in both])
    if models > 1:
        for_all = counted.all(axis=1, keepdims=True)
        right = np.hstack([right, right.mean(axis=1, keepdims=True) * for_all])
        counted = np.hstack([counted, for_all])
    found = match(classes, right, counted, second, resampling)
    return found[:models], found[models] if models > 1 else None


# Which runs are of one model


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


def latest_runs(results: Results) -> dict[Identity, ModelAnswers]:
    """A run of each model on a set: of several the latest, in the place of the first."""
    found: dict[Identity, ModelAnswers] = {}
    for model in (*results.models, *results.flagged):
        key = identity_of(model.run)
        if key not in found or model.run.created_at > found[key].run.created_at:
            found[key] = model
    return found


# Answers among some classes


def best_among(results: Results, model: ModelAnswers, wnids: Sequence[str]) -> NDArray[np.int8]:
    """Whether a model's best answer among some classes is right.

    All logits tell it, where they are kept. Otherwise it is the first answer of a run's table that
    is of these classes; where none is, the best one is not known, and may be the right one.

    Args:
        results: the set of N photos.
        model: scored on it.
        wnids: the classes, sorted.

    Returns:
        N marks: RIGHT, WRONG or UNKNOWN. They mean nothing for a photo that does not count.

    Raises:
        GensetError: logits that were kept cannot be read.
    """
    counts = np.isin(results.names, wnids)
    marks = np.full(len(results.truth), UNKNOWN, np.int8)
    pending = np.flatnonzero(model.answered)
    for answers in model.answers.T:
        answer = answers[pending]
        known = counts[answer]
        marks[pending[known]] = (answer == results.numbers[pending])[known]
        pending = pending[~known]
        if not len(pending):
            return marks
    if (logits := find_logits(model)) is not None:
        names = np.array(logits.classes)
        columns = np.flatnonzero(np.isin(names, wnids))
        rows = np.searchsorted(logits.photos, pending)
        for start in range(0, len(rows) if len(columns) else 0, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            best = np.asarray(logits.values[rows[part]])[:, columns].argmax(axis=1)
            marks[pending[part]] = names[columns[best]] == results.truth[pending[part]]
    return marks
