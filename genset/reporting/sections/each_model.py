"""Each model: all that is known of it, folded until somebody wants it."""

from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest

from markupsafe import Markup

from genset.comparison.classes import Group
from genset.core.numbers import count, ends, percent
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.reporting.blocks import Block, Columns, Grid, Heading, Html, Paragraph, Part
from genset.reporting.figures.reliability import reliability_plot
from genset.reporting.format import class_cell, interval
from genset.reporting.html import html_of
from genset.reporting.names import run_anchor
from genset.reporting.provenance import provenance
from genset.reporting.remarks import answered, remarks
from genset.reporting.report import Inputs, ReportData, ScoredModel, Section
from genset.reporting.sections import errors, multilabel, photos
from genset.reporting.sections.photos import Answer, Sample
from genset.score.results.runs import Accuracy
from genset.statistics.calibration import Calibration

_HARDEST = 8  # classes of a model
_MISTAKES = 12  # photos of it
_NEAR = 12  # models that it cannot be told apart from

_Answers = Sequence[tuple[Sample, Answer]]


def gather(_: Inputs, __: ReportData) -> None:
    """The models are the report's own."""


def show(_: None, data: ReportData) -> Iterator[Part]:
    """A folded part for each model."""
    if data.models:
        blocks = [Html(lambda: _models(data))]
        yield Part("each-model", "Each model", blocks, page_only=True)


def _models(data: ReportData) -> Markup:
    near, answers = _near(data), _answers(data)
    models = Markup("\n").join(
        _model(number, model, near[model.label], answers.get(model.label, ()), data)
        for number, model in enumerate(data.models)
    )
    return Markup('<div class="profiles">\n{}\n</div>').format(models)


def _near(data: ReportData) -> dict[str, list[str]]:
    """By model, those that it cannot be told apart from, in the report's order."""
    near: dict[str, list[str]] = {model.label: [] for model in data.models}
    for pair in data.pairs:
        if not pair.apart:
            near[pair.first].append(pair.second)
            near[pair.second].append(pair.first)
    place = {model.label: number for number, model in enumerate(data.models)}
    return {label: sorted(others, key=place.__getitem__) for label, others in near.items()}


def _answers(data: ReportData) -> Mapping[str, _Answers]:
    """By model, its answers to the photos of the galleries."""
    found: dict[str, list[tuple[Sample, Answer]]] = {}
    for gallery in data.of(photos.SECTION):
        for sample in gallery.samples:
            for answer in sample.answers:
                found.setdefault(answer.model, []).append((sample, answer))
    return found


def _model(
    number: int, model: ScoredModel, near: Sequence[str], answers: _Answers, data: ReportData
) -> Markup:
    numbers: list[Block] = [Heading("Accuracy"), Grid(_accuracies(model, data))]
    numbers += [Heading("Provenance"), Html(lambda: provenance(model.run))]
    errors_of = [*_hardest(number, data), *_photos(answers, data), *_calibration(model)]
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
        best = f"{rank.best}" if rank.best == rank.worst else f"{rank.best} to {rank.worst}"
        start = f"Rank {best} of {len(data.ranked)} by top-1 accuracy"
    if near:
        names = ", ".join(clean(name, 60) for name in near[:_NEAR])
        more = f" and {len(near) - _NEAR} more" if len(near) > _NEAR else ""
        return f"{start}; cannot be told apart from {names}{more}."
    return f"{start}; can be told apart from every other model." if data.pairs else f"{start}."


def _accuracies(model: ScoredModel, data: ReportData) -> Table:
    columns = [
        Column("what", "Counted right"),
        Column("share", "%", align="right"),
        Column("wilson", "Wilson’s", "95 % interval", align="right"),
        Column("clustered", "Classes resampled", "95 % interval", align="right"),
        Column("photos", "Photos", align="right"),
    ]
    rows = [
        (
            f"Top-{top.k}",
            percent(top.accuracy.share, top.accuracy.photos),
            interval(top.accuracy),
            ends(top.clustered, top.accuracy.photos),
            f"{top.accuracy.correct:,} of {top.accuracy.photos:,}",
        )
        for top in model.tops
    ]
    if (by_truth := data.of(multilabel.SECTION)) and model.multilabel:
        measured = multilabel.rows_of(model.multilabel, by_truth.truth.with_unclear > 0)
        # The first one is the original label's, and so top-1.
        rows += [(row.what[:1].upper() + row.what[1:], *row[1:]) for row in measured[1:]]
    return Table(columns, rows)


def _hardest(number: int, data: ReportData) -> Iterator[Block]:
    """The classes on which a model is surely worst: by the upper end of Wilson's interval."""
    counted = (
        (group.top1[number].high, group.top1[number].share, group.name, group)
        for group in data.of(errors.SECTION).classes
        if group.top1[number].photos
    )
    # Names differ, so that no two groups are compared.
    groups = [group for *_, group in nsmallest(_HARDEST, counted)]
    if not groups:
        return
    columns = [Column("class", "Class"), Column("right", "Right"), Column("interval", "95 %", "%")]
    yield Heading("Its hardest classes")
    yield Grid(Table(columns, [_class(group, group.top1[number], data) for group in groups]))


def _class(group: Group, found: Accuracy, data: ReportData) -> list[object]:
    right = Cell(found.correct, f"{found.correct} of {found.photos}")
    return [class_cell(group.name, data.taxonomy), right, Cell(found.low, interval(found))]


def _photos(answers: _Answers, data: ReportData) -> Iterator[Block]:
    """Which of the photos on the page it has right, and links to the others."""
    if not answers:
        return
    anchors = photos.anchors(data.of(photos.SECTION))
    wrong = [(sample, answer) for sample, answer in answers if not answer.right]
    text = Markup("Right on {} of the {} shown on this page, which are no fair sample.").format(
        len(answers) - len(wrong), count(len(answers), "photo")
    )
    if wrong:
        form = Markup('<a href="#{}">{}</a> classified as {}')
        links = Markup(", ").join(
            form.format(anchors[sample.id], clean(sample.name), clean(answer.name))
            for sample, answer in wrong[:_MISTAKES]
        )
        more = f", and {len(wrong) - _MISTAKES} more" if len(wrong) > _MISTAKES else ""
        text += Markup(" Wrong: {}{}.").format(links, more)
    yield Heading("Photos")
    yield Paragraph(text)


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
    plot = reliability_plot(f"How sure {clean(model.label)} is, and how right", found)
    form = Markup('<figure class="calibration"><figcaption>{}</figcaption>{}</figure>')
    return form.format(caption, plot)


SECTION = Section("each_model", gather, show)
