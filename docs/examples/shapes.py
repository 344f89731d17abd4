"""By shape: how models do on upright and on wide photos."""

from collections.abc import Iterator

import numpy as np

from genset.core.numbers import percent
from genset.core.table import Cell, Column, Table
from genset.reporting.blocks import Grid, Paragraph, Part
from genset.reporting.format import interval
from genset.reporting.report import Inputs, ReportData, Section
from genset.score.results.runs import Accuracy

Shares = tuple[Accuracy, Accuracy]


def gather(inputs: Inputs, _: ReportData) -> dict[str, Shares]:
    """Each model's accuracy on either shape; nothing of a set that is no release."""
    if not inputs.records:
        return {}
    results = inputs.results
    records = [inputs.records[photo.id] for photo in results.photos.photos]
    upright = np.array([record.height > record.width for record in records])
    found = {}
    for model in results.models:
        right, answered = results.right(model), model.answered
        found[model.label] = (
            Accuracy.of(int(right[upright].sum()), int(answered[upright].sum())),
            Accuracy.of(int(right[~upright].sum()), int(answered[~upright].sum())),
        )
    return found


def show(found: dict[str, Shares], _: ReportData) -> Iterator[Part]:
    """A row for each model."""
    if found:
        columns = [Column("model", "Model"), Column("upright", "Upright", "%")]
        columns.append(Column("wide", "Wide", "%"))
        rows = [[label, *map(_cell, shares)] for label, shares in found.items()]
        note = Paragraph("Intervals are Wilson’s, 95 %.", "note")
        yield Part("shapes", "By shape", [Grid(Table(columns, rows)), note])


def _cell(found: Accuracy) -> Cell | None:
    if not found.photos:
        return None
    return Cell(found.share, percent(found.share, found.photos), interval(found))


SECTION = Section("by_shape", gather, show)
