"""The table that people sort: a row a model, what it is sorted by, and its interval drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from genset.comparison.pairs import Rank
from genset.core.numbers import NONE, ends, percent, points
from genset.core.safe import clean
from genset.reporting.data.report import ReportData, ScoredModel
from genset.reporting.figures.scale import Scale, axis, drawing, scale_of
from genset.reporting.format import interval
from genset.reporting.names import short_names
from genset.reporting.narrative.models import answered, remarks
from genset.reporting.render.page.anchors import run_anchor
from genset.score.results.runs import Accuracy

NAME = 42  # letters of a model’s name in its row: those of most of timm’s own weights


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a cell, and the number by which its column is sorted; None sorts last."""

    text: str
    key: float | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its head, what its numbers are in, a cell a model.

    `short` is what stands before each number where the screen is too narrow for columns.
    """

    head: str
    note: str
    cells: tuple[Cell, ...]
    short: str


@dataclass(frozen=True, slots=True)
class Row:
    """What a model's row begins with.

    Attributes:
        model: the model.
        anchor: of its section on the page.
        name: as it stands in one line; a long one without its middle.
        rank: "3 to 7".
        by_rank: its place where rows are sorted by rank, from 1; None where it has none.
        drawn: its top-1 accuracy with both intervals.
        remarks: what must stand beside its numbers, and not beside everybody's.
        words: by which a filter finds it.
    """

    model: ScoredModel
    anchor: str
    name: str
    rank: str
    by_rank: int | None
    drawn: Markup
    remarks: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All models, the best first.

    Attributes:
        rows: one a model.
        before, after: columns on either side of the drawings; a cell a row in each.
        axis: what stands over the drawings.
        remarks: what must stand beside every model's numbers.
    """

    rows: tuple[Row, ...]
    before: tuple[Column, ...]
    after: tuple[Column, ...]
    axis: Markup
    remarks: tuple[str, ...]


def leaderboard(data: ReportData) -> Leaderboard:
    """The table of a report's models."""
    models = data.models
    scale = scale_of([model.top1 for model in models])
    said = [[*answered(model, data), *remarks(model, data)] for model in models]
    names = short_names([model.label for model in models], NAME)
    by_rank = _by_rank(models)
    shared = tuple(each for each in said[0] if all(each in s for s in said)) if said[1:] else ()
    return Leaderboard(
        rows=tuple(
            Row(
                model=model,
                anchor=run_anchor(model.run.key),
                name=names[model.label],
                rank=_rank(model.rank),
                by_rank=by_rank.get(model.label),
                drawn=_drawn(model, scale),
                remarks=tuple(each for each in found if each not in shared),
                words=clean(f"{model.label} {model.run.engine}", 200),
            )
            for model, found in zip(models, said, strict=True)
        ),
        before=(_accuracy("Top-1", "%", models, lambda model: model.top1.accuracy),),
        after=tuple(
            column for column in _after(data) if any(cell.key is not None for cell in column.cells)
        ),
        axis=axis(scale),
        remarks=shared,
    )


def _rank(found: Rank | None) -> str:
    """The ranks that a model can have, as its column's head says of how many: "3 to 7"."""
    if found is None:
        return NONE
    return f"{found.best}" if found.best == found.worst else f"{found.best} to {found.worst}"


def _by_rank(models: Sequence[ScoredModel]) -> dict[str, int]:
    """Places from 1 by the best rank that a model can have, then by the worst, then by top-1."""
    ranked = [model for model in models if model.rank]
    ranked.sort(key=lambda model: (model.rank.best, model.rank.worst) if model.rank else ())
    return {model.label: place for place, model in enumerate(ranked, 1)}


def _drawn(model: ScoredModel, scale: Scale) -> Markup:
    top = model.top1
    photos = top.accuracy.photos
    says = (
        f"{percent(top.accuracy.share, photos)} %; Wilson {interval(top.accuracy)} %; "
        f"classes resampled {ends(top.clustered, photos)} %"
    )
    return drawing(scale, top, clean(model.label, 60), says)


def _after(data: ReportData) -> list[Column]:
    """The columns behind the drawings; those that are empty go."""
    models = data.models
    above = _robustness(data)
    ks = sorted({top.k for model in models for top in model.tops} - {1})
    return [
        Column(
            "Wilson’s", "95 %", tuple(_ends(model, by_class=False) for model in models), "Wilson’s"
        ),
        Column(
            "Classes resampled",
            "95 %",
            tuple(_ends(model, by_class=True) for model in models),
            "resampled",
        ),
        *(_accuracy(f"Top-{k}", "%", models, _top(k)) for k in ks),
        _accuracy("All labels", "ReaL, %", models, lambda model: model.real),
        _accuracy("With unclear", "multi-label, %", models, _unclear(data)),
        Column(
            "Robustness",
            "points above the line",
            tuple(above.get(model.label, Cell(NONE, None)) for model in models),
            "robustness",
        ),
        Column("Calibration error", "points", tuple(map(_calibration, models)), "calibration"),
        Column("Correct", "photos", tuple(map(_correct, models)), ""),
        Column("Engine", "", tuple(_word(model.run.engine) for model in models), "by"),
    ]


def _accuracy(
    head: str,
    note: str,
    models: Sequence[ScoredModel],
    of: Callable[[ScoredModel], Accuracy | None],
) -> Column:
    return Column(head, note, tuple(_share(of(model)) for model in models), head)


def _share(found: Accuracy | None) -> Cell:
    if found is None or not found.photos:
        return Cell(NONE, None)
    return Cell(percent(found.share, found.photos), found.share)


def _top(k: int) -> Callable[[ScoredModel], Accuracy | None]:
    return lambda model: next((top.accuracy for top in model.tops if top.k == k), None)


def _unclear(data: ReportData) -> Callable[[ScoredModel], Accuracy | None]:
    """Unclear classes counted right, where the truth has any."""
    has_unclear = data.by_truth is not None and data.by_truth.truth.with_unclear > 0
    return lambda model: (
        model.multilabel.multilabel.accuracy if has_unclear and model.multilabel else None
    )


def _ends(model: ScoredModel, *, by_class: bool) -> Cell:
    """An interval, sorted by its lower end."""
    top = model.top1
    if by_class:
        return Cell(ends(top.clustered, top.accuracy.photos), top.clustered.low)
    return Cell(interval(top.accuracy), top.accuracy.low)


def _calibration(model: ScoredModel) -> Cell:
    found = model.calibration
    return Cell(f"{100 * found.error:.1f}", found.error) if found else Cell(NONE, None)


def _correct(model: ScoredModel) -> Cell:
    found = model.top1.accuracy
    return Cell(f"{found.correct:,} of {found.photos:,}", found.correct)


def _word(word: str) -> Cell:
    return Cell(clean(word) or NONE, clean(word) or None)


def _robustness(data: ReportData) -> dict[str, Cell]:
    if not data.reference:
        return {}
    return {
        model.label: Cell(points(model.above), model.above)
        for model in data.reference.models
        if model.above is not None
    }
