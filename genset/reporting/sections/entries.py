"""Time to accuracy: training logs beside the models that they gave: fast, stable, general?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isinf
from pathlib import Path
from typing import Any

from markupsafe import Markup

from genset.comparison.pairs import Bounds, Place
from genset.core.errors import BadInput
from genset.core.numbers import NONE, between, dollars, percent, spoken
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.core.to_json import to_json
from genset.reporting import margins
from genset.reporting.blocks import Block, Grid, Heading, Paragraph, Part, sentences
from genset.reporting.format import interval, share
from genset.reporting.html import breakable
from genset.reporting.report import Inputs, ReportData, Section, TopK
from genset.reporting.sections import bounds, finetuning
from genset.reporting.sections.bounds import TwoBounds
from genset.reporting.sections.finetuning import against_baseline
from genset.reporting.training_logs import JoinedEntry, join_entry, tell_apart
from genset.statistics.intervals import Interval
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
    for spec in options.tta:
        model = inputs.results.find(spec.model)
        place = spec.log.resolve()
        if place in found:
            raise BadInput(f"--tta names {spec.log} twice: an entry's training gave one model")
        found[place] = join_entry(spec, model, options.tta_threshold)
    labels = [entry.model for entry in found.values()]
    tests = margins.compare_counterparts(inputs.results, labels, options)
    return tuple(
        replace(entry, margins=tests.get(entry.model, ()))
        for entry in tell_apart(list(found.values()))
    )


def _json(found: Sequence[JoinedEntry], data: ReportData) -> dict[str, Any]:
    """An interval's end that is infinite is null."""
    entries = [
        to_json(replace(entry, margins=()))
        | {"margins": [test.as_json() for test in entry.margins]}
        | {"sentence": " ".join([*_training(entry), *_model(entry.model, found, data)])}
        for entry in found
    ]
    return {"entries": entries} if entries else {}


# The tables


def show(found: Sequence[JoinedEntry], data: ReportData) -> Iterator[Part]:
    """How fast and stable each training was, beside how good its model is here and elsewhere."""
    if not found:
        return
    blocks: list[Block] = [*sentences(_claims(found, data)), Grid(_table(found, data))]
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
        Column("time", "Time", "epoch, cost"),
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
    how = (
        f"epoch {_epoch(entry)}, {dollars(entry.cost)}" if entry.epochs else f"best {_best(entry)}"
    )
    runs, *share = _reach(entry)
    if entry.variation is not None:
        share.append(f"varies by {_variation(entry)}")
    return [
        _name(entry),
        Cell(entry.hours, time, f"to {_goal(entry)}; {how}"),
        Cell(entry.reached, runs, "; ".join(share)),
        *_here(entry.model, data),
    ]


def _name(entry: JoinedEntry) -> Cell:
    """An entry with its model, and what a reader must know of its logs."""
    small, odd = Markup("<small><bdi>{}</bdi></small>"), Markup('<small class="odd">{}</small>')
    markup = Markup("<bdi>{}</bdi>").format(breakable(clean(entry.name, 60)))
    markup += small.format(clean(entry.model, 60))
    for remark in entry.remarks:
        markup += odd.format(clean(remark, 200))
    text = f"{entry.name} ({'; '.join([entry.model, *entry.remarks])})"
    return Cell(entry.name, text, html=markup)


def _here(label: str, data: ReportData) -> Iterator[Cell | None]:
    """A model's cells: how good it is on the report's set."""
    tops = {top.k: top for top in data.model(label).tops}
    for k in _KS:
        if (top := tops.get(k)) is None:
            yield None
            continue
        yield share(top.accuracy)
    for limits in data.of(bounds.SECTION):
        if limits:
            yield _gap(label, limits)


def _gap(label: str, limits: Bounds) -> Cell:
    """A model's share of the gap between the two references."""
    if (found := _place(label, limits)) is None:
        share = 0.0 if label == limits.lower else 1.0
        return Cell(share, f"{100 * share:g}")
    return Cell(found.share, f"{100 * found.share:.1f}", between(found.interval))


def _place(label: str, limits: Bounds) -> Place | None:
    return next((place for place in limits.places if place.model == label), None)


# The sentences


def _claims(found: Sequence[JoinedEntry], data: ReportData) -> list[str]:
    """All that is known of each model's trainings and of the model; of each model together."""
    labels = dict.fromkeys(entry.model for entry in found)
    return [
        " ".join(
            [
                *(text for entry in found if entry.model == label for text in _training(entry)),
                *_model(label, found, data),
            ]
        )
        for label in labels
    ]


def _training(entry: JoinedEntry) -> list[str]:
    return [_time(entry), *filter(None, [entry.weights.sentence(entry.model)])]


def _time(entry: JoinedEntry) -> str:
    name, aim = clean(entry.name), _goal(entry)
    if entry.hours is None:
        none = f"None of the {entry.runs} runs of {name} reaches" if entry.runs > 1 else ""
        return f"{none or f'{name} never reaches'} {aim}: the best is {_best(entry)}."
    price = f" for {dollars(entry.cost)}" if entry.cost is not None else ""
    if entry.share is None:
        alone = "one run, which does not say how stable that is"
        return f"{name} reaches {aim} in {spoken(entry.hours)}{price} ({alone})."
    varied = "" if entry.variation is None else f"; their times vary by {_variation(entry)}"
    mean = f"after {spoken(entry.hours)}{price} on average{varied}"
    return "{} reaches {} in {} ({}), {}.".format(name, aim, *_reach(entry), mean)


def _model(label: str, found: Sequence[JoinedEntry], data: ReportData) -> list[str]:
    """How good a model is on the report's set, between which two, and on other tasks."""
    tops = " and ".join(_top(top) for top in data.model(label).tops if top.k in _KS)
    limits = data.of(bounds.SECTION)
    where = f": {_between(label, limits.top1)}" if limits.top1 else ""
    if limits.top5 and _place(label, limits.top5):
        where += f"; {_between(label, limits.top5, 5)}"
    texts = [f"On {clean(data.set.name)}, {clean(label)} has {tops}{where}."]
    if tests := next(entry.margins for entry in found if entry.model == label):
        texts.append(margins.sentence(tests))
    against = [
        "{} {} ({})".format(clean(task.task), *against_baseline(tuned))
        for task in data.of(finetuning.SECTION)
        if (tuned := task.find(label)) and tuned.difference
    ]
    if against:
        texts.append(f"Fine-tuned, in points against the baseline: {'; '.join(against)}.")
    return texts


def _top(top: TopK) -> str:
    found = top.accuracy
    return f"{percent(found.share, found.photos)} % top-{top.k} ({interval(found)} %)"


def _between(label: str, limits: Bounds, k: int = 1) -> str:
    """Where a model is between the two references, no surer than the interval allows."""
    lower, upper = clean(limits.lower), clean(limits.upper)
    if (found := _place(label, limits)) is None:
        return f"it is the {_LOWER if label == limits.lower else _UPPER} itself"
    low, high = found.interval
    if near := [name for name, end in ((lower, 0), (upper, 1)) if low <= end <= high]:
        return f"in top-{k} not to be told apart from {' or '.join(near)}"
    if high < 0 or low > 1:
        return f"in top-{k} {f'below {lower}' if high < 0 else f'above {upper}'}"
    return f"in top-{k} between {lower} and {upper}, {100 * found.share:.0f} % of the way"


def _goal(entry: JoinedEntry) -> str:
    """What it must reach: "93 % top-5 on ImageNet"."""
    return f"{words.goal(entry)} on {clean(entry.task)}"


def _best(entry: JoinedEntry) -> str:
    return words.amount(entry.best, entry.percent)


def _epoch(entry: JoinedEntry) -> str:
    """The epoch that reached the threshold; of several runs, from the first to the last."""
    low, high = entry.epochs or (0, 0)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _reach(entry: JoinedEntry) -> list[str]:
    """How many runs reach the threshold; of several also the interval of their share."""
    if entry.share is None:
        return ["one run"]
    return [f"{entry.reached} of {entry.runs} runs", _range(entry.share, 0)]


def _variation(entry: JoinedEntry) -> str:
    """How much the times vary, with the interval of that; "–" where it is not known."""
    if entry.variation is None:
        return NONE
    if entry.variation_interval is None:
        return "0 % (as coarse as the logs are)"
    return f"{100 * entry.variation:.1f} % ({_range(entry.variation_interval, 1)})"


def _range(found: Interval, digits: int) -> str:
    """An interval of a share, in per cent."""
    high = "∞" if isinf(found.high) else f"{100 * found.high:.{digits}f}"
    return f"{100 * found.low:.{digits}f}–{high} %"


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


SECTION = Section("entries", gather, show, _json)
