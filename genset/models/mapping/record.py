"""What a run keeps of how its model met the set's classes, and how that is said."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from genset.core.numbers import agree, count
from genset.models.mapping.pooling import ClassMapping

_NAMED = 5  # classes
_POOLED = {"sum": "summed", "max": "the largest of them taken"}
_AMONG = {
    "all": "all outputs compete (all)",
    "subset": "only outputs of these classes compete (subset)",
}


def record_of(
    mapping: ClassMapping, truth: Iterable[str], words: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What a run keeps, as JSON's own types.

    Args:
        mapping: the model's, on the set.
        truth: the class of each photo of the set.
        words: what a model that compares photos with texts calls each class, if it is one.

    Returns:
        `taxonomy` and `taxonomy_hash`; `pool` and `among`; `model_outputs`, how many outputs the
        model has; `outputs`, what the outputs of each class stand for; `by_name`, where there are
        any, the classes that have theirs by an equal name alone; `words`, where they are given; and
        `without`, for each class that has none the number of its photos, which are not counted.
    """
    photos = Counter(truth)
    classes = mapping.classes.items()
    return {
        "taxonomy": mapping.taxonomy,
        "taxonomy_hash": mapping.taxonomy_hash,
        "pool": mapping.convention.pool,
        "among": mapping.convention.among,
        "model_outputs": len(mapping.outputs),
        "outputs": {
            wnid: [mapping.outputs[n] for n in places] for wnid, places in classes if places
        },
        **({"by_name": list(mapping.by_name)} if mapping.by_name else {}),
        **({"words": dict(words)} if words else {}),
        "without": {wnid: photos[wnid] for wnid, places in classes if not places},
    }


def explained(record: Mapping[str, Any]) -> list[str]:
    """What was mapped, in a sentence; what met by name alone; and what has no output."""
    outputs, without = record["outputs"], record["without"]
    used = sum(map(len, outputs.values()))
    pooled = f", {_POOLED[record['pool']]}" if used > len(outputs) else ""
    classes = count(len(outputs) + len(without), "class", "classes")
    have = agree(len(outputs), "has", "have")
    said = [
        f"{len(outputs):,} of {classes} of {record['taxonomy']} {have} {used:,} of the model's "
        f"{record['model_outputs']:,} outputs{pooled}; {_AMONG[record['among']]}"
    ]
    if by_name := record.get("by_name"):
        named = ", ".join(f"{outputs[wnid][0]!r} as {wnid}" for wnid in by_name[:_NAMED])
        more = f" and {len(by_name) - _NAMED:,} more" if len(by_name) > _NAMED else ""
        said.append(f"taken by their names alone: the outputs {named}{more}")
    there = [wnid for wnid in without if without[wnid]]
    if there:
        there.sort(key=lambda wnid: (-without[wnid], wnid))
        named = ", ".join(f"{wnid} ({count(without[wnid], 'photo')})" for wnid in there[:_NAMED])
        more = f" and {len(there) - _NAMED:,} more" if len(there) > _NAMED else ""
        photos = count(sum(without.values()), "photo")
        said.append(f"no output is of {named}{more}: {photos} not counted")
    return said
