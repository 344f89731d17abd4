"""What is known of a set, in numbers."""

from collections import Counter
from pathlib import Path

from genset.release.reader import Release
from genset.reporting.data.report import ReleaseSummary, SetSummary
from genset.reporting.gather.sources import license_counts
from genset.sets.photos import PhotoSet


def summarize(photos: PhotoSet, release: Release | None, named: str = "") -> SetSummary:
    """Count a set's photos and classes, and what its release records of them."""
    per_class = Counter(photo.wnid for photo in photos.photos)
    return SetSummary(
        name=photos.name,
        named=_without_folders(named) or photos.name,
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
    return ReleaseSummary(
        created_at=release.created_at,
        strategy=release.strategy,
        labelers=release.labelers,
        labels=dict(sorted(labels.items())),
        left_out=release.left_out,
        licenses=license_counts(release.photos),
        sources=dict(sorted(Counter(photo.source for photo in release.photos).items())),
        posted_from=min(posted, default=""),
        posted_to=max(posted, default=""),
    )


def _without_folders(named: str) -> str:
    """What a set was called on the command line, but for where it lies on this machine."""
    return Path(named).name + "/" * named.endswith("/")
