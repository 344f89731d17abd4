"""The content of a release, or of a planned one, as numbers and as text."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from genset.classes import Taxonomy
from genset.core.numbers import agree, count
from genset.release.checks import Checks
from genset.release.multilabel.facts import summary
from genset.release.reader import ReleasePhoto
from genset.release.strategies.matched import BINS, bin_of


@dataclass(frozen=True, slots=True)
class Preview:
    """The numbers.

    Attributes:
        photos: the number of photos.
        classes: photos by wnid.
        without: how many of the workspace's classes have no photo.
        frequencies: photos in the five bins of selection frequency, the lowest first.
        unmeasured: photos without a selection frequency.
        licenses: photos by licence, the most used first.
        owners: the number of owners.
        most_of_one_owner: the highest number of photos of one owner.
        excluded: the number of candidates that are left out, by reason.
        short, notes: as in `genset.release.choose.Choice`.
        reasons: the reason for each candidate that is left out, by its task.
        checks: the photos with which something is wrong.
        multilabel: what the manifest says of several right answers; None where photos have one.
    """

    photos: int
    classes: dict[str, int]
    without: int
    frequencies: list[int]
    unmeasured: int
    licenses: dict[str, int]
    owners: int
    most_of_one_owner: int
    excluded: dict[str, int]
    short: dict[str, int] = field(default_factory=dict)
    notes: dict[str, dict[str, Any]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    checks: Checks = field(default_factory=Checks)
    multilabel: dict[str, Any] | None = None

    def lines(self) -> Iterator[str]:
        """The numbers as text."""
        classes = len(self.classes)
        every = count(classes + self.without, "class", "classes")
        have = agree(classes, "has", "have")
        yield f"  {count(self.photos, 'photo')}; {classes:,} of {every} {have} photos"
        sizes = sorted(Counter(self.classes.values()).items(), reverse=True)
        yield "  photos by class: " + (
            ", ".join(f"{count:,} x {size}" for size, count in sizes) or "none"
        )
        bins = (
            f"{index / BINS:.1f} to {(index + 1) / BINS:.1f}: {count:,}"
            for index, count in enumerate(self.frequencies)
        )
        yield f"  selection frequency: {', '.join(bins)}; not measured: {self.unmeasured:,}"
        yield from (f"  licence: {count:,} {name}" for name, count in self.licenses.items())
        yield f"  owners: {self.owners:,}; at most {count(self.most_of_one_owner, 'photo')} of one"
        yield from (f"  left out: {count:,} {reason}" for reason, count in self.excluded.items())
        if self.short:
            some = _some(f"{wnid} lacks {count}" for wnid, count in self.short.items())
            yield f"  not filled: {count(len(self.short), 'class', 'classes')}: {some}"
        for note, values in self.notes.items():
            some = _some(f"{wnid} {value}" for wnid, value in values.items())
            yield f"  {note}: {count(len(values), 'class', 'classes')}: {some}"
        yield from self.checks.lines()
        yield from summary(self.multilabel) if self.multilabel else ()


def preview(
    photos: Iterable[ReleasePhoto],
    facts: Mapping[str, Any],
    reasons: Mapping[str, str],
    taxonomy: Taxonomy,
    checks: Checks,
) -> Preview:
    """Preview a draft: its records, its manifest's facts, and why others are left out."""
    frequencies = [0] * BINS
    classes: Counter[str] = Counter()
    licenses: Counter[str] = Counter()
    owners: Counter[str] = Counter()
    unmeasured = 0
    for photo in photos:
        classes[photo.wnid] += 1
        licenses[photo.license] += 1
        owners[f"{photo.source}:{photo.owner}"] += 1
        if labels := sum(photo.labels.values()):
            frequencies[bin_of(photo.labels.get("correct", 0), labels)] += 1
        else:
            unmeasured += 1
    return Preview(
        photos=classes.total(),
        classes=dict(sorted(classes.items())),
        without=sum(cls.wnid not in classes for cls in taxonomy),
        frequencies=frequencies,
        unmeasured=unmeasured,
        licenses=dict(licenses.most_common()),
        owners=len(owners),
        most_of_one_owner=max(owners.values(), default=0),
        excluded=facts["excluded"],
        short=facts["short"],
        notes=facts["notes"],
        reasons=dict(reasons),
        checks=checks,
        multilabel=facts.get("multilabel"),
    )


def _some(words: Iterable[str], shown: int = 10) -> str:
    every = list(words)
    return ", ".join(every[:shown]) + (", ..." if len(every) > shown else "")
