"""A report as Markdown, to paste, and as JSON, to compute with."""

from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any

from genset.classes import hash_of
from genset.core.numbers import count
from genset.core.safe import clean, escape_markdown
from genset.core.to_json import to_json
from genset.reporting.headline import certainty, headline
from genset.reporting.report import ReportData, ScoredModel
from genset.reporting.sections.order import SECTIONS
from genset.reporting.text import part_in_markdown
from genset.reporting.verdict import pair_to_json

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
            texts += part_in_markdown(part)
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
        "pairs": [pair_to_json(pair) for pair in data.pairs],
        "power": to_json(data.power),
        "other_runs": data.other_runs,
    }
    if data.flagged:
        found["flagged"] = [_model(model) for model in data.flagged]
    if taxonomy := data.taxonomy:
        found["taxonomy"] = {"name": taxonomy.name, "hash": hash_of(taxonomy)}
    for section in SECTIONS:
        found |= section.as_json(data)
    return found


def _options(data: ReportData) -> Any:
    """What was asked for; `set` has what it was called."""
    unused = {"named", "taxonomy", "include_restricted"}
    if not data.options.others:
        unused.add("others")
    if not data.options.tta:
        unused.add("tta")
    if not data.options.counterparts:
        unused |= {"counterparts", "margin"}
    options = {
        field.name: getattr(data.options, field.name)
        for field in fields(data.options)
        if field.name not in unused
    }
    return to_json(options, paths=attrgetter("name"))


def _model(model: ScoredModel) -> dict[str, Any]:
    """A model's numbers, with no word of a truth where the set has none, or of flags it has not."""
    numbers = {
        name: value
        for name, value in asdict(model).items()
        if value or name not in ("multilabel", "flags")
    }
    found: dict[str, Any] = to_json({**asdict(model.run), **numbers, "run": model.run.key})
    return found
