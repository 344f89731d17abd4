"""Ranks of models by one truth and by another, joined by a line for each model."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup
from matplotlib.figure import Figure

from genset.comparison.pairs import Rank
from genset.reporting.figures.svg import ACCENT, INK, LINE, MUTED, as_svg
from genset.reporting.names import short_names

_WIDTH, _ROW, _HEAD = 5.0, 0.34, 0.5  # inches
_LEFT, _RIGHT = 0.40, 0.60  # where the lines begin and end


def rank_plot(title: str, names: tuple[str, str], ranks: Mapping[str, tuple[Rank, Rank]]) -> Markup:
    """A slope for each model, from its rank by the first truth to that by the second.

    Those that change are drawn in the accent's colour. Models of one rank stand below each other.

    Args:
        title: of the figure.
        names: of the two truths.
        ranks: by each, by model.
    """
    labels = list(ranks)
    said_of = short_names(labels, 24)
    sides = [_rows(labels, [ranks[label][side].place for label in labels]) for side in (0, 1)]
    height = _ROW * len(labels) + _HEAD
    figure = Figure(figsize=(_WIDTH, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(len(labels) + 0.5, 0.5 - _HEAD / _ROW)
    for x, name, side in ((_LEFT, names[0], "right"), (_RIGHT, names[1], "left")):
        axes.text(x, 0, name, horizontalalignment=side, fontsize=10, color=MUTED)
    for label in labels:
        first, second = ranks[label]
        ends = [sides[0][label], sides[1][label]]
        moved = first.place != second.place
        axes.plot(
            [_LEFT + 0.02, _RIGHT - 0.02],
            ends,
            "o-",
            color=ACCENT if moved else LINE,
            linewidth=2,
            markersize=5,
        )
        for x, side, y, rank in (
            (_LEFT, "right", ends[0], first),
            (_RIGHT, "left", ends[1], second),
        ):
            said = said_of[label]
            axes.text(
                x,
                y,
                f"{said}  {rank.place}" if side == "right" else f"{rank.place}  {said}",
                horizontalalignment=side,
                verticalalignment="center",
                fontsize=11,
                color=INK,
                parse_math=False,  # a model may be called "$x$"
            )
    return as_svg(figure, title)


def _rows(labels: Sequence[str], places: Sequence[int]) -> dict[str, int]:
    """The row of each model, the best rank first."""
    order = sorted(range(len(labels)), key=lambda number: places[number])
    return {labels[number]: row for row, number in enumerate(order, 1)}
