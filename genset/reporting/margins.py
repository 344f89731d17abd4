"""Whether trained models are not worse than their pretrained counterparts by more than a margin.

To find no difference is not to show that there is none. One says beforehand how much worse still
counts as not worse, and asks whether the 95 % interval of the paired difference lies above that: of
models that are worse by exactly the margin, at most one in 40 passes.

Source: Piaggio, Elbourne, Pocock, Evans and Altman, "Reporting of noninferiority and equivalence
randomized trials: extension of the CONSORT 2010 statement", JAMA 308, 2012.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from genset.comparison.pairs import Pair, compare
from genset.core.errors import BadInput
from genset.core.numbers import digits, points, span
from genset.core.table import Cell, Column, Table
from genset.reporting.options import ReportOptions
from genset.score.results.results import Results

NOTE = (
    "Not worse: the whole 95 % interval of the difference lies above minus the margin; worse: "
    "below it; else the photos cannot tell."
)
_KS = (1, 5)
_SHOWN = {True: "not worse", False: "worse", None: "cannot tell"}


@dataclass(frozen=True, slots=True)
class MarginTest:
    """A model (the pair's first) and its counterpart, on the photos that count for both.

    Attributes:
        pair: the two; right is an answer where the true class is among the first `k`.
        margin: how much worse still counts as not worse, 0 to 1.
        not_worse: whether it is not worse by more than that; None where the photos cannot tell.
    """

    pair: Pair
    k: int
    margin: float
    not_worse: bool | None


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
    for name, counterpart in sorted(options.counterparts, key=lambda pair: bool(pair[0])):
        models = [results.find(name).label] if name else labels
        found |= dict.fromkeys(models, counterpart)
    if others := [model for model in found if model not in labels]:
        raise BadInput(f"--counterpart {others[0]}=...: no --tta names the model {others[0]}")
    return {model: _tests(results, model, other, options) for model, other in found.items()}


def _tests(
    results: Results, label: str, counterpart: str, options: ReportOptions
) -> tuple[MarginTest, ...]:
    model, other = results.find(label), results.find(counterpart)
    if model is other:
        raise BadInput(f"--counterpart {counterpart}: it is the model itself")
    answers = min(model.answers.shape[1], other.answers.shape[1])
    margin, tests = (options.margin or 0.0) / 100, []
    for k in (k for k in _KS if k <= answers):
        pairs = compare(results, (model, other), k=k)
        if not pairs:
            raise BadInput(f"no photo counts for both {label} and {counterpart}")
        low, high = pairs[0].interval
        not_worse = True if low > -margin else False if high < -margin else None
        tests.append(MarginTest(pairs[0], k, margin, not_worse))
    return tuple(tests)


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
    rows = []
    for test in tests:
        pair, places = test.pair, digits(test.pair.photos)
        difference = points(pair.difference, places)
        by = Cell(pair.difference, difference, span(pair.interval, places))
        shown = _SHOWN[test.not_worse]
        rows.append([pair.first, pair.second, test.margin, f"top-{test.k}", by, shown])
    return Table(columns, rows)
