"""Left out: models whose answers as a whole cannot be right, each with what to do."""

from collections.abc import Iterator

from markupsafe import Markup

from genset.core.numbers import percent
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.reporting.blocks import Grid, Paragraph, Part
from genset.reporting.provenance import provenance
from genset.reporting.remarks import remarks
from genset.reporting.report import Inputs, ReportData, ScoredModel, Section

ANCHOR = "left-out"


def gather(_: Inputs, __: ReportData) -> None:
    """The models are the report's own."""


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
    yield Part(ANCHOR, "Left out", [Paragraph(text), Grid(table, page=lambda: _models(data))])


def _row(model: ScoredModel, data: ReportData) -> list[object]:
    found = model.top1.accuracy
    reasons = " ".join([*model.flags, *_remarks(model, data)])
    return [model.label, Cell(found.share, percent(found.share, found.photos)), reasons]


def _remarks(model: ScoredModel, data: ReportData) -> list[str]:
    texts = remarks(model, data) if data.taxonomy else []
    return [f"{text.removesuffix('.')}." for text in texts]


def _models(data: ReportData) -> Markup:
    return Markup("\n").join(_model(model, data) for model in data.flagged)


def _model(model: ScoredModel, data: ReportData) -> Markup:
    found = model.top1.accuracy
    odd = [Markup('<p class="odd">{}</p>').format(clean(text, 1000)) for text in model.flags]
    others = [Markup("<p>{}</p>").format(text) for text in _remarks(model, data)]
    return Markup(
        '<details class="profile" open data-words="{}">\n<summary><bdi>{}</bdi> <span '
        'class="numbers">{} %, {:,} of {:,}</span></summary>\n{}\n<details>\n<summary>Provenance'
        "</summary>\n{}\n</details>\n</details>"
    ).format(
        clean(model.label, 200).lower(),
        clean(model.label),
        percent(found.share, found.photos),
        found.correct,
        found.photos,
        Markup("\n").join([*odd, *others]),
        provenance(model.run),
    )


SECTION = Section("left_out", gather, show)
