"""What a release's manifest says, for some of its photos alone."""

import json
from collections.abc import Sequence
from typing import Any

from genset.errors import GensetError
from genset.release.multilabel.recount import recounted
from genset.release.reader import BEFORE, MANIFEST, MULTILABEL, Release, ReleasePhoto

_NOT_COPIED = {"format", "name", "created_at", "genset", "content_hash", "manifest_hash"}
_MADE_OF_IT = {"photos", "documents"}


def facts_of_fewer(
    release: Release, remaining: Sequence[ReleasePhoto]
) -> tuple[dict[str, Any], str]:
    """The facts of a manifest as they are to be copied, and the format to write them in.

    What it says of photos' several right answers is counted again (`recounted`). Records of old
    stay as they are: what they do not say, nobody knows now.

    Raises:
        GensetError: the answers cannot be counted.
    """
    path = release.root / MANIFEST
    manifest: dict[str, Any] = json.loads(path.read_text("utf-8"))
    facts = {
        name: value for name, value in manifest.items() if name not in _NOT_COPIED | _MADE_OF_IT
    }
    if manifest["format"] == MULTILABEL:
        try:
            facts["multilabel"] = recounted(facts["multilabel"], remaining)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise GensetError(f"{path}: its answers cannot be counted again: {error!r}") from None
    form = BEFORE[-1] if manifest["format"] in BEFORE else manifest["format"]
    return facts, form
