"""LICENSES.txt, as it was for every release alike."""

from collections import Counter
from collections.abc import Sequence

from genset.core.safe import printable
from genset.release.reader import ReleasePhoto


def licenses(photos: Sequence[ReleasePhoto]) -> str:
    """Each licence with the address of its text and the number of its photos."""
    lines = [
        "The photos of this release belong to those who made them, each under the licence that",
        "its owner chose; manifest.json names it for each photo, and ATTRIBUTION.txt credits it.",
        "No licence covers all of them. A photo that is all rights reserved may be looked at on",
        "its page, and is not yours to hand on: share the manifest instead, from which",
        "`genset pull` downloads each photo from where its owner shows it.",
        "",
        "Labels, selection frequencies and these documents come with the release.",
    ]
    counts = Counter((photo.license, photo.license_url, photo.license_id or "") for photo in photos)
    for (name, url, id), count in sorted(counts.items()):
        lines += ["", f"{printable(name)}: {count:,} photos"]
        lines += [f"    {printable(url)}"] if url else []
        lines += [f"    SPDX-License-Identifier: {printable(id)}"] if id else []
    return "\n".join(lines) + "\n"
