"""ATTRIBUTION.txt and LICENSES.txt: who made each photo, and what they allow."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from genset.licenses import License, attribution
from genset.release.documents import said
from genset.release.documents.changed import note
from genset.release.documents.sources import places
from genset.release.reader import ReleasePhoto
from genset.text.safe import printable


def attributions(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    """The line that credits each photo as its licence asks, under the photo's file."""
    every = () if said.is_before(manifest) else places(manifest, photos)
    via = {place.name: place.credit for place in every}
    lines = ["Each photo of this release, and the line that credits it. Keep it with the photo."]
    for photo in photos:
        credit = attribution(
            License(photo.license, photo.license_url),
            title=photo.title,
            owner=photo.owner_name or photo.owner,
            page_url=photo.page_url,
            via=via.get(photo.source, ""),
        )
        lines += ["", photo.file, f"    {credit}{note(manifest, photo.file)}"]
    return "\n".join(lines) + "\n"


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
