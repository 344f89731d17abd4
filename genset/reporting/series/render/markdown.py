"""A series as Markdown, for an issue or a README, and as JSON."""

from dataclasses import asdict
from typing import Any

from genset.core.markdown import escape, table
from genset.core.numbers import NONE, percent, points, span
from genset.core.to_json import to_json
from genset.reporting.series import narrative
from genset.reporting.series.conventions import mixed
from genset.reporting.series.data import OnSet, Series, SetPair

FORMAT = "genset series 1"

# What is there for sets of a user's own classes alone.
_OF_OWN_CLASSES = (
    ("sets", "conventions"),
    ("groupings", "convention"),
)


def series_json(series: Series) -> dict[str, Any]:
    """All numbers of a series, as JSON's own types."""
    found = asdict(series)
    how = found.pop("options")
    for part, field in _OF_OWN_CLASSES:
        for each in found[part]:
            if not each[field]:
                del each[field]
    return {
        "format": FORMAT,
        "headline": narrative.headline(series),
        "changes": narrative.changes(series),
        "resampling": how["resampling"],
        "include_flagged": how["include_flagged"],
        **to_json(found),
    }


def as_markdown(series: Series) -> str:
    """The tables of a series, with what it takes to read them."""
    said = [narrative.headline(series), *narrative.changes(series)]
    parts = [escape(sentence) for sentence in said]
    if series.models:
        heads = [f"{each.name}, {narrative.column(series, each)}" for each in series.sets]
        rows = [[model.label, *map(_cell, model.on)] for model in series.models]
        parts.append(table(["Model", *heads], rows, words=None))
        parts.append(escape(narrative.intervals(series)))
        parts += [escape(sentence) for sentence in mixed(series)]
    for number, each in enumerate(series.sets):
        if each.is_subset and each.models:
            heads = [narrative.among_all(each), narrative.among_own(each.summary.classes)]
            there = [(model.label, on) for model in series.models if (on := model.on[number])]
            rows = [
                [label, _score(on.all), f"{_score(on.subset)}{_part(on)}"] for label, on in there
            ]
            parts.append(table([each.name, *heads], rows, words=None))
    for pair in series.pairs:
        parts += [f"### {escape(narrative.pair_name(series, pair))}", *_pair(pair)]
    for grouping in series.groupings:
        rows = [[name, *map(narrative.group, cells)] for name, cells in grouping.rows.items()]
        head = [grouping.by.capitalize(), *(each.name for each in series.sets)]
        parts += [table(head, rows, words=None), escape(narrative.grouped(grouping))]
    for model, name, why in narrative.flagged(series):
        parts.append(escape(f"{model} on {name} is left out: {why}"))
    for gap in series.gaps:
        parts.append(f"### Not scored on {escape(gap.set)}")
        parts += [f"```\n{gap.command}\n```"] if gap.command else []
        parts += [escape(narrative.by_hand(gap))] if gap.by_hand else []
    return "\n\n".join(parts) + "\n"


def _pair(pair: SetPair) -> list[str]:
    said = [escape(each) for each in (*narrative.pair_summary(pair), *narrative.fits(pair))]
    scales = [fit.scale for fit in pair.fits]
    rows = []
    for model in pair.models:
        shares = zip((model.first, model.second), model.matched.photos, strict=True)
        above = [
            f"{points(found.value)} ({span(found.interval)})" if found else NONE
            for found in map(model.above.get, scales)
        ]
        rows.append(
            [
                model.label,
                *(f"{percent(share, photos)} %" for share, photos in shares),
                narrative.difference(model.matched),
                *above,
            ]
        )
    heads = [pair.first, pair.second, "Change", *(f"Above the line, {s}" for s in scales)]
    return [*said, table(["Model", *heads], rows, words=None)] if rows else said


def _cell(on: OnSet | None) -> str:
    if on is None:
        return "not scored"
    change = f", change {narrative.difference(on.change)}" if on.change else ""
    return f"{_score(on.all)}{_part(on)}{change}{', left out' if on.flags else ''}"


def _part(on: OnSet) -> str:
    return f", {narrative.partial(on)}" if on.partial else ""


def _score(found: Any) -> str:
    beside = narrative.beside(found)
    return f"{narrative.score(found)}{f' ({beside})' if beside else ''}"
