"""What a planned release contains, in numbers, and what to look at before photos are handed on."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from genset.classes import Taxonomy
from genset.core.errors import GensetError
from genset.core.metadata import place_and_person
from genset.core.numbers import agree, count
from genset.core.progress import progress
from genset.db import gone_photos
from genset.licenses import License, may_be_passed_on
from genset.release.documents.labels import doubts
from genset.release.documents.words import coverage, missing_votes
from genset.release.facts import pool_rows, removed_on
from genset.release.multilabel.facts import summary
from genset.release.publish import is_restricted
from genset.release.reader import ReleasePhoto
from genset.release.strategies.matched import BINS, bin_of

_OF_CHOICE = ("excluded", "short", "notes", "missing_votes", "without_effect")
_NAMED = 10  # photos that are printed; JSON has all


@dataclass(frozen=True, slots=True)
class Checks:
    """The photos of a release with which something is wrong, by their files.

    Attributes:
        restricted: no known licence lets others hand them on.
        uncredited: no owner is known whom a copy could credit.
        gone: their source does not show them any more, as ``genset refresh`` found.
        revoked: their owners took back the licence under which they are in the release.
        removed: ``genset remove`` took them out of the pool.
        places: their files tell where they were taken.
        persons: their files name a person.
    """

    restricted: tuple[str, ...] = ()
    uncredited: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()

    def lines(self, name: str = "NAME") -> Iterator[str]:
        """What is printed of a release of this name; nothing where nothing is wrong."""
        sentences = {
            "under no licence that lets others share them: exports leave them out": self.restricted,
            "without an owner to credit": self.uncredited,
            "gone at their source": self.gone,
            "under a licence that no longer lets others share them": self.revoked,
            f"removed from the pool since: genset release takedown {name}": self.removed,
        }
        for sentence, files in sentences.items():
            if files:
                yield f"  {count(len(files), 'photo')} {sentence}"
                yield from (f"    {file}" for file in files[:_NAMED])
                if (rest := len(files) - _NAMED) > 0:
                    yield f"    and {rest:,} more (--json names all)"
        if self.places or self.persons:
            tell = agree(len(self.places), "tells where it was", "tell where they were")
            yield (
                f"  {count(len(self.places), 'photo')} {tell} taken, "
                f"{count(len(self.persons), 'names', 'name')} a person: genset release export "
                f"{name} --format imagefolder --strip-metadata takes it out"
            )

    def refuse_changed(self, name: str) -> None:
        """Refuse a release whose photos may not be shown any more as they could when it was frozen.

        Raises:
            GensetError: some are gone, revoked or removed.
        """
        if photos := len(self.gone) + len(self.revoked) + len(self.removed):
            raise GensetError(
                f"{count(photos, 'photo')} of {name} may not be shared any more: genset remove "
                f"takes photos out of the pool, genset release takedown {name} out of the release"
            )


def check_photos(
    photos: Sequence[ReleasePhoto],
    path_of: Callable[[ReleasePhoto], Path],
    session: Session | None = None,
) -> Checks:
    """Check records, the metadata in their files, and what the pool knows of their photos.

    Args:
        photos: the records.
        path_of: the file of each, which need not be there.
        session: of the database of the workspace that made them; None: their own words alone.
    """
    restricted = {photo.file for photo in photos if is_restricted(photo)}
    shown = progress(photos, total=len(photos), what="metadata", unit="photo")
    tells = {photo.file: place_and_person(path_of(photo)) for photo in shown}
    gone, revoked, removed = set[str](), set[str](), set[str]()
    if session is not None:
        rows = pool_rows(session, photos)
        not_shown = {(photo.source, photo.source_id) for photo in session.scalars(gone_photos())}
        removed = set(removed_on(session, photos))
        for photo in photos:
            row = rows.get((photo.source, photo.source_id))
            if photo.file in removed:
                continue
            if (photo.source, photo.source_id) in not_shown:
                gone.add(photo.file)
            elif row is not None and not may_be_passed_on(License(row.license, row.license_url)):
                revoked.add(photo.file)
    named = {
        "restricted": restricted,
        "uncredited": {p.file for p in photos if not (p.owner_name.strip() or p.owner.strip())},
        "gone": gone,
        "revoked": revoked - restricted,
        "removed": removed,
        "places": {file for file, (place, _) in tells.items() if place},
        "persons": {file for file, (_, person) in tells.items() if person},
    }
    return Checks(
        **{
            name: tuple(photo.file for photo in photos if photo.file in files)
            for name, files in named.items()
        }
    )


@dataclass(frozen=True, slots=True)
class Preview:
    """The numbers.

    Attributes:
        photos: the number of photos.
        classes: photos by wnid.
        without: how many of the chosen classes have no photo.
        not_chosen: how many of the workspace's classes nobody wants photos of.
        frequencies: photos in the five bins of selection frequency, the lowest first.
        unmeasured: photos without a selection frequency.
        licenses: photos by licence, the most used first.
        owners: the number of owners.
        most_of_one_owner: the highest number of photos of one owner.
        excluded: the number of candidates that are left out, by reason.
        short, notes: as in `genset.release.choose.Choice`.
        reasons: the reason for each candidate that is left out, by its task.
        checks: the photos with which something is wrong.
        missing_votes: how many "candidates" of the pool lack how many "votes".
        without_effect: options that changed nothing.
        doubts: what speaks against the labels, in sentences.
        multilabel: what the manifest says of several right answers; None where photos have one.
    """

    photos: int
    classes: dict[str, int]
    without: int
    not_chosen: int
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
    missing_votes: dict[str, int] = field(default_factory=dict)
    without_effect: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    multilabel: dict[str, Any] | None = None

    def lines(self) -> Iterator[str]:
        """The numbers as text."""
        chosen = len(self.classes) + self.without
        classes = coverage(len(self.classes), chosen, chosen + self.not_chosen)
        yield f"  {count(self.photos, 'photo')}; {classes}"
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
        if missing := missing_votes(self.missing_votes):
            yield f"  labeling is not finished: {missing}"
        yield from (f"  {doubt}" for doubt in self.doubts)
        if self.without_effect:
            yield f"  without effect: {', '.join(self.without_effect)}"
        yield from self.checks.lines()
        yield from summary(self.multilabel) if self.multilabel else ()


def preview(
    photos: Sequence[ReleasePhoto],
    facts: Mapping[str, Any],
    reasons: Mapping[str, str],
    taxonomy: Taxonomy,
    checks: Checks,
) -> Preview:
    """Preview a draft: its records, its manifest's facts, and why others are left out."""
    classes = Counter(photo.wnid for photo in photos)
    owners = Counter((photo.source, photo.owner) for photo in photos)
    labels = [photo.labels for photo in photos if photo.labels]
    bins = Counter(bin_of(votes.get("correct", 0), sum(votes.values())) for votes in labels)
    chosen = len(facts.get("chosen_classes") or taxonomy)
    return Preview(
        photos=len(photos),
        classes=dict(sorted(classes.items())),
        without=chosen - len(classes),
        not_chosen=len(taxonomy) - chosen,
        frequencies=[bins[index] for index in range(BINS)],
        unmeasured=len(photos) - len(labels),
        licenses=dict(Counter(photo.license for photo in photos).most_common()),
        owners=len(owners),
        most_of_one_owner=max(owners.values(), default=0),
        reasons=dict(reasons),
        checks=checks,
        **{name: facts[name] for name in _OF_CHOICE},
        doubts=doubts(facts, photos),
        multilabel=facts.get("multilabel"),
    )


def _some(words: Iterable[str], shown: int = 10) -> str:
    every = list(words)
    return ", ".join(every[:shown]) + (", ..." if len(every) > shown else "")
