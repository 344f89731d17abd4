"""Time to accuracy: training logs beside the models that they gave: fast, stable, general?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from genset.comparison.pairs import Bounds
from genset.core.errors import BadInput
from genset.core.numbers import between, dollars, spoken
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.reporting import margins
from genset.reporting.blocks import Block, Grid, Heading, Paragraph, Part
from genset.reporting.format import share
from genset.reporting.html import breakable
from genset.reporting.report import Inputs, ReportData, Section
from genset.reporting.sections import bounds
from genset.reporting.sections.bounds import TwoBounds
from genset.reporting.training_logs import JoinedEntry, join_entry, tell_apart
from genset.tta import words

_LOWER, _UPPER = "lower reference", "upper reference"
_KS = (1, 5)


def gather(inputs: Inputs, data: ReportData) -> tuple[JoinedEntry, ...]:
    """Read each entry and find its model, in the order asked for.

    Raises:
        BadInput: a model that was not scored on this set, an entry that is named twice, a log that
            is not there or has no right reading, a folder with runs of several entries, or a
            counterpart without a margin or the other way round.
    """
    options, found = data.options, dict[Path, JoinedEntry]()
    for log, named in options.tta:
        model, place = inputs.results.find(named), log.resolve()
        if place in found:
            raise BadInput(f"--tta names {log} twice: an entry's training gave one model")
        found[place] = join_entry(log, model, options.tta_threshold)
    labels = [entry.model for entry in found.values()]
    tests = margins.compare_counterparts(inputs.results, labels, options)
    return tuple(
        replace(entry, margins=tests.get(entry.model, ()))
        for entry in tell_apart(list(found.values()))
    )


# The tables


def show(found: Sequence[JoinedEntry], data: ReportData) -> Iterator[Part]:
    """How fast and stable each training was, beside how good its model is here and elsewhere."""
    if not found:
        return
    blocks: list[Block] = [Grid(_table(found, data))]
    by_model = {entry.model: entry.margins for entry in found}
    if tests := [test for of_model in by_model.values() for test in of_model]:
        blocks += [Heading("Beside their pretrained counterparts"), Grid(margins.table_of(tests))]
        blocks.append(Paragraph(margins.NOTE, "note"))
    blocks.append(Paragraph(_meaning(found, data.of(bounds.SECTION)), "note"))
    yield Part("time-to-accuracy", "Time to accuracy", blocks)


def _table(found: Sequence[JoinedEntry], data: ReportData) -> Table:
    """The entries, between the two references where there are such."""
    ends_of = data.of(bounds.SECTION)
    columns = [
        Column("entry", "Entry", "its model here"),
        Column("time", "Time", "epoch, cost, energy"),
        Column("runs", "Stability", "runs that reach it, variation"),
        *(Column(f"top{k}", f"Top-{k}", "%; Wilson’s, classes resampled") for k in _KS),
        *[Column("gap", "Share of the gap", "%")] * bool(ends_of.top1),
        *[Column("gap_top5", "In top-5", "%")] * bool(ends_of.top5),
    ]
    rows = [_row(entry, data) for entry in found]
    if ends_of.top1:
        lower, upper = ends_of.top1.lower, ends_of.top1.upper
        rows.insert(0, [Cell(lower, lower, _LOWER), None, None, *_here(lower, data)])
        rows.append([Cell(upper, upper, _UPPER), None, None, *_here(upper, data)])
    return Table(columns, rows)


def _row(entry: JoinedEntry, data: ReportData) -> list[object]:
    time = "never" if entry.hours is None else spoken(entry.hours)
    how = f"best {words.amount(entry.best, entry.percent)}"
    if entry.epochs:
        low, high = entry.epochs  # of several runs, of the first and the last
        epochs = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        how = f"epoch {epochs}, {dollars(entry.cost)}"
    if entry.watt_hours is not None:
        how += f", {words.quantity(entry.watt_hours, 'Wh')}"
    goal = f"{words.goal(entry)} on {clean(entry.task)}"
    small, odd = Markup("<small><bdi>{}</bdi></small>"), Markup('<small class="odd">{}</small>')
    markup = Markup("<bdi>{}</bdi>").format(breakable(clean(entry.name, 60)))
    markup += small.format(clean(entry.model, 60))
    for remark in entry.remarks:
        markup += odd.format(clean(remark, 200))
    text = f"{entry.name} ({'; '.join([entry.model, *entry.remarks])})"
    return [
        Cell(entry.name, text, html=markup),
        Cell(entry.hours, time, f"to {goal}; {how}"),
        _stability(entry),
        *_here(entry.model, data),
    ]


def _stability(entry: JoinedEntry) -> Cell:
    """How many runs reach the threshold, and how much their times vary."""
    if entry.share is None:
        return Cell(entry.reached, "one run")
    notes = [words.percent_interval(entry.share, 0)]
    if (ends := entry.variation_interval) and entry.variation is not None:
        varies = f"{100 * entry.variation:.1f} % ({words.percent_interval(ends, 1)})"
        notes.append(f"varies by {varies}")
    elif entry.variation is not None:
        notes.append("varies by 0 % (as coarse as the logs are)")
    return Cell(entry.reached, f"{entry.reached} of {entry.runs} runs", "; ".join(notes))


def _here(label: str, data: ReportData) -> Iterator[Cell | None]:
    """A model's cells: how good it is on the report's set."""
    tops = {top.k: top for top in data.model(label).tops}
    for k in _KS:
        yield share(tops[k].accuracy) if k in tops else None
    for limits in data.of(bounds.SECTION):
        if limits:
            yield _gap(label, limits)


def _gap(label: str, limits: Bounds) -> Cell:
    """A model's share of the gap between the two references, no surer than its interval allows."""
    if (found := next((p for p in limits.places if p.model == label), None)) is None:
        share = 0.0 if label == limits.lower else 1.0
        return Cell(share, f"{100 * share:g}")
    low, high = found.interval
    near = [name for name, end in ((limits.lower, 0), (limits.upper, 1)) if low <= end <= high]
    doubt = f"; not to be told apart from {' or '.join(map(clean, near))}" if near else ""
    return Cell(found.share, f"{100 * found.share:.1f}", between(found.interval) + doubt)


def _meaning(found: Sequence[JoinedEntry], limits: TwoBounds) -> str:
    stop = gap = by_word = ""
    if any(entry.to_stop for entry in found):
        stop = " (of MLPerf’s logs, to the stop of the run)"
    if limits.top1:
        lower, upper = clean(limits.top1.lower, 60), clean(limits.top1.upper, 60)
        gap = f" The gap: 0 % is as good as {lower}, 100 % as {upper}."
    if any(entry.weights.kind != "same" for entry in found):
        by_word = (
            " Where no sha256 says so, that a training gave the model is the word of who asked for "
            "this report."
        )
    return (
        f"Times and costs are DAWNBench’s: to the first epoch at or over the threshold{stop}; of "
        "several runs, the mean over those that reach it. Intervals: Clopper and Pearson’s of the "
        "share of runs, the modified McKay of the variation, classes resampled of accuracies."
        f"{gap}{by_word}"
    )


SECTION = Section("entries", gather, show)
