"""What to check before photos are handed on: licences, credits, what is gone or removed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.numbers import count
from genset.db import Photo, RemovedOwner, gone_photos
from genset.licenses import License, may_be_passed_on
from genset.release.reader import ReleasePhoto

_NAMED = 10  # photos that are printed; JSON has all


@dataclass(frozen=True, slots=True)
class Checks:
    """The photos of a release with which something is wrong, by their files.

    Attributes:
        restricted: no known licence lets others hand them on.
        uncredited: no owner is known whom a copy could credit.
        gone: their source does not show them any more, as ``genset refresh`` found.
        removed: ``genset remove`` took them out of the pool.
    """

    restricted: tuple[str, ...] = ()
    uncredited: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def lines(self, name: str = "NAME") -> Iterator[str]:
        """What is printed of a release of this name; nothing where nothing is wrong."""
        sentences = {
            "under no licence that lets others share them: exports leave them out": self.restricted,
            "without an owner to credit": self.uncredited,
            "gone at their source": self.gone,
            f"removed from the pool since: genset release takedown {name}": self.removed,
        }
        for sentence, files in sentences.items():
            if files:
                yield f"  {count(len(files), 'photo')} {sentence}"
                yield from (f"    {file}" for file in files[:_NAMED])
                if (rest := len(files) - _NAMED) > 0:
                    yield f"    and {rest:,} more (--json names all)"


def check_photos(photos: Sequence[ReleasePhoto], session: Session | None = None) -> Checks:
    """Check records, and what the pool knows of their photos.

    Args:
        photos: the records.
        session: of the database of the workspace that made them; None: their own words alone.
    """
    restricted = [
        photo for photo in photos if not may_be_passed_on(License(photo.license, photo.license_url))
    ]
    uncredited = [
        photo for photo in photos if not (photo.owner_name.strip() or photo.owner.strip())
    ]
    gone, removed = set[str](), set[str]()
    if session is not None:
        gone = {_name(photo) for photo in session.scalars(gone_photos())}
        out = select(Photo).where(Photo.refused.startswith("removed"))
        removed = {_name(photo) for photo in session.scalars(out)}
        owners = {(row.source, row.owner) for row in session.scalars(select(RemovedOwner))}
        removed |= {_name(photo) for photo in photos if (photo.source, photo.owner) in owners}
    return Checks(
        restricted=tuple(photo.file for photo in restricted),
        uncredited=tuple(photo.file for photo in uncredited),
        gone=tuple(photo.file for photo in photos if _name(photo) in gone - removed),
        removed=tuple(photo.file for photo in photos if _name(photo) in removed),
    )


def _name(photo: Photo | ReleasePhoto) -> str:
    return f"{photo.source}:{photo.source_id}"
