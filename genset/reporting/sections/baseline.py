"""Among known models: places among published weights, and accuracy here against elsewhere."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from genset.comparison.references.find import NAME, PlaceAmong
from genset.core.numbers import points, span
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.core.to_json import to_json
from genset.reporting.baseline import Against, Baseline, against_known
from genset.reporting.blocks import (
    Block,
    Commands,
    Figure,
    Figures,
    Grid,
    Paragraph,
    Part,
    sentences,
)
from genset.reporting.figures.against import against_plot
from genset.reporting.format import some_of
from genset.reporting.line import Fit
from genset.reporting.report import Inputs, ReportData, Section
from genset.reporting.sections.again import evaluate_well_known
from genset.statistics.intervals import Interval
from genset.statistics.trend import FEWEST_MODELS

_ROWS = 6  # models of which tables are not folded


def gather(inputs: Inputs, data: ReportData) -> Baseline | None:
    """What is known of the models elsewhere."""
    return against_known(inputs.results, inputs.runs, data.options)


def _json(found: Baseline | None, _: ReportData) -> dict[str, Any]:
    """Without the published weights, which are in genset itself."""
    if found is None:
        return {}
    names = [field.name for field in fields(found) if field.name != "known"]
    return {"reference": {name: to_json(getattr(found, name)) for name in names}}


# The figure and the tables


def show(found: Baseline | None, data: ReportData) -> Iterator[Part]:
    """Which set this is, the places, the accuracies on both sets and the line."""
    if found is None:
        return
    title = "Among known models" if found.set else f"Against {clean(found.name)}"
    blocks: list[Block] = [*sentences(_recognized(found))]
    if found.places:
        fold = f"Places of {len(found.places)} models" if len(found.places) > _ROWS else ""
        blocks += [Grid(_places(found), fold, "named known"), *sentences(_meaning(found), "note")]
    if found.models:
        models = len(found.models)
        fold = f"Accuracies there and here of {models} models" if models > _ROWS else ""
        blocks += [Figures(lambda: _figure(found, data), "big")]
        blocks += [Grid(_against(found), fold, "named known")]
        blocks.append(Paragraph(_about_figure(found), "note"))
    blocks += sentences(lines(found), "note")
    if found.ladder:
        where = ", where the set’s photos are" if data.set.listed else ""
        text = (
            "A line needs at least four models of known accuracy that were scored on this set. "
            f"This scores well-known ones from weak to strong{where}:"
        )
        command = evaluate_well_known(data, found.ladder)
        blocks += [Paragraph(text), Commands(command)]
    if found.source:
        blocks.append(Paragraph(f"Published accuracies: {found.source}.", "note"))
    yield Part("baseline", title, blocks)


def _places(found: Baseline) -> Table:
    among = ", among the 200 classes" if found.set and found.set.has_200_classes else ""
    columns = [
        Column("model", "Model"),
        Column("here", "Top-1 here", f"%{among}"),
        Column("published", "As published", "%", format=_percent),
        Column("place", "Place", "by top-1, 1 is the best", align="right"),
    ]
    rows = [
        [
            place.label,
            Cell(place.accuracy, _percent(place.accuracy)),
            place.published,
            Cell(place.place, _place(place)),
        ]
        for place in found.places
    ]
    return Table(columns, rows)


def _place(found: PlaceAmong) -> str:
    """A place as a range where the photos leave it open: "3 to 7 of 67"."""
    where = f"{found.best:,}" if found.best == found.worst else f"{found.best:,} to {found.worst:,}"
    return f"{where} of {found.of:,}"


def _against(found: Baseline) -> Table:
    columns = [
        Column("model", "Model"),
        Column("there", "There", "%"),
        Column("here", "Here", "%; change in points"),
        Column("above", "Effective robustness", "points above the line"),
    ]
    if found.from_known:
        columns.append(Column("higher", "More", "% of published weights", format=_whole))
    return Table(columns, [_row(model, found) for model in found.models])


def _row(model: Against, found: Baseline) -> list[object]:
    above = None
    if model.above is not None and model.interval:
        doubt = "; beyond the line’s weights: a guess" * model.is_guess
        above = Cell(model.above, points(model.above), f"{span(model.interval)}{doubt}")
    return [
        model.label,
        Cell(model.there, _percent(model.there), clean(model.source, 60)),
        Cell(model.here, _percent(model.here), points(-model.gap)),
        above,
        *[model.higher] * found.from_known,
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def _whole(share: float) -> str:
    return f"{100 * share:.0f}"


def _figure(found: Baseline, data: ReportData) -> list[Figure]:
    """Accuracy here over accuracy elsewhere, where there are two points or published ones."""
    if len(found.models) + len(found.known) < 2:
        return []
    real = found.by_real
    accuracy = {
        model.label: model.real if real and model.real else model.top1.accuracy
        for model in data.models
    }
    ends = [(accuracy[row.label].low, accuracy[row.label].high) for row in found.models]
    where = "by ReaL and by the original labels" if real else f"here and on {found.name}"
    title = f"Top-1 accuracy {clean(where, 60)}"
    return [(title, against_plot(title, found, ends))]


def _about_figure(found: Baseline) -> str:
    fitted = "published weights, the small points" if found.from_known else "all models"
    line = (
        f"; the line is fitted to {fitted}; its dark band is its 95 % interval, and the light one "
        "the 95 % band for a new model"
        if found.fit
        else ""
    )
    return (
        f"In the figure, vertical bars are 95 % intervals{line}; the dashed line is “as good "
        "here as there”. Logit axes."
    )


# The sentences


def _recognized(found: Baseline) -> list[str]:
    """Which set the photos are, how that is known, and how to say otherwise."""
    if (known := found.set) is None:
        return []
    labels = " Its labels by ReaL are known too." if found.by_real else ""
    return [
        f"These photos are {known.title}: told {known.how}. If they are not, say so with --set-is "
        f"other.{labels}"
    ]


def _meaning(found: Baseline) -> list[str]:
    """How the places are meant, and models whose accuracy here is not the published one."""
    return [
        "The place is among the weights of which timm publishes the accuracy on this set, each "
        "once, at its smallest image size; the range is that of Wilson’s 95 % interval, rather too "
        "wide than too narrow.",
        *(
            f"{clean(place.label)} is published with {_percent(place.published)} % on these "
            f"photos, and has {_percent(place.accuracy)} % here: compare the preprocessing "
            "(genset evaluate --audit-preprocessing)."
            for place in found.places
            if place.published is not None and abs(place.accuracy - place.published) >= 0.002
        ),
    ]


def lines(found: Baseline) -> list[str]:
    """What the fitted lines are, and which models have no part in them."""
    texts = []
    if fit := found.fit:
        texts += [_fitted(found, fit), _quality(fit), _robustness(found)]
    elif found.models:
        texts.append(
            f"No line is fitted: it takes {FEWEST_MODELS} models of different accuracy there, of "
            "three architectures."
        )
    if found.unknown and found.set and found.set.has_200_classes:
        texts.append(
            "Without a place, since some of their answers among the 200 classes were not kept "
            f"(genset evaluate --logits keeps all): {some_of(found.unknown)}."
        )
    elif found.unknown:
        mend = (
            " Say a model’s accuracy on ImageNet’s validation set with &reference_top1= (per cent) "
            "in its spec, or score it on that set too."
        )
        unknown = f"No accuracy there is known of: {some_of(found.unknown)}."
        texts.append(unknown + mend if found.name == NAME else unknown)
    if found.partial:
        texts.append(
            "Not compared with accuracies elsewhere, since they did not answer all photos: "
            f"{some_of(found.partial)}."
        )
    return [*texts, *_extended(found)]


def _extended(found: Baseline) -> list[str]:
    """Models weaker or stronger than all that the line was fitted to."""
    beyond = [row.label for row in found.models if row.is_guess]
    if not (found.fit and beyond):
        return []
    low, high = found.fit.line[0].there, found.fit.line[-1].there
    return [
        f"Beyond the {_percent(low)} to {_percent(high)} % of the weights that the line was fitted "
        f"to, where it is a guess: {some_of(beyond)}."
    ]


def _fitted(found: Baseline, first: Fit) -> str:
    start = f"{first.intercept:.3f}".replace("-", "−")
    line = (
        f"The line of {first.models:,} published weights of {first.architectures:,} architectures"
        if found.from_known
        else f"The line through {first.models:,} models"
    )
    there, here = ("original", "ReaL") if found.by_real else (clean(found.name), "here")
    return f"{line}: logit({here}) = {start} + {first.slope:.3f} logit({there})."


def _quality(fit: Fit) -> str:
    """How well a line fits."""
    return (
        f"The slope is {fit.slope:.3f}{_interval(fit.slope_interval)}; models "
        f"scatter by {_percent(fit.scatter)} points (standard deviation) about the line, and "
        f"{_whole(fit.inside)} % of them lie within its 95 % band for a new model."
    )


def _interval(found: Interval | None) -> str:
    return f" (95 % interval {found.low:.3f} to {found.high:.3f})" if found else ""


def _robustness(found: Baseline) -> str:
    start = "Effective robustness is how far a model is above the line; intervals "
    if found.from_known:
        return (
            f"{start}resample classes, and the line with whole architectures, and are rather too "
            "wide than too narrow. “More” is the share of published weights farther above the line."
        )
    there = "" if found.is_sampled else " Accuracies there are taken for exact."
    sampled = "the classes of both sets" if found.is_sampled else "classes"
    return (
        f"{start}resample {sampled} and the models’ scatter about the line (whole architectures "
        f"together).{there}"
    )


SECTION = Section("reference", gather, show, _json)
