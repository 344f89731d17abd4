"""What documents say of photos that were changed: in a variant with blurred faces."""

from collections.abc import Mapping
from typing import Any

from genset.core.numbers import count
from genset.release.documents.said import line, told

KEPT = "keep their original bytes"


def bytes_kept(manifest: Mapping[str, Any]) -> str:
    """Whether photos keep their bytes, as the end of a sentence on all of them."""
    if not is_changed(manifest):
        return KEPT
    return f"{KEPT} but for those that were changed"


def is_changed(manifest: Mapping[str, Any]) -> bool:
    """Whether it is a variant, some of whose photos were changed."""
    return told(manifest, "variant", dict) is not None


def change(manifest: Mapping[str, Any]) -> str:
    """What was changed of which release, in sentences; "" where nothing was."""
    variant = told(manifest, "variant", dict)
    if variant is None:
        return ""
    how, changed = told(variant, "how", dict) or {}, told(variant, "changed", dict) or {}
    left = told(variant, "left_out", list) or []
    words = (
        f"This is a variant of {line(variant.get('name', ''))} "
        f"({line(variant.get('content_hash', ''))}): {line(variant.get('what', ''))}. "
        f"{count(told(variant, 'faces', int) or 0, 'face')} found in "
        f"{count(len(changed), 'photo')} by "
        f"{line(how.get('detector', ''))} ({line(how.get('package', ''))}, scores from "
        f"{line(how.get('threshold', ''))} on); these photos were encoded anew, without metadata "
        "but orientation and colour profile. All others keep their bytes. Not all faces are found, "
        "and some of what is found is none. What is said of searches, of labels in all, of how "
        "photos were chosen and of what was left out, is of "
        f"{line(variant.get('name', ''))}: labelers saw its photos, unchanged."
    )
    if left:
        words += (
            f" Left out: {count(len(left), 'photo')} with faces whose licences allow no changes."
        )
    return words


def raw(manifest: Mapping[str, Any]) -> str:
    """What the raw data are."""
    variant = told(manifest, "variant", dict)
    if variant is None:
        return "The photos, with their original bytes, are the raw data."
    return f"The raw data are the photos of {line(variant.get('name', ''))}."


def note(manifest: Mapping[str, Any], file: str) -> str:
    """What a photo's credit line says of its change, as licences ask; "" where it was not."""
    variant = told(manifest, "variant", dict)
    changed = told(variant, "changed", dict)
    if variant is None or changed is None or file not in changed:
        return ""
    return f" (changed: {line(variant.get('what', ''))})"
