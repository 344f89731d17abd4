"""What somebody decides of pairs of photos that look alike, wherever they decide it."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db.database import Store
from genset.db.models import DuplicatePair, ExamplePhoto, Photo, now

_DUPLICATE = "duplicate: of "  # before the name of the photo that stays


def open_pairs(store: Store) -> list[DuplicatePair]:
    """The pairs that nobody has decided, the closest first."""
    undecided = (
        select(DuplicatePair)
        .join(DuplicatePair.photo)
        .where(
            DuplicatePair.verdict.is_(None),
            Photo.sha256.is_not(None),
            Photo.rejected.is_(None),
        )
        .order_by(DuplicatePair.distance, DuplicatePair.id)
    )
    with store.session() as session:
        return list(session.scalars(undecided))


def examples_in(store: Store, pairs: Iterable[DuplicatePair]) -> set[str]:
    """The names of those photos in the pairs that somebody gave as examples of classes."""
    names = {name for pair in pairs for name in (_name_of(pair.photo), pair.other)}
    examples = select(Photo).join(ExamplePhoto, ExamplePhoto.photo_id == Photo.id)
    with store.session() as session:
        return names & {_name_of(photo) for photo in session.scalars(examples)}


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
    first, second = _name_of(pair.photo), pair.other
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


def _name_of(photo: Photo) -> str:
    return photo.name


def _photo(session: Session, name: str) -> Photo | None:
    """The photo called SOURCE:PHOTO_ID, if this workspace knows it."""
    source, _, source_id = name.partition(":")
    return session.scalar(select(Photo).where(Photo.source == source, Photo.source_id == source_id))
