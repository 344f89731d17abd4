"""What each query brings, with whom a class shares photos, and what to do about it.

A candidate counts for the query that found it, of several for the one of its best rank. A photo is
right when its ruling says so, or without one more of its labelers say correct than incorrect or
broken. It is contested when another class's searches return it, or the same bytes, too.

The rule, for a query that the workspace searches with:

- **drop** it, when the upper end of its share's interval is below one half, and below the lower
  end of another query of its class;
- **sharpen** it (a phrase, a word to exclude), when the lower end of the interval of its contested
  share is above one quarter, or when the upper end of its share's interval is below one half and no
  other query of its class is better;
- else **keep** it. Fewer than `FEWEST` photos, labeled or stored, cannot tell.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, case, func, null, select, union, union_all
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from genset.classes import ImageClass, Taxonomy
from genset.classes.query import words
from genset.core.numbers import agree, count
from genset.db import (
    Candidate,
    Label,
    Photo,
    Ruling,
    Store,
    is_called_correct,
    is_out,
    rulings_in_force,
    stored_taxonomy,
    undecided_photos,
    votes,
)
from genset.scrape.queries import Queries
from genset.statistics.intervals import Interval, wilson

FEWEST = 10
HALF, QUARTER = 0.5, 0.25

T = TypeVar("T")
_Key = tuple[str, str]  # a wnid and a query of it


@dataclass(frozen=True, slots=True)
class Yield:
    """What a query brings to its class.

    Attributes:
        wnid, query: the class, and the query's text.
        searched: whether the workspace searches with it; otherwise it did once, or the photos were
            imported.
        candidates, stored: photos that it found, and those of them that lie in ``images/``.
        labeled, correct: its photos with a label or a ruling, and those called correct.
        share: `correct` of `labeled` with its 95 % interval; None where too few are labeled.
        contested: stored photos that another class claims too.
        contested_share: `contested` of `stored` with its interval; None where too few are stored.
        rival: the wnid of the class that claims most of them; None where there are none.
        proposal: "drop", "sharpen", "keep", or "" where the photos cannot tell or it is not
            searched with.
        reason: why, in words.
    """

    wnid: str
    query: str
    searched: bool
    candidates: int
    stored: int
    labeled: int
    correct: int
    share: Interval | None
    contested: int
    contested_share: Interval | None
    rival: str | None
    proposal: str = ""
    reason: str = ""


def query_yields(store: Store, queries: Queries, wnids: Iterable[str] = ()) -> list[Yield]:
    """What each query of these classes brings; of all classes with labels where none is named.

    In the order of the classes and their queries; what is not searched with comes last.

    Raises BadInput for a word that is no wnid.
    """
    named = [cls.wnid for cls in queries.select(named)] if (named := tuple(wnids)) else []
    with store.session() as session:
        labeled, correct = _labeled(session)
        chosen = named or sorted({wnid for wnid, _ in labeled if wnid in queries.taxonomy})
        found = _found(session, chosen)
        contested, rivals = _contested(session)
    yields: list[Yield] = []
    for cls in queries.select(chosen) if chosen else ():
        texts = [*cls.depicted, *(query.text for query in cls.queries)]
        others = sorted(query for wnid, query in found if wnid == cls.wnid and query not in texts)
        of_class = []
        for text in [*texts, *others]:
            key = cls.wnid, text
            candidates, stored = found.get(key, (0, 0))
            of_class.append(
                Yield(
                    wnid=cls.wnid,
                    query=text,
                    searched=text in texts,
                    candidates=candidates,
                    stored=stored,
                    labeled=labeled[key],
                    correct=correct[key],
                    share=_interval(correct[key], labeled[key]),
                    contested=contested[key],
                    contested_share=_interval(contested[key], stored),
                    rival=rivals.get(key),
                )
            )
        yields += [_judged(row, of_class, cls, queries.taxonomy) for row in of_class]
    return yields


def _interval(part: int, whole: int) -> Interval | None:
    return wilson(part, whole) if whole >= FEWEST else None


def _judged(row: Yield, of_class: Sequence[Yield], cls: ImageClass, taxonomy: Taxonomy) -> Yield:
    """The same with what the rule says of it."""
    if not row.searched and row.query == cls.taxon:
        return replace(row, reason="the search term for iNaturalist")
    if not row.searched:
        return replace(row, reason="no longer searched, or imported")
    share, disputed = row.share, row.contested_share
    lows = [other.share.low for other in of_class if other.share and other.searched]
    if share and share.high < HALF and share.high < max(lows):
        return replace(row, proposal="drop", reason="another query of the class is better")
    if disputed and disputed.low > QUARTER:
        return replace(row, proposal="sharpen", reason=_remedy(row, cls, taxonomy))
    if share and share.high < HALF:
        return replace(row, proposal="sharpen", reason="fewer than half of its photos are correct")
    if share:
        return replace(row, proposal="keep", reason="")
    return replace(row, reason=f"too few labels: {row.labeled} of at least {FEWEST}")


def _remedy(row: Yield, cls: ImageClass, taxonomy: Taxonomy) -> str:
    """Whose photos a contested query finds, and what would tell them apart."""
    rival = taxonomy.get(row.rival or "")
    if rival is None:
        return f"shares photos with {row.rival}"
    known_words = {word for text in (*cls.lemmas, row.query) for word in words(text)}
    excluded = [f"-{word}" for word in words(rival.name) if word not in known_words]
    hint = f"try {' '.join([row.query, *excluded])}" if excluded else "put a phrase in quotes"
    return f"shares photos with {rival.wnid} ({rival.name}): {hint}"


def _labeled(session: Session) -> tuple[Counter[_Key], Counter[_Key]]:
    """How many candidates of each query have a label or a ruling, and how many are correct."""
    cast, rulings = votes(session), rulings_in_force(session)
    decided = union(
        select(Label.candidate_id).where(~is_out(Label)), select(Ruling.candidate_id)
    ).subquery()
    labeled: Counter[_Key] = Counter()
    correct: Counter[_Key] = Counter()
    for number, wnid, query in session.execute(
        select(Candidate.id, Candidate.wnid, Candidate.keyword).join(
            decided, decided.c.candidate_id == Candidate.id
        )
    ):
        labeled[wnid, query] += 1
        right = is_called_correct(cast.get(number, Counter()), rulings.get(number))
        correct[wnid, query] += right
    return labeled, correct


def _found(session: Session, wnids: Sequence[str]) -> dict[_Key, tuple[int, int]]:
    """How many candidates each query has, and how many of their photos are stored."""
    rows = session.execute(
        select(
            Candidate.wnid,
            Candidate.keyword,
            func.count(),
            func.sum(case((_is_stored(Photo), 1), else_=0)),
        )
        .join(Photo, Photo.id == Candidate.photo_id)
        .where(Candidate.wnid.in_(wnids))
        .group_by(Candidate.wnid, Candidate.keyword)
    )
    return {(wnid, keyword): (count, int(stored)) for wnid, keyword, count, stored in rows}


def _contested(session: Session) -> tuple[Counter[_Key], dict[_Key, str]]:
    """How many stored candidates of each query other classes claim, and which class most of them.

    From the few photos and bytes that stand in several rows, which the indexes tell: to ask of
    every candidate takes a pool of a million many times as long, and so does naming classes here.
    """
    same_photo, same_bytes = _claims(
        Candidate.id, Candidate.wnid, Candidate.keyword, _RIVAL.wnid.label("rival")
    )
    pairs = union(
        same_photo.where(Candidate.photo_id.in_(_repeated(Candidate.photo_id))),
        same_bytes.where(Photo.sha256.in_(_repeated(Photo.sha256))),
    ).cte("pairs")
    key = pairs.c.wnid, pairs.c.keyword
    by_rival = select(*key, pairs.c.rival, func.count()).group_by(*key, pairs.c.rival)
    in_all = select(*key, null(), func.count(pairs.c.id.distinct())).group_by(*key)
    contested: Counter[_Key] = Counter()
    rivals: dict[_Key, Counter[str]] = defaultdict(Counter)
    for wnid, query, rival, photos in session.execute(union_all(by_rival, in_all)):
        if rival is None:
            contested[wnid, query] = photos
        else:
            rivals[wnid, query][rival] = photos
    return contested, {
        key: min(claims, key=lambda wnid: (-claims[wnid], wnid)) for key, claims in rivals.items()
    }


def _repeated(column: InstrumentedAttribute[T]) -> Select[T]:
    """The values that stand in several rows."""
    return select(column).where(column.is_not(None)).group_by(column).having(func.count() > 1)


_RIVAL, _TWIN = aliased(Candidate), aliased(Photo)


def _claims(*columns: Any) -> tuple[Select[*tuple[Any, ...]], Select[*tuple[Any, ...]]]:
    """Something of stored candidates beside others of another class: of their photo, or its bytes.

    The other candidate is `_RIVAL`. Both questions together find what `genset.db.is_contested`
    does.
    """
    stored = (
        select(*columns)
        .select_from(Candidate)
        .join(Photo, Photo.id == Candidate.photo_id)
        .where(_is_stored(Photo), _RIVAL.wnid != Candidate.wnid)
    )
    same_bytes = stored.join(_TWIN, (_TWIN.sha256 == Photo.sha256) & (_TWIN.id != Photo.id))
    return (
        stored.join(_RIVAL, _RIVAL.photo_id == Candidate.photo_id),
        same_bytes.join(_RIVAL, _RIVAL.photo_id == _TWIN.id),
    )


def _is_stored(photo: type[Photo]) -> ColumnElement[bool]:
    return photo.sha256.is_not(None) & photo.rejected.is_(None)


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
    """Which classes claim a class's stored photos too, those that claim most of them first."""
    claims = _claims(Candidate.photo_id, Candidate.keyword, _RIVAL.wnid, _RIVAL.keyword)
    of_class = union(*(claim.where(Candidate.wnid == wnid) for claim in claims))
    photos: dict[str, set[int]] = defaultdict(set)
    queries: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    rows: list[tuple[Any, ...]] = sorted(map(tuple, session.execute(of_class)))
    for photo_id, query, rival, rival_query in rows:
        photos[rival].add(photo_id)
        queries[rival][query, rival_query] += 1
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
        .where(Photo.sha256.is_not(None), Photo.rejected.is_(None))
        .where(Candidate.wnid.in_(sorted(set(wnids))))
        .group_by(Candidate.wnid)
    )
    claimed = stored.where(Candidate.photo_id.in_(undecided_photos()))
    totals = dict(session.execute(stored).all())
    lost = dict(session.execute(claimed.order_by(Candidate.wnid)).all())
    taxonomy = stored_taxonomy(session)
    return {
        wnid: _line(wnid, count, totals[wnid], contested_with(session, wnid), taxonomy)
        for wnid, count in lost.items()
        if 2 * count > totals[wnid]
    }


def _line(wnid: str, contested: int, stored: int, rivals: list[Rival], taxonomy: Taxonomy) -> str:
    parts = [_shared(rival, taxonomy) for rival in rivals[:_MOST_RIVALS]]
    if len(rivals) > _MOST_RIVALS:
        parts.append(f"others of {count(len(rivals) - _MOST_RIVALS, 'more class', 'more classes')}")
    are = agree(contested, "is contested and counts", "are contested and count")
    return (
        f"{contested:,} of {count(stored, 'photo')} {are} for no class: {'; '.join(parts)}. Decide "
        "each in genset labels review; to avoid more, sharpen a query "
        f"(genset keywords {wnid} {rivals[0].wnid})"
    )


def _shared(rival: Rival, taxonomy: Taxonomy) -> str:
    """How many photos a rival claims, and which query of its own finds them."""
    query, rival_query = next(iter(rival.queries))
    why = (
        f'which has the same query "{query}"'
        if query == rival_query
        else f'whose query "{rival_query}" finds what "{query}" finds'
    )
    return f"{rival.photos:,} also of {_name(rival.wnid, taxonomy)}, {why}"


def _name(wnid: str, taxonomy: Taxonomy) -> str:
    """A class as people read it: "crane (n02012849)"."""
    known = taxonomy.get(wnid)
    return f"{known.name} ({wnid})" if known else wnid
