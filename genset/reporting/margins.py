"""Trained models compared with their pretrained counterparts, in top-1 and in top-5."""

from collections.abc import Sequence

from genset.comparison.margin import MarginTest, hold_to_margin
from genset.core.errors import BadInput
from genset.core.numbers import count, digits, points, span
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.reporting.options import ReportOptions
from genset.score.results.results import Results

NOTE = (
    "Not worse: the whole 95 % interval of the difference, on the same photos, lies above minus "
    "the margin; worse: below it."
)
_KS = (1, 5)
_SHOWN = {True: "not worse", False: "worse", None: "cannot tell"}


def compare_counterparts(
    results: Results, labels: Sequence[str], options: ReportOptions
) -> dict[str, tuple[MarginTest, ...]]:
    """By model, how it compares with its counterpart: in top-1, and in top-5 where that is known.

    A counterpart that is named for one model goes before the one that is named for all.

    Args:
        results: the set, and what was scored on it.
        labels: of the models that trainings gave.
        options: with the counterparts and the margin.

    Raises:
        BadInput: a counterpart was not scored on this set or is the model itself, one is named for
            a model of no training, or one of counterpart and margin is missing.
    """
    if bool(options.counterparts) != (options.margin is not None):
        raise BadInput("--counterpart MODEL and --margin POINTS go together: say both")
    if options.margin is None:
        return {}
    if not labels:
        raise BadInput("--counterpart is for the models of trainings: name one with --tta")
    found: dict[str, str] = {}
    for spec in sorted(options.counterparts, key=lambda counterpart: bool(counterpart.model)):
        models = [results.find(spec.model).label] if spec.model else labels
        found |= dict.fromkeys(models, spec.counterpart)
    if others := [model for model in found if model not in labels]:
        raise BadInput(f"--counterpart {others[0]}=...: no --tta names the model {others[0]}")
    return {model: _tests(results, model, other, options) for model, other in found.items()}


def _tests(
    results: Results, label: str, counterpart: str, options: ReportOptions
) -> tuple[MarginTest, ...]:
    model, other = results.find(label), results.find(counterpart)
    if model is other:
        raise BadInput(f"--counterpart {counterpart}: it is the model itself")
    assert options.margin is not None
    answers = min(model.answers.shape[1], other.answers.shape[1])
    return tuple(
        hold_to_margin(results, model, other, options.margin / 100, k, options.resampling)
        for k in _KS
        if k <= answers
    )


def sentence(tests: Sequence[MarginTest]) -> str:
    """How a model compares with its counterpart, in top-1 and top-5."""
    claims = "; ".join(f"in top-{test.k} {_claim(test)} ({_by(test)})" for test in tests)
    return f"Beside {clean(tests[0].counterpart)}, its pretrained counterpart: {claims}."


def _claim(test: MarginTest) -> str:
    margin = f"{100 * test.margin:g}"
    more = f"by more than {margin} {'point' if margin == '1' else 'points'}"
    if test.not_worse is None:
        these = "this" if test.photos == 1 else "these"
        return f"{these} {count(test.photos, 'photo')} cannot tell whether it is worse {more}"
    return f"{'not ' if test.not_worse else ''}worse {more}"


def _by(test: MarginTest) -> str:
    """The difference in points with its interval."""
    places = digits(test.photos)
    return f"{points(test.difference, places)}, {span(test.interval, places)}"


def table_of(tests: Sequence[MarginTest]) -> Table:
    """A row a test."""
    columns = [
        Column("model", "Model"),
        Column("counterpart", "Counterpart"),
        Column("margin", "Margin", "points", format=lambda margin: f"{100 * margin:g}"),
        Column("among", "Among"),
        Column("difference", "Difference", "points"),
        Column("shown", "Shown"),
    ]
    return Table(columns, [_row(test) for test in tests])


def _row(test: MarginTest) -> list[object]:
    places = digits(test.photos)
    difference = points(test.difference, places)
    return [
        test.model,
        test.counterpart,
        test.margin,
        f"top-{test.k}",
        Cell(test.difference, difference, span(test.interval, places)),
        _SHOWN[test.not_worse],
    ]
