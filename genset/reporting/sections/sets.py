"""Sets side by side: the same models on other sets, and by how much their accuracies differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.comparison.whole import nearly_all
from genset.core.numbers import count, digits, ends, percent, points, span
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.reporting.best_among import RIGHT, UNKNOWN, best_among
from genset.reporting.blocks import Block, Grid, Heading, Paragraph, Part, sentences
from genset.reporting.format import all_models, classes_of, some_of
from genset.reporting.report import Inputs, OtherSet, ReportData, Section
from genset.reporting.same_model import is_by_name, latest_runs
from genset.score.results.results import Results, Scored
from genset.score.results.runs import Accuracy
from genset.statistics.bootstrap import Floats, Resampling, intervals
from genset.statistics.intervals import Interval, widest
from genset.statistics.matched import Matched, match

Bools = NDArray[np.bool_]

Missing = Literal["", "run", "classes", "answers", "part"]
_MISSING: dict[Missing, str] = {
    "run": "was not scored on both sets",
    "classes": "chooses among other classes than the 1,000",
    "answers": "has no answer in its table that is of these classes for some photos (genset "
    "evaluate --logits keeps all)",
    "part": "did not answer all photos",
}
_CONVENTIONS = {
    "all": "all outputs compete (all)",
    "subset": "only outputs of the set’s classes compete (subset)",
}
_CANNOT_TELL = "these photos cannot tell"


@dataclass(frozen=True, slots=True)
class Score:
    """A top-1 accuracy on one set.

    Attributes:
        accuracy: of the photos that it answered.
        interval: the wider at either end of two 95 % intervals: Wilson's, and that of whole classes
            resampled.
        part: how many photos it answered, and how many any model did; None where nearly all.
    """

    accuracy: Accuracy
    interval: Interval
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
class SetBeside:
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


class _Joined(NamedTuple):
    """A model with its run on either set."""

    label: str
    runs: tuple[Scored | None, Scored | None]

    @property
    def run(self) -> Scored:
        """One of its runs."""
        return next(run for run in self.runs if run)


class _Marks(NamedTuple):
    """The answers of K models to N photos of one set.

    Attributes:
        wnids: N: the photos' classes.
        right, counted: N x K: whether the answer is right, and whether the photo counts.
        missing: K: why a model's accuracy is not known; "" where it is.
    """

    wnids: NDArray[np.str_]
    right: Bools
    counted: Bools
    missing: list[Missing]


# The numbers


def gather(inputs: Inputs, data: ReportData) -> tuple[SetBeside, ...]:
    """Compare the report's set with each other one."""
    return tuple(_beside(inputs.results, other, data) for other in inputs.others)


def _beside(first: Results, other: OtherSet, data: ReportData) -> SetBeside:
    sets = first, other.results
    runs = [latest_runs(results) for results in sets]
    joined = [
        _Joined((runs[0].get(key) or runs[1][key]).label, (runs[0].get(key), runs[1].get(key)))
        for key in dict.fromkeys([*runs[0], *runs[1]])
    ]
    flagged = [
        model.label
        for model in joined
        if not data.options.include_flagged and any(run.flags for run in model.runs if run)
    ]
    counted = [model for model in joined if model.label not in flagged]
    shared = sorted(set(first.wnids) & set(other.results.wnids))
    photos = [int(np.isin(results.truth, shared).sum()) for results in sets]
    return SetBeside(
        name=other.name,
        content_hash=other.results.photos.content_hash,
        classes=len(shared),
        photos=(photos[0], photos[1]),
        is_of_imagenet=all(results.is_of_imagenet for results in sets),
        ways=tuple(
            _way(sets, models, among, shared, data.options.resampling)
            for among, models in _ways(sets, counted, shared)
        ),
        flagged=tuple(flagged),
        by_name=tuple(model.label for model in counted if is_by_name(model.run.run)),
    )


def _ways(
    sets: tuple[Results, Results], models: Sequence[_Joined], shared: Sequence[str]
) -> list[tuple[str, Sequence[_Joined]]]:
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
    models: Sequence[_Joined],
    among: str,
    shared: Sequence[str],
    resampling: Resampling,
) -> Way:
    is_subset = among == "subset" and all(results.is_of_imagenet for results in sets)
    marks = [
        _marks(results, [model.runs[n] for model in models], shared if is_subset else None)
        for n, results in enumerate(sets)
    ]
    scores = [_scores(side, resampling) for side in marks]
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
    results: Results, models: Sequence[Scored | None], subset: Sequence[str] | None
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
    return _Marks(results.truth[places], right, counted, missing)


def _nearly_all(counted: Bools) -> Bools:
    return nearly_all(counted) if counted.any() else np.zeros(counted.shape[1], bool)


def _scores(marks: _Marks, resampling: Resampling) -> list[Score | None]:
    wnids, classes = np.unique(marks.wnids, return_inverse=True)
    drawn = intervals(resampling.ratios(classes, marks.right, marks.counted), len(wnids))
    by_any, whole = int(marks.counted.any(axis=1).sum()), _nearly_all(marks.counted)
    found: list[Score | None] = []
    for n, missing in enumerate(marks.missing):
        photos = int(marks.counted[:, n].sum())
        if missing or not photos:
            found.append(None)
            continue
        accuracy = Accuracy.of(int(marks.right[:, n].sum()), photos)
        wide = widest(Interval(accuracy.low, accuracy.high), drawn[n])
        found.append(Score(accuracy, wide, None if whole[n] else (photos, by_any)))
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


# What is shown


def show(found: Sequence[SetBeside], data: ReportData) -> Iterator[Part]:
    """For each other set: how much models lose or gain on it, and a table for each way."""
    if not found:
        return
    blocks: list[Block] = []
    for other in found:
        blocks += [Heading(f"{other.name} against {data.set.name}")]
        blocks += _set(clean(data.set.name), other)
    blocks += sentences([_meaning(data.options.resampling), _by_name(found)], "note")
    yield Part("sets", "Sets side by side", blocks)


def _set(first: str, other: SetBeside) -> Iterator[Block]:
    second = clean(other.name)
    if not other.ways:
        yield Paragraph(f"{first} and {second} have no class in common.")
        return
    yield Paragraph(
        f"{classes_of(other.classes)} that both have, each counted once: "
        f"{count(other.photos[0], 'photo')} in {first}, {other.photos[1]:,} in {second}. "
        "Differences are paired by class: their intervals resample whole classes, the same in both "
        "sets.",
        "note",
    )
    for way in other.ways:
        yield Paragraph(f"{_how(way, other)}{_change(first, second, way)}")
        yield Grid(_table(first, second, way), all_models(len(way.models)), "named")
        yield from sentences(_without_change(way), "note")
    if other.flagged:
        text = (
            "Left out, because its answers cannot be right as a whole (--include-flagged counts "
            f"it): {some_of(other.flagged)}."
        )
        yield Paragraph(text, "note")


def _how(way: Way, other: SetBeside) -> str:
    """In which way two sets are compared, where that must be said."""
    among, _, pool = way.among.partition(", ")
    if other.is_of_imagenet and len(other.ways) > 1:
        every = f"all {len(imagenet1k()):,} classes"
        these = f"these {classes_of(other.classes)} alone"
        return f"Choosing among {every if among == 'all' else these}: "
    if len(other.ways) == 1 and way.among == "all":
        return ""
    more = ", the largest output of a class counts (max)" if pool else ""
    return f"Where {_CONVENTIONS[among]}{more}: "


def _change(first: str, second: str, way: Way) -> str:
    compared = [model for model in way.models if model.difference]
    if not compared:
        return f"no model can be compared on {first} and {second}."
    found = way.mean or compared[0].difference
    who = f"the mean of {len(compared)} models" if way.mean else clean(compared[0].label)
    if found is None or found.difference is None:
        return f"whether {who} does better on {first} or on {second}, {_CANNOT_TELL}."
    value, interval = found.difference.value, found.difference.interval
    places = digits(min(found.photos))
    if interval.low <= 0 <= interval.high:
        return (
            f"from {first} to {second} no change of {who} can be shown: {points(value, places)} "
            f"points ({span(interval, places)})."
        )
    return (
        f"from {first} to {second} {who} {'rises' if value > 0 else 'falls'} by "
        f"{points(abs(value), places).lstrip('+')} points ({span(interval, places)})."
    )


def _table(first: str, second: str, way: Way) -> Table:
    columns = [
        Column("model", "Model"),
        Column("first", first, "top-1, %"),
        Column("second", second, "top-1, %"),
        Column("difference", "Change", "points"),
    ]
    rows = [
        [model.label, *map(_score, (model.first, model.second)), _difference(model.difference)]
        for model in way.models
    ]
    return Table(columns, rows)


def _score(found: Score | None) -> Cell | None:
    if found is None:
        return None
    accuracy = found.accuracy
    note = ends(found.interval, accuracy.photos)
    if found.part:
        note += "; answered {:,} of {:,} photos".format(*found.part)
    return Cell(accuracy.share, percent(accuracy.share, accuracy.photos), note)


def _difference(found: Matched | None) -> Cell | None:
    if found is None or not found.classes:
        return None
    if found.difference is None:
        return Cell(None, _CANNOT_TELL)
    places = digits(min(found.photos))
    value, interval = found.difference.value, found.difference.interval
    return Cell(value, points(value, places), span(interval, places))


def _without_change(way: Way) -> list[str]:
    """Which models have no change, and why."""
    labels = {
        why: [model.label for model in way.models if model.missing == missing]
        for missing, why in _MISSING.items()
    }
    return [f"Without a change, for it {why}: {some_of(of)}." for why, of in labels.items() if of]


def _meaning(resampling: Resampling) -> str:
    return (
        "Each accuracy’s interval is the wider of two at either end: Wilson’s, which takes each "
        "photo for an independent draw, and that of whole classes resampled with their photos "
        f"({resampling.draws:,} draws, seed {resampling.seed}). Runs on several sets are of one "
        "model where weights, preprocessing and precision are the same, whatever it is called."
    )


def _by_name(found: Sequence[SetBeside]) -> str:
    labels = list(dict.fromkeys(label for other in found for label in other.by_name))
    if not labels:
        return ""
    return f"Answers that were computed elsewhere are joined by name alone: {some_of(labels)}."


SECTION = Section("sets", gather, show)
