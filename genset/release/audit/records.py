"""Points that the manifest's records answer."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from genset.classes import Taxonomy
from genset.core.links import web_link
from genset.core.numbers import agree, count
from genset.licenses import License, is_open, may_be_passed_on, spdx_id
from genset.release.audit.finding import Finding, verdict
from genset.release.documents.facts.classes import its_classes
from genset.release.documents.said import told
from genset.release.reader import ReleasePhoto

RESERVED = "All Rights Reserved"

# Krippendorff's own lines (2004): conclusions from less than the first are not to be drawn; those
# from less than the second are tentative.
_TENTATIVE, _FIRM = 0.667, 0.8


def check_records(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], taxonomy: Taxonomy
) -> Iterator[Finding]:
    """Licences, credits, addresses, labels, agreement, classes."""
    yield _licenses(photos)
    yield _credits(photos)
    yield _addresses(photos)
    yield _labels(photos)
    yield _agreement(manifest)
    yield _coverage(photos, taxonomy)


def _licenses(photos: Sequence[ReleasePhoto]) -> Finding:
    """Whether each photo's licence is named, and known to let it be handed on."""
    known = {License(p.license, p.license_url) for p in photos}
    passed_on = {each for each in known if may_be_passed_on(each)}
    free = {each for each in known if is_open(each)}
    wrong: dict[str, list[str]] = {}
    for photo in photos:
        license = License(photo.license, photo.license_url)
        if license not in passed_on:
            wrong.setdefault(_why_not(license), []).append(photo.file)
    number = sum(License(p.license, p.license_url) in free for p in photos)
    says = f"{number:,} of {count(len(photos), 'photo')} under open licences"
    says += "".join(f"; {len(files):,} {why}" for why, files in sorted(wrong.items()))
    named = sorted(file for files in wrong.values() for file in files)
    return Finding("licences", verdict(named), says, tuple(named))


def _why_not(license: License) -> str:
    """What is wrong with a licence that lets nobody hand a photo on, as far as we know."""
    if not license.name.strip() and not web_link(license.url):
        return "without a licence"
    is_reserved = spdx_id(license) == spdx_id(License(RESERVED, ""))
    return "all rights reserved" if is_reserved else "under a licence that genset does not know"


def _credits(photos: Sequence[ReleasePhoto]) -> Finding:
    """Whether somebody is credited for each photo."""
    nobody = tuple(p.file for p in photos if not (p.owner_name.strip() or p.owner.strip()))
    ids = sum(not p.owner_name.strip() for p in photos) - len(nobody)
    says = f"{len(photos) - len(nobody):,} of {count(len(photos), 'photo')} name their owner"
    says += f", {ids:,} by an id alone" if ids else ""
    return Finding("credits", verdict(nobody), says, nobody)


def _addresses(photos: Sequence[ReleasePhoto]) -> Finding:
    """Whether each photo can be fetched again, and looked at where its owner shows it."""
    without = tuple(p.file for p in photos if not web_link(p.image_url))
    pages = sum(bool(web_link(p.page_url)) for p in photos)
    total = count(len(photos), "photo")
    there = len(photos) - len(without)
    says = f"{there:,} of {total} {agree(there, 'has', 'have')} an address, {pages:,} a page"
    says += "; without an address a copy cannot be rebuilt" if without else ""
    return Finding("addresses", verdict(without), says, without)


def _labels(photos: Sequence[ReleasePhoto]) -> Finding:
    """Whether people labeled each photo."""
    votes = [sum(photo.labels.values()) for photo in photos]
    none = tuple(p.file for p, number in zip(photos, votes, strict=True) if not number)
    says = f"{min(votes)} to {max(votes)} labels a photo, median {median(votes):g}"
    one = sum(number == 1 for number in votes)
    says += f"; {count(one, 'photo has', 'photos have')} one labeler alone" if one else ""
    says += f"; {count(len(none), 'was', 'were')} accepted by a ruling without any" if none else ""
    return Finding("labels per photo", verdict(none), says, none)


def _agreement(manifest: Mapping[str, Any]) -> Finding:
    """How well labelers agree: Krippendorff's alpha over all candidates."""
    alpha = told(manifest.get("collected"), "agreement", float)
    if alpha is None:
        says = "not measured: no candidate has two labels, or no two labels of all differ"
        return Finding("agreement", "not said", says)
    how = "conclusions hold" if alpha >= _FIRM else "tentative conclusions at most"
    says = f"Krippendorff's alpha is {alpha:.3f} over all candidates: "
    if alpha < _TENTATIVE:
        return Finding("agreement", "fail", f"{says}below {_TENTATIVE}, too low for conclusions")
    return Finding("agreement", "pass", f"{says}{how}")


def _coverage(photos: Sequence[ReleasePhoto], taxonomy: Taxonomy) -> Finding:
    """Whether each of the classes has photos."""
    sizes = Counter(photo.wnid for photo in photos)
    missing = tuple(each.wnid for each in taxonomy if each.wnid not in sizes)
    have = agree(len(sizes), "has", "have")
    says = f"{len(sizes):,} of {its_classes(taxonomy)} {have} photos, {min(sizes.values())} to "
    says += f"{max(sizes.values())} each"
    return Finding("class coverage", verdict(missing), says, missing)
