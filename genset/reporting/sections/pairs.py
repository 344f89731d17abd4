"""Between models: every two of the best, and each model beside the next."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from markupsafe import Markup

from genset.comparison.pairs import Pair
from genset.core.numbers import count, percent
from genset.core.safe import clean
from genset.reporting.blocks import Block, Figures, Grid, Paragraph, Part, sentences
from genset.reporting.figures.plot import el, of_model
from genset.reporting.names import LINE, short_names
from genset.reporting.report import ReportData, Section, no_numbers
from genset.reporting.verdict import difference, pairs_table, unlike_choices

_ALL_PAIRS = 6  # of so many models every pair is listed, 15 of them
_SQUARE = 24  # models whose every pair is drawn
_HEAD = 24  # letters of a model's name in the figure
_SIDE = 22  # pixels of a square


def show(_: None, data: ReportData) -> Iterator[Part]:
    """A figure of the best models, then the pairs with their tests."""
    if not data.pairs:
        return
    blocks: list[Block] = []
    if len(data.models) > 2:
        best = f", of the {_SQUARE} best" if len(data.models) > _SQUARE else ""
        title = f"Where models disagree: the darker, the more photos{best}; a dot: told apart"
        blocks.append(Figures(lambda: [(title, disagreement_plot(data))], "big"))
    fold = "Each model with the next one" if len(data.models) > _ALL_PAIRS else ""
    names = short_names([model.label for model in data.models], LINE)
    blocks += sentences(unlike_choices({model.label: model.run.classes for model in data.models}))
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


def disagreement_plot(data: ReportData) -> Markup:
    """A square for each two of the best models, the darker the more often one alone is right.

    A model's name stands where its row ends and its column begins.
    """
    labels = [model.label for model in data.models[:_SQUARE]]
    names = short_names(labels, _HEAD)
    of = {frozenset((pair.first, pair.second)): pair for pair in data.pairs}
    most = max(map(_alone, of.values())) or 1.0
    drawn = []
    for row, label in enumerate(labels):
        for column, other in enumerate(labels[:row]):
            if pair := of.get(frozenset((label, other))):
                drawn.append(_square(pair, column * _SIDE, row * _SIDE, _alone(pair) / most))
        at = {"x": row * _SIDE + 6, "y": row * _SIDE + 15}
        drawn.append(el("text", names[label], fill="var(--ink)", **at))
    width, height = _SIDE * (len(labels) + 8), _SIDE * len(labels)
    box = f"0 0 {width} {height}"
    about = {"role": "group", "aria_label": "How often two models disagree"}
    style = f"max-width: {1.4 * width:g}px"
    return el("svg", *drawn, viewBox=box, font_size=11, style=style, **about)


def _square(pair: Pair, x: int, y: int, part: float) -> Markup:
    """Two models, with a dot where they can be told apart."""
    says = f"{difference(pair)} points; one alone is right on {percent(_alone(pair), 100)} %"
    size = {"width": _SIDE - 1, "height": _SIDE - 1, "fill": "var(--accent)"}
    square = el("rect", x=x, y=y, fill_opacity=round(0.06 + 0.64 * part, 2), **size)
    if pair.apart:
        square += el("circle", cx=x + _SIDE / 2, cy=y + _SIDE / 2, r=2.5, fill="var(--ink)")
        says += "; told apart"
    return of_model(f"{clean(pair.first, 28)} − {clean(pair.second, 28)}", says, square)


def _alone(pair: Pair) -> float:
    return (pair.only_first + pair.only_second) / pair.photos


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
