"""Pairs of photos that look alike, for a manager to look at and decide.

`genset duplicates find` proposes them; `decide` is what `genset duplicates decide` calls, too.
"""

from dataclasses import dataclass

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from genset.classes import Taxonomy
from genset.core.errors import BadInput
from genset.db import Candidate, DuplicatePair, ExamplePhoto, Photo, Store
from genset.db.duplicates import decide as decide
from genset.db.duplicates import open_pairs
from genset.label.credits import CreditedPhoto, credit_of


@dataclass(frozen=True, slots=True)
class PairedPhoto(CreditedPhoto):
    """One photo of a pair, with classes by their names.

    A search found it for `classes`, and somebody gave it as an example of `example_of`.
    """

    classes: tuple[str, ...]
    example_of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two photos that look alike. If they are the same `photo` is rejected, or `other` on request.

    `other` is None where it is not a photo of this workspace, but one that the pool must not
    share: `other_name` says which. `distance` counts differing bits, 0 to 8.
    """

    number: int
    distance: int
    photo: PairedPhoto
    other: PairedPhoto | None
    other_name: str


def pairs_to_decide(store: Store) -> list[int]:
    """The numbers of the pairs that nobody has decided, the closest first."""
    return [pair.id for pair in open_pairs(store)]


def paired(store: Store, number: int) -> Pair:
    """The pair with this number, decided or not.

    Raises:
        BadInput: there is no such pair.
    """
    taxonomy = store.taxonomy
    with store.session() as session:
        pair = session.get(DuplicatePair, number)
        if pair is None:
            raise BadInput(f"there is no pair {number}")
        source, _, source_id = pair.other.partition(":")
        other = session.scalar(
            select(Photo).where(
                Photo.source == source, Photo.source_id == source_id, Photo.sha256.is_not(None)
            )
        )
        return Pair(
            number=number,
            distance=pair.distance,
            photo=_shown(session, pair.photo, taxonomy),
            other=None if other is None else _shown(session, other, taxonomy),
            other_name=pair.other,
        )


def _shown(session: Session, photo: Photo, taxonomy: Taxonomy) -> PairedPhoto:
    found_for = select(Candidate.wnid).where(Candidate.photo_id == photo.id)
    example_of = select(ExamplePhoto.wnid).where(ExamplePhoto.photo_id == photo.id)

    def names(query: Select[*tuple[str]]) -> tuple[str, ...]:
        return tuple(taxonomy[wnid].name for wnid in session.scalars(query))

    return PairedPhoto(
        *credit_of(photo),
        classes=names(found_for.order_by(Candidate.wnid)),
        example_of=names(example_of.order_by(ExamplePhoto.wnid)),
    )
