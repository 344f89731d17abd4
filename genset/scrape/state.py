"""How far a class is, by what is stored: what it keeps, what it lacks, what is left to ask.

A class's candidates stand in one order: by rank, and among equal ranks by the order of its
keywords. It keeps the first of them, as many as the plan asks for, that

- were not rejected (gone, broken, removed, outside of what the plan asks for),
- are the first of their owner (one person's series must not fill a class),
- do not have the same bytes as one before them,
- are claimed by no other class (a contested photo is downloaded, since somebody must look at it to
  say whose it is, but it does not count; until it is downloaded it does, for it may turn out to be
  rejected and leave its place to its owner's next).

The same rows give the same answer, whoever asks and in whatever order they came to be there. And
rows that come later never make a download superfluous: a refusal, a twin or a contest only moves
the end of what is kept further down. So a scrape that was killed, or shared by several processes,
ends with what an undisturbed one ends with.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeVarTuple

from sqlalchemy import (
    CursorResult,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from genset.classes import ImageClass
from genset.db import (
    Candidate,
    Photo,
    PhotoFailure,
    Search,
    SearchFailure,
    Store,
    claimed_by_several,
    in_batches,
    is_contested,
    is_ruled_correct,
)
from genset.licenses import License
from genset.scrape.opt_out import OPTED_OUT
from genset.scrape.plan import ScrapePlan
from genset.scrape.search import Frontier, SearchRow, frontier
from genset.sources.source import source_names

Ts = TypeVarTuple("Ts")


class RankedPhoto(NamedTuple):
    """A candidate and its photo, as the columns of `genset.db` that a selection needs.

    A class has hundreds, read again and again: whole rows take SQLAlchemy five times as long.
    """

    rank: int
    keyword: str
    photo_id: int
    source_id: str
    owner: str
    image_url: str
    sha256: str | None = None
    is_contested: bool = False  # where the database was asked


@dataclass(frozen=True, slots=True)
class Selection:
    """The candidates selected, the contested ones passed on the way, and the photos to download."""

    selected: tuple[RankedPhoto, ...]
    contested: tuple[RankedPhoto, ...]
    missing: tuple[RankedPhoto, ...]


def choose(candidates: Iterable[RankedPhoto], count: int, contested: Collection[int]) -> Selection:
    """Go down the candidates of a class, best first, until `count` are kept.

    `contested` are the `Photo.id` that another class claims, under any id that has the same bytes.
    A photo that is not downloaded yet is taken for a good one, so `selected` and `contested` are
    final only when `missing` is empty.
    """
    selected: list[RankedPhoto] = []
    contested_ids: list[RankedPhoto] = []
    missing: list[RankedPhoto] = []
    owners: set[str] = set()
    contents: set[str] = set()
    for candidate in candidates:
        if len(selected) == count:
            break
        if candidate.owner in owners or candidate.sha256 in contents:
            continue
        if candidate.owner:
            owners.add(candidate.owner)
        if candidate.sha256 is None:
            missing.append(candidate)
            selected.append(candidate)
            continue
        contents.add(candidate.sha256)
        (contested_ids if candidate.photo_id in contested else selected).append(candidate)
    return Selection(tuple(selected), tuple(contested_ids), tuple(missing))


# Made once, since SQLAlchemy takes as long to build them as the database to answer them.
_RANKED = select(
    Candidate.rank,
    Candidate.keyword,
    Photo.id,
    Photo.source_id,
    Photo.owner,
    Photo.image_url,
    Photo.sha256,
).join(Photo, and_(Candidate.photo_id == Photo.id, Photo.rejected.is_(None)))
# Of a photo that is not stored it does not matter, and takes a while.
_CONTESTED = and_(Photo.sha256.is_not(None), is_contested())
_CLAIMED_BY_SEVERAL = select(Candidate.wnid, Candidate.photo_id).where(
    Candidate.photo_id.in_(claimed_by_several()), ~is_ruled_correct()
)
_LOOKED_AT = Photo.license, Photo.license_url, Photo.posted_at, Photo.taken_at
FEW_CLASSES = 100
_HIGHEST_RANK = 2**31 - 1
_NOTHING = Frontier(steps=(), is_even=True)


@dataclass(frozen=True, slots=True)
class ClassState:
    """A class under a plan: the pages to ask for next, and the selection of its candidates.

    `rejected_by_plan` counts those of its candidates that the plan does not want, by reason, where
    one must look to tell (`ScrapePlan.is_picky`).
    """

    ahead: Frontier
    selection: Selection
    is_full: bool
    rejected_by_plan: Mapping[str, int]

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to do for it: no photo to download, no page to ask for."""
        if self.ahead.is_even:
            if self.selection.missing:
                return False
            if self.is_full:
                return True
        return not self.ahead.steps


def class_state(session: Session, plan: ScrapePlan, cls: ImageClass) -> ClassState:
    """Read how far a class is."""
    searches = select(Search).where(Search.wnid == cls.wnid, Search.source == _source(plan))
    rejected = set(session.scalars(_rejected(plan).where(SearchFailure.wnid == cls.wnid)))
    chosen = _chosen(session, plan, cls, None)
    return _state(cls, plan, session.scalars(searches), rejected, chosen)


def _rejected(plan: ScrapePlan) -> Select[str]:
    """The questions that are not asked again, by `question_key`."""
    return select(SearchFailure.question).where(
        SearchFailure.source == _source(plan), SearchFailure.next_at.is_(None)
    )


def class_states(session: Session, plan: ScrapePlan) -> Iterator[tuple[ImageClass, ClassState]]:
    """Read how far each of the plan's classes is, in their order."""
    if len(plan.classes) <= FEW_CLASSES:  # each one's own rows are quicker looked up
        yield from ((cls, class_state(session, plan, cls)) for cls in plan.classes)
        return
    searches: dict[str, list[SearchRow]] = defaultdict(list)
    for search in session.execute(select(Search.__table__).where(Search.source == _source(plan))):
        searches[search.wnid].append(search)
    rejected: dict[str, set[str]] = defaultdict(set)
    for question, wnid in session.execute(_rejected(plan).add_columns(SearchFailure.wnid)):
        rejected[wnid].add(question)
    contested: dict[str, set[int]] = defaultdict(set)
    for wnid, photo_id in session.execute(_CLAIMED_BY_SEVERAL):
        contested[wnid].add(photo_id)
    last = select(Candidate.wnid, func.max(Candidate.rank)).group_by(Candidate.wnid)
    last_ranks = dict(session.execute(last).all())
    none = choose([], plan.per_class, ()), Counter[str]()
    for cls in plan.classes:
        last_rank = last_ranks.get(cls.wnid)
        photos = contested[cls.wnid]
        chosen = none if last_rank is None else _chosen(session, plan, cls, photos, last_rank)
        yield cls, _state(cls, plan, searches[cls.wnid], rejected[cls.wnid], chosen)


def _source(plan: ScrapePlan) -> str:
    return plan.source.about.name


def _state(
    cls: ImageClass,
    plan: ScrapePlan,
    searches: Iterable[SearchRow],
    rejected: Collection[str],
    chosen: tuple[Selection, Mapping[str, int]],
) -> ClassState:
    selection, rejected_by_plan = chosen
    return ClassState(
        ahead=frontier(cls, plan, searches, rejected) if plan.search else _NOTHING,
        selection=selection,
        is_full=len(selection.selected) == plan.per_class,
        rejected_by_plan=rejected_by_plan,
    )


def _chosen(
    session: Session,
    plan: ScrapePlan,
    cls: ImageClass,
    of_several: Collection[int] | None,
    last_rank: int = _HIGHEST_RANK,
) -> tuple[Selection, Mapping[str, int]]:
    """The selection of a class's candidates, and how many the plan does not want, by reason.

    `of_several` are its photos that other classes claim too; None to ask the database.
    """
    queries = plan.source.queries(cls)
    place = {query: number for number, query in enumerate(queries)}
    last_place = len(place)
    # A class may have thousands of candidates, and the first few hundred may tell.
    enough = plan.first_rank + 9 + 5 * plan.per_class // (4 * max(1, len(queries)))
    window = None if plan.is_picky else (plan.posted_after, plan.posted_before)
    statement = _usable(_source(plan), source_names(), plan.min_size, window, of_several is None)
    ranked: list[RankedPhoto] = []
    rejected_by_plan = Counter[str]()
    for above, below in pairwise((-1, enough, 2 * enough, last_rank)):
        ranks = {"wnid": cls.wnid, "above": above, "below": below}
        ranked += _read(session.connection().execute(statement, ranks), plan, rejected_by_plan)
        ranked.sort(key=lambda c: (c.rank, place.get(c.keyword, last_place), c.source_id))
        contested = of_several
        if contested is None:
            contested = {row.photo_id for row in ranked if row.is_contested}
            if contested:  # a person may have ruled them to be this class's
                ruled = select(Candidate.photo_id).where(Candidate.wnid == cls.wnid)
                contested -= set(session.scalars(ruled.where(is_ruled_correct())))
        chosen = choose(ranked, plan.per_class, contested)
        if len(chosen.selected) == plan.per_class or below >= last_rank:
            break
    return chosen, rejected_by_plan


def _read(
    result: CursorResult[*tuple[Any, ...]], plan: ScrapePlan, rejected_by_plan: Counter[str]
) -> Iterable[RankedPhoto]:
    """The candidates that the plan wants; the others are counted by reason."""
    if not plan.is_picky:
        # A pool has a million: SQLAlchemy's rows, and these made one by one, take twice as long.
        rows = result.cursor.fetchall()
        result.close()
        return map(partial(tuple.__new__, RankedPhoto), rows)
    matching = []
    for row in result:
        license = License(row.license, row.license_url)
        reason = plan.reason_against(license, row.posted_at, row.taken_at)
        if reason is None:
            matching.append(RankedPhoto(*row[: len(RankedPhoto._fields)]))
        elif row.rank >= plan.first_rank:  # what searches before found is not of this one
            rejected_by_plan[reason] += 1
    return matching


# A plan's statement is the same for every class, and takes longer to build than to answer.
@lru_cache(maxsize=64)
def _usable(
    source: str,
    sources: tuple[str, ...],
    min_size: int | None,
    window: tuple[datetime, datetime | None] | None,
    asks_contested: bool,
) -> Select[*tuple[Any, ...]]:
    """The source's candidates whose photos are of this size and window.

    Photos that somebody added from a folder, of no source that is searched, count too. Where one
    must look to tell (there is no `window`), that is left to `_read`, and they come with what
    it looks at.
    """
    is_added = and_(Photo.sha256.is_not(None), *(Photo.source != name for name in sources))
    usable = _RANKED.add_columns(_CONTESTED if asks_contested else literal(False)).where(
        Candidate.wnid == bindparam("wnid"),
        Candidate.rank > bindparam("above"),
        Candidate.rank <= bindparam("below"),
        or_(Photo.source == source, is_added),
    )
    if min_size is not None:
        # A photo that an earlier plan took is measured by this one.
        is_large = and_(Photo.width >= min_size, Photo.height >= min_size)
        usable = usable.where(or_(Photo.width.is_(None), is_large))
    if window is None:
        usable = usable.add_columns(*_LOOKED_AT)
    else:
        # The search asked for these too, but Flickr ignores what it cannot read.
        after, before = window
        usable = usable.where(Photo.posted_at >= after)
        if before is not None:
            usable = usable.where(Photo.posted_at < before)
    return usable


def lacking_and_others(store: Store, plan: ScrapePlan) -> tuple[list[ImageClass], list[ImageClass]]:
    """The classes that have too few stored photos to be full, and the others.

    How far each of these is takes longer to tell, so a scrape of many begins with those that lack.
    """
    # Counted by source, and not looked for by it: SQLite would take the source's photos first and
    # look for each of the classes among each photo's.
    stored = (
        select(Candidate.wnid, func.count(case((Photo.source == _source(plan), 1))))
        .join(Photo, Candidate.photo_id == Photo.id)
        .where(Photo.in_use)
        .group_by(Candidate.wnid)
    )
    stored = of_classes(stored, [cls.wnid for cls in plan.classes])
    with store.session() as session:
        counts = dict(session.execute(stored).all())
    lacking = [cls for cls in plan.classes if counts.get(cls.wnid, 0) < plan.per_class]
    others = [cls for cls in plan.classes if counts.get(cls.wnid, 0) >= plan.per_class]
    return lacking, others


def of_classes(rows: Select[*Ts], wnids: Collection[str]) -> Select[*Ts]:
    """Only these classes' rows where they are few: a long list of names is slower than all rows."""
    return rows.where(Candidate.wnid.in_(wnids)) if len(wnids) <= FEW_CLASSES else rows


def forget_refusals(store: Store, plan: ScrapePlan) -> None:
    """Let these classes' photos and pages of the source be tried again as if none had failed.

    But for the photos that somebody removed or called duplicates, or that opted out.
    """
    wnids, source = {cls.wnid for cls in plan.classes}, _source(plan)
    photos = select(Candidate.wnid, Photo.id).join(Candidate.photo).where(Photo.source == source)
    rejected = photos.where(
        Photo.rejected.is_not(None),
        *(Photo.rejected.not_like(f"{word}%") for word in ("removed", "duplicate", OPTED_OUT)),
    )
    failed = photos.join(PhotoFailure, PhotoFailure.photo_id == Photo.id)
    pages = select(SearchFailure.wnid, SearchFailure.id).where(SearchFailure.source == source)
    with store.begin() as session:

        def ids(query: Select[str, int]) -> set[int]:
            return {number for wnid, number in session.execute(query) if wnid in wnids}

        if again := [{"id": photo_id, "rejected": None} for photo_id in ids(rejected)]:
            session.execute(update(Photo), again)
        failures = (PhotoFailure.photo_id, ids(failed)), (SearchFailure.id, ids(pages))
        for column, numbers in failures:
            for some in in_batches(sorted(numbers), FEW_CLASSES):
                session.execute(delete(column.class_).where(column.in_(some)))
