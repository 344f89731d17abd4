"""Each model: all that is known of it, folded until somebody wants it."""

from collections.abc import Iterator, Sequence
from heapq import nsmallest

from markupsafe import Markup

from genset.core.numbers import percent
from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.reporting.blocks import Block, Columns, Figure, Grid, Heading, Html, Paragraph, Part
from genset.reporting.figures.plot import Axis, Plot, el
from genset.reporting.format import (
    answered,
    class_cell,
    interval,
    remarks,
    settings,
    share,
    some_of,
)
from genset.reporting.html import facts, html_of
from genset.reporting.names import run_anchor
from genset.reporting.report import ReportData, ScoredModel, Section, no_numbers
from genset.reporting.sections import errors, multilabel
from genset.reporting.summary import without_folders
from genset.score.results.runs import Run
from genset.statistics.calibration import Calibration
from genset.statistics.intervals import wilson

_HARDEST = 8  # classes of a model
_WHOLE = 70  # models with hardest classes and calibration: a page is mailed
_MARKS = [(n / 4, f"{25 * n} %") for n in range(5)]


def show(_: None, data: ReportData) -> Iterator[Part]:
    """A folded part for each model."""
    if data.models:
        blocks = [Html(lambda: _models(data))]
        yield Part("each-model", "Each model", blocks, page_only=True)


def _models(data: ReportData) -> Markup:
    near = data.near()
    models = Markup("\n").join(
        _model(number, model, near[model.label], data) for number, model in enumerate(data.models)
    )
    return Markup('<div class="profiles">\n{}\n</div>').format(models)


def _model(number: int, model: ScoredModel, near: Sequence[str], data: ReportData) -> Markup:
    columns = [
        Column("what", "Counted right"),
        Column("share", "%", align="right"),
        Column("interval", "95 % interval", "%", align="right"),
        Column("photos", "Photos", align="right"),
    ]
    rows: list[tuple[object, ...]] = [
        (
            f"Top-{top.k}",
            percent(top.accuracy.share, top.accuracy.photos),
            interval(top.accuracy),
            f"{top.accuracy.correct:,} of {top.accuracy.photos:,}",
        )
        for top in model.tops
    ]
    if (by_truth := data.of(multilabel.SECTION)) and model.multilabel:
        measured = multilabel.rows_of(model.multilabel, by_truth.truth.with_unclear > 0)
        # The first one is the original label's, and so top-1.
        rows += [(what[:1].upper() + what[1:], *row) for what, *row in measured[1:]]
    numbers: list[Block] = [Heading("Accuracy"), Grid(Table(columns, rows))]
    numbers += [Heading("Provenance"), Html(lambda: facts(_provenance(model.run)))]
    errors_of = [*_hardest(number, data), *_calibration(model)] if number < _WHOLE else []
    texts = [_rank(model, near, data), *(f"{text}." for text in remarks(model, data))]
    blocks: list[Block] = [
        *(Paragraph(text, "odd" if text[:-1] in model.run.notes else "") for text in texts),
        Columns([numbers, errors_of]),
        Paragraph(Markup('<a href="#leaderboard">Back to the table</a>')),
    ]
    top = model.top1.accuracy
    return Markup(
        '<details class="profile" data-words="{}"{}>\n<summary><bdi>{}</bdi> <span '
        'class="numbers">{} %</span></summary>\n<div id="{}" class="target">\n{}\n</div>\n'
        "</details>"
    ).format(
        clean(f"{model.label} {model.run.engine}", 200),
        " open" * (len(data.models) == 1),
        clean(model.label),
        percent(top.share, top.photos),
        run_anchor(model.run.key),
        html_of(blocks),
    )


def _rank(model: ScoredModel, near: Sequence[str], data: ReportData) -> str:
    if (rank := model.rank) is None:
        start = f"It {answered(model, data)[0]}"
    else:
        start = f"Rank {rank} of {len(data.ranked)} by top-1 accuracy"
    if near:
        return f"{start}; cannot be told apart from {some_of(near)}."
    return f"{start}; can be told apart from every other model." if data.pairs else f"{start}."


def _provenance(run: Run) -> Iterator[tuple[str, str]]:
    """What a run records of the model, and of how it was scored."""
    code = Markup("<code>{}</code>")
    yield "Spec", code.format(clean(without_folders(run.spec), 1000))
    if run.preprocessing:
        engine = f" with {clean(run.engine)}" if run.engine else ""
        yield "Weights", code.format(clean(run.weights_hash))
        yield "Preprocessing", clean(settings(run.preprocessing), 300)
        yield "Precision", f"{clean(run.precision)} on {clean(run.device)}{engine}"
    else:
        yield "Predictions", code.format(clean(run.weights_hash)) + ", computed elsewhere"
    yield "Classes", f"chooses among {run.classes:,}"
    yield "Versions", clean(settings(run.versions), 300)
    at = clean(run.created_at).replace("T", " ")
    yield "Scored", f"{at}, in {run.seconds:,.0f} s; run {run.key[:12]}"


def _hardest(number: int, data: ReportData) -> Iterator[Block]:
    """The classes on which a model is surely worst: by the upper end of Wilson's interval."""
    counted = (
        (group.top1[number].high, group.top1[number].share, group.name, group)
        for group in data.of(errors.SECTION).classes
        if group.top1[number].correct < group.top1[number].photos
    )
    # Names differ, so that no two groups are compared.
    groups = [group for *_, group in nsmallest(_HARDEST, counted)]
    if not groups:
        return
    columns = [Column("class", "Class"), Column("photos", "Photos"), Column("right", "Right", "%")]
    yield Heading("Its hardest classes")
    tops = [(group.name, group.top1[number]) for group in groups]
    rows = [[class_cell(name, data.taxonomy), top.photos, share(top)] for name, top in tops]
    yield Grid(Table(columns, rows))


def _calibration(model: ScoredModel) -> Iterator[Block]:
    if (found := model.calibration) is None:
        return
    yield Heading("Calibration")
    yield Html(lambda: _reliability(model, found))


def _reliability(model: ScoredModel, found: Calibration) -> Markup:
    way = "overconfident" if found.overconfidence >= 0 else "underconfident"
    caption = (
        f"Expected error {100 * found.error:.1f} points, {way} by "
        f"{100 * abs(found.overconfidence):.1f}. Photos in 15 ranges of the confidence in the "
        "first answer, with Wilson’s 95 % intervals; on the dashed line it is right as often as it "
        "says."
    )
    form = Markup('<figure class="calibration"><figcaption>{}</figcaption>{}</figure>')
    return form.format(caption, calibration_plot(model, found)[1])


_RELIABILITY = Plot(Axis("its confidence", 0, 1, _MARKS), Axis("right", 0, 1, _MARKS), (300, 270))
_BIN = Markup(
    '<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>'
    '<circle cx="{0:.1f}" cy="{3:.1f}" r="3.5"/>'
)


def calibration_plot(model: ScoredModel, found: Calibration) -> Figure:
    """A dot for each range of confidence, with Wilson's interval; on the diagonal all is right."""
    plot, drawn = _RELIABILITY, []
    for part in found.bins:
        low, high = wilson(round(part.accuracy * part.photos), part.photos)
        drawn.append(_BIN.format(*plot.x([part.confidence]), *plot.y([low, high, part.accuracy])))
    points = el("g", *drawn, stroke="var(--accent)", fill="var(--accent)")
    title = f"How sure {clean(model.label)} is, and how right"
    return title, plot.svg(title, plot.line([0, 1], [0, 1], stroke_dasharray="4 3"), points)


SECTION = Section("each_model", no_numbers, show)
