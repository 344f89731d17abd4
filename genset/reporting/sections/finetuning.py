"""Fine-tuning: the report's models with a new last layer, task by task."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from genset.core.numbers import count, percent
from genset.core.safe import clean
from genset.finetune.compare import CurvePoint, Row, learning_curve, table
from genset.finetune.runs import FinetuneRun, StoredRun, find_finetuned
from genset.finetune.tables import accuracies, notes
from genset.reporting.blocks import (
    Block,
    Figure,
    Figures,
    Grid,
    Heading,
    Paragraph,
    Part,
    sentences,
)
from genset.reporting.figures.plot import Axis, Plot, Point, el, share_axis
from genset.reporting.report import Inputs, ReportData, Section
from genset.score.results.results import ModelAnswers, Results

_NOTE = (
    "Only the last layer is fitted anew. Accuracies are means over seeds with Wilson’s 95 % "
    "interval on the test photos; ± is the standard deviation over seeds. Differences from the "
    "task’s first model have Tango’s 95 % interval, paired by photo; p is McNemar’s exact test on "
    "the first seed, and Holm adjusts it for all differences here."
)
_CURVES = (
    "Solid: the model named first; dashed: the baseline. Bars are Wilson’s 95 % intervals, bands "
    "one standard deviation over seeds. Axes need not start at 0. A difference on fewer photos has "
    "the wider of Tango’s interval and Student’s over seeds, which draw the photos, and the larger "
    "p; Holm adjusts it for all differences of these curves."
)
_APART = 0.05  # of the way between two numbers, so that bars of two models do not cover each other


@dataclass(frozen=True, slots=True)
class FinetunedModel:
    """One model on one task.

    Attributes:
        run: what was fitted on what; its `model` is what the report calls it.
        curve: accuracy by photos of each class, that on all of them last, with the difference from
            the task's baseline.
    """

    run: FinetuneRun
    curve: tuple[CurvePoint, ...]

    @property
    def label(self) -> str:
        """As the report calls it."""
        return self.run.model


@dataclass(frozen=True, slots=True)
class FinetunedTask:
    """A task, with the models whose results on it can be compared: the baseline first.

    `task` is its name, with a number where the report has several tables of it.
    """

    task: str
    models: tuple[FinetunedModel, ...]


# The numbers


def gather(inputs: Inputs, data: ReportData) -> tuple[FinetunedTask, ...]:
    """All results of fine-tuning the report's models.

    The baseline is the model that the report's options call the lower one; without one it is, task
    by task, the model that was fitted first.
    """
    results, lower = inputs.results, data.options.lower
    if not results.models:
        return ()
    found = [
        StoredRun(folder, replace(record, model=model.label))
        for folder, record in find_finetuned(inputs.runs)
        if (model := _same(results, record))
    ]
    rows = table(found, results.find(lower).label if lower else "")
    return tuple(
        FinetunedTask(
            name, tuple(FinetunedModel(m.record, learning_curve(row, m)) for m in row.models)
        )
        for row, name in zip(rows, _names(rows), strict=True)
    )


def _same(results: Results, record: FinetuneRun) -> ModelAnswers | None:
    """The report's model that has these weights.

    One of which only the answers are known can go by its name alone.
    """
    same = [model for model in results.models if model.run.weights_hash == record.weights_hash]
    same.sort(key=lambda model: model.run.preprocessing != record.preprocessing)
    answers = [model for model in results.models if not model.run.preprocessing]
    by_name = [model for model in answers if model.run.model == record.model]
    return next(iter([*same, *by_name]), None)


def _names(rows: Sequence[Row]) -> list[str]:
    """The rows' tasks; where one was split or fitted in several ways, its further rows count on."""
    tasks = [row.task for row in rows]
    times = [tasks[: n + 1].count(task) for n, task in enumerate(tasks)]
    return [task if n == 1 else f"{task} ({n})" for task, n in zip(tasks, times, strict=True)]


# What is shown


def show(found: Sequence[FinetunedTask], _: ReportData) -> Iterator[Part]:
    """Each model on each task, then each task's curves."""
    if not found:
        return
    about = [f"{task.task}: {_about(task.models[0].run)}." for task in found]
    for task in found:
        about += [f"{note}." for note in notes(task.task, [model.run for model in task.models])]
    last = [(task.task, model.run, model.curve[-1]) for task in found for model in task.models]
    blocks: list[Block] = [
        Grid(accuracies(last)),
        *sentences([*about, _NOTE], "note"),
        *_curves(found),
    ]
    yield Part("fine-tuning", "Fine-tuning", blocks)


def _about(run: FinetuneRun) -> str:
    """What the models of a task share."""
    return (
        f"{count(len(run.classes), 'class', 'classes')}, {run.train:,} training and "
        f"{count(run.test, 'test photo')}; split: {clean(run.split)}"
    )


# Learning curves


def _curves(tasks: Sequence[FinetunedTask]) -> Iterator[Block]:
    """A figure for each model on each task, where heads were fitted on fewer photos too."""
    models = [(task.task, model) for task in tasks for model in task.models]
    points = [(task, model.run, point) for task, model in models for point in model.curve[:-1]]
    if not points:
        return
    yield Heading("Learning curves")
    yield Figures(lambda: [figure for task in tasks for figure in _figures(task)])
    yield Paragraph(_CURVES, "note")
    yield Grid(accuracies(points), "The learning curves in numbers")


def _figures(task: FinetunedTask) -> list[Figure]:
    """A titled figure for each model with a curve, beside the baseline's, which is dashed.

    Bars are Wilson's 95 % intervals, bands one standard deviation over seeds.
    """
    curves = {model.label: model.curve for model in task.models}
    baseline, *_ = curves
    drawn = {label: curve for label, curve in curves.items() if len(curve) > 1}
    points = [point for curve in drawn.values() for point in curve]
    up = share_axis("", [end for p in points for end in (p.accuracy.low, p.accuracy.high)])
    shots = sorted({point.shots for point in points}, key=lambda n: n or float("inf"))
    marks = [(place + 0.5, str(n or "all")) for place, n in enumerate(shots)]
    across = Axis("photos of each class", 0, len(shots), marks)
    figures = []
    for label in [label for label in drawn if label != baseline] or list(drawn):
        dashed = drawn.get(baseline, ()) if label != baseline else ()
        against = f" against {clean(baseline, 40)}" if dashed else ""
        title = f"{clean(task.task, 40)}: {clean(label, 40)}{against}"
        plot, places = Plot(across, up, (340, 230)), {n: x for x, n in enumerate(shots)}
        lines = [_curve(plot, baseline, dashed, places, -_APART)] if dashed else []
        lines.append(_curve(plot, label, drawn[label], places, _APART if dashed else 0))
        figures.append((title, plot.svg(title, *lines)))
    return figures


def _curve(
    plot: Plot,
    label: str,
    curve: Sequence[CurvePoint],
    places: Mapping[int | None, int],
    aside: float,
) -> Markup:
    """A model's curve, with its band and bars; dashed where it stands to the left."""
    dashed = aside < 0
    colour = "var(--muted)" if dashed else "var(--accent)"
    xs = [places[point.shots] + 0.5 + aside for point in curve]
    shares = [point.accuracy.share for point in curve]
    spread = [point.spread or 0.0 for point in curve]
    above = plot.path(xs, [share + each for share, each in zip(shares, spread, strict=True)])
    below = plot.path(xs[::-1], [s - e for s, e in zip(shares[::-1], spread[::-1], strict=True)])
    band = el("polygon", points=f"{above} {below}", fill=colour, fill_opacity=0.16)
    line = plot.line(xs, shares, stroke=colour, stroke_dasharray="4 3" if dashed else None)
    points = [
        Point(
            label,
            f"{percent(p.accuracy.share, p.accuracy.photos)} %",
            x,
            p.accuracy.share,
            (p.accuracy.low, p.accuracy.high),
            colour,
        )
        for x, p in zip(xs, curve, strict=True)
    ]
    return plot.clipped(band) + line + plot.points(points, [])


SECTION = Section("finetuning", gather, show)
