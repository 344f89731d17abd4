"""How far a class is, by what is stored: what it has, what it misses, what is left to ask."""

from dataclasses import dataclass

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from genset.scrape.collect.plan import ScrapePlan
from genset.scrape.collect.search import Frontier, frontier
from genset.scrape.collect.selection import Ranked, Selection, choose
from genset.store import Candidate, Photo, Search, Store, is_contested
from genset.taxonomy import ImageClass

# Made once, since SQLAlchemy takes as long to build them as the database to answer them.
_RANKED = select(
    Candidate.rank,
    Candidate.keyword,
    Photo.id,
    Photo.source_id,
    Photo.owner,
    Photo.image_url,
    Photo.sha256,
    Photo.refused,
).join(Photo, Candidate.photo_id == Photo.id)
_NOTHING = Frontier(steps=(), is_even=True)
_CONTESTED = select(Candidate.photo_id).where(is_contested())


@dataclass(frozen=True, slots=True)
class ClassState:
    """A class under a plan: the pages to ask for next, and the selection of its candidates."""

    ahead: Frontier
    selection: Selection
    is_full: bool


def class_state(session: Session, source: str, plan: ScrapePlan, cls: ImageClass) -> ClassState:
    """Read how far a class is."""
    searches = select(Search).where(Search.wnid == cls.wnid, Search.source == source)
    usable = _RANKED.where(
        Candidate.wnid == cls.wnid,
        # The search asked for these too, but Flickr ignores what it cannot read.
        Photo.posted_at >= plan.posted_after,
    )
    if plan.min_size is not None:
        # A photo that an earlier plan took is measured by this one.
        is_large = and_(Photo.width >= plan.min_size, Photo.height >= plan.min_size)
        usable = usable.where(or_(Photo.width.is_(None), is_large))
    if plan.posted_before is not None:
        usable = usable.where(Photo.posted_at < plan.posted_before)
    if plan.licenses:
        usable = usable.where(Photo.license.in_(plan.licenses))
    place = {query.text: number for number, query in enumerate(cls.queries)}
    best_first = sorted(
        (Ranked(*row) for row in session.execute(usable)),
        key=lambda c: (c.rank, place.get(c.keyword, len(place)), c.source_id),
    )
    claimed = _CONTESTED.where(Candidate.wnid == cls.wnid)
    chosen = choose(best_first, plan.per_class, set(session.scalars(claimed)))
    return ClassState(
        ahead=frontier(cls, plan, session.scalars(searches)) if plan.search else _NOTHING,
        selection=chosen,
        is_full=len(chosen.kept) == plan.per_class,
    )


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a scrape takes at the least: pages to ask for, so that `classes` can become full."""

    classes: int
    calls: int


def estimate(store: Store, source: str, plan: ScrapePlan) -> Estimate:
    """Count the pages that must be asked for if every photo found can be used."""
    classes = calls = 0
    with store.session() as session:
        for cls in plan.classes:
            state = class_state(session, source, plan, cls)
            if state.is_full and state.ahead.is_even:
                continue
            classes += 1
            pages = len(state.ahead.steps)
            missing = plan.per_class - len(state.selection.kept)
            rounds = -(-missing // (pages * plan.per_page)) if pages else 0
            calls += pages * max(rounds, 0 if state.ahead.is_even else 1)
    return Estimate(classes, calls)


def forget_refusals(store: Store, plan: ScrapePlan) -> None:
    """Let these classes' refused photos be tried again, but for those that somebody removed."""
    refused = (
        select(Candidate)
        .join(Candidate.photo)
        .where(
            Candidate.wnid.in_([cls.wnid for cls in plan.classes]),
            Photo.refused.is_not(None),
            Photo.refused.not_like("removed%"),
        )
    )
    with store.begin() as session:
        for candidate in session.scalars(refused):
            candidate.photo.refused = None
