"""What a scrape will take: calls, photos, hours, room on the disk; and what may come of it."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, select, union
from sqlalchemy.orm import Session

from genset.db import (
    Candidate,
    Label,
    Photo,
    Ruling,
    Store,
    claimed_by_several,
    is_called_correct,
    is_out,
    rulings_in_force,
    votes,
)
from genset.scrape.plan import ScrapePlan
from genset.scrape.state import ClassState, class_states
from genset.sources.source import Rates
from genset.statistics.intervals import wilson

BYTES_A_PHOTO = 400_000  # where the pool does not tell
_TELLING_PHOTOS = 30  # that were tried, before their mean size and their share of rejected count
_TELLING_LABELS = 50  # labeled photos, before their share of right ones does
_TELLING_CLASSES = 5  # and classes that they are of, where so many are asked for
_WIDEST = 0.3  # an interval of a share that still says something


@dataclass(frozen=True, slots=True)
class RightPhotos:
    """How many photos of a full class will be right, by the labels that there are.

    Attributes:
        labeled: labeled candidates of the classes asked for, and `classes` that they are of.
        share: of them that are called correct; None where there are none.
        per_class: right photos expected of a full class, and from `low` to `high` with 95 %
            confidence. None where the labels are too few, or too different from class to class, to
            tell.
    """

    labeled: int
    classes: int
    share: float | None
    per_class: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a scrape takes, so that `classes` can become full.

    Attributes:
        classes: those that lack photos, or a page to tell which ones are best.
        calls: pages to ask for, at the least.
        photos: photos to store; `downloads` with those that will be rejected.
        call_hours, image_hours: at `rates`; calls and downloads go on side by side, so the whole
            takes `hours`, the longer of the two.
        bytes: room that the photos take, at `bytes_a_photo`, which is the pool's own mean if
            `is_measured`.
        rejected_share: of the pool's photos that were tried, those rejected; 0 where it is unknown.
        right: what labels say of the photos.
    """

    classes: int
    calls: int
    photos: int
    downloads: int
    rates: Rates
    call_hours: float
    image_hours: float
    hours: float
    bytes: int
    bytes_a_photo: int
    is_measured: bool
    rejected_share: float
    right: RightPhotos


def estimate(store: Store, plan: ScrapePlan, rates: Rates) -> Estimate:
    """Tell what a scrape takes, from what the pool holds. Nobody is asked anything.

    Args:
        store: the database.
        plan: what is wanted of which source.
        rates: how fast the source may be called.
    """
    with store.session() as session:
        past = _past(session, plan.source.about.name)
        needs = _Needs(plan, past.rejected_share)
        contested = _contested(session, plan)
        for _, state in class_states(session, plan, contested):
            needs.add(state)
        right = _right_photos(session, plan)
    downloads = round(needs.photos / (1 - past.rejected_share))
    call_hours = needs.calls / rates.calls_an_hour if rates.calls_an_hour else 0.0
    image_hours = downloads / rates.images_per_second / 3600 if rates.images_per_second else 0.0
    return Estimate(
        classes=needs.classes,
        calls=needs.calls,
        photos=needs.photos,
        downloads=downloads,
        rates=rates,
        call_hours=call_hours,
        image_hours=image_hours,
        hours=max(call_hours, image_hours),
        bytes=needs.photos * past.bytes_a_photo,
        bytes_a_photo=past.bytes_a_photo,
        is_measured=past.is_measured,
        rejected_share=past.rejected_share,
        right=right,
    )


@dataclass(frozen=True, slots=True)
class _Past:
    """What the photos that were tried tell of those to come."""

    rejected_share: float
    bytes_a_photo: int
    is_measured: bool


def _past(session: Session, source: str) -> _Past:
    stored, mean = session.execute(
        select(func.count(), func.avg(Photo.byte_size)).where(
            Photo.source == source, Photo.sha256.is_not(None), Photo.rejected.is_(None)
        )
    ).one()
    # Those that somebody removed were not rejected by a check that others must pass too.
    rejected = session.scalar(
        select(func.count()).where(
            Photo.source == source, Photo.rejected.is_not(None), Photo.rejected.not_like("removed%")
        )
    )
    tried = stored + (rejected or 0)
    is_known = stored >= _TELLING_PHOTOS and mean is not None
    return _Past(
        rejected_share=(rejected or 0) / tried if stored and tried >= _TELLING_PHOTOS else 0.0,
        bytes_a_photo=round(mean) if is_known else BYTES_A_PHOTO,
        is_measured=is_known,
    )


def _contested(session: Session, plan: ScrapePlan) -> Collection[int] | None:
    """The contested photos, where it is quicker to find all at once than each class's."""
    return set(session.scalars(claimed_by_several())) if len(plan.classes) > 100 else None


class _Needs:
    """What classes lack, added up. A share of the photos to come will be rejected."""

    def __init__(self, plan: ScrapePlan, rejected_share: float) -> None:
        self.classes = self.calls = self.photos = 0
        self._plan = plan
        self._kept_share = 1 - rejected_share

    def add(self, state: ClassState) -> None:
        """Count what one class lacks."""
        lacking = state.selection.missing
        pages = len(state.ahead.steps)
        if not lacking and (not pages or (state.is_full and state.ahead.is_even)):
            return
        self.classes += 1
        required, selected = self._plan.per_class, len(state.selection.selected)
        # What is not found yet can only come of pages that are not asked yet.
        reachable = required if pages else selected
        self.photos += reachable - (selected - len(lacking))
        unknown = (required - selected) / self._kept_share
        rounds = -(-unknown // (pages * self._plan.per_page)) if pages else 0
        self.calls += pages * max(int(rounds), 0 if state.ahead.is_even else 1)


def _right_photos(session: Session, plan: ScrapePlan) -> RightPhotos:
    """What share of these classes' labeled candidates is called correct."""
    wnids = [cls.wnid for cls in plan.classes]
    cast, rulings = votes(session), rulings_in_force(session)
    labeled, correct = Counter[str](), Counter[str]()
    for number, wnid in _classes_of(session, plan.source.about.name, wnids).items():
        labeled[wnid] += 1
        correct[wnid] += is_called_correct(cast.get(number, Counter()), rulings.get(number))
    total = labeled.total()
    share = correct.total() / total if total else None
    interval = _interval(labeled, correct, min(_TELLING_CLASSES, len(wnids)))
    if share is None or interval is None:
        return RightPhotos(total, len(labeled), share, None, None, None)
    expected, low, high = (plan.per_class * part for part in (share, *interval))
    return RightPhotos(total, len(labeled), share, expected, low, high)


def _classes_of(session: Session, source: str, wnids: Collection[str]) -> dict[int, str]:
    """The class of each candidate of these classes that has a label or a ruling, by its id."""
    spoken_of = union(select(Label.candidate_id).where(~is_out(Label)), select(Ruling.candidate_id))
    # They are few beside all candidates, so the database is not asked for classes or a source:
    # it would take all photos of the source first.
    found = (
        select(Candidate.id, Candidate.wnid, Photo.source)
        .join(Candidate.photo)
        .where(Candidate.id.in_(spoken_of))
    )
    selected = frozenset(wnids)
    return {
        id: wnid
        for id, wnid, its_source in session.execute(found)
        if wnid in selected and its_source == source
    }


def _interval(
    labeled: Counter[str], correct: Counter[str], classes: int
) -> tuple[float, float] | None:
    """Of the share correct, by class: Wilson's interval, of fewer photos where classes differ.

    Photos of a class are right or wrong together, so as many count as would be as uncertain if
    each were drawn alone (Kish's design effect). None where fewer than `classes` have labels, or
    nothing of use can be said.
    """
    total = labeled.total()
    if total < _TELLING_LABELS or len(labeled) < classes:
        return None
    share = correct.total() / total
    count = float(total)
    if len(labeled) > 1 and 0 < share < 1:
        spread = sum((correct[wnid] - share * labeled[wnid]) ** 2 for wnid in labeled)
        of_classes = spread * len(labeled) / (len(labeled) - 1)
        count /= max(1.0, of_classes / (total * share * (1 - share)))
    effective = max(1, int(count))
    interval = wilson(share * effective, effective)
    return interval if interval.high - interval.low <= _WIDEST else None
