"""What a manifest hands on to that of a release that is made of its photos."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from genset.errors import GensetError
from genset.release.multilabel.recount import recounted
from genset.release.reader import BEFORE, MULTILABEL, ReleasePhoto

_NOT_COPIED = {"format", "name", "created_at", "genset", "content_hash", "manifest_hash"}


def carried(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], path: Path
) -> tuple[dict[str, Any], str]:
    """The facts that stay true of some of a manifest's photos, and the format of their records.

    What it says of photos' several right answers is counted again. Records of old formats stay as
    they are: what they do not say, nobody knows now.

    Args:
        manifest: the manifest's content.
        photos: those of its photos that the new release has.
        path: of the manifest, for errors.

    Raises:
        GensetError: its answers cannot be counted.
    """
    left = _NOT_COPIED | {"photos", "documents"}
    facts = {name: value for name, value in manifest.items() if name not in left}
    if manifest["format"] == MULTILABEL:
        try:
            facts["multilabel"] = recounted(facts["multilabel"], photos)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise GensetError(f"{path}: its answers cannot be counted again: {error!r}") from None
    return facts, BEFORE[-1] if manifest["format"] in BEFORE else manifest["format"]
