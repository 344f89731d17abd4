"""What may be done with a release's photos: LICENSES.txt, ATTRIBUTION.txt, and persons in them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.core.numbers import count
from genset.core.safe import printable
from genset.licenses import credit
from genset.release.documents.provenance import change_note
from genset.release.documents.tables import person_classes
from genset.release.documents.words import About, address, days, fact, line, markdown
from genset.release.reader import ReleasePhoto

RESERVED = "LicenseRef-All-Rights-Reserved"


def licenses(photos: Sequence[ReleasePhoto], about: About) -> str:
    """LICENSES.txt: each licence with the address of its text and the number of its photos."""
    license = about.word("license")
    lines = [
        "No licence covers all of this release: each photo is under its own, which its record",
        "names, and ATTRIBUTION.txt credits the photo.",
        "",
        f"Labels, selection frequencies and these documents: {license or 'no licence is stated'}",
    ]
    if words := reserved(photos):
        lines += ["", words]
    counts = Counter((photo.license, photo.license_url, photo.license_id) for photo in photos)
    for (name, url, id), number in sorted(counts.items()):
        lines += ["", f"{printable(name)}: {count(number, 'photo')}"]
        lines += [f"    {printable(url)}"] if url else []
        lines += [f"    SPDX-License-Identifier: {printable(id)}"] if id else []
    return "\n".join(lines) + "\n"


def attributions(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], via: Mapping[str, str]
) -> str:
    """The line that credits each photo as its licence asks, under the photo's file.

    `via` is what a credit line calls each source, by the source's name.
    """
    lines = ["Each photo of this release, and the line that credits it. Keep it with the photo."]
    for photo in photos:
        words = credit(photo, via.get(photo.source, ""))
        lines += ["", photo.file, f"    {words}{change_note(manifest, photo.file)}"]
    return "\n".join(lines) + "\n"


def by_license(photos: Sequence[ReleasePhoto]) -> Iterator[str]:
    """Each licence and how many photos are under it, in Markdown."""
    counts = Counter((photo.license_id, photo.license, photo.license_url) for photo in photos)
    for (id, name, url), number in sorted(counts.items()):
        *rest, last = filter(None, (markdown(id), address(url), markdown(name)))
        yield f"- {', '.join([*rest, last])}: {count(number, 'photo')}"


def reserved(photos: Sequence[ReleasePhoto]) -> str:
    """What all rights reserved means for those photos; "" where there are none."""
    restricted = [photo for photo in photos if photo.license_id == RESERVED]
    if not restricted:
        return ""
    without = sum(not photo.image_url for photo in restricted)
    words = (
        f"All rights are reserved on {count(len(restricted), 'photo')}: to hand on their bytes "
        "needs the permission of whoever holds the rights."
    )
    if pulled := len(restricted) - without:
        words += (
            f" The manifest has an address for {pulled:,} of these, from which genset pull "
            "downloads what is still there."
        )
    return words + (f" The manifest has no address for {without:,} of these." if without else "")


def licenses_seen(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """When sources were last asked for the photos' licences, as sentences."""
    found = []
    if fact(manifest, "licenses_seen", list) is not None:
        when = days(manifest, "licenses_seen")
        found.append(f"Sources were last asked for their photos' licences {when}.")
    # An import takes what it does not know for reserved; of a part, no more than it has.
    never = fact(manifest, "licenses_unseen", int) or 0
    never = min(never, sum(photo.license_id == RESERVED for photo in photos))
    if never > 0:
        found.append(
            f"Nobody asked a source for the licences of {count(never, 'photo')}: they were "
            "imported, and are taken for all rights reserved."
        )
    return found


def persons(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], taxonomy: Taxonomy
) -> list[str]:
    """What is known of persons in the photos, and of those who made them."""
    found = [
        "Photos may show persons, and places and things by which persons can be known: genset "
        "looks at none of them for this. Whose metadata tell it, genset release verify counts."
    ]
    shown = Counter(photo.wnid for photo in photos)
    parts = [
        f"{shown[wnid]:,} of {line(taxonomy[wnid].name)}"
        for wnid in person_classes(taxonomy)
        if shown[wnid]
    ]
    if parts:
        found.append(f"Of the classes of persons it has photos: {', '.join(parts)}.")
    named = sum(bool(photo.owner_name or photo.owner) for photo in photos)
    if named:
        found.append(f"The owners of {count(named, 'photo')} are named, to credit them.")
    return found
