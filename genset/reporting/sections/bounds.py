"""Between two: each model's share of the gap between a lower and an upper reference."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from genset.comparison.pairs import Bounds, place_between
from genset.core.errors import BadInput
from genset.core.numbers import between
from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.core.to_json import to_json
from genset.reporting.blocks import Grid, Paragraph, Part
from genset.reporting.format import all_models
from genset.reporting.report import Inputs, ReportData, Section


class TwoBounds(NamedTuple):
    """Places between the two references, in top-1 and in top-5.

    `top1` is None where no references were named. `top5` is for the models of trainings: None
    without any, where fewer than five answers are kept, and where the upper one is not surely
    better in top-5.
    """

    top1: Bounds | None
    top5: Bounds | None


def gather(inputs: Inputs, data: ReportData) -> TwoBounds:
    """Place all models between the two that the options name.

    Raises:
        BadInput: only one of them is named, or it was not scored here.
    """
    options, results = data.options, inputs.results
    if not (options.lower or options.upper):
        return TwoBounds(None, None)
    if not (options.lower and options.upper):
        raise BadInput("a model is placed between two: name both --lower and --upper")
    ends = results.find(options.lower), results.find(options.upper)
    top1 = place_between(results, *ends, options.resampling)
    if not options.tta or any(model.answers.shape[1] < 5 for model in results.models):
        return TwoBounds(top1, None)
    try:
        return TwoBounds(top1, place_between(results, *ends, options.resampling, k=5))
    except BadInput:
        return TwoBounds(top1, None)


def show(found: TwoBounds, _: ReportData) -> Iterator[Part]:
    """The models between the two."""
    if not (bounds := found.top1):
        return
    columns = [
        Column("model", "Model"),
        Column("share", "Share of the gap", "%", format=lambda share: f"{100 * share:.1f}"),
        Column("interval", "95 % interval", "%", format=between, align="right"),
    ]
    rows = [[place.model, place.share, place.interval] for place in bounds.places]
    note = (
        "0 % is as good as the lower one, 100 % as the upper one, in top-1 accuracy on the photos "
        "that count for all three; intervals resample classes."
    )
    title = f"Between {clean(bounds.lower)} and {clean(bounds.upper)}"
    yield Part(
        "bounds",
        title,
        [Grid(Table(columns, rows), all_models(len(rows))), Paragraph(note, "note")],
    )


def _json(found: TwoBounds, _: ReportData) -> dict[str, Any]:
    numbers = {"bounds": found.top1, "top5_bounds": found.top5}
    return {name: to_json(value) for name, value in numbers.items() if value}


SECTION = Section("bounds", gather, show, _json)
