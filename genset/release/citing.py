"""How a release in a folder is cited."""

import json
from collections.abc import Mapping
from typing import Any

from genset.release.documents.citation import Citation
from genset.release.reader import MANIFEST, Release


def cited(release: Release, said: Mapping[str, Any] | None = None) -> Citation:
    """What its manifest knows, and what its maintainer `said` since (`Dataset.facts`)."""
    manifest = json.loads((release.root / MANIFEST).read_text("utf-8"))
    return Citation.of(manifest, len(release.photos), said)
