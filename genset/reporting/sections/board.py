"""Models: a figure of their order, and the table that people sort."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import ceil
from operator import attrgetter
from typing import NamedTuple

from markupsafe import Markup

from genset.comparison.unseen import Unseen, unseen
from genset.core.numbers import count, percent, points
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table, interval_column
from genset.reporting.baseline import Against
from genset.reporting.blocks import Block, Commands, Figures, Grid, Html, Paragraph, Part, sentences
from genset.reporting.figures.plot import Axis, el, families, legend, of_model, share_axis
from genset.reporting.format import answered, classes_of, interval, remarks, share
from genset.reporting.html import breakable, grid
from genset.reporting.names import LINE, run_anchor, short_names
from genset.reporting.report import Inputs, ReportData, ScoredModel, Section
from genset.reporting.sections import baseline, multilabel
from genset.reporting.sections.again import commands
from genset.score.results.runs import Accuracy

_HASH = len("sha256:") + 12  # letters of a set's hash that name it
_COUNTS = ("correct", "photos")
_NOT_IN_PAPERS = {
    *("calibration_error", "nll", *_COUNTS, "parameters", "flops", "image_size"),
    *("photos_per_second", "unseen", "engine"),
}
_PAPER_UNITS = {"real": "%", "multilabel": "%", "robustness": "points"}
_MANY = 25  # models of which rows are set in smaller type in print


def gather(inputs: Inputs, data: ReportData) -> dict[str, Unseen]:
    """What each model cannot have seen; nothing of a set that does not say when it was posted."""
    found = unseen(inputs.results.photos, [model.run for model in data.models])
    return {m.label: one for m, one in zip(data.models, found, strict=True) if inputs.records}


def show(_: dict[str, Unseen], data: ReportData) -> Iterator[Part]:
    """The table, what must stand beside every number in it, and how to read it."""
    about = data.set.release
    blocks: list[Block] = [*sentences(about.doubts if about else [], "odd")]
    blocks += sentences([f"{words}." for words in data.copies], "odd")
    if data.models:
        shared = _shared_remarks(data)
        if len(data.ranked) > 1:
            blocks.append(Figures(lambda: [("", ranking_plot(_ranked(data)))], "big"))
        table = models_table(data)
        blocks += [Html(lambda: _TOOLS), Grid(table, page=lambda: _board(table, data))]
        texts = [f"All models: {remark.removesuffix('.')}." for remark in shared]
        blocks += [*sentences(texts), Paragraph(_meaning(data), "note")]
    else:
        blocks += [Paragraph("To score one, and make this report again:"), Commands(commands(data))]
    if data.other_runs:
        runs = count(data.other_runs, "run")
        text = f"Left out: {runs} on other photos under the same name."
        blocks.append(Paragraph(text))
    yield Part("leaderboard", "Models", blocks)


_TOOLS = Markup(
    '<div class="tools" hidden>\n<label>Find models <input type="search" autocomplete="off" '
    'spellcheck="false"></label>\n<output></output>\n<span class="hidden" role="status"></span>'
    "\n</div>"
)


def _board(table: Table, data: ReportData) -> Markup:
    """The names first, and each model in one line."""
    css = " many" * (len(data.models) > _MANY)
    order = [n for n, column in enumerate(table.columns) if column.name not in _COUNTS]
    order[:2] = 1, 0
    rows = [[row[1], *(_plain(row[n]) for n in order[1:])] for row in table.rows]
    form = Markup('<div id="board" class="board{}">{}</div>')
    return form.format(css, grid(Table([table.columns[n] for n in order], rows), "list"))


def paper_table(data: ReportData) -> Table:
    """The table of models as wide as an article's text; CSV and Markdown have all columns.

    What must stand beside a model's numbers stands below.
    """
    table = models_table(data)
    places = [n for n, column in enumerate(table.columns) if column.name not in _NOT_IN_PAPERS]
    # Of an article's 345 points: a letter has 4 and a column of numbers 30, with what is around it.
    names = short_names([model.label for model in data.models], max(9, 65 - 7 * len(places)))
    rows, notes, shared = [], [], _shared_remarks(data)
    for row, model in zip(table.rows, data.models, strict=True):
        cells = {table.columns[n].name: _plain(row[n]) for n in places}
        rows.append([*(cells | {"model": names[model.label]}).values()])
        notes += [f"{names[model.label]}: {text}" for text in _remarks_apart(model, data, shared)]
    units = [_PAPER_UNITS.get(table.columns[n].name, table.columns[n].unit) for n in places]
    columns = [replace(table.columns[n], unit=unit) for n, unit in zip(places, units, strict=True)]
    return Table(columns, rows, caption(data), notes)


def _plain(cell: object) -> object:
    return replace(cell, note="") if isinstance(cell, Cell) else cell


# The figure: places across are per cent of the width, so that letters are as large on a telephone
# as on a wall.

_TOP, _PLOT = 22, 230  # pixels: above the frame, and its height
_LEFT, _RIGHT = 6.0, 98.5  # per cent of the width, where the first and the last model are
_LETTERS, _LETTER, _STEEP = 24, 6.2, 0.87  # of a name that hangs at 60 degrees
_MOST_NAMES = 80  # below the axis; of more models every second or third has its name there
_ON_PHONES = 20  # names there
_LEVEL = 56  # letters that a phone has side by side: more names than that hang


class Ranked(NamedTuple):
    """A model: its name, its accuracy, whether it may be the best; its tags."""

    label: str
    accuracy: Accuracy
    near: bool
    tags: Sequence[str] = ()


def ranking_plot(models: Sequence[Ranked]) -> Markup:
    """A dot and an interval for each model, those that may be the best on a ground of their own.

    Args:
        models: the best first, in which those that cannot be told apart from it come together.
    """
    shares = [end for m in models for end in (m.accuracy.low, m.accuracy.high)]
    up = share_axis("", shares)
    y = _TOP + _PLOT * (1 - up.part(up.within(shares)))
    dots = _TOP + _PLOT * (1 - up.part(up.within(m.accuracy.share for m in models)))
    step = (_RIGHT - _LEFT) / len(models)
    names = short_names([model.label for model in models], _LETTERS)
    colours = families({model.label: model.tags for model in models})
    layers = [_ground(sum(model.near for model in models), step), *_marks(up)]
    every = ceil(len(models) / _MOST_NAMES)
    longest = max(map(len, names.values()))
    level = len(models) * (longest + 1) <= _LEVEL
    for place, model in enumerate(models):
        found, x = model.accuracy, f"{_LEFT + (place + 0.5) * step:.2f}%"
        colour = colours.get(model.label, ("", "var(--accent)"))[1]
        ends = {"x1": x, "x2": x, "y1": y[2 * place], "y2": y[2 * place + 1]}
        bar = el("line", **ends, stroke=colour, stroke_width=2)
        dot = _dot(x, dots[place], colour, below=found.share < up.low, wide=every == 1)
        says = f"{percent(found.share, found.photos)} % ({interval(found)} %)"
        layers.append(of_model(model.label, says, bar, dot))
        if place % every == 0:
            spare = " spare" * (place % ceil(len(models) / _ON_PHONES) > 0)
            layers.append(_name(names[model.label], x, f"name{spare}", level=level))
    height = _TOP + _PLOT + 16 + (4 if level else round(_STEEP * _LETTER * longest))
    layers.append(legend(colours, "100%", _TOP + 10 + 16 * len(set(colours.values()))))
    return el(
        "svg",
        *layers,
        class_="ranking",
        height=height,
        role="group",
        font_size=11,
        aria_label="Models by top-1 accuracy",
    )


def _marks(up: Axis) -> Iterator[Markup]:
    """A line across the figure, and its number, for each mark of the axis."""
    heights = _TOP + _PLOT * (1 - up.part(mark for mark, _ in up.marks))
    for (_, words), at in zip(up.marks, heights, strict=True):
        yield el("line", x1=0, x2="100%", y1=at, y2=at, stroke="var(--line)")
        yield el("text", words, x=0, y=at - 3, fill="var(--muted)")


def _ground(near: int, step: float) -> Markup:
    words = "cannot be told apart from the first" if near > 1 else "told apart from all others"
    ground = el(
        "rect",
        x=f"{_LEFT}%",
        y=0,
        width=f"{near * step:.2f}%",
        height=_TOP + _PLOT,
        fill="var(--apart)",
    )
    return ground + el("text", words, x=f"{_LEFT + 0.5}%", y=14, fill="var(--ink)")


def _dot(x: str, y: float, colour: str, *, below: bool, wide: bool) -> Markup:
    if below:
        return el("text", "▼", x=x, y=y, text_anchor="middle", fill=colour)
    return el("circle", cx=x, cy=y, r=4 if wide else 2.5, fill=colour)


def _name(name: str, x: str, css: str, *, level: bool) -> Markup:
    turn = (
        {"text_anchor": "middle"} if level else {"text_anchor": "end", "transform": "rotate(-60)"}
    )
    turned = el("text", clean(name), **turn, fill="var(--ink)")
    return el("svg", turned, x=x, y=_TOP + _PLOT + 14, overflow="visible", class_=css)


def _ranked(data: ReportData) -> list[Ranked]:
    """The models of the figure: first the best and those that it cannot be told apart from."""
    near = _near(data)
    models = sorted(data.ranked, key=lambda model: model.label not in near)
    return [Ranked(m.label, m.top1.accuracy, m.label in near, m.run.tags) for m in models]


def _near(data: ReportData) -> set[str]:
    """The best model and those that it cannot be told apart from; none where one is alone."""
    if len(data.ranked) < 2:
        return set()
    best = data.ranked[0].label
    return {best, *data.near()[best]} & {model.label for model in data.ranked}


# The table


def models_table(data: ReportData) -> Table:
    """Each model's numbers, the best top-1 first. A column without a value is left out."""
    models, seen = data.models, data.of(SECTION)
    has_unclear = (by_truth := data.of(multilabel.SECTION)) and by_truth.truth.with_unclear > 0
    above = {}
    if reference := data.of(baseline.SECTION):
        above = {row.label: _above(row) for row in reference.models}
    ks = sorted({top.k for model in models for top in model.tops} - {1})
    near = _near(data)
    of_all = f"of {len(data.ranked):,}"
    columns: list[tuple[Column, Callable[[ScoredModel], object]]] = [
        (Column("rank", "Rank", of_all, css="numbers", ends=("best", "worst")), _rank),
        (Column("model", "Model"), _names(data)),
        (
            _accuracy("top1", "Top-1"),
            lambda model: _share(model.top1.accuracy, bold=model.label in near),
        ),
        (interval_column("interval", "Interval", "95 %"), _interval),
        *((_accuracy(f"top{k}", f"Top-{k}"), _top(k)) for k in ks),
        (_accuracy("real", "All labels", "ReaL, %"), lambda model: share(model.real)),
        (
            _accuracy("multilabel", "With unclear", "multi-label, %"),
            lambda m: share(m.multilabel.multilabel) if has_unclear and m.multilabel else None,
        ),
        (
            Column("robustness", "Robustness", "points above the line"),
            lambda model: above.get(model.label),
        ),
        (
            Column("calibration_error", "Calibration error", "points", format=_in_points),
            lambda model: model.calibration.error if model.calibration else None,
        ),
        (Column("nll", "NLL", "nats", format="{:.3f}".format), lambda model: model.run.nll),
        (Column("correct", "Correct", format="{:,}".format), attrgetter("top1.accuracy.correct")),
        (Column("photos", "Of", "photos", "{:,}".format), attrgetter("top1.accuracy.photos")),
        (Column("parameters", "Parameters", "million"), _cost("parameters", 1e6)),
        (Column("flops", "FLOPs", "billion"), _cost("flops", 1e9)),
        (Column("image_size", "Image", "pixels"), _cost("image_size", 1)),
        (Column("photos_per_second", "Speed", "photos/s"), _cost("photos_per_second", 1)),
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


def caption(data: ReportData) -> str:
    """What a paper says of the table: the set, and what is in bold."""
    about = data.set
    on = f"{about.name} ({count(about.photos, 'photo')} of {classes_of(about.classes)}, "
    bold = "the best and those that cannot be told apart from it are in bold"
    return f"Models on {on}{about.content_hash[:_HASH]})" + f"; {bold}" * (len(data.ranked) > 1)


def _cost(name: str, unit: float) -> Callable[[ScoredModel], Cell | None]:
    def cell(model: ScoredModel) -> Cell | None:
        number = model.run.cost.get(name)
        return None if number is None else Cell(number, f"{number / unit:.4g}")

    return cell


def _above(found: Against) -> Cell | None:
    """Effective robustness, marked where the line is extended to the model."""
    if found.above is None:
        return None
    return Cell(found.above, points(found.above) + " (guess)" * found.is_guess)


def _in_points(share: float) -> str:
    return f"{100 * share:.1f}"


def _accuracy(name: str, title: str, unit: str = "%") -> Column:
    return Column(name, title, unit, align="right")


def _rank(model: ScoredModel) -> Cell | None:
    rank = model.rank
    return Cell([rank.best, rank.worst], str(rank)) if rank else None


def _names(data: ReportData) -> Callable[[ScoredModel], Cell]:
    """A model's name, with what must stand beside its numbers and not beside everybody's.

    On the page it leads to the model's own part.
    """
    short = short_names([model.label for model in data.models], LINE)
    shared = _shared_remarks(data)

    def cell(model: ScoredModel) -> Cell:
        note = "; ".join(_remarks_apart(model, data, shared))
        name, whole = short[model.label], clean(model.label, 1000)
        title = Markup(' title="{}"').format(whole) if name != whole else ""
        link = Markup('<a href="#{}"{}><bdi>{}</bdi></a>').format(
            run_anchor(model.run.key), title, breakable(name)
        )
        return Cell(model.label, clean(model.label), note, html=link)

    return cell


def _remarks(model: ScoredModel, data: ReportData) -> list[str]:
    return [*answered(model, data), *remarks(model, data)]


def _remarks_apart(model: ScoredModel, data: ReportData, shared: Sequence[str]) -> list[str]:
    """What must stand beside this model's numbers and not beside everybody's, as `shared` does."""
    return [text.removesuffix(".") for text in _remarks(model, data) if text not in shared]


def _shared_remarks(data: ReportData) -> list[str]:
    """What must stand beside every model's numbers, if there are several models."""
    if len(data.models) < 2:
        return []
    first, *others = (_remarks(model, data) for model in data.models)
    return [text for text in first if all(text in texts for texts in others)]


def _share(found: Accuracy, *, bold: bool) -> Cell | None:
    if not found.photos:
        return None
    return Cell(found.share, percent(found.share, found.photos), bold=bold)


def _top(k: int) -> Callable[[ScoredModel], Cell | None]:
    """Top-k accuracy, with its interval where there is room for it."""

    def cell(model: ScoredModel) -> Cell | None:
        top = next((top for top in model.tops if top.k == k), None)
        return share(top.accuracy) if top else None

    return cell


def _interval(model: ScoredModel) -> Cell:
    found = model.top1.accuracy
    return Cell([found.low, found.high], interval(found))


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
