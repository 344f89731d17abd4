"""How models do by all right classes, as Markdown and as JSON."""

from dataclasses import asdict
from typing import Any

from genset.core.markdown import escape, table
from genset.core.to_json import to_json
from genset.reporting.data.multilabel import ByTruth
from genset.reporting.data.report import ReportData
from genset.reporting.narrative import multilabel as narrative
from genset.reporting.render.pairs import pair_to_json


def truth_in_markdown(data: ReportData, found: ByTruth) -> list[str]:
    """The section's tables and sentences."""
    parts = [escape(narrative.summary(data.set.name, found.truth))]
    if not data.models:
        return parts
    has_unclear = bool(found.truth.with_unclear)
    parts.append(
        table(
            ("Model", *(word.capitalize() for word in narrative.HEAD)),
            [
                (model.label, *row)
                for model in data.models
                if model.multilabel
                for row in narrative.rows(model.multilabel, has_unclear)
            ],
            words=2,
        )
    )
    parts += [
        escape(remark)
        for model in data.models
        if model.multilabel
        for remark in narrative.remarks(model.label, model.multilabel)
    ]
    if len(data.models) < 2:
        return parts
    truths = list(found.standing.pairs)
    rows = [
        (label, *(narrative.rank(ranks[by]) for by in ("original", *truths)))
        for label, ranks in found.standing.ranks.items()
    ]
    head = [narrative.NAMES[by] for by in ("original", *truths)]
    parts.append(table(("Model", *(f"Rank: {name}" for name in head)), rows))
    parts.append(narrative.RANKS)
    parts.append(escape(" ".join(narrative.order(found.standing.turned, found.truth.photos))))
    return parts


def by_truth_to_json(found: ByTruth) -> dict[str, Any]:
    """The same with every pair, as JSON's own types."""
    standing = found.standing
    return {
        "truth": to_json(asdict(found.truth)),
        "ranks": to_json(
            {
                label: {by: asdict(rank) for by, rank in ranks.items()}
                for label, ranks in standing.ranks.items()
            }
        ),
        "turned": [to_json({**asdict(each), "is_sure": each.is_sure}) for each in standing.turned],
        "pairs": {
            by: [pair_to_json(pair) for pair in pairs] for by, pairs in standing.pairs.items()
        },
    }
