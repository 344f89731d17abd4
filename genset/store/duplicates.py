"""What somebody decides of pairs of photos that look alike, wherever they decide it."""

from collections.abc import Iterable

from sqlalchemy import select

from genset.errors import BadInput
from genset.store.database import Store
from genset.store.models import DuplicatePair, Photo, now


def open_pairs(store: Store) -> list[DuplicatePair]:
    """The pairs that nobody has decided, the closest first."""
    undecided = (
        select(DuplicatePair)
        .join(DuplicatePair.photo)
        .where(
            DuplicatePair.verdict.is_(None),
            Photo.sha256.is_not(None),
            Photo.refused.is_(None),
        )
        .order_by(DuplicatePair.distance, DuplicatePair.id)
    )
    with store.session() as session:
        return list(session.scalars(undecided))


def decide(store: Store, numbers: Iterable[int], *, same: bool, by: str) -> None:
    """Say of pairs, by their id, whether they show the same photo.

    The pool's photo of a pair that does is refused, and the next scrape fills its place.

    Raises:
        BadInput: there is no such pair; none is decided then.
    """
    with store.begin() as session:
        for number in numbers:
            pair = session.get(DuplicatePair, number)
            if pair is None:
                raise BadInput(f"there is no pair {number}; see genset duplicates list")
            pair.verdict = "same" if same else "different"
            pair.decided_by, pair.decided_at = by, now()
            if same:
                pair.photo.refused = f"duplicate: of {pair.other}"
