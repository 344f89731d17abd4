"""The hashes by which a release is known."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from genset.release.reader.records import BESIDE, LATER, ReleasePhoto


def content_hash(photos: Sequence[ReleasePhoto]) -> str:
    """A sha256 over the photos' records, sorted by `file`.

    It is over what records of every format have. What came later is not in it: the same photos
    with the same votes have one hash, whatever version of genset froze them, and by whatever method
    their votes were brought together. Where photos have several right answers, it is over these,
    and their votes.
    """
    digest = hashlib.sha256()
    names = [field.name for field in fields(ReleasePhoto)]
    for photo in sorted(photos, key=lambda photo: photo.file):
        record = {name: getattr(photo, name) for name in names}
        for name in LATER:
            if name in BESIDE or record[name] is None:
                del record[name]
        digest.update(json.dumps(record, sort_keys=True).encode() + b"\n")
    return f"sha256:{digest.hexdigest()}"


def manifest_hash(manifest: Mapping[str, Any]) -> str:
    """A sha256 over everything in a manifest except this hash."""
    rest = {name: value for name, value in manifest.items() if name != "manifest_hash"}
    return f"sha256:{hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()}"
