"""Models: the table that people sort, a row a model, with its intervals drawn."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from genset.comparison.unseen import Unseen, unseen
from genset.core.numbers import count, percent, points
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table, interval_column, shown
from genset.reporting.blocks import Block, Commands, Grid, Html, Paragraph, Part, sentences
from genset.reporting.format import answered, interval, remarks, share
from genset.reporting.html import NOTHING, breakable
from genset.reporting.names import LINE, run_anchor, short_names
from genset.reporting.report import Inputs, ReportData, ScoredModel, Section, TopK
from genset.reporting.sections import baseline, multilabel
from genset.reporting.sections.again import commands
from genset.score.results.runs import Accuracy

_MANY = 25  # models of which rows are set in smaller type in print


@dataclass(frozen=True, slots=True)
class SortedCell(Cell):
    """A cell that its column is not sorted by its value, but by `key`; None sorts last."""

    key: float | None = None


def gather(inputs: Inputs, data: ReportData) -> dict[str, Unseen]:
    """What each model cannot have seen; nothing of a set that does not say when it was posted."""
    found = unseen(inputs.results.photos, [model.run for model in data.models])
    return {m.label: one for m, one in zip(data.models, found, strict=True) if inputs.records}


def show(_: dict[str, Unseen], data: ReportData) -> Iterator[Part]:
    """The table, what must stand beside every number in it, and how to read it."""
    blocks: list[Block] = []
    if data.models:
        shared = _shared_remarks(data)
        table = models_table(data)
        blocks.append(Grid(table, page=lambda: _board(table, data)))
        texts = [f"All models: {remark.removesuffix('.')}." for remark in shared]
        blocks += sentences(texts, "note")
        blocks += [Paragraph(_meaning(data), "note"), Html(lambda: _ON_THE_PAGE)]
    else:
        blocks += [Paragraph("To score one, and make this report again:"), Commands(commands(data))]
    if data.other_runs:
        runs = count(data.other_runs, "run")
        text = f"Left out: {runs} on other photos under the same name."
        blocks.append(Paragraph(text, "note"))
    yield Part("leaderboard", "Models", blocks)


# The table


def models_table(data: ReportData) -> Table:
    """Each model's numbers, the best top-1 first. A column without a value is left out."""
    models, seen = data.models, data.of(SECTION)
    has_unclear = (by_truth := data.of(multilabel.SECTION)) and by_truth.truth.with_unclear > 0
    above = {}
    if reference := data.of(baseline.SECTION):
        above = {row.label: row.above for row in reference.models}
    ks = sorted({top.k for model in models for top in model.tops} - {1})
    of_all = f"of {len(data.ranked):,}"
    columns: list[tuple[Column, Callable[[ScoredModel], object]]] = [
        (Column("rank", "Rank", of_all, ends=("best", "worst")), _ranks(models)),
        (Column("model", "Model"), _names(data)),
        (_accuracy("top1", "Top-1"), lambda model: _share(model.top1.accuracy)),
        (interval_column("interval", "Interval", "95 %"), _interval),
        *((_accuracy(f"top{k}", f"Top-{k}"), _top(k)) for k in ks),
        (_accuracy("real", "All labels", "ReaL, %"), lambda model: share(model.real)),
        (
            _accuracy("multilabel", "With unclear", "multi-label, %"),
            lambda model: _unclear(model) if has_unclear else None,
        ),
        (
            Column("robustness", "Robustness", "points above the line", format=points),
            lambda model: above.get(model.label),
        ),
        (
            Column("calibration_error", "Calibration error", "points", format=_in_points),
            lambda model: model.calibration.error if model.calibration else None,
        ),
        (Column("nll", "NLL", "nats", format="{:.3f}".format), lambda model: model.run.nll),
        (Column("correct", "Correct", "photos"), _correct),
        (Column("parameters", "Parameters", "million"), _cost("parameters", 1e6)),
        (Column("flops", "FLOPs", "billion, 2 a multiply-add"), _cost("flops", 1e9)),
        (Column("image_size", "Image", "pixels"), _cost("image_size", 1)),
        (
            Column("unseen", "Unseen", "posted after its training"),
            lambda model: seen[model.label].cell if seen else None,
        ),
        (Column("engine", "Engine"), lambda model: clean(model.run.engine) or None),
    ]
    cells = [[of(model) for model in models] for _, of in columns]
    full = [n for n, found in enumerate(cells) if not models or any(c is not None for c in found)]
    rows = list(zip(*(cells[n] for n in full), strict=True))
    return Table([columns[n][0] for n in full], rows)


def _cost(name: str, unit: float) -> Callable[[ScoredModel], Cell | None]:
    def cell(model: ScoredModel) -> Cell | None:
        number = model.run.cost.get(name)
        return None if number is None else Cell(number, f"{number / unit:.4g}")

    return cell


def _in_points(share: float) -> str:
    return f"{100 * share:.1f}"


def _accuracy(name: str, title: str, unit: str = "%") -> Column:
    return Column(name, title, unit, align="right")


def _ranks(models: Sequence[ScoredModel]) -> Callable[[ScoredModel], object]:
    """The ranks that a model can have, sorted by the best of them, then by the worst, by top-1."""
    ranked = [model for model in models if model.rank]
    ranked.sort(key=lambda model: (model.rank.best, model.rank.worst) if model.rank else ())
    places = {model.label: place for place, model in enumerate(ranked, 1)}

    def cell(model: ScoredModel) -> SortedCell | None:
        if not (rank := model.rank):
            return None
        text = f"{rank.best}" if rank.best == rank.worst else f"{rank.best} to {rank.worst}"
        return SortedCell([rank.best, rank.worst], text, key=places[model.label])

    return cell


def _names(data: ReportData) -> Callable[[ScoredModel], Cell]:
    """A model's name, with what must stand beside its numbers and not beside everybody's."""
    shared = _shared_remarks(data)

    def cell(model: ScoredModel) -> Cell:
        texts = [text for text in _remarks(model, data) if text not in shared]
        note = "; ".join(text.removesuffix(".") for text in texts)
        return Cell(model.label, clean(model.label), note)

    return cell


def _remarks(model: ScoredModel, data: ReportData) -> list[str]:
    return [*answered(model, data), *remarks(model, data)]


def _shared_remarks(data: ReportData) -> list[str]:
    """What must stand beside every model's numbers, if there are several models."""
    if len(data.models) < 2:
        return []
    first, *others = (_remarks(model, data) for model in data.models)
    return [text for text in first if all(text in texts for texts in others)]


def _share(found: Accuracy) -> Cell | None:
    return Cell(found.share, percent(found.share, found.photos)) if found.photos else None


def _top(k: int) -> Callable[[ScoredModel], Cell | None]:
    """Top-k accuracy, with its interval where there is room for it."""

    def cell(model: ScoredModel) -> Cell | None:
        top = next((top for top in model.tops if top.k == k), None)
        return share(top.accuracy) if top else None

    return cell


def _unclear(model: ScoredModel) -> Cell | None:
    """Unclear classes counted right."""
    return share(model.multilabel.multilabel) if model.multilabel else None


def _interval(model: ScoredModel) -> SortedCell:
    found = model.top1.accuracy
    return SortedCell([found.low, found.high], interval(found), key=found.low)


def _correct(model: ScoredModel) -> Cell:
    found = model.top1.accuracy
    return Cell(found.correct, f"{found.correct:,} of {found.photos:,}")


# The drawn intervals: by hand and not by matplotlib, since seventy rows are a few kilobytes.
# Places are per cent of the drawing's width, so it is as wide as its cell.

_MARGIN = 0.03  # of the scale, on either side
_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_TICKS = 5


@dataclass(frozen=True, slots=True)
class Scale:
    """The part of 0 to 1 that a column of drawings shows, and where its axis is marked."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def place(self, share: float) -> str:
        """Where a share is, in per cent of the width."""
        return f"{100 * (share - self.low) / (self.high - self.low):.2f}%"


def scale_of(tops: Sequence[TopK]) -> Scale:
    """The scale on which all of these are drawn.

    It runs where the intervals lie, not from 0 to 100 %: positions are compared, and lengths mean
    how sure a share is.
    """
    low = min((top.accuracy.low for top in tops), default=0.0)
    high = max((top.accuracy.high for top in tops), default=1.0)
    margin = max(_MARGIN * (high - low), 0.001)
    low, high = max(0.0, low - margin), min(1.0, high + margin)
    step = next((s for s in _STEPS if (high - low) / s <= _MOST_TICKS), _STEPS[-1])
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return Scale(low, high, tuple(number * step for number in range(first, last + 1)))


def axis(scale: Scale) -> Markup:
    """The axis that stands over the column: its marks in per cent."""
    marks = "".join(
        f'<text x="{scale.place(tick)}" y="11" text-anchor="middle">{100 * tick:.3g}</text>'
        for tick in scale.ticks
    )
    # Markup of numbers alone.
    return Markup(f'<svg class="axis" height="14" aria-hidden="true">{marks}</svg>')  # noqa: S704


def drawing(scale: Scale, top: TopK, name: str, says: str) -> Markup:
    """One row: a dot, and its interval as a line.

    Args:
        scale: of the column.
        top: what is drawn.
        name, says: what the page says of it to a pointer; the row has the same in numbers.
    """
    places = map(scale.place, scale.ticks)
    grid = "".join(f'<line x1="{x}" x2="{x}" y1="0" y2="100%"/>' for x in places)
    low, high = scale.place(top.accuracy.low), scale.place(top.accuracy.high)
    body = (
        f'<g class="grid">{grid}</g>'
        f'<line class="thick" x1="{low}" x2="{high}" y1="50%" y2="50%"/>'
        f'<circle cx="{scale.place(top.accuracy.share)}" cy="50%" r="4"/>'
    )
    start = Markup(
        '<svg class="drawn" height="16" aria-hidden="true" data-name="{}" data-says="{}">'
    )
    return start.format(name, says) + Markup(body) + Markup("</svg>")  # noqa: S704


# On the page

# What stands before each number where the screen is too narrow for columns.
_SHORT = {
    "rank": "Rank",
    "interval": "95 %",
    "robustness": "robustness",
    "calibration_error": "calibration",
    "correct": "",
    "engine": "by",
}
_TEXTS = ("model", "engine")  # columns sorted as words
_DRAWN = 3  # the drawing stands before this column

_TOOLS = Markup(
    '<div class="tools" hidden>\n<label>Find models <input type="search" autocomplete="off" '
    'spellcheck="false"></label>\n<output></output>\n'
    '<span class="hidden" role="status" data-says-of="board"></span>\n</div>'
)


_ON_THE_PAGE = Markup(
    '<p class="note">The scale need not start at 0. A model’s name leads to all that is known of '
    "it.</p>"
)


def _board(table: Table, data: ReportData) -> Markup:
    """The table with the tools that sort and filter it, and each model's intervals drawn."""
    scale = scale_of([model.top1 for model in data.models])
    drawn = Markup(
        '<th role="columnheader" scope="col" class="scale"><span class="hidden">Top-1 and its '
        "interval, drawn</span>{}</th>"
    ).format(axis(scale))
    heads = list(map(_head, table.columns))
    heads.insert(_DRAWN, drawn)
    names = short_names([model.label for model in data.models], LINE)
    shared = _shared_remarks(data)
    remarks_of = {
        model.label: [text for text in _remarks(model, data) if text not in shared]
        for model in data.models
    }
    rows = Markup("\n").join(
        _row(table, number, _name(model, names[model.label], remarks_of[model.label]), scale, model)
        for number, model in enumerate(data.models)
    )
    return Markup(
        '{}\n<div class="wide board">\n<table id="board" role="table" data-sortable class="{}">\n'
        '<caption class="hidden">Models by top-1 accuracy. With scripts, the heads of the columns '
        'sort it.</caption>\n<thead role="rowgroup">\n<tr role="row">\n{}\n</tr>\n</thead>\n'
        '<tbody role="rowgroup">\n{}\n</tbody>\n</table>\n</div>'
    ).format(_TOOLS, "many" * (len(data.models) > _MANY), Markup("\n").join(heads), rows)


def _head(column: Column) -> Markup:
    first = "up" if column.name in (*_TEXTS, "rank") else "down"
    by = "text" if column.name in _TEXTS else "number"
    is_sorted = Markup(' aria-sort="descending"') if column.name == "top1" else NOTHING
    short = Markup(' class="short"') if len(column.title) < 8 else NOTHING
    unit = Markup(" <small>{}</small>").format(column.unit) if column.unit else NOTHING
    return Markup(
        '<th role="columnheader" scope="col" data-sort="{} {}"{}><span{}>{}</span>{}</th>'
    ).format(by, first, is_sorted, short, column.title, unit)


def _row(table: Table, number: int, name: Markup, scale: Scale, model: ScoredModel) -> Markup:
    cells = [
        name if column.name == "model" else _number(column, value)
        for column, value in zip(table.columns, table.rows[number], strict=True)
    ]
    drawn = Markup('<td role="cell" class="drawing">{}</td>').format(_drawn(model, scale))
    cells.insert(_DRAWN, drawn)
    words = clean(f"{model.label} {model.run.engine}", 200)
    return Markup('<tr role="row" data-words="{}">\n{}\n</tr>').format(
        words, Markup("\n").join(cells)
    )


def _number(column: Column, value: object) -> Markup:
    """A cell, and what its column is sorted by."""
    text, _ = shown(column, value)
    key = value.key if isinstance(value, SortedCell) else value
    key = key.value if isinstance(key, Cell) else key
    css = " rank" if column.name == "rank" else ""
    return Markup('<td role="cell" class="numbers{}" data-head="{}" data-key="{}">{}</td>').format(
        css, _SHORT.get(column.name, column.title), "" if key is None else key, text
    )


def _name(model: ScoredModel, name: str, texts: Sequence[str]) -> Markup:
    """A model's name, which leads to its own part of the page, with what stands beside it."""
    whole = clean(model.label, 1000)
    title = Markup(' title="{}"').format(whole) if name != whole else NOTHING
    small = NOTHING
    for text in texts:
        odd = Markup(' class="odd"') if text in model.run.notes else NOTHING
        small += Markup("<small{}>{}</small>").format(odd, text.removesuffix("."))
    return Markup(
        '<th role="rowheader" scope="row"><a href="#{}"{}><bdi>{}</bdi></a>{}</th>'
    ).format(run_anchor(model.run.key), title, breakable(name), small)


def _drawn(model: ScoredModel, scale: Scale) -> Markup:
    top = model.top1
    photos = top.accuracy.photos
    says = f"{percent(top.accuracy.share, photos)} % ({interval(top.accuracy)} %)"
    return drawing(scale, top, clean(model.label, 60), says)


# How to read it


def _meaning(data: ReportData) -> str:
    texts = [_intervals(data.fixed)]
    if any(model.real for model in data.models):
        texts.append(
            "“All labels” counts a first answer that is among all classes that a photo shows."
        )
    if any(model.calibration for model in data.models):
        texts.append(
            "The calibration error is the mean distance between how sure a model is and how often "
            "it is right; few photos make it too large."
        )
    return " ".join(texts)


def _intervals(fixed: bool) -> str:
    """Of what the photos are a sample, and when two models can be told apart."""
    sampled = (
        "Classes are fixed: intervals say how the model would do on other photos of these classes."
        if fixed
        else "Classes are a sample: intervals say how the model would do on other classes, found "
        "in the same way. Photos of a class are alike, so they count less than independent ones."
    )
    return (
        f"{sampled} A rank is a range: below all models that are surely better, above all that are "
        "surely worse. That is sure where McNemar’s exact test on the photos that these are worth, "
        "adjusted by Holm for all pairs, is below 0.05: the two can be told apart."
    )


SECTION = Section("board", gather, show)
