"""What a release comes from: a whole, a release that it replaces or varies."""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.core.numbers import count
from genset.release.documents.facts.part import part, whole
from genset.release.documents.said import line, told
from genset.release.reader import ReleasePhoto


def lineage(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """All of it, as sentences; nothing for a release that comes from none."""
    return [
        *part(manifest, photos),
        *replaced(manifest),
        *([f"It is {_variant_of(manifest)}."] if _variant_of(manifest) else []),
    ]


def comes_from(manifest: Mapping[str, Any]) -> str:
    """From which releases, in few words; "" for none."""
    found = [f"a part of {whole(manifest)}"] if whole(manifest) else []
    found += [_variant_of(manifest)] if _variant_of(manifest) else []
    replaces = told(manifest, "replaces", dict)
    if _removed(manifest):
        found.append(f"a new version of {_named(replaces)}")
    return ", ".join(found)


def replaced(manifest: Mapping[str, Any]) -> list[str]:
    """Which release it replaces, and how many photos were taken out of that."""
    removed, replaces = _removed(manifest), told(manifest, "replaces", dict)
    if not removed:
        return []
    asked = told(replaces, "requested", str)
    return [
        f"It replaces {_named(replaces)}, of which {count(len(removed), 'photo')} "
        f"{'was' if len(removed) == 1 else 'were'} taken out"
        f"{f', as was asked on {line(asked)}' if asked else ''}. What is said of searches, of "
        "labels in all, of how photos were chosen and of what was left out, is of "
        f"{line((replaces or {}).get('name', ''))}."
    ]


def removed_files(manifest: Mapping[str, Any]) -> list[str]:
    """The files that were taken out."""
    return [line(file) for file in _removed(manifest)]


def _removed(manifest: Mapping[str, Any]) -> list[Any]:
    return told(told(manifest, "replaces", dict), "removed", list) or []


def _variant_of(manifest: Mapping[str, Any]) -> str:
    variant = told(manifest, "variant", dict)
    return f"a variant of {_named(variant)}: {line(variant.get('what', ''))}" if variant else ""


def _named(facts: Any) -> str:
    """A release's name, with its content hash."""
    name, content_hash = told(facts, "name", str) or "", told(facts, "content_hash", str)
    return f"{line(name)} ({line(content_hash)})" if content_hash else line(name)
