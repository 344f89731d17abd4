"""Sets side by side: the same models on other sets, and by how much their accuracies differ."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from genset.classes import imagenet1k
from genset.core.numbers import digits, percent
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.reporting.blocks import Block, Grid, Heading, Paragraph, Part, sentences
from genset.reporting.format import (
    all_models,
    claim,
    classes_of,
    common,
    interval,
    matched_difference,
    resampled,
    some_of,
)
from genset.reporting.names import short_names
from genset.reporting.report import Inputs, ReportData, Section
from genset.reporting.side_by_side import Missing, Score, SetComparison, Way, compare_sets
from genset.statistics.matched import Matched

_MISSING: dict[Missing, str] = {
    "run": "was not scored on both sets",
    "classes": "chooses among other classes than the 1,000",
    "answers": "has no answer in its table that is of these classes for some photos (genset "
    "evaluate --logits keeps all)",
    "part": "did not answer all photos",
}
_CONVENTIONS = {
    "all": "models answer among all their outputs (all)",
    "subset": "models answer among the set’s classes alone (subset)",
}

_HEAD, _NAME = 8, 25  # letters of a set and of a model in a paper's table

_ONE_MODEL = (
    "Runs on several sets are of one model where weights, preprocessing and precision are the same."
)


def gather(inputs: Inputs, data: ReportData) -> tuple[SetComparison, ...]:
    """Compare the report's set with each other one."""
    options = data.options
    return tuple(
        compare_sets(inputs.results, other, options.resampling, flagged_too=options.include_flagged)
        for other in inputs.others
    )


def show(found: Sequence[SetComparison], data: ReportData) -> Iterator[Part]:
    """For each other set: how much models lose or gain on it, and a table for each way."""
    if not found:
        return
    blocks: list[Block] = []
    for other in found:
        blocks += [Heading(f"{other.name} against {data.set.name}")]
        blocks += _set(clean(data.set.name), other)
    how = f"{resampled(data.options.resampling)} {_ONE_MODEL}"
    blocks += sentences([how, _by_name(found)], "note")
    yield Part("sets", "Sets side by side", blocks)


def tables(data: ReportData, *, in_paper: bool) -> Iterator[Table]:
    """The same as tables with titles and notes.

    In a paper, to be no wider than an article's text, the change alone has its interval.
    """
    first = clean(data.set.name)
    for other in data.of(SECTION):
        second, blocks = clean(other.name), list(_set(first, other))
        title = f"{second} against {first}"
        notes = [block.text for block in blocks if isinstance(block, Paragraph)]
        if not other.ways:
            yield Table(title=title, notes=notes)
        for way in other.ways:
            table = (_paper_table if in_paper else _table)(first, second, way)
            below = notes if way is other.ways[-1] else ()
            yield replace(table, title=f"{_how(way, other)}{title}", notes=below)


def _set(first: str, other: SetComparison) -> Iterator[Block]:
    second = clean(other.name)
    if not other.ways:
        yield Paragraph(f"{first} and {second} have no class in common.")
        return
    yield Paragraph(common(other.classes, other.photos, (first, second)), "note")
    for way in other.ways:
        yield Paragraph(f"{_how(way, other)}{_change(first, second, way)}")
        yield Grid(_table(first, second, way), all_models(len(way.models)), "named")
        yield from sentences(_without_change(way), "note")
    if other.flagged:
        text = (
            "Left out, because its answers cannot be right as a whole (--include-flagged counts "
            f"it): {some_of(other.flagged)}."
        )
        yield Paragraph(text, "note")


def _how(way: Way, other: SetComparison) -> str:
    """In which way two sets are compared, where that must be said."""
    among, _, pool = way.among.partition(", ")
    if other.is_of_imagenet and len(other.ways) > 1:
        every = f"all {len(imagenet1k()):,} classes"
        these = f"these {classes_of(other.classes)} alone"
        return f"Choosing among {every if among == 'all' else these}: "
    if len(other.ways) == 1 and way.among == "all":
        return ""
    more = ", by the largest output of a class (max)" if pool else ""
    return f"Where {_CONVENTIONS[among]}{more}: "


def _change(first: str, second: str, way: Way) -> str:
    compared = [model for model in way.models if model.difference]
    if not compared:
        return f"no model can be compared on {first} and {second}."
    who = f"mean of {len(compared)} models" if way.mean else clean(compared[0].label)
    found = way.mean or compared[0].difference
    mean, places = (found.difference, digits(min(found.photos))) if found else (None, 1)
    return claim(who, mean, f"on {second} against {first}", places)


def _table(first: str, second: str, way: Way) -> Table:
    columns = [
        Column("model", "Model"),
        Column("first", first, "top-1, %", align="right", ends=("top1", "low", "high")),
        Column("second", second, "top-1, %", align="right", ends=("top1", "low", "high")),
        Column("difference", "Change", "points", align="right", ends=("mean", "low", "high")),
    ]
    rows = [
        [model.label, *map(_score, (model.first, model.second)), _difference(model.difference)]
        for model in way.models
    ]
    return Table(columns, rows)


def _paper_table(first: str, second: str, way: Way) -> Table:
    heads = short_names([first, second], _HEAD)
    names = short_names([model.label for model in way.models], _NAME)
    table = _table(heads[first], heads[second], way)
    columns = [replace(c, unit=c.unit.replace("top-1, ", "")) for c in table.columns]
    rows = [[names[row[0]], *map(_bare, row[1:3]), row[3]] for row in table.rows]
    return Table(columns, rows)


def _bare(cell: Cell | None) -> Cell | None:
    return cell and replace(cell, note="")


def _score(found: Score | None) -> Cell | None:
    if found is None:
        return None
    accuracy = found.accuracy
    note = interval(accuracy)
    if found.part:
        note += "; answered {:,} of {:,} photos".format(*found.part)
    value = [accuracy.share, accuracy.low, accuracy.high]
    return Cell(value, percent(accuracy.share, accuracy.photos), note)


def _difference(found: Matched | None) -> Cell | None:
    if found is None or not found.classes:
        return None
    mean = found.difference
    cell = matched_difference(mean, digits(min(found.photos)))
    return replace(cell, value=[mean.value, *mean.interval]) if mean else cell


def _without_change(way: Way) -> list[str]:
    """Which models have no change, and why."""
    labels = {
        why: [model.label for model in way.models if model.missing == missing]
        for missing, why in _MISSING.items()
    }
    return [f"Without a change, for it {why}: {some_of(of)}." for why, of in labels.items() if of]


def _by_name(found: Sequence[SetComparison]) -> str:
    labels = list(dict.fromkeys(label for other in found for label in other.by_name))
    if not labels:
        return ""
    return f"Answers that were computed elsewhere are joined by name alone: {some_of(labels)}."


SECTION = Section("sets", gather, show)
