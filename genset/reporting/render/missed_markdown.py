"""Photos that every leading model gets wrong, as Markdown and as JSON."""

from dataclasses import asdict
from typing import Any

from genset.classes import Taxonomy
from genset.core.markdown import escape, table
from genset.core.to_json import to_json
from genset.reporting.data.missed import MissedTogether
from genset.reporting.narrative import missed as narrative

_LISTED = 10


def missed_in_markdown(found: MissedTogether, own: Taxonomy | None = None) -> list[str]:
    """The section's sentences, and the first photos; `own` is the set's taxonomy, if its own."""
    parts = [escape(" ".join(narrative.sentences(found)))]
    if found.photos:
        rows = [
            (
                narrative.name(photo),
                narrative.right(photo.missed, own),
                ", ".join(
                    f"{name} ({models})" for name, models in narrative.answers(photo.missed, own)
                ),
                narrative.steps(photo.missed),
            )
            for photo in found.photos[:_LISTED]
        ]
        parts += [
            table(("Photo", "Right", "Leading models say", "Steps off"), rows, words=3),
            escape(narrative.definition(found)),
        ]
    return parts


def missed_to_json(found: MissedTogether) -> dict[str, Any]:
    """The same as JSON's own types: the photos by their ids, without where they lie."""
    numbers = {
        name: value for name, value in asdict(found).items() if name not in ("photos", "leading")
    }
    as_json: dict[str, Any] = to_json(
        {
            "leading": list(found.leading),
            **numbers,
            "photos": [asdict(photo.missed) for photo in found.photos],
        }
    )
    return as_json
