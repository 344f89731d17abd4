"""Pairs of photos that look alike, proposed by `genset duplicates find`, for people to decide."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from genset.classes import Taxonomy
from genset.core.errors import BadInput
from genset.db import Candidate, DuplicatePair, ExamplePhoto, Photo, Store, now
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
        other = _photo(session, pair.other)
        if other is not None and other.sha256 is None:
            other = None
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


_DUPLICATE = "duplicate: of "  # before the name of the photo that stays


def open_pairs(store: Store) -> list[DuplicatePair]:
    """The pairs that nobody has decided, the closest first."""
    undecided = (
        select(DuplicatePair)
        .join(DuplicatePair.photo)
        .where(
            DuplicatePair.verdict.is_(None),
            Photo.in_use,
        )
        .order_by(DuplicatePair.distance, DuplicatePair.id)
    )
    with store.session() as session:
        return list(session.scalars(undecided))


def examples_in(store: Store, pairs: Iterable[DuplicatePair]) -> set[str]:
    """The names of those photos in the pairs that somebody gave as examples of classes."""
    names = {name for pair in pairs for name in (pair.photo.name, pair.other)}
    examples = select(Photo).join(ExamplePhoto, ExamplePhoto.photo_id == Photo.id)
    with store.session() as session:
        return names & {photo.name for photo in session.scalars(examples)}


def decide(
    store: Store, numbers: Iterable[int], *, same: bool, by: str, keep: str | None = None
) -> None:
    """Say of pairs, by their id, whether they show the same photo.

    Of a pair that does one photo is rejected, and the next scrape fills its place. `keep` says
    which one stays: "first", "second" (what the pair's photo looks like), or a photo's name,
    SOURCE:PHOTO_ID. None: the second, whatever it is; but where that one was rejected before for
    being the same as the first, the first stays.

    Raises:
        BadInput: there is no such pair, what `keep` names is not in it or was rejected, or the
            other one is not in this workspace; none is decided then.
    """
    if keep is not None and not same:
        raise BadInput("photos that differ are both kept: say which one to keep only with --same")
    with store.begin() as session:
        for number in numbers:
            pair = session.get(DuplicatePair, number)
            if pair is None:
                raise BadInput(f"there is no pair {number}; see genset duplicates list")
            pair.verdict = "same" if same else "different"
            pair.decided_by, pair.decided_at = by, now()
            if same:
                rejected, remaining = _sides(session, pair, keep)
                rejected.rejected = _DUPLICATE + remaining


def _sides(session: Session, pair: DuplicatePair, keep: str | None) -> tuple[Photo, str]:
    """The photo of a pair to refuse, and the name of the one to keep."""
    first, second = pair.photo.name, pair.other
    if keep is None and not _went_for(session, second, first):
        return pair.photo, second
    keep = keep or "first"
    if keep not in ("first", first, "second", second):
        raise BadInput(f"pair {pair.id} is {first} and {second}: there is no {keep} to keep")
    other = _photo(session, second)
    if keep in ("second", second):
        staying, rejected, name = other, pair.photo, second
    elif other is None:
        raise BadInput(f"{second} is no photo of this workspace: it cannot be rejected for {first}")
    else:
        staying, rejected, name = pair.photo, other, first
    if staying is not None and staying.rejected is not None:
        raise BadInput(f"{name} cannot be kept: it was rejected ({staying.rejected})")
    return rejected, name


def _went_for(session: Session, name: str, stays: str) -> bool:
    """Whether a photo was rejected as the same as the one called `stays`, over others too."""
    seen = set()
    while name not in seen:
        seen.add(name)
        photo = _photo(session, name)
        if photo is None or not (photo.rejected or "").startswith(_DUPLICATE):
            return False
        name = str(photo.rejected).removeprefix(_DUPLICATE)
        if name == stays:
            return True
    return False


def _photo(session: Session, name: str) -> Photo | None:
    """The photo called SOURCE:PHOTO_ID, if this workspace knows it."""
    source, _, source_id = name.partition(":")
    return session.scalar(select(Photo).where(Photo.source == source, Photo.source_id == source_id))
