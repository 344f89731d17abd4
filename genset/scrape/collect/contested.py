"""With whom a class shares the photos that count for neither, and why: for people to act on."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, union
from sqlalchemy.orm import Session, aliased

from genset.classes import Taxonomy
from genset.core.numbers import agree, count
from genset.db import Candidate, Photo, stored_taxonomy, undecided_photos

_MOST_RIVALS = 3  # to name in one line


@dataclass(frozen=True, slots=True)
class Rival:
    """Another class that claims stored photos of a class.

    `photos` are how many of these; `queries` how many by the query of the class and the rival's
    that found them, the commonest first.
    """

    wnid: str
    photos: int
    queries: dict[tuple[str, str], int]


def contested_with(session: Session, wnid: str) -> list[Rival]:
    """Which classes claim a class's stored photos too, those that claim most of them first.

    A claim is one on the same photo or on one of the same bytes, as in
    `genset.db.is_contested`.
    """
    ours, theirs = aliased(Candidate), aliased(Candidate)
    our_photo, their_photo = aliased(Photo), aliased(Photo)
    columns = ours.photo_id, ours.keyword, theirs.wnid, theirs.keyword
    mine = (
        ours.wnid == wnid,
        theirs.wnid != wnid,
        our_photo.sha256.is_not(None),
        our_photo.refused.is_(None),
    )
    same_photo = (
        select(*columns)
        .join(our_photo, our_photo.id == ours.photo_id)
        .join(theirs, theirs.photo_id == ours.photo_id)
        .where(*mine)
    )
    same_bytes = (
        select(*columns)
        .join(our_photo, our_photo.id == ours.photo_id)
        .join(their_photo, their_photo.sha256 == our_photo.sha256)
        .join(theirs, theirs.photo_id == their_photo.id)
        .where(*mine)
    )
    photos: dict[str, set[int]] = defaultdict(set)
    queries: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    claims = union(same_photo, same_bytes)
    rows: list[tuple[Any, ...]] = sorted(map(tuple, session.execute(claims)))
    for photo_id, our_query, rival, their_query in rows:
        photos[rival].add(photo_id)
        queries[rival][our_query, their_query] += 1
    found = [
        Rival(rival, len(shared), dict(queries[rival].most_common()))
        for rival, shared in photos.items()
    ]
    return sorted(found, key=lambda rival: (-rival.photos, rival.wnid))


def explain(session: Session, wnids: Iterable[str]) -> dict[str, str]:
    """A line for each of these classes most of whose photos are contested, by wnid.

    It says how many of the photos, with whom, by which queries, and what to do. The classes' own
    wnids do not stand in it.
    """
    stored = (
        select(Candidate.wnid, func.count())
        .join(Candidate.photo)
        .where(Photo.sha256.is_not(None), Photo.refused.is_(None))
        .where(Candidate.wnid.in_(sorted(set(wnids))))
        .group_by(Candidate.wnid)
    )
    claimed = stored.where(Candidate.photo_id.in_(undecided_photos()))
    held = dict(session.execute(stored).all())
    lost = dict(session.execute(claimed.order_by(Candidate.wnid)).all())
    taxonomy = stored_taxonomy(session)
    return {
        wnid: _line(wnid, count, held[wnid], contested_with(session, wnid), taxonomy)
        for wnid, count in lost.items()
        if 2 * count > held[wnid]
    }


def _line(wnid: str, contested: int, stored: int, rivals: list[Rival], taxonomy: Taxonomy) -> str:
    told = [_shared(rival, taxonomy) for rival in rivals[:_MOST_RIVALS]]
    if len(rivals) > _MOST_RIVALS:
        told.append(
            f"others with {count(len(rivals) - _MOST_RIVALS, 'more class', 'more classes')}"
        )
    are = agree(contested, "is contested and counts", "are contested and count")
    return (
        f"{contested:,} of its {count(stored, 'photo')} {are} for no class: "
        f"{'; '.join(told)}. Rule whose each photo is (genset labels review); for photos to come, "
        f"sharpen a query (genset keywords {wnid} {rivals[0].wnid})"
    )


def _shared(rival: Rival, taxonomy: Taxonomy) -> str:
    """How many photos a rival claims, and which query of its own finds them."""
    ours, theirs = next(iter(rival.queries))
    why = (
        f'which has the same query "{ours}"'
        if ours == theirs
        else f'whose query "{theirs}" finds what "{ours}" finds'
    )
    return f"{rival.photos:,} with {_name(rival.wnid, taxonomy)}, {why}"


def _name(wnid: str, taxonomy: Taxonomy) -> str:
    """A class as people read it: "crane (n02012849)"."""
    known = taxonomy.get(wnid)
    return f"{known.name} ({wnid})" if known else wnid
