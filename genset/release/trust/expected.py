"""Whether a release is the one that somebody named by its hash."""

import json
import re

from genset.core.errors import BadInput, GensetError
from genset.release.reader import MANIFEST, Release


def check_expected(release: Release, expected: str) -> str:
    """Compare a hash that was published with those in a release's manifest.

    That these are true is what `Release.verify` finds out.

    Args:
        release: the release.
        expected: its content hash, or the hash of its manifest: ``sha256:`` and 64 digits.

    Returns:
        Which of both it is: "content_hash" or "manifest_hash".

    Raises:
        BadInput: it is no such hash.
        GensetError: it is another release's.
    """
    wanted = expected.strip().lower()
    if not re.fullmatch("sha256:[0-9a-f]{64}", wanted):
        raise BadInput(
            f"--expect takes a whole hash, sha256: and 64 hexadecimal digits, not {expected!r}"
        )
    found = hashes(release)
    for name, each in found.items():
        if each == wanted:
            return name
    raise GensetError(
        f"{release.root} is not the release that was expected: its content hash is "
        f"{found['content_hash']}, its manifest's {found['manifest_hash']}"
    )


def hashes(release: Release) -> dict[str, str]:
    """The hashes that a release's manifest has of the photos' records, and of itself."""
    manifest = json.loads(release.own_file(MANIFEST).read_text("utf-8"))
    return {
        "content_hash": release.content_hash,
        "manifest_hash": str(manifest.get("manifest_hash")),
    }
