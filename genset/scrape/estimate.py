"""What a scrape will take, and what each query of a class brings.

A candidate counts for the query that found it, of several for the one of its best rank. A photo is
correct when its ruling says so, or without one more of its labelers say correct than incorrect or
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
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from sqlalchemy import Select, case, func, select, union
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from genset.classes import ImageClass, Taxonomy
from genset.classes.query import words
from genset.db import (
    Candidate,
    Label,
    Photo,
    Ruling,
    Store,
    is_called_correct,
    is_out,
    rulings_in_force,
    votes,
)
from genset.scrape.plan import ScrapePlan
from genset.scrape.queries import Queries
from genset.scrape.state import FEW_CLASSES, ClassState, class_states, of_classes
from genset.sources.source import Rates
from genset.statistics.intervals import Interval, wilson

FEWEST = 10
_TYPICAL_BYTES = 400_000  # of a photo, where the pool has too few
_TELLING_PHOTOS = 30  # before their mean size counts

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a scrape takes, so that `classes` can become full.

    Attributes:
        classes: those that lack photos, or a page to tell which ones are best.
        calls: pages to ask for, at the least.
        photos: photos to download.
        call_hours, image_hours: at `rates`; calls and downloads go on side by side, so the whole
            takes `hours`, the longer of the two.
        bytes: room that the photos take, at `bytes_a_photo`, which is the pool's own mean if
            `is_measured`.
    """

    classes: int
    calls: int
    photos: int
    rates: Rates
    call_hours: float
    image_hours: float
    hours: float
    bytes: int
    bytes_a_photo: int
    is_measured: bool


def estimate(store: Store, plan: ScrapePlan, rates: Rates) -> Estimate:
    """Tell what a scrape takes, from what the pool holds. No host is called.

    Args:
        store: the database.
        plan: what is wanted of which source.
        rates: how fast the source may be called.
    """
    # Counted by source, and not looked for by it: photos are sooner read in the order they lie in.
    of_source = Photo.source == plan.source.about.name
    with store.session() as session:
        size = case((of_source & Photo.in_use, Photo.byte_size))
        stored, mean = session.execute(select(func.count(size), func.avg(size))).one()
        needs = [_need(plan, state) for _, state in class_states(session, plan)]
    calls, photos = (sum(numbers) for numbers in zip(*needs, strict=True))
    call_hours = calls / rates.calls_an_hour if rates.calls_an_hour else 0.0
    image_hours = photos / rates.images_per_second / 3600 if rates.images_per_second else 0.0
    is_measured = stored >= _TELLING_PHOTOS
    bytes_a_photo = round(mean) if is_measured else _TYPICAL_BYTES
    return Estimate(
        classes=sum(need != (0, 0) for need in needs),
        calls=calls,
        photos=photos,
        rates=rates,
        call_hours=call_hours,
        image_hours=image_hours,
        hours=max(call_hours, image_hours),
        bytes=photos * bytes_a_photo,
        bytes_a_photo=bytes_a_photo,
        is_measured=is_measured,
    )


def _need(plan: ScrapePlan, state: ClassState) -> tuple[int, int]:
    """The pages and photos that a class lacks, where every photo can be used."""
    selection, pages = state.selection, len(state.ahead.steps)
    if not selection.missing and (not pages or (state.is_full and state.ahead.is_even)):
        return 0, 0
    required, selected = plan.per_class, len(selection.selected)
    # What is not found yet can only come of pages that are not read yet.
    photos = (required if pages else selected) - selected + len(selection.missing)
    at_once = pages * plan.per_page
    rounds = int(-((selected - required) // at_once)) if pages else 0
    return pages * max(rounds, 0 if state.ahead.is_even else 1), photos


def labeled_candidates(session: Session) -> Iterator[tuple[str, str, bool]]:
    """Of each candidate that has a label or a ruling the class, the query and if it is correct."""
    cast, rulings = votes(session), rulings_in_force(session)
    labeled = union(select(Label.candidate_id).where(~is_out(Label)), select(Ruling.candidate_id))
    rows = select(Candidate.wnid, Candidate.keyword, Candidate.id).where(Candidate.id.in_(labeled))
    for wnid, query, id in session.execute(rows):
        yield wnid, query, is_called_correct(cast.get(id, Counter()), rulings.get(id))


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

    In the order of the classes and their queries; what is not searched with comes last. Raises
    BadInput for a word that is no wnid.
    """
    classes = queries.select(named) if (named := tuple(wnids)) else ()
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    rivals: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    with store.session() as session:
        for wnid, query, is_correct in labeled_candidates(session):
            counts[wnid, query].update(labeled=1, correct=is_correct)
        if not classes and counts:
            labeled = {wnid for wnid, _ in counts if wnid in queries.taxonomy}
            classes = queries.select(sorted(labeled)) if labeled else ()
        chosen = frozenset(cls.wnid for cls in classes)
        is_stored = func.sum(case((Photo.in_use, 1), else_=0))
        key = Candidate.wnid, Candidate.keyword
        found = select(*key, func.count(), is_stored).join(Candidate.photo).group_by(*key)
        for wnid, query, candidates, stored in session.execute(of_classes(found, chosen)):
            counts[wnid, query].update(candidates=candidates, stored=stored)
        claims = contested_claims(session, chosen)
    for claim in claims:
        rivals[claim.wnid, claim.query][claim.rival] += 1
    for wnid, query, _ in {(claim.wnid, claim.query, claim.photo) for claim in claims}:
        counts[wnid, query].update(contested=1)
    yields: list[Yield] = []
    for cls in classes:
        texts = [*cls.depicted, *(query.text for query in cls.queries)]
        others = sorted(query for wnid, query in counts if wnid == cls.wnid and query not in texts)
        rows = [
            _yield(cls, query, query in texts, counts[cls.wnid, query], rivals[cls.wnid, query])
            for query in [*texts, *others]
        ]
        yields += [_judged(row, rows, cls, queries.taxonomy) for row in rows]
    return yields


def _yield(
    cls: ImageClass, query: str, searched: bool, counts: Counter[str], rivals: Counter[str]
) -> Yield:
    def share(part: str, whole: str) -> Interval | None:
        return wilson(counts[part], counts[whole]) if counts[whole] >= FEWEST else None

    return Yield(
        wnid=cls.wnid,
        query=query,
        searched=searched,
        candidates=counts["candidates"],
        stored=counts["stored"],
        labeled=counts["labeled"],
        correct=counts["correct"],
        contested=counts["contested"],
        share=share("correct", "labeled"),
        contested_share=share("contested", "stored"),
        rival=min(rivals, key=lambda wnid: (-rivals[wnid], wnid), default=None),
    )


def _judged(row: Yield, of_class: Sequence[Yield], cls: ImageClass, taxonomy: Taxonomy) -> Yield:
    """The same with what the rule says of it."""
    proposal, share = "", row.share
    best = max((other.share.low for other in of_class if other.share and other.searched), default=0)
    if not row.searched:
        reason = "no longer searched, or imported"
        if row.query == cls.taxon:
            reason = "the search term for iNaturalist"
    elif share and share.high < min(0.5, best):
        proposal, reason = "drop", "another query of the class is better"
    elif row.contested_share and row.contested_share.low > 0.25:
        proposal, reason = "sharpen", _remedy(row, cls, taxonomy)
    elif share and share.high < 0.5:
        proposal, reason = "sharpen", "fewer than half of its photos are correct"
    elif share:
        proposal, reason = "keep", ""
    else:
        reason = f"too few labels: {row.labeled} of at least {FEWEST}"
    return replace(row, proposal=proposal, reason=reason)


def _remedy(row: Yield, cls: ImageClass, taxonomy: Taxonomy) -> str:
    """Whose photos a contested query finds, and what would tell them apart."""
    rival = taxonomy.get(row.rival or "")
    if rival is None:
        return f"shares photos with {row.rival}"
    known_words = {word for text in (*cls.lemmas, row.query) for word in words(text)}
    excluded = [f"-{word}" for word in words(rival.name) if word not in known_words]
    hint = f"try {' '.join([row.query, *excluded])}" if excluded else "put a phrase in quotes"
    return f"shares photos with {rival.wnid} ({rival.name}): {hint}"


class ContestedClaim(NamedTuple):
    """A stored photo that a class's `query` found, and a search for the `rival` class too."""

    photo: int
    wnid: str
    query: str
    rival: str


def contested_claims(session: Session, wnids: Collection[str]) -> list[ContestedClaim]:
    """The contested photos of these classes, once for each claim of another class.

    Of many classes by the photos and bytes that stand in several rows, which the indexes tell: to
    look up every candidate of a pool of a million takes many times as long.
    """
    rival, twin = aliased(Candidate), aliased(Photo)
    columns = (Candidate.photo_id, Candidate.wnid, Candidate.keyword, rival.wnid)
    stored = select(*columns).select_from(Candidate).join(Candidate.photo)
    stored = of_classes(stored.where(Photo.in_use, rival.wnid != Candidate.wnid), wnids)
    same_photo = stored.join(rival, rival.photo_id == Candidate.photo_id)
    twins = stored.join(twin, (twin.sha256 == Photo.sha256) & (twin.id != Photo.id))
    same_bytes = twins.join(rival, rival.photo_id == twin.id)
    if len(wnids) > FEW_CLASSES:
        same_photo = same_photo.where(Candidate.photo_id.in_(_repeated(Candidate.photo_id)))
        same_bytes = same_bytes.where(Photo.sha256.in_(_repeated(Photo.sha256)))
    claims = union(same_photo, same_bytes)
    found = (ContestedClaim(*row) for row in session.execute(claims))
    return [claim for claim in found if claim.wnid in wnids]


def _repeated(column: InstrumentedAttribute[T]) -> Select[T]:
    """The values that stand in several rows."""
    return select(column).where(column.is_not(None)).group_by(column).having(func.count() > 1)
