"""ATTRIBUTION.txt: who made each photo, and what they allow."""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.licenses import License, attribution
from genset.release.documents.facts.changed import note
from genset.release.reader import ReleasePhoto


def attributions(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], via: Mapping[str, str]
) -> str:
    """The line that credits each photo as its licence asks, under the photo's file.

    `via` is what a credit line calls each source, by the source's name.
    """
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
