"""Accuracies here against accuracies elsewhere, and each model's place among known ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from genset.comparison.marks import NEARLY_ALL, mark
from genset.comparison.references.find import (
    NAME,
    NONE,
    PlaceAmong,
    References,
    find_references,
    named,
    place_among,
    weights_of,
)
from genset.comparison.references.published import architecture_of, one_a_weights, rungs, sources
from genset.comparison.references.sets import IMAGENET, WellKnownSet, is_real, recognize
from genset.reporting.line import Fit, Points, fit_of, through_models
from genset.reporting.options import ReportOptions
from genset.reporting.side_by_side import RIGHT, UNKNOWN, best_among
from genset.score.results.arrays import Names, read_answers
from genset.score.results.results import ModelAnswers, Results
from genset.score.results.runs import Accuracy, Run
from genset.statistics.bootstrap import Floats, Resampling
from genset.statistics.intervals import Interval
from genset.statistics.trend import Trend, fit_published


@dataclass(frozen=True, slots=True)
class Against:
    """A model's accuracy elsewhere and here.

    `gap` is what it loses. `above` is its effective robustness, what it has here beyond the line
    (`Baseline.fit`), with its interval; None where there is no line. `is_guess` is whether the line
    was fitted to no model so weak, or so strong.
    `higher` is the share of published weights that are farther above it; None where the line is not
    theirs. `tags` are the run's.
    """

    label: str
    there: float
    source: str
    here: float
    gap: float
    above: float | None = None
    interval: Interval | None = None
    is_guess: bool = False
    higher: float | None = None
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class KnownModel:
    """Published weights, drawn beside the models: their accuracies elsewhere and here."""

    name: str
    there: float
    here: float


@dataclass(frozen=True, slots=True)
class Baseline:
    """Accuracy here against accuracy elsewhere, and the place among known models.

    Attributes:
        name: of the reference.
        there, here: what the two accuracies of `models` are, as a figure's axes say it.
        models: those whose accuracy elsewhere is known.
        unknown: labels of those whose accuracy elsewhere is not; where models choose among the
            set's own classes, of those whose answer among these is not.
        set: which well-known set this is; None for any other.
        by_real: whether `here` is by ReaL's labels, on ImageNet's own photos.
        places: the models among the published weights, on a well-known set.
        source: where the published accuracies are from, with licence and date; "" where none is
            used.
        fit: the line by which robustness is told; None where there is none.
        is_sampled: whether accuracies elsewhere are known to be of a sample of classes, too.
        from_known: whether the line is that of published weights, not of `models`.
        known: the published weights that the line was fitted to.
        partial: labels of models that did not answer nearly all photos: they have no part in this.
        ladder: specs of well-known models, the weakest first, that would make a line here; empty
            where there is one.
    """

    name: str = NAME
    there: str = f"top-1 on {NAME}"
    here: str = "top-1 here"
    models: tuple[Against, ...] = ()
    unknown: tuple[str, ...] = ()
    set: WellKnownSet | None = None
    by_real: bool = False
    places: tuple[PlaceAmong, ...] = ()
    source: str = ""
    fit: Fit | None = None
    is_sampled: bool = False
    from_known: bool = False
    known: tuple[KnownModel, ...] = ()
    ladder: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()


def against_known(results: Results, runs: Path, options: ReportOptions) -> Baseline | None:
    """What is known of the models elsewhere, and what that says of their accuracy here.

    Without a reference in the options it is ImageNet's validation set, for sets of its classes.

    Args:
        results: the models, side by side on one set; flagged ones are not among them.
        runs: the folder of runs.
        options: what the report is asked for.

    Returns:
        The baseline; None where none is asked for, or no model was scored, or none that was chooses
        among ImageNet's classes.

    Raises:
        BadInput: the reference is not there, or is none.
    """
    if options.reference == NONE or not results.models:
        return None
    if not options.reference and not results.is_of_imagenet:
        return None
    whole = tuple(model for model in results.models if _answers_all(model))
    partial = tuple(model.label for model in results.models if not _answers_all(model))
    results = replace(results, models=whole)
    reference = options.reference or NAME
    found = find_references(reference, runs, [model.run for model in whole])
    known_set = recognize(results.photos, options.set_is) if reference == NAME else None
    if known_set is None:
        baseline = _on_any_set(results, found, reference, options.resampling)
    elif known_set.has_200_classes:
        models, places = results.models, list[PlaceAmong]()
        for model in models:
            best = best_among(results, model, sorted(set(results.truth)))
            if UNKNOWN not in best[model.answered]:
                accuracy = Accuracy.measured(best == RIGHT, model.answered, results.clusters)
                places.append(place_among(model.run, model.label, known_set.column, accuracy))
        placed = {place.label for place in places}
        baseline = Baseline(
            unknown=tuple(model.label for model in models if model.label not in placed),
            set=known_set,
            places=tuple(places),
            source=_source((), "timm"),
        )
    elif known_set.name == IMAGENET:
        baseline = _on_imagenet(results, found, known_set, options.resampling)
    else:
        baseline = _on_known_shift(results, found, known_set, options.resampling)
    return replace(baseline, partial=partial)


def _answers_all(model: ModelAnswers) -> bool:
    """Whether an accuracy is of the set as a whole, as published ones are: a few photos may lack.

    One of a model that knows a part of the classes is of the photos of these.
    """
    return float(model.answered.mean()) >= NEARLY_ALL


def _on_any_set(
    results: Results, found: References, reference: str, resampling: Resampling
) -> Baseline:
    """On any set: the line is that of the models scored here, if they are enough."""
    known = [model for model in results.models if named(model.run) in found]
    rows = _rows(known, found)
    points = _points(results, known, rows, resampling, found)
    baseline = Baseline(
        name=Path(reference).stem,
        there=f"top-1 on {Path(reference).stem}",
        models=rows,
        unknown=_unknown(results, found),
        source=_source(rows) if reference == NAME else "",
    )
    architectures = [_architecture(model.run) for model in known]
    trend = through_models(points, architectures, len(np.unique(results.clusters)), resampling)
    if trend is None:
        scored = {weights_of(model.run).full for model in results.models}
        return replace(baseline, ladder=rungs(scored) if reference == NAME else ())
    fit = fit_of(trend, points.there, points.here, len(set(architectures)))
    return _with_line(baseline, points, trend, fit)


def _on_imagenet(
    results: Results, found: References, known: WellKnownSet, resampling: Resampling
) -> Baseline:
    """On ImageNet's validation set: places, and with ReaL's labels the line that these follow."""
    has_real = is_real(results.photos.truth)
    baseline = Baseline(
        there="top-1 by ImageNet’s own labels",
        here="top-1 by ReaL’s labels",
        set=known,
        by_real=has_real,
        places=_places(results, known),
        source=_source((), "timm"),
    )
    if not has_real or not results.models:
        return baseline
    counted = [mark(results, model, "real") for model in results.models]
    right = np.stack([marks.right for marks in counted], axis=1)
    under = np.stack([marks.counted for marks in counted], axis=1)
    here = right.sum(axis=0) / under.sum(axis=0)
    rows = tuple(
        Against(
            label=model.label,
            there=model.run.top1.share,
            source="measured here",
            here=float(share),
            gap=model.run.top1.share - float(share),
            tags=model.run.tags,
        )
        for model, share in zip(results.models, here, strict=True)
    )
    original = np.stack([results.right(model) for model in results.models], axis=1)
    answered = np.stack([model.answered for model in results.models], axis=1)
    points = Points(
        there=np.array([row.there for row in rows]),
        here=here,
        drawn=resampling.ratios(results.clusters, right, under),
        drawn_there=resampling.ratios(results.clusters, original, answered),
    )
    return _by_known(replace(baseline, models=rows), points, "real", resampling)


def _on_known_shift(
    results: Results, found: References, known: WellKnownSet, resampling: Resampling
) -> Baseline:
    """On ImageNetV2 or ImageNet-Sketch: the line is that of all published weights."""
    models = [model for model in results.models if named(model.run) in found]
    rows = _rows(models, found)
    baseline = Baseline(
        models=rows,
        unknown=_unknown(results, found),
        set=known,
        places=_places(results, known),
        source=_source(rows, "timm"),
    )
    points = _points(results, models, rows, resampling, found)
    return _by_known(baseline, points, known.column, resampling)


def _by_known(baseline: Baseline, points: Points, here: str, resampling: Resampling) -> Baseline:
    """With the line of the published weights, on the set that the column `here` is of."""
    weights = one_a_weights()
    x = np.array([weight.top1["imagenet"] for weight in weights])
    y = np.array([weight.top1[here] for weight in weights])
    architectures = [weight.architecture for weight in weights]
    trend = fit_published(x, y, architectures, draws=resampling.draws, seed=resampling.seed)
    fit = fit_of(trend, x, y, len(set(architectures)))
    known = tuple(
        KnownModel(weight.weights.partition(":")[2], float(there), float(share))
        for weight, there, share in zip(weights, x, y, strict=True)
    )
    baseline = replace(baseline, from_known=True, known=known)
    residuals = y - trend.expected(x)
    baseline = _with_line(baseline, points, trend, fit)
    return replace(
        baseline,
        models=tuple(
            replace(row, higher=float((residuals > (row.above or 0.0)).mean()))
            for row in baseline.models
        ),
    )


def _with_line(baseline: Baseline, points: Points, trend: Trend, fit: Fit) -> Baseline:
    rows = baseline.models
    if rows:
        above, ends = trend.above(points.there, points.here, points.drawn, points.drawn_there)
        low, high = fit.line[0].there, fit.line[-1].there
        rows = tuple(
            replace(
                row,
                above=float(value),
                interval=interval,
                is_guess=not low <= row.there <= high,
            )
            for row, value, interval in zip(rows, above, ends, strict=True)
        )
    return replace(
        baseline,
        models=rows,
        fit=fit,
        is_sampled=points.drawn_there is not None,
    )


def _rows(models: Sequence[ModelAnswers], found: References) -> tuple[Against, ...]:
    """The models whose accuracy elsewhere is known."""
    return tuple(
        Against(
            label=model.label,
            there=(reference := found[named(model.run)]).top1,
            source=reference.source,
            here=model.run.top1.share,
            gap=reference.top1 - model.run.top1.share,
            tags=model.run.tags,
        )
        for model in models
    )


def _points(
    results: Results,
    models: Sequence[ModelAnswers],
    rows: Sequence[Against],
    resampling: Resampling,
    found: References,
) -> Points:
    there = np.array([row.there for row in rows])
    here = np.array([row.here for row in rows])
    if not rows:
        return Points(there, here, np.empty((resampling.draws, 0)))
    right = np.stack([results.right(model) for model in models], axis=1)
    counted = np.stack([model.answered for model in models], axis=1)
    drawn = resampling.ratios(results.clusters, right, counted)
    folders = [found[named(model.run)].folder for model in models]
    return Points(there, here, drawn, _drawn_there(there, folders, resampling))


def _drawn_there(
    there: Floats, folders: Sequence[Path | None], resampling: Resampling
) -> Floats | None:
    """The accuracies elsewhere in each draw of that set's classes; None where all are exact."""
    if not any(folders):
        return None
    names = Names()
    answers = [read_answers(folder, names) if folder else None for folder in folders]
    classes = len(names.all())
    hits = np.repeat(there[None], classes, axis=0)
    photos = np.ones_like(hits)
    for model, found in enumerate(answers):
        if found:
            right = found.ranked[:, 0] == found.truth
            hits[:, model] = np.bincount(found.truth, right, classes)
            photos[:, model] = np.bincount(found.truth, minlength=classes)
    some = photos.any(axis=1)
    return replace(resampling, seed=resampling.seed + 1).ratios_of_sums(hits[some], photos[some])


def _architecture(run: Run) -> str:
    """What models scatter together by: the architecture, else the model's name."""
    name = weights_of(run)
    known = name.full or name.architecture
    return architecture_of(known) if known else run.model


def _unknown(results: Results, found: References) -> tuple[str, ...]:
    return tuple(model.label for model in results.models if named(model.run) not in found)


def _places(results: Results, known: WellKnownSet) -> tuple[PlaceAmong, ...]:
    return tuple(place_among(m.run, m.label, known.column, m.run.top1) for m in results.models)


def _source(rows: Sequence[Against], *more: str) -> str:
    """Where the published accuracies in use are from."""
    used = {row.source for row in rows} | set(more)
    return "; ".join(f"{name}: {text}" for name, text in sources().items() if name in used)
