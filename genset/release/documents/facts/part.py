"""What is said of photos that are a part of a release."""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.release.documents import said
from genset.release.reader import ReleasePhoto


def whole(manifest: Mapping[str, Any]) -> str:
    """The release of which these photos are a part, with its hash; "" for a whole one."""
    facts = said.told(manifest, "part_of", dict)
    name, content_hash = said.told(facts, "name", str), said.told(facts, "content_hash", str)
    if name is None or content_hash is None:
        return ""
    return f"{said.line(name)} ({said.line(content_hash)})"


def part(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """Of which release these photos are how many, and why not all; nothing for a whole one."""
    facts = said.told(manifest, "part_of", dict)
    every = said.told(facts, "photos", int)
    if not whole(manifest) or every is None:
        return []
    return [
        f"It has {len(photos):,} of the {every:,} photos of {whole(manifest)}. No licence that "
        "genset knows lets the others be handed on. A score on this part is none on the whole: "
        "cite it with this part's own hash. What is said of searches, of when licences were last "
        "asked for, of labels in all, of how photos were chosen and of what was left out, is of "
        "the whole."
    ]
