"""Accuracies elsewhere, and places among known models, as Markdown."""

from genset.core.markdown import escape, table
from genset.core.numbers import NONE, points, span
from genset.reporting.data.again import Again
from genset.reporting.data.baseline import Against, Baseline
from genset.reporting.data.report import SetSummary
from genset.reporting.narrative import baseline as narrative


def baseline_in_markdown(baseline: Baseline, about: SetSummary, again: Again) -> list[str]:
    """The section's tables and sentences.

    Args:
        baseline: what it says.
        about: the set.
        again: how its models are scored.
    """
    parts = [f"### {escape(narrative.title(baseline))}"]
    parts += map(escape, narrative.recognized(baseline))
    if baseline.places:
        head = ("Model", "Here (%)", "Place", "Published here (%)")
        rows = [
            (
                place.label,
                f"{100 * place.accuracy:.2f}",
                narrative.place(place),
                NONE if place.published is None else f"{100 * place.published:.2f}",
            )
            for place in baseline.places
        ]
        parts += [table(head, rows), *map(escape, narrative.places(baseline))]
    if baseline.models:
        parts.append(_against(baseline))
    parts += map(escape, narrative.lines(baseline))
    if baseline.ladder:
        command = narrative.ladder(baseline, about, again)
        parts += [escape(narrative.why_ladder(baseline, about)), f"```\n{command}\n```"]
    if baseline.source:
        parts.append(escape(f"Published accuracies: {baseline.source}."))
    return parts


def _against(baseline: Baseline) -> str:
    def row(model: Against) -> tuple[str, ...]:
        above = (NONE, NONE)
        if model.above is not None and model.interval:
            above = points(model.above), span(model.interval)
        here, there = f"{100 * model.here:.2f}", f"{100 * model.elsewhere:.2f}"
        more = () if not baseline.from_known else (_share(model.higher),)
        return (model.label, there, here, points(-model.gap), *above, *more, model.source)

    line = ("Above the line", "95 % interval", *(("More (%)",) if baseline.from_known else ()))
    head = ("Model", "There (%)", "Here (%)", "Change", *line, "Source")
    return table(head, map(row, baseline.models))


def _share(found: float | None) -> str:
    return NONE if found is None else f"{100 * found:.0f}"
