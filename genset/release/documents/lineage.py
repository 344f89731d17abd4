"""What a release comes from: a whole, one that it replaces, one whose photos it changed."""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.core.numbers import count
from genset.release.documents.words import fact, line
from genset.release.reader import ReleasePhoto

ORIGINAL_BYTES = "keep their original bytes"


def lineage(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """All of it, as sentences; nothing for a release that comes from none."""
    return [
        *part_of(manifest, photos),
        *replaced(manifest),
        *([f"It is {_variant_of(manifest)}."] if _variant_of(manifest) else []),
    ]


def comes_from(manifest: Mapping[str, Any]) -> str:
    """From which releases, in few words; "" for none."""
    found = [f"a part of {whole(manifest)}"] if whole(manifest) else []
    found += [_variant_of(manifest)] if _variant_of(manifest) else []
    replaces = fact(manifest, "replaces", dict)
    if _removed(manifest):
        found.append(f"a new version of {_named(replaces)}")
    return ", ".join(found)


def part_of(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """Of which release these photos are how many, and why not all; nothing for a whole one."""
    facts = fact(manifest, "part_of", dict)
    every = fact(facts, "photos", int)
    if not whole(manifest) or every is None:
        return []
    return [
        f"It has {len(photos):,} of the {every:,} photos of {whole(manifest)}. No licence that "
        "genset knows lets the others be handed on. A score on this part is none on the whole: "
        "cite it with this part's own hash. What is said of searches, of when licences were last "
        "asked for, of labels in all, of how photos were chosen and of what was left out, is of "
        "the whole."
    ]


def whole(manifest: Mapping[str, Any]) -> str:
    """The release of which these photos are a part, with its hash; "" for a whole one."""
    facts = fact(manifest, "part_of", dict)
    name, content_hash = fact(facts, "name", str), fact(facts, "content_hash", str)
    if name is None or content_hash is None:
        return ""
    return f"{line(name)} ({line(content_hash)})"


def replaced(manifest: Mapping[str, Any]) -> list[str]:
    """Which release it replaces, and how many photos were taken out of that."""
    removed, replaces = _removed(manifest), fact(manifest, "replaces", dict)
    if not removed:
        return []
    requested = fact(replaces, "requested", str)
    return [
        f"It replaces {_named(replaces)}, of which {count(len(removed), 'photo')} "
        f"{'was' if len(removed) == 1 else 'were'} taken out"
        f"{f', as was asked on {line(requested)}' if requested else ''}. What is said of searches, of "
        "labels in all, of how photos were chosen and of what was left out, is of "
        f"{line((replaces or {}).get('name', ''))}."
    ]


def removed_files(manifest: Mapping[str, Any]) -> list[str]:
    """The files that were taken out."""
    return [line(file) for file in _removed(manifest)]


def _removed(manifest: Mapping[str, Any]) -> list[Any]:
    return fact(fact(manifest, "replaces", dict), "removed", list) or []


def _variant_of(manifest: Mapping[str, Any]) -> str:
    variant = fact(manifest, "variant", dict)
    return f"a variant of {_named(variant)}: {line(variant.get('what', ''))}" if variant else ""


def _named(facts: Any) -> str:
    """A release's name, with its content hash."""
    name, content_hash = fact(facts, "name", str) or "", fact(facts, "content_hash", str)
    return f"{line(name)} ({line(content_hash)})" if content_hash else line(name)


def is_changed(manifest: Mapping[str, Any]) -> bool:
    """Whether it is a variant, some of whose photos were changed."""
    return fact(manifest, "variant", dict) is not None


def bytes_note(manifest: Mapping[str, Any]) -> str:
    """Whether photos keep their bytes, as the end of a sentence on all of them."""
    if not is_changed(manifest):
        return ORIGINAL_BYTES
    return f"{ORIGINAL_BYTES} but for those that were changed"


def changes(manifest: Mapping[str, Any]) -> str:
    """What was changed of which release, in sentences; "" where nothing was."""
    variant = fact(manifest, "variant", dict)
    if variant is None:
        return ""
    how, changed = fact(variant, "how", dict) or {}, fact(variant, "changed", dict) or {}
    excluded = fact(variant, "excluded", list) or []
    words = (
        f"This is a variant of {line(variant.get('name', ''))} "
        f"({line(variant.get('content_hash', ''))}): {line(variant.get('what', ''))}. "
        f"{count(fact(variant, 'faces', int) or 0, 'face')} found in "
        f"{count(len(changed), 'photo')} by "
        f"{line(how.get('detector', ''))} ({line(how.get('package', ''))}, scores from "
        f"{line(how.get('threshold', ''))} on); these photos were encoded anew, without metadata "
        "but orientation and colour profile. All others keep their bytes. Not all faces are found, "
        "and some of what is found is none. What is said of searches, of labels in all, of how "
        "photos were chosen and of what was left out, is of "
        f"{line(variant.get('name', ''))}: labelers saw its photos, unchanged."
    )
    if excluded:
        words += f" Left out: {count(len(excluded), 'photo')} with faces whose licences allow no changes."
    return words


def raw_data(manifest: Mapping[str, Any]) -> str:
    """What the raw data are."""
    variant = fact(manifest, "variant", dict)
    if variant is None:
        return "The photos, with their original bytes, are the raw data."
    return f"The raw data are the photos of {line(variant.get('name', ''))}."


def change_note(manifest: Mapping[str, Any], file: str) -> str:
    """What a photo's credit line says of its change, as licences ask; "" where it was not."""
    variant = fact(manifest, "variant", dict)
    changed = fact(variant, "changed", dict)
    if variant is None or changed is None or file not in changed:
        return ""
    return f" (changed: {line(variant.get('what', ''))})"
