"""What a release's manifest says, for some of its photos alone."""

import json
from collections.abc import Mapping, Sequence, Set
from typing import Any

from genset.core.errors import GensetError
from genset.release.multilabel.recount import recounted
from genset.release.reader import MANIFEST, Release, ReleasePhoto

_NOT_COPIED = {"format", "name", "created_at", "genset", "content_hash", "manifest_hash"}
_MADE_OF_IT = {"photos", "documents"}


def facts_of_fewer(release: Release, remaining: Sequence[ReleasePhoto]) -> dict[str, Any]:
    """The facts of a manifest as they are to be copied.

    What it says of photos' several right answers is counted again (`recounted`), and of changed
    photos those that remain are named. A DOI is the whole's, and not copied.

    Raises:
        GensetError: the answers cannot be counted.
    """
    path = release.root / MANIFEST
    manifest: dict[str, Any] = json.loads(path.read_text("utf-8"))
    facts = {
        name: value for name, value in manifest.items() if name not in _NOT_COPIED | _MADE_OF_IT
    }
    if facts.get("multilabel") is not None:
        try:
            facts["multilabel"] = recounted(facts["multilabel"], remaining)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise GensetError(f"{path}: its answers cannot be counted again: {error!r}") from None
    if isinstance(facts.get("dataset"), dict):
        facts["dataset"] = {key: word for key, word in facts["dataset"].items() if key != "doi"}
    if isinstance(facts.get("variant"), dict):
        facts["variant"] = of_changed(facts["variant"], {photo.file for photo in remaining})
    return facts


def of_changed(variant: Mapping[str, Any], files: Set[str]) -> dict[str, Any]:
    """What is said of changed photos, for these files alone."""
    changed = variant.get("changed")
    if not isinstance(changed, dict):
        return dict(variant)
    remaining = {file: facts for file, facts in changed.items() if file in files}
    faces = sum(len(facts["faces"]) for facts in remaining.values())
    return {**variant, "faces": faces, "changed": remaining}
