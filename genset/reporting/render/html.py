"""The report as one HTML file that needs nothing beside it: no network, no font, no script."""

from pathlib import Path
from typing import Any

from genset.errors import MissingExtra
from genset.evaluation.results.remarks import remarks
from genset.files import write_text
from genset.reporting.data.finetuning import FinetunedTask
from genset.reporting.data.report import ReportData
from genset.reporting.format import class_name, interval, probability, settings
from genset.reporting.gather.finetuning import confused, extremes
from genset.reporting.gather.sources import MOST_COMPARED
from genset.reporting.narrative import baseline as baseline_narrative
from genset.reporting.narrative import finetuning as finetuning_narrative
from genset.reporting.narrative import missed as missed_narrative
from genset.reporting.narrative import models as narrative
from genset.reporting.narrative import multilabel as truth_narrative
from genset.reporting.narrative import sources as sources_narrative
from genset.reporting.narrative import training as training_narrative
from genset.reporting.narrative import tta as tta_narrative
from genset.reporting.render.thumbnails import thumbnail
from genset.taxonomy import imagenet1k
from genset.text import numbers
from genset.text.links import web_link
from genset.text.safe import clean

_MATRIX = 10  # models whose every pair fits on a page
_SLOPES = 20  # models whose ranks are drawn
_ROWS = 12
_ANSWERS = 6  # models whose answers stand below each photo


def write_html(data: ReportData, path: Path) -> None:
    """Write the report to `path`, whole. The same data give the same bytes.

    Raises:
        MissingExtra: Jinja or matplotlib is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined

        figures = _figures(data)
    except ModuleNotFoundError:
        raise MissingExtra("the report", "evaluate") from None
    # Titles, owners and addresses are strangers' words: the page escapes all that it prints.
    environment = Environment(
        loader=PackageLoader("genset.reporting.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clean"] = clean
    page = environment.get_template("report.html.j2").render(
        data=data,
        numbers=numbers,
        interval=interval,
        probability=probability,
        settings=settings,
        web_link=web_link,
        narrative=narrative,
        baseline_narrative=baseline_narrative,
        truth_narrative=truth_narrative,
        sources_narrative=sources_narrative,
        training_narrative=training_narrative,
        remarks=remarks,
        tta_narrative=tta_narrative,
        finetuning_narrative=finetuning_narrative,
        missed_narrative=missed_narrative,
        extremes=extremes,
        confused=confused,
        thumbnail=thumbnail,
        class_name=class_name,
        all_classes=len(imagenet1k()),
        figures=figures,
        matrix=_matrix(data),
        most_rows=_ROWS,
        most_sources=MOST_COMPARED,
        most_answers=_ANSWERS,
    )
    # A file's name may hold bytes that are no text, and a page is text.
    write_text(path, page.encode(errors="replace").decode())


def _figures(data: ReportData) -> dict[str, list[Any]]:
    """The figures of each section, with their captions."""
    from genset.reporting.figures.accuracies import interval_plot
    from genset.reporting.figures.reliability import reliability_plot

    tops: list[Any] = []
    for k in (1, 5):
        rows = [(m.label, top) for m in data.models for top in m.tops if top.k == k]
        if rows:
            caption = f"Top-{k} accuracy and its 95 % intervals"
            tops.append((caption, interval_plot(caption, rows)))
    against = _against(data)
    calibrated = [(m.label, m.calibration) for m in data.models if m.calibration]
    reliability = [
        (label, reliability_plot(f"How sure {clean(label)} is, and how right", found))
        for label, found in calibrated[:_MATRIX]
    ]
    ranks = _ranks(data)
    learning = [figure for task in data.finetuning for figure in _learning(task)]
    return {
        "tops": tops,
        "ranks": ranks,
        "against": against,
        "reliability": reliability,
        "learning": learning,
    }


def _against(data: ReportData) -> list[Any]:
    """Accuracy here over accuracy elsewhere, where there are two points or published ones."""
    from genset.reporting.figures.against import against_plot

    baseline = data.reference
    if not baseline or len(baseline.models) + len(baseline.known) < 2 or not baseline.models:
        return []
    real = baseline.set is not None and bool(baseline.set.labels)
    accuracy = {
        model.label: model.real if real and model.real else model.top1.accuracy
        for model in data.models
    }
    sures = [(accuracy[m.label].low, accuracy[m.label].high) for m in baseline.models]
    where = "by ReaL and by the original labels" if real else f"here and on {baseline.name}"
    title = f"Top-1 accuracy {clean(where, 60)}"
    return [(title, against_plot(title, baseline, sures))]


def _ranks(data: ReportData) -> list[Any]:
    """How the best models' ranks change with each truth beside the original labels."""
    from genset.reporting.figures.ranks import rank_plot

    if not data.by_truth or len(data.models) < 2:
        return []
    figures = []
    for by in data.by_truth.standing.pairs:
        best = list(data.by_truth.standing.ranks.items())[:_SLOPES]
        ranks = {label: (each["original"], each[by]) for label, each in best}
        names = truth_narrative.NAMES["original"], truth_narrative.NAMES[by].partition(",")[0]
        title = f"Ranks by {names[0]} and by {names[1]}"
        figures.append((title, rank_plot(title, names, ranks)))
    return figures


def _learning(task: FinetunedTask) -> list[Any]:
    """Each model's curve against the baseline's, where heads were fitted on fewer photos too."""
    from genset.reporting.figures.learning import learning_plot

    drawn = [model for model in task.models if len(model.curve) > 1]
    shown = [point.accuracy for model in drawn for point in model.curve]
    margin = 0.02
    low = max(0.0, min((each.low for each in shown), default=0.0) - margin)
    high = min(1.0, max((each.high for each in shown), default=1.0) + margin)
    baseline = drawn[0].curve if drawn and drawn[0] is task.models[0] else ()
    figures = []
    for model in drawn[1:] if baseline and len(drawn) > 1 else drawn:
        name, other = clean(model.label, 40), clean(task.models[0].label, 40)
        beside = baseline if model is not task.models[0] else ()
        title = f"{clean(task.task, 40)}: {name}{f' against {other}' if beside else ''}"
        figures.append((title, learning_plot(title, model.curve, beside, (low, high))))
    return figures


def _matrix(data: ReportData) -> list[tuple[str, list[Any]]]:
    """For each of the best models, its pair with each of them; None on the diagonal."""
    labels = [model.label for model in data.models[:_MATRIX]]
    pairs = {(pair.first, pair.second): pair for pair in data.pairs}
    return [
        (row, [pairs.get((row, column)) or pairs.get((column, row)) for column in labels])
        for row in labels
    ]
