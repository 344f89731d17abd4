"""Accuracies on photos that models could have seen, and on later ones, as Markdown."""

from genset.core.markdown import escape, table
from genset.core.numbers import NONE
from genset.reporting.data.report import ReportData
from genset.reporting.data.training import ByTraining, DateSplit
from genset.reporting.narrative import training as narrative


def training_in_markdown(data: ReportData, found: ByTraining) -> list[str]:
    """Each model on the photos posted until each date, and after it."""
    parts = []
    for split in found.splits:
        parts += [f"#### {escape(split.until)}", escape(" ".join(narrative.sentences(split)))]
        if narrative.is_tabled(split):
            parts += [escape(narrative.shared(split)), _table(split)]
    if narrative.any_tabled(found):
        parts.append(escape(narrative.intervals(data)))
    if said := narrative.undated(found):
        parts.append(escape(said))
    return parts


def _table(split: DateSplit) -> str:
    head = ["Model", "Trained until"]
    for what in ("Earlier less later (points)", "Earlier (%)", "Later (%)", "Beyond (points)"):
        head += [what, "95 % interval"]
    rows = [
        [
            model.label,
            model.trained_until or NONE,
            *(part or NONE for cell in narrative.cells(model) for part in cell),
        ]
        for model in split.models
    ]
    return table(head, rows, words=2)
