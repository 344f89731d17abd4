"""A report as Markdown, to paste, and as JSON, to compute with."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any

from markupsafe import Markup

from genset.classes import hash_of
from genset.core.numbers import count
from genset.core.safe import clean, escape_markdown
from genset.core.table import as_markdown as table_in_markdown
from genset.core.to_json import to_json
from genset.reporting.blocks import (
    Block,
    Columns,
    Commands,
    Grid,
    Heading,
    Paragraph,
    Part,
)
from genset.reporting.headline import certainty, headline
from genset.reporting.options import PLAIN
from genset.reporting.report import ReportData, ScoredModel
from genset.reporting.sections.order import SECTIONS

FORMAT = "genset report 1"


def as_markdown(data: ReportData) -> str:
    """What the report says, but for its pictures."""
    about = data.set
    classes = count(about.classes, "ImageNet class", "ImageNet classes")
    if taxonomy := data.taxonomy:
        name = escape_markdown(clean(taxonomy.name))
        classes = f"{about.classes:,} of the {len(taxonomy):,} classes of {name}"
    texts = [
        f"**{escape_markdown(about.name)}**: {count(about.photos, 'photo')} of {classes}, "
        f"`{about.content_hash}`.",
        escape_markdown(headline(data)),
        *map(escape_markdown, certainty(data)),
    ]
    for section in SECTIONS:
        for part in section.show(data.of(section), data):
            texts += _in_markdown(part)
    return "\n\n".join(texts) + "\n"


def report_json(data: ReportData) -> dict[str, Any]:
    """Everything in the report but the pictures, as JSON's own types.

    What the report has nothing of, such as entries, sources or flagged models, has no key.
    """
    found: dict[str, Any] = {
        "format": FORMAT,
        "headline": headline(data),
        "options": _options(data),
        "set": to_json(data.set),
        "models": [_model(model) for model in data.models],
        "pairs": to_json(data.pairs),
        "power": to_json(data.power),
        "other_runs": data.other_runs,
        "fixed": data.fixed,
    }
    if data.copies:
        found["copies"] = list(data.copies)
    if data.flagged:
        found["flagged"] = [_model(model) for model in data.flagged]
    if taxonomy := data.taxonomy:
        found["taxonomy"] = {"name": taxonomy.name, "hash": hash_of(taxonomy)}
    for section in SECTIONS:
        found |= section.as_json(data)
    return found


def _options(data: ReportData) -> Any:
    """What was asked for beyond the defaults, and how classes are resampled."""
    found = {field.name: getattr(data.options, field.name) for field in fields(data.options)}
    options = {
        name: value
        for name, value in found.items()
        if name == "resampling" or (value != getattr(PLAIN, name) and name not in _UNSAID)
    }
    return to_json(options, paths=attrgetter("name"))


# What `set` and `taxonomy` say, and what changes the page alone.
_UNSAID = ("named", "taxonomy", "include_restricted")


def _model(model: ScoredModel) -> dict[str, Any]:
    """A model's numbers, with no word of a truth where the set has none, or of flags it has not."""
    numbers = {
        name: value
        for name, value in asdict(model).items()
        if value or name not in ("multilabel", "flags")
    }
    found: dict[str, Any] = to_json({**asdict(model.run), **numbers, "run": model.run.key})
    return found


# Blocks in Markdown


def _in_markdown(part: Part) -> list[str]:
    """A part of the report under its title; nothing where the text report has nothing of it."""
    texts = [] if part.page_only else list(_texts(part.blocks))
    return [f"### {escape_markdown(part.title)}", *texts] if texts else []


def _texts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading(text):
                yield f"#### {escape_markdown(text)}"
            case Paragraph(text):
                yield escape_markdown(text.striptags() if isinstance(text, Markup) else text)
            case Grid(table):
                yield table_in_markdown([table])
            case Commands(text):
                yield f"```\n{text}\n```"
            case Columns(columns):
                for column in columns:
                    yield from _texts(column)
