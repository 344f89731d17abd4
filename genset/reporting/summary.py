"""What is known of a set, in numbers."""

import os
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from genset.release.documents.labels import doubts
from genset.release.documents.words import missing_votes
from genset.release.reader import Release
from genset.sets.photos import PhotoSet

# The folders of an absolute path, or of one that leaves the folder, in a spec or alone.
_ABSOLUTE = re.compile(
    r"(?:(?<=[:=])|^)(?:~|\.\.|[A-Za-z]:)?[/\\](?:[^?&/\\]*[/\\])*(?=([^?&/\\]+))"
)


@dataclass(frozen=True, slots=True)
class LicenseCount:
    """How many photos a licence covers."""

    name: str
    url: str
    photos: int


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """How a release was made.

    Attributes:
        created_at: when it was frozen, ISO 8601.
        strategy: the rule by which photos were chosen, and its parameters.
        labelers: people who labeled, whether or not their candidates are in it.
        labels: labels on its photos, by verdict.
        doubts: what speaks against the labels, in sentences.
        missing_votes: how many candidates lacked how many votes, in words; "" for none.
        chosen_classes: how many classes photos were wanted of.
        left_out: candidates that are not in it, by reason.
        licenses: the commonest first.
        posted_from, posted_to: when its first and last photo were posted, ISO 8601.
    """

    created_at: str
    strategy: dict[str, Any]
    labelers: int
    labels: dict[str, int]
    doubts: tuple[str, ...]
    missing_votes: str
    chosen_classes: int
    left_out: dict[str, int]
    licenses: tuple[LicenseCount, ...]
    posted_from: str
    posted_to: str


@dataclass(frozen=True, slots=True)
class SetSummary:
    """What models were scored on.

    `named` is what a command calls it: a release's name, or that of a file. `photos_per_class` says
    how many classes have that many photos. `release` is None for a plain folder and for a list
    (`listed`) of photos that are not here, of which nothing more is known.
    """

    name: str
    named: str
    content_hash: str
    classes: int
    photos: int
    photos_per_class: dict[int, int]
    listed: bool
    release: ReleaseSummary | None


def summarize(photos: PhotoSet, release: Release | None, named: str = "") -> SetSummary:
    """Count a set's photos and classes, and what its release records of them."""
    per_class = Counter(photo.wnid for photo in photos.photos)
    return SetSummary(
        name=photos.name,
        named=without_folders(named) or photos.name,
        content_hash=photos.content_hash,
        classes=len(per_class),
        photos=len(photos.photos),
        photos_per_class=dict(sorted(Counter(per_class.values()).items())),
        listed=photos.listed,
        release=_release(release) if release else None,
    )


def _release(release: Release) -> ReleaseSummary:
    posted = [photo.posted_at.isoformat() for photo in release.photos]
    labels: Counter[str] = Counter()
    for photo in release.photos:
        labels.update(photo.labels)
    licenses = Counter((photo.license, photo.license_url) for photo in release.photos)
    by_count = sorted(licenses.items(), key=lambda item: (-item[1], item[0]))
    return ReleaseSummary(
        created_at=release.created_at,
        strategy=release.strategy,
        labelers=release.labelers,
        labels=dict(sorted(labels.items())),
        doubts=tuple(doubts(release.manifest, release.photos)),
        missing_votes=missing_votes(release.missing_votes),
        chosen_classes=len(release.chosen_classes or release.taxonomy),
        left_out=release.excluded,
        licenses=tuple(LicenseCount(*named, number) for named, number in by_count),
        posted_from=min(posted, default=""),
        posted_to=max(posted, default=""),
    )


def without_folders(named: str, others: Collection[str] = ()) -> str:
    """What was named on the command line, with no absolute path of this machine in it.

    Relative ones stay, as they are below the folder that the commands are typed in. Of an absolute
    one as many folders stay as tell its file from those of the same name in `others`.
    """

    def parts_of(path: Path) -> tuple[str, ...]:
        return Path(os.path.normpath(Path.cwd() / path)).parts[1:]

    def folders(found: re.Match[str]) -> str:
        words = [word for text in others if found[1] in text for word in re.split("[?&]", text)]
        paths = [Path(re.sub(r"^\w+[:=]", "", word)) for word in words]
        this = parts_of(Path(found[0] + found[1]))
        alike = {this, *(parts_of(path) for path in paths if path.name == found[1])}
        fewest = next(n for n in count(1) if len({parts[-n:] for parts in alike}) == len(alike))
        return "".join(f"{folder}/" for folder in this[-fewest:-1])

    return _ABSOLUTE.sub(folders, named)
