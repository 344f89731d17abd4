"""Between models: every two of the best, and each model beside the next."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from markupsafe import Markup

from genset.comparison.pairs import Pair
from genset.core.numbers import count, digits, points
from genset.core.table import Cell, Column, Table
from genset.reporting.blocks import Block, Grid, Html, Paragraph, Part
from genset.reporting.html import grid
from genset.reporting.names import LINE, short_names
from genset.reporting.report import ReportData, Section, no_numbers
from genset.reporting.verdict import pairs_table

_ALL_PAIRS = 6  # of so many models every pair is listed, 15 of them
_MATRIX = 10  # models whose every pair fits on a page
_TALL = 5  # of more models, the names over columns stand upright
_HEAD = 24  # letters of a model's name over a column


def show(_: None, data: ReportData) -> Iterator[Part]:
    """A matrix of the best models, then the pairs with their tests."""
    if not data.pairs:
        return
    blocks: list[Block] = []
    if len(data.models) > 2:
        blocks.append(Html(lambda: _matrix(data)))
    fold = "Each model with the next one" if len(data.models) > _ALL_PAIRS else ""
    names = short_names([model.label for model in data.models], LINE)
    blocks += [
        Grid(pairs_table(_shown_pairs(data), names), fold),
        Paragraph(_meaning(len(data.pairs)), "note"),
    ]
    yield Part("pairs", "Between models", blocks)


def _shown_pairs(data: ReportData) -> Sequence[Pair]:
    """All pairs of few models, of many each model with the next."""
    if len(data.models) <= _ALL_PAIRS:
        return data.pairs
    neighbours = set(pairwise(model.label for model in data.models))
    return [pair for pair in data.pairs if (pair.first, pair.second) in neighbours]


def _matrix(data: ReportData) -> Markup:
    """Each of the best models less each of them."""
    labels = [model.label for model in data.models[:_MATRIX]]
    names = short_names(labels, _HEAD)
    pairs = {(pair.first, pair.second): pair for pair in data.pairs}
    best = ""
    if len(data.models) > len(labels):
        best = f" The {len(labels)} best of {len(data.models)} models; all pairs are in the JSON."
    heads = [Column(label, names[label], align="right") for label in labels]
    rows = [
        [
            names[row],
            *(_cell(pairs.get((row, other)) or pairs.get((other, row)), row) for other in labels),
        ]
        for row in labels
    ]
    about = Markup(
        "<p>Each row’s top-1 accuracy less each column’s, in points, on the photos that both "
        "answered. <strong>Bold on blue</strong>: the two can be told apart.{}</p>"
    ).format(best)
    return about + grid(
        Table([Column("model", "Model"), *heads], rows), "matrix" + " tall" * (len(labels) > _TALL)
    )


def _cell(pair: Pair | None, row: str) -> Cell:
    if pair is None:
        return Cell(None, "·")
    value = pair.difference if pair.first == row else -pair.difference
    text = points(value, digits(pair.photos))
    return Cell(value, text, html=f"<strong>{text}</strong>" if pair.apart else "")


def _meaning(pairs: int) -> str:
    return (
        "Intervals are Tango’s. McNemar’s test is on the photos that only one model has right. "
        "Both take photos for as many independent ones as they are worth. Holm’s "
        f"method adjusts the test for {count(pairs, 'pair')}. Detectable: the smallest "
        "difference that the adjusted test finds with 80 % power between models that disagree as "
        "often as these two, "
        "or, where that is on too few photos, in the best case."
    )


SECTION = Section("between", no_numbers, show)
