"""Left out: models whose answers as a whole cannot be right, each with what to do."""

from collections.abc import Iterator

from genset.core.numbers import percent
from genset.core.table import Cell, Column, Table
from genset.reporting.blocks import Grid, Paragraph, Part
from genset.reporting.format import remarks
from genset.reporting.report import ReportData, ScoredModel, Section, no_numbers

ANCHOR = "left-out"


def show(_: None, data: ReportData) -> Iterator[Part]:
    """Each model with the reasons."""
    if not data.flagged:
        return
    these, it = ("this model", "it") if len(data.flagged) == 1 else ("these models", "them")
    text = (
        f"The answers of {these} cannot be right as a whole, so that no rank, fit or comparison on "
        f"this page counts {it}. To count {it} all the same: --include-flagged."
    )
    table = Table(
        [Column("model", "Model"), Column("top1", "Top-1", "%"), Column("why", "Why")],
        [_row(model, data) for model in data.flagged],
    )
    yield Part(ANCHOR, "Left out", [Paragraph(text), Grid(table)])


def _row(model: ScoredModel, data: ReportData) -> list[object]:
    found = model.top1.accuracy
    further = remarks(model, data) if data.taxonomy else []
    reasons = " ".join([*model.flags, *(f"{text.removesuffix('.')}." for text in further)])
    return [model.label, Cell(found.share, percent(found.share, found.photos)), reasons]


SECTION = Section("left_out", no_numbers, show)
