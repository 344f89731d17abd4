"""A report's numbers as Markdown, to paste, and as JSON, to compute with."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any

from genset.classes import Taxonomy, hash_of
from genset.comparison.classes import Breakdown, Group
from genset.core.markdown import escape, table
from genset.core.numbers import bare_p, between, count, ends, percent, points
from genset.core.safe import clean
from genset.core.to_json import to_json
from genset.reporting.data.kinds import KindOfClasses
from genset.reporting.data.report import ReportData, ScoredModel
from genset.reporting.format import class_name, interval
from genset.reporting.narrative import models as narrative
from genset.reporting.render.baseline_markdown import baseline_in_markdown
from genset.reporting.render.finetuning_markdown import tasks_in_markdown, tasks_to_json
from genset.reporting.render.missed_markdown import missed_in_markdown, missed_to_json
from genset.reporting.render.multilabel_markdown import by_truth_to_json, truth_in_markdown
from genset.reporting.render.pairs import pair_to_json
from genset.reporting.render.sources_markdown import sources_in_markdown
from genset.reporting.render.training_markdown import training_in_markdown
from genset.reporting.render.tta_markdown import entries_in_markdown, entries_to_json

FORMAT = "genset report 2"
_LISTED = 10
_OWN_FORM = frozenset(
    {
        "models",
        "flagged",
        "pairs",
        "by_truth",
        "missed",
        "entries",
        "finetuning",
        "taxonomy",
        "again",
    }
)
_COLUMNS = 6  # models side by side, the best ones


def as_markdown(data: ReportData) -> str:
    """The report's tables, with what it takes to read them."""
    about = data.set
    classes = count(about.classes, "ImageNet class", "ImageNet classes")
    if own := data.taxonomy:
        classes = f"{about.classes:,} of the {len(own):,} classes of {escape(clean(own.name))}"
    parts = [
        f"**{escape(about.name)}**: {count(about.photos, 'photo')} of "
        f"{classes}, `{about.content_hash}`.",
        escape(narrative.headline(data)),
    ]
    if data.entries:
        parts += ["### Time to accuracy", *entries_in_markdown(data)]
    if data.models:
        parts.append(_leaderboard(data.models))
        parts += _beside(data, data.models)
        parts.append(escape(" ".join([*narrative.certainty(data), narrative.intervals(data)])))
    if data.flagged:
        parts += ["### Left out", escape(narrative.LEFT_OUT), _flagged(data.flagged)]
        parts += _beside(data, data.flagged) if data.taxonomy else []
    if data.pairs:
        parts += ["### Between models", _pairs(data)]
    if data.by_truth:
        parts += ["### By all right classes", *truth_in_markdown(data, data.by_truth)]
    if data.reference:
        parts += baseline_in_markdown(data.reference, data.set, data.again)
    if data.bounds:
        parts += [
            f"### Between {escape(data.bounds.lower)} and {escape(data.bounds.upper)}",
            table(
                ("Model", "Share of the gap (%)", "95 % interval"),
                [
                    (place.model, f"{100 * place.share:.1f}", between(place.interval))
                    for place in data.bounds.places
                ],
            ),
        ]
    if data.by_source and len(data.by_source.sources) > 1:
        parts += ["### By source", *sources_in_markdown(data, data.by_source)]
    if data.by_training:
        parts += ["### By date of training", *training_in_markdown(data, data.by_training)]
    if data.finetuning:
        parts += ["### Fine-tuning", *tasks_in_markdown(data.finetuning)]
    if data.confusions:
        parts += ["### Hardest classes and commonest confusions", _hardest(data), _confused(data)]
    if data.kinds:
        parts += ["### By kind", *_by_group("Kind", data.models, data.kinds)]
    if data.missed:
        parts += ["### Errors that matter", *missed_in_markdown(data.missed, data.taxonomy)]
    parts += [part for breakdown in data.breakdowns for part in _breakdown(data.models, breakdown)]
    if calibrated := [model for model in data.models if model.calibration]:
        parts += ["### Calibration", _calibration(calibrated)]
    return "\n\n".join(parts) + "\n"


def report_json(data: ReportData) -> dict[str, Any]:
    """Everything in the report but the pictures, as JSON's own types.

    A report without entries, results of fine-tuning, a truth, sources, dates of training, flagged
    or several models has no word of them, or of what models get wrong together.
    """
    # What has a form of its own is left to it; the rest is large, and not copied first.
    found: dict[str, Any] = {
        field.name: getattr(data, field.name)
        for field in fields(data)
        if field.name not in _OWN_FORM
    }
    for name in ("by_source", "by_training", "top5_bounds", "kinds"):
        if not found[name]:
            del found[name]
    if data.reference:  # the known ones are in genset itself
        found["reference"] = _without(data.reference, "known")
    # `set` says what it was called, and there are no pictures.
    unsaid = (
        ["include_restricted"]
        + ["tta"] * (not data.entries)
        + ["counterparts", "margin"] * (not data.options.counterparts)
    )
    found["options"] = _without(data.options, "named", "taxonomy", *unsaid)
    # Where this machine keeps photos is nobody's business.
    found["galleries"] = [
        _without(gallery, "samples")
        | {"samples": [_without(sample, "photo") for sample in gallery.samples]}
        for gallery in data.galleries
    ]
    return {
        "format": FORMAT,
        "headline": narrative.headline(data),
        **_taxonomy_to_json(data),
        **to_json(found, paths=attrgetter("name")),
        "models": [_model_to_json(model) for model in data.models],
        **({"flagged": [_model_to_json(model) for model in data.flagged]} if data.flagged else {}),
        "pairs": [pair_to_json(pair) for pair in data.pairs],
        **({"by_truth": by_truth_to_json(data.by_truth)} if data.by_truth else {}),
        **({"missed": missed_to_json(data.missed)} if data.missed else {}),
        **({"entries": entries_to_json(data)} if data.entries else {}),
        **({"finetuning": tasks_to_json(data.finetuning)} if data.finetuning else {}),
    }


def _taxonomy_to_json(data: ReportData) -> dict[str, Any]:
    """Which classes the set has, where they are not ImageNet's."""
    own = data.taxonomy
    return {"taxonomy": {"name": own.name, "hash": hash_of(own)}} if own else {}


def _without(record: Any, *left_out: str) -> dict[str, Any]:
    """The fields of a dataclass but some."""
    return {
        field.name: getattr(record, field.name)
        for field in fields(record)
        if field.name not in left_out
    }


def _model_to_json(model: ScoredModel) -> dict[str, Any]:
    """A model's numbers, with no word of a truth where the set has none, or of flags it has not."""
    numbers = {
        name: value
        for name, value in asdict(model).items()
        if value or name not in ("multilabel", "flags")
    }
    found: dict[str, Any] = to_json({**asdict(model.run), **numbers, "run": model.run.key})
    return found


def _leaderboard(models: Sequence[ScoredModel]) -> str:
    ks = sorted({top.k for model in models for top in model.tops})
    has_engine = any(model.run.engine for model in models)
    head = ["Rank", "Model", *(["Engine"] if has_engine else [])]
    for k in ks:
        head += [f"Top-{k} (%)", "Wilson", "Classes resampled", "Correct"]
    has_real = any(model.real for model in models)
    rows = []
    for model in models:
        row = [
            narrative.rank(model.rank, sum(model.rank is not None for model in models)),
            model.label,
            *([model.run.engine or "–"] if has_engine else []),
        ]
        tops = {top.k: top for top in model.tops}
        for k in ks:
            if (top := tops.get(k)) is None:
                row += ["–"] * 4
                continue
            found = top.accuracy
            row += [
                percent(found.share, found.photos),
                interval(found),
                ends(top.clustered, found.photos),
                f"{found.correct:,} of {found.photos:,}",
            ]
        if has_real and model.real:
            row += [f"{percent(model.real.share, model.real.photos)} ({interval(model.real)})"]
        rows.append(row)
    return table(
        [*head, *(["All labels (%)"] if has_real else [])], rows, words=len(head) - 4 * len(ks)
    )


def _beside(data: ReportData, models: Sequence[ScoredModel]) -> list[str]:
    """What must stand beside the numbers of each model, a line for each that has something."""
    return [
        f"{escape(model.label)}: {escape('; '.join(each.removesuffix('.') for each in found))}."
        for model in models
        if (found := [*narrative.answered(model, data), *narrative.remarks(model, data)])
    ]


def _flagged(models: Sequence[ScoredModel]) -> str:
    rows = [
        (
            model.label,
            percent(model.top1.accuracy.share, model.top1.accuracy.photos),
            " ".join(model.flags),
        )
        for model in models
    ]
    return table(("Model", "Top-1 (%)", "Why"), rows)


def _pairs(data: ReportData) -> str:
    rows = [
        (
            f"{pair.first} − {pair.second}",
            narrative.difference(pair),
            narrative.pair_interval(pair),
            f"{pair.only_first:,} : {pair.only_second:,}",
            bare_p(pair.p_value),
            bare_p(pair.holm),
            bare_p(pair.false_discovery),
            "yes" if pair.apart else "no",
        )
        for pair in narrative.shown_pairs(data)
    ]
    head = ("Pair", "Points", "95 % interval", "Right alone", "McNemar p", "Holm", "BH", "Apart")
    return table(head, rows)


def _hardest(data: ReportData) -> str:
    head = ("Class", "wnid", "Photos", "Mean top-1 (%)")
    rows = [
        (
            class_name(cls.name, data.taxonomy),
            cls.name,
            f"{cls.photos:,}",
            f"{100 * cls.mean:.1f}" if cls.counted else "–",
        )
        for cls in data.classes[:_LISTED]
    ]
    return table(head, rows, words=2)


def _class_and_id(wnid: str, own: Taxonomy | None) -> str:
    name = class_name(wnid, own)
    return wnid if name == wnid else f"{name} ({wnid})"


def _confused(data: ReportData) -> str:
    rows = [
        (
            _class_and_id(confusion.wnid, data.taxonomy),
            _class_and_id(confusion.other, data.taxonomy),
            f"{confusion.answers:,} of {confusion.of:,}",
            f"{confusion.models}",
        )
        for confusion in data.confusions[:_LISTED]
    ]
    return table(("Photos of", "Taken for", "First answers", "Models"), rows, words=2)


def _breakdown(models: Sequence[ScoredModel], found: Breakdown) -> list[str]:
    """Accuracies by group, where the groups are few enough to read."""
    if len(found.groups) > _LISTED or not models:
        return []
    return [f"### By {found.by}", *_by_group(found.by.capitalize(), models, found.groups)]


def _by_group(
    called: str, models: Sequence[ScoredModel], groups: Sequence[Group | KindOfClasses]
) -> list[str]:
    """A row for each group, with the accuracies of the best models."""
    rows = [
        (
            group.name,
            f"{group.photos:,}",
            *(
                f"{percent(each.share, each.photos)} ({interval(each)})"
                for each in group.top1[:_COLUMNS]
            ),
        )
        for group in groups
    ]
    head = (called, "Photos", *(model.label for model in models[:_COLUMNS]))
    more = len(models) - _COLUMNS
    said = [f"The best {_COLUMNS} of {len(models):,} models."] if more > 0 else []
    return [table(head, rows), *said]


def _calibration(models: Sequence[ScoredModel]) -> str:
    rows = [
        (model.label, f"{100 * found.error:.1f}", points(found.overconfidence, 1))
        for model in models
        if (found := model.calibration)
    ]
    return table(("Model", "Expected calibration error (points)", "Overconfidence (points)"), rows)
