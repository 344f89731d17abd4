"""The page's figures, each with its caption. matplotlib is loaded where one needs it."""

from markupsafe import Markup

from genset.core.safe import clean
from genset.reporting.data.finetuning import FinetunedTask
from genset.reporting.data.report import ReportData
from genset.reporting.narrative import multilabel as truth_narrative

Figure = tuple[str, Markup]
"""A caption, and the SVG."""

_SLOPES = 20  # models whose ranks are drawn


def figures(data: ReportData) -> dict[str, list[Figure]]:
    """The figures of sections, with their captions."""
    return {
        "ranks": _ranks(data),
        "against": _against(data),
        "learning": [figure for task in data.finetuning for figure in _learning(task)],
    }


def _against(data: ReportData) -> list[Figure]:
    """Accuracy here over accuracy elsewhere, where there are two points or published ones."""
    baseline = data.reference
    if not baseline or len(baseline.models) + len(baseline.known) < 2 or not baseline.models:
        return []
    from genset.reporting.figures.against import against_plot

    real = baseline.set is not None and bool(baseline.set.labels)
    accuracy = {
        model.label: model.real if real and model.real else model.top1.accuracy
        for model in data.models
    }
    sures = [(accuracy[m.label].low, accuracy[m.label].high) for m in baseline.models]
    where = "by ReaL and by the original labels" if real else f"here and on {baseline.name}"
    title = f"Top-1 accuracy {clean(where, 60)}"
    return [(title, against_plot(title, baseline, sures))]


def _ranks(data: ReportData) -> list[Figure]:
    """How the best models' ranks change with each truth beside the original labels."""
    if not data.by_truth or len(data.by_truth.standing.ranks) < 2:
        return []
    from genset.reporting.figures.ranks import rank_plot

    figures = []
    for by in data.by_truth.standing.pairs:
        best = list(data.by_truth.standing.ranks.items())[:_SLOPES]
        ranks = {label: (each["original"], each[by]) for label, each in best}
        names = truth_narrative.NAMES["original"], truth_narrative.NAMES[by].partition(",")[0]
        title = f"Ranks by {names[0]} and by {names[1]}"
        figures.append((title, rank_plot(title, names, ranks)))
    return figures


def _learning(task: FinetunedTask) -> list[Figure]:
    """Each model's curve against the baseline's, where heads were fitted on fewer photos too."""
    drawn = [model for model in task.models if len(model.curve) > 1]
    if not drawn:
        return []
    from genset.reporting.figures.learning import learning_plot

    shown = [point.accuracy for model in drawn for point in model.curve]
    margin = 0.02
    low = max(0.0, min(each.low for each in shown) - margin)
    high = min(1.0, max(each.high for each in shown) + margin)
    baseline = drawn[0].curve if drawn and drawn[0] is task.models[0] else ()
    figures = []
    for model in drawn[1:] if baseline and len(drawn) > 1 else drawn:
        name, other = clean(model.label, 40), clean(task.models[0].label, 40)
        beside = baseline if model is not task.models[0] else ()
        title = f"{clean(task.task, 40)}: {name}{f' against {other}' if beside else ''}"
        figures.append((title, learning_plot(title, model.curve, beside, (low, high))))
    return figures
