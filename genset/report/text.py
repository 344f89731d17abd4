"""A report's numbers as Markdown, to paste, and as JSON, to compute with."""

import html
import re
from dataclasses import asdict
from typing import Any

from genset.report.data import ReportData
from genset.report.samples import Sample
from genset.report.words import (
    INTERVALS,
    certainty,
    clean,
    count,
    headline,
    interval,
    percent,
    unreadable,
)

FORMAT = "genset report 1"


def as_markdown(data: ReportData) -> str:
    """The table of models, with what it takes to read it."""
    about = data.set
    lines = [
        f"**{_escape(about.name)}**: {count(about.photos, 'photo')} of "
        f"{count(about.classes, 'ImageNet class', 'ImageNet classes')}, `{about.content_hash}`.",
        "",
        _escape(headline(data)),
    ]
    if not data.models:
        return "\n".join(lines) + "\n"
    lines += [
        "",
        "| Model | Top-1 (%) | 95 % interval | Correct | Top-5 (%) | 95 % interval | Correct |",
        "|:--|--:|--:|--:|--:|--:|--:|",
    ]
    for model in data.models:
        note = f" ({unreadable(model.run)})" if model.run.unreadable else ""
        cells = [_escape(model.label)]
        for accuracy in (model.run.top1, model.run.top5):
            cells += [
                percent(accuracy.share, accuracy.photos),
                interval(accuracy),
                f"{accuracy.correct:,} of {accuracy.photos:,}{note}",
            ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", _escape(" ".join([*certainty(data), INTERVALS]))]
    return "\n".join(lines) + "\n"


def to_json(data: ReportData) -> dict[str, Any]:
    """Everything in the report but the pictures, as JSON's own types."""
    return {
        "format": FORMAT,
        "headline": headline(data),
        "set": asdict(data.set),
        "models": [{"label": model.label, **asdict(model.run)} for model in data.models],
        "leaders": asdict(data.leaders) if data.leaders else None,
        "samples": [_sample(sample) for sample in data.samples],
        "other_runs": data.other_runs,
    }


def _sample(sample: Sample) -> dict[str, Any]:
    record = asdict(sample)
    del record["path"]  # where this machine keeps it is nobody's business
    return record


def _escape(text: str) -> str:
    """Keep Markdown, and the HTML in it, from reading a name as markup."""
    words = html.escape(clean(text, longest=2000), quote=False)
    return re.sub(r"([\\`*_{}\[\]|#~])", r"\\\1", words)
