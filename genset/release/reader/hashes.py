"""The hashes by which a release is known."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from genset.release.reader.records import ReleasePhoto

_NOT_HASHED = ("license_id", "unseen", "confidence")


def content_hash(photos: Sequence[ReleasePhoto]) -> str:
    """A sha256 over the photos' records, sorted by `file`.

    `license_id` and `unseen` follow from the rest and are not in it, nor is `confidence`: the same
    photos with the same votes have one hash, by whatever method their votes were aggregated. Where
    photos have several right answers, it is over these, and their votes.
    """
    digest = hashlib.sha256()
    for photo in sorted(photos, key=lambda photo: photo.file):
        record = {name: value for name, value in photo.as_json().items() if name not in _NOT_HASHED}
        digest.update(json.dumps(record, sort_keys=True).encode() + b"\n")
    return f"sha256:{digest.hexdigest()}"


def manifest_hash(manifest: Mapping[str, Any]) -> str:
    """A sha256 over everything in a manifest except this hash."""
    rest = {name: value for name, value in manifest.items() if name != "manifest_hash"}
    return f"sha256:{hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()}"
