"""What a planned release contains, in numbers, and what to look at before photos are handed on."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from genset.classes import Taxonomy
from genset.core.errors import GensetError
from genset.core.numbers import count
from genset.db import gone_photos
from genset.licenses import License, may_be_passed_on
from genset.release.documents.words import coverage, missing_votes
from genset.release.facts import pool_rows, removed_on
from genset.release.multilabel.facts import summary
from genset.release.publish import is_restricted
from genset.release.reader import ReleasePhoto
from genset.release.strategies.matched import BINS, bin_of

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
    """

    restricted: tuple[str, ...] = ()
    uncredited: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

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


def check_photos(photos: Sequence[ReleasePhoto], session: Session | None = None) -> Checks:
    """Check records, and what the pool knows of their photos.

    Args:
        photos: the records.
        session: of the database of the workspace that made them; None: their own words alone.
    """
    restricted = {photo.file for photo in photos if is_restricted(photo)}
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
        if self.without_effect:
            yield f"  without effect: {', '.join(self.without_effect)}"
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
    chosen = len(facts.get("chosen_classes") or taxonomy)
    return Preview(
        photos=classes.total(),
        classes=dict(sorted(classes.items())),
        without=chosen - len(classes),
        not_chosen=len(taxonomy) - chosen,
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
        missing_votes=facts["missing_votes"],
        without_effect=facts["without_effect"],
        multilabel=facts.get("multilabel"),
    )


def _some(words: Iterable[str], shown: int = 10) -> str:
    every = list(words)
    return ", ".join(every[:shown]) + (", ..." if len(every) > shown else "")
