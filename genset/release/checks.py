"""What to check before photos are handed on: licences, credits, what is gone or removed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import GensetError
from genset.core.numbers import count
from genset.db import RemovedOwner, gone_photos
from genset.licenses import License, may_be_passed_on
from genset.release.facts import pool_rows
from genset.release.part import is_restricted
from genset.release.reader import ReleasePhoto

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
                f"{count(photos, 'photo')} of {name} cannot be shared any more: take them out with "
                f"genset remove, then genset release takedown {name}"
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
        owners = {(row.source, row.owner) for row in session.scalars(select(RemovedOwner))}
        for photo in photos:
            row = rows.get((photo.source, photo.source_id))
            if (photo.source, photo.owner) in owners or (
                row is not None and (row.refused or "").startswith("removed")
            ):
                removed.add(photo.file)
            elif (photo.source, photo.source_id) in not_shown:
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
