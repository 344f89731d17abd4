"""Accuracies here against accuracies elsewhere, and each model's place among known ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from genset.comparison.marks import NEARLY_ALL, mark
from genset.comparison.references.find import (
    NAME,
    NONE,
    References,
    find_references,
    named,
    weights_of,
)
from genset.comparison.references.published import (
    PublishedWeights,
    architecture_of,
    one_a_weights,
    places,
    published,
    rungs,
    sources,
)
from genset.comparison.references.sets import IMAGENET, WellKnownSet, is_real, recognize
from genset.reporting.data.baseline import (
    Against,
    Baseline,
    Fit,
    KnownModel,
    KnownSet,
    LinePoint,
    PlaceAmong,
    PublishedRange,
)
from genset.reporting.data.options import ReportOptions
from genset.score.results.results import ModelAnswers, Results
from genset.score.results.runs import Accuracy, Run
from genset.statistics.bootstrap import Floats, Resampling
from genset.statistics.trend import (
    FEWEST_MODELS,
    SCALES,
    Trend,
    expit,
    fit_published,
    fit_trend,
    logit,
)

_POINTS = 25  # of a drawn line
_FEWEST_ARCHITECTURES = 3  # of two nothing can be said about how architectures scatter


def against_known(results: Results, runs: Path, options: ReportOptions) -> Baseline | None:
    """What is known of the models elsewhere, and what that says of their accuracy here.

    Without a reference in the options it is ImageNet's validation set, for sets of its classes.

    Args:
        results: the models, side by side on one set; flagged ones are not among them.
        runs: the folder of runs.
        options: what the report is asked for.

    Returns:
        The baseline; None where none is wanted, or no model was scored, or none that was chooses
        among ImageNet's classes.

    Raises:
        BadInput: the reference is not there, or is none.
    """
    if options.reference == NONE or not results.models:
        return None
    is_asked = bool(options.reference)
    if not is_asked and not results.is_of_imagenet:
        return None
    whole = tuple(model for model in results.models if _answers_all(model))
    partial = tuple(model.label for model in results.models if not _answers_all(model))
    results = replace(results, models=whole)
    found = find_references(options.reference or NAME, runs, [model.run for model in whole])
    known_set = None
    if (options.reference or NAME) == NAME:
        known_set = recognize(results.photos, options.set_is)
    if known_set is None:
        baseline = _elsewhere(results, found, options)
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


@dataclass(frozen=True, slots=True)
class _Points:
    """M models with both accuracies, 0 to 1.

    Attributes:
        rows: as a report shows them, without a line.
        elsewhere, here: shape (M,), float64.
        drawn: `here` in each draw of classes, shape (draws, M), float64.
        drawn_elsewhere: `elsewhere` in the same draws; None where it is of other photos.
    """

    rows: tuple[Against, ...]
    elsewhere: Floats
    here: Floats
    drawn: Floats
    drawn_elsewhere: Floats | None = None


def _elsewhere(results: Results, found: References, options: ReportOptions) -> Baseline:
    """On any set: the line is that of the models scored here, if they are enough."""
    known = [model for model in results.models if named(model.run) in found.exact]
    points = _points(results, known, found, options.resampling)
    trends = _trends(results, known, points, options.resampling)
    reference = options.reference or NAME
    baseline = Baseline(
        name=Path(reference).stem,
        elsewhere=f"top-1 on {Path(reference).stem}",
        here="top-1 here",
        models=points.rows,
        unknown=_unknown(results, found),
        ranges=_ranges(results, found),
        source=_source(points.rows) if reference == NAME else "",
    )
    if not trends:
        is_line_wanted = reference == NAME
        scored = {weights_of(model.run).full for model in results.models}
        return replace(baseline, ladder=rungs(scored) if is_line_wanted else ())
    architectures = len({_architecture(model.run) for model in known})
    fits = tuple(_fit(trend, points.elsewhere, points.here, architectures) for trend in trends)
    return _with_line(baseline, points, trends[0], fits)


def _on_imagenet(
    results: Results, found: References, known: WellKnownSet, resampling: Resampling
) -> Baseline:
    """On ImageNet's validation set: places, and with ReaL's labels the line that these follow."""
    has_real = is_real(results.photos.truth)
    baseline = Baseline(
        name=NAME,
        elsewhere="top-1 by ImageNet’s own labels",
        here="top-1 by ReaL’s labels",
        models=(),
        unknown=(),
        ranges=_ranges(results, found),
        set=KnownSet(known.name, known.title, known.how, "ReaL" if has_real else ""),
        places=_places(results, known.column),
        source=_source((), "timm"),
    )
    if not has_real or not results.models:
        return baseline
    counted = [mark(results, model, "real") for model in results.models]
    right = np.stack([each.right for each in counted], axis=1)
    under = np.stack([each.counted for each in counted], axis=1)
    here = right.sum(axis=0) / under.sum(axis=0)
    rows = tuple(
        Against(
            label=model.label,
            elsewhere=model.run.top1.share,
            source="measured here",
            here=float(share),
            gap=model.run.top1.share - float(share),
            above=None,
            interval=None,
            higher=None,
        )
        for model, share in zip(results.models, here, strict=True)
    )
    own = np.stack([results.right(model) for model in results.models], axis=1)
    all_of = np.stack([model.answered for model in results.models], axis=1)
    points = _Points(
        rows,
        elsewhere=np.array([row.elsewhere for row in rows]),
        here=here,
        drawn=resampling.ratios(results.classes, right, under),
        drawn_elsewhere=resampling.ratios(results.classes, own, all_of),
    )
    return _by_known(baseline, points, "real", resampling)


def _on_known_shift(
    results: Results, found: References, known: WellKnownSet, resampling: Resampling
) -> Baseline:
    """On ImageNetV2: the line is that of all published weights."""
    models = [model for model in results.models if named(model.run) in found.exact]
    points = _points(results, models, found, resampling)
    baseline = Baseline(
        name=NAME,
        elsewhere=f"top-1 on {NAME}",
        here="top-1 here",
        models=points.rows,
        unknown=_unknown(results, found),
        ranges=_ranges(results, found),
        set=KnownSet(known.name, known.title, known.how, ""),
        places=_places(results, known.column),
        source=_source(points.rows, "timm"),
        from_known=True,
    )
    return _by_known(baseline, points, known.column, resampling)


def _by_known(baseline: Baseline, points: _Points, here: str, resampling: Resampling) -> Baseline:
    """With the line of the published weights, on the set that the column `here` is of."""
    weights = one_a_weights()
    x = np.array([weight.top1["imagenet"] for weight in weights])
    y = np.array([weight.top1[here] for weight in weights])
    groups = [weight.architecture for weight in weights]
    trends = [
        fit_published(x, y, groups, draws=resampling.draws, seed=resampling.seed, scale=scale)
        for scale in SCALES
    ]
    fits = tuple(_fit(trend, x, y, len(set(groups))) for trend in trends)
    known = tuple(
        KnownModel(each.weights.partition(":")[2], float(a), float(b))
        for each, a, b in zip(weights, x, y, strict=True)
    )
    baseline = replace(baseline, from_known=True, known=known)
    residuals = y - trends[0].expected(x)
    baseline = _with_line(baseline, points, trends[0], fits)
    return replace(
        baseline,
        models=tuple(
            replace(row, higher=float((residuals > (row.above or 0.0)).mean()))
            for row in baseline.models
        ),
    )


def _with_line(
    baseline: Baseline, points: _Points, trend: Trend, fits: tuple[Fit, ...]
) -> Baseline:
    rows = points.rows
    if rows:
        above, ends = trend.above(
            points.elsewhere, points.here, points.drawn, points.drawn_elsewhere
        )
        rows = tuple(
            replace(row, above=float(value), interval=each)
            for row, value, each in zip(rows, above, ends, strict=True)
        )
    return replace(
        baseline,
        models=rows,
        fits=fits,
        intercept=fits[0].intercept,
        slope=fits[0].slope,
        line=fits[0].line,
    )


def _points(
    results: Results, known: Sequence[ModelAnswers], found: References, resampling: Resampling
) -> _Points:
    rows = tuple(
        Against(
            label=model.label,
            elsewhere=(reference := found.exact[named(model.run)]).top1,
            source=reference.source,
            here=model.run.top1.share,
            gap=reference.top1 - model.run.top1.share,
            above=None,
            interval=None,
            higher=None,
        )
        for model in known
    )
    elsewhere = np.array([row.elsewhere for row in rows])
    here = np.array([row.here for row in rows])
    if not rows:
        return _Points(rows, elsewhere, here, np.empty((resampling.draws, 0)))
    right = np.stack([results.right(model) for model in known], axis=1)
    counted = np.stack([model.answered for model in known], axis=1)
    return _Points(rows, elsewhere, here, resampling.ratios(results.classes, right, counted))


def _trends(
    results: Results, known: Sequence[ModelAnswers], points: _Points, resampling: Resampling
) -> list[Trend]:
    """The lines through the models scored here; none where these are too few."""
    groups = [_architecture(model.run) for model in known]
    few = len(known) < FEWEST_MODELS or len(set(groups)) < _FEWEST_ARCHITECTURES
    if few or np.ptp(points.elsewhere) == 0:
        return []
    return [
        fit_trend(
            points.elsewhere,
            points.here,
            points.drawn,
            len(results.wnids),
            resampling.seed,
            scale=scale,
            groups=groups,
        )
        for scale in SCALES
    ]


def _fit(trend: Trend, elsewhere: Floats, here: Floats, architectures: int) -> Fit:
    """A line as a report says it."""
    low, high = float(elsewhere.min()), float(elsewhere.max())
    if trend.scale == "logit":
        ends_of = logit([low, high])
        across = expit(np.linspace(ends_of[0], ends_of[1], _POINTS))
    else:
        across = np.linspace(low, high, _POINTS)
    expected = trend.expected(elsewhere)
    ends = trend.prediction(elsewhere)
    inside = [each.low <= share <= each.high for each, share in zip(ends, here, strict=True)]
    line = zip(
        across, trend.expected(across), trend.band(across), trend.prediction(across), strict=True
    )
    slope = trend.slope_interval()
    return Fit(
        scale=trend.scale,
        intercept=trend.intercept,
        slope=trend.slope,
        slope_interval=slope if np.isfinite(slope).all() else None,
        scatter=float(np.sqrt(((here - expected) ** 2).sum() / (trend.models - 2))),
        inside=float(np.mean(inside)),
        models=trend.models,
        architectures=architectures,
        line=tuple(LinePoint(float(x), float(y), *both) for x, y, *both in line),
    )


def _places(results: Results, column: str) -> tuple[PlaceAmong, ...]:
    """Each model among the published weights, itself left out where it is one of them."""
    return tuple(_place(model.run, model.label, column) for model in results.models)


def _place(run: Run, label: str, column: str) -> PlaceAmong:
    own = _published_as(run)
    others = [
        weight.top1[column]
        for weight in one_a_weights()
        if own is None or weight.weights != own.weights
    ]
    accuracy = run.top1
    return PlaceAmong(
        label=label,
        accuracy=accuracy.share,
        place=places(others, accuracy.share),
        best=places(others, accuracy.high),
        worst=places(others, _just_below(accuracy)),
        of=len(others) + 1,
        published=own.top1.get(column) if own else None,
    )


def _just_below(accuracy: Accuracy) -> float:
    """The lower end; one that equals a published accuracy must count that one as better."""
    return float(np.nextafter(accuracy.low, -1))


def _published_as(run: Run) -> PublishedWeights | None:
    """The published row of a run's own weights at its image size, if there is one."""
    its = weights_of(run)
    if not its.full or its.changed:
        return None
    rows = [
        row
        for row in published()
        if row.weights == its.full or (row.is_default and row.architecture == its.full)
    ]
    fits = [row for row in rows if its.pixels in (None, row.pixels)]
    return fits[0] if len(fits) == 1 else None


def _architecture(run: Run) -> str:
    """What models scatter together by: the architecture, else the model's name."""
    its = weights_of(run)
    return (
        architecture_of(its.full or its.architecture)
        if its.full or its.architecture
        else (run.model)
    )


def _unknown(results: Results, found: References) -> tuple[str, ...]:
    return tuple(model.label for model in results.models if named(model.run) not in found.exact)


def _ranges(results: Results, found: References) -> tuple[PublishedRange, ...]:
    return tuple(
        PublishedRange(model.label, each.low, each.high, each.weights, each.of, each.why)
        for model in results.models
        if (each := found.ranges.get(named(model.run))) is not None
    )


def _source(rows: Sequence[Against], *more: str) -> str:
    """Where the published accuracies in use are from."""
    used = {row.source for row in rows} | set(more)
    return "; ".join(f"{name}: {said}" for name, said in sources().items() if name in used)
