"""Entries beside their models, as Markdown and as JSON."""

from typing import Any

from genset.core.markdown import escape, table
from genset.core.numbers import ends, percent
from genset.core.to_json import to_json
from genset.reporting.data.report import ReportData
from genset.reporting.format import interval
from genset.reporting.narrative import margins
from genset.reporting.narrative import tta as tta_narrative
from genset.reporting.narrative.finetuning import shares
from genset.reporting.narrative.tta import LOWER, UPPER

_TRAINING = ("Goal", "Time", "Cost", "Epoch", "Runs that reach it", "Variation of times")
_SURE = ("Wilson", "Classes resampled")
_HERE = ("Top-1 (%)", *_SURE, "Top-5 (%)", *_SURE)
_GAP = ("Share of the gap (%)", "95 % interval")
_GAP5 = ("Share in top-5 (%)", "95 % interval")


def entries_in_markdown(data: ReportData) -> list[str]:
    """A sentence for each entry, and a table with the references at its ends."""
    head = ["Entry", "Model", *_TRAINING, *_HERE, *(_GAP if data.bounds else ())]
    head += _GAP5 if data.top5_bounds else ()
    rows = [
        [
            entry.name,
            entry.model,
            tta_narrative.goal(entry),
            tta_narrative.time(entry),
            tta_narrative.cost(entry),
            tta_narrative.epoch(entry),
            tta_narrative.reach(entry),
            tta_narrative.variation(entry),
            *_here(data, entry.model),
        ]
        for entry in data.entries
    ]
    if data.bounds:
        lower, upper = data.bounds.lower, data.bounds.upper
        untimed = ["–"] * len(_TRAINING)
        rows.insert(0, [LOWER, lower, *untimed, *_here(data, lower)])
        rows.append([UPPER, upper, *untimed, *_here(data, upper)])
    said = tta_narrative.sentences(data)
    said += [f"{entry.name}: {remark}." for entry in data.entries for remark in entry.remarks]
    held = tta_narrative.margin_tests(data)
    beside = [table(margins.HEAD, map(margins.row, held), words=2)] if held else []
    return [*map(escape, said), table(head, rows, words=3), *beside, *_finetuned(data)]


def entries_to_json(data: ReportData) -> list[dict[str, Any]]:
    """Entries as JSON's own types; an interval's end that is infinite is null."""
    return [
        {
            **to_json(entry),
            "margins": [{**to_json(t), "not_worse": t.not_worse} for t in entry.margins],
            "sentence": tta_narrative.sentence(entry, data),
        }
        for entry in data.entries
    ]


def _here(data: ReportData, label: str) -> list[str]:
    """A model's cells: how good it is on the report's set."""
    tops = {top.k: top for top in data.model(label).tops}
    cells = []
    for k in (1, 5):
        if (top := tops.get(k)) is None:
            cells += ["–"] * 3
            continue
        found = top.accuracy
        resampled = ends(top.clustered, found.photos)
        cells += [percent(found.share, found.photos), interval(found), resampled]
    for _, share, sure in tta_narrative.gaps(label, data):
        cells += [share, sure]
    return cells


def _finetuned(data: ReportData) -> list[str]:
    """The same models on the tasks that they have a new last layer for."""
    if not (tasks := tta_narrative.tasks(data)):
        return []
    head = ["Model"]
    for task in tasks:
        head += [f"{task.task} (%)", f"less {task.models[0].label} (points)"]
    rows = []
    for label in tta_narrative.models(data):
        row = [label]
        for task in tasks:
            found = task.find(label)
            row += [shares(found)[0], tta_narrative.against_baseline(found)] if found else "––"
        rows.append(row)
    return [table(head, rows)]
