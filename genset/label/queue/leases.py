"""Whose a screen is, and until when.

A lease is a promise that a labeler's verdict will be taken: votes in force and live leases of a
candidate, together, are never more than the labelers it goes to. What keeps that true when many
ask at once is, on SQLite, that a transaction which writes has the database to itself; and on
PostgreSQL row locks: whoever leases a candidate, or takes a label on it, holds its row until the
transaction ends, and counts after that. Not one advisory lock for all, because labelers of
different photos need not wait for each other: who hands out passes over rows that are locked just
now, who submits waits for them in the order of their ids, and so none waits for one that waits.
A labeler's own row is locked first, so that two tabs get the same screens.
"""

import secrets
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple, cast

from sqlalchemy import Select, Table, bindparam, func, insert, select, update
from sqlalchemy.orm import Session

from genset.db import (
    Claim,
    Screen,
    ScreenPhoto,
    Visit,
    among,
    ask,
    is_discounted,
    is_postgresql,
    now,
)
from genset.label.labelers import LabelerNow
from genset.label.queue.asking import questions_of
from genset.label.queue.board import LIVE, Board
from genset.label.queue.boards import Boards
from genset.label.queue.hiding import ScreenPlan, Shown, screens_of_class
from genset.settings import LabelRules

_ROUNDS = 5
_CLASSES = 4  # that are looked at together at first


class LeasedScreen(NamedTuple):
    """What is stored of a screen, but for its photos."""

    id: str
    worker: str
    wnid: str
    photo_id: int | None
    panel: str
    guideline: str
    is_training: bool
    created_at: datetime
    expires_at: datetime
    submitted_at: datetime | None = None
    lost_at: datetime | None = None


SCREENS: Select[Any] = select(*(getattr(Screen, name) for name in LeasedScreen._fields))
_OPEN = SCREENS.where(
    Screen.worker == bindparam("worker"),
    Screen.submitted_at.is_(None),
    Screen.lost_at.is_(None),
    Screen.panel == bindparam("panel"),
    # Not by the index of visits: most screens are of none.
    func.coalesce(Screen.visit_id, 0) == bindparam("visit"),
).order_by(Screen.created_at, Screen.id)
# The candidates on a labeler's live screens, of whatever visit.
_ON_LIVE_SCREENS = (
    select(ScreenPhoto.candidate_id)
    .join(Screen, Screen.id == ScreenPhoto.screen_id)
    .where(
        Screen.worker == bindparam("worker"),
        *LIVE,
        ScreenPhoto.candidate_id.is_not(None),
    )
)
# Those whose votes are void or held out are not counted: they keep no photo from anybody.
_LIVE = (
    select(Screen.wnid, ScreenPhoto.candidate_id, func.count())
    .join(Screen, Screen.id == ScreenPhoto.screen_id)
    .where(
        *LIVE,
        ScreenPhoto.candidate_id.is_not(None),
        ~is_discounted(),
    )
    .group_by(Screen.wnid, ScreenPhoto.candidate_id)
)
_LEASED_BY_OTHERS = _LIVE.where(
    among(ScreenPhoto.candidate_id, "candidates"),
    Screen.worker != bindparam("worker"),
)
_ON_SCREENS_OF_OTHERS = (
    select(Screen.id, ScreenPhoto.candidate_id)
    .join(Screen, Screen.id == ScreenPhoto.screen_id)
    .where(
        *LIVE,
        Screen.worker != bindparam("worker"),
        ScreenPhoto.candidate_id.is_not(None),
        ~is_discounted(),
    )
)
_LEASED_IN_EACH = (
    select(Screen.wnid, func.sum(Screen.candidates))
    .where(*LIVE, Screen.photo_id.is_not(None) == bindparam("by_photo"), ~is_discounted())
    .group_by(Screen.wnid)
)
_LEASED_IN_CLASSES = _LIVE.where(among(Screen.wnid, "classes"))

_CANDIDATES = select(Claim.id).where(among(Claim.id, "candidates"))
_CANDIDATES_IN_ORDER = _CANDIDATES.order_by(Claim.id).with_for_update(key_share=True)
_FREE_CANDIDATES = _CANDIDATES.with_for_update(key_share=True, skip_locked=True)
_INSERT_SCREENS = insert(cast(Table, Screen.__table__))
_INSERT_PHOTOS = insert(cast(Table, ScreenPhoto.__table__))
_ON_SCREENS = (
    select(ScreenPhoto.screen_id, ScreenPhoto.candidate_id)
    .where(among(ScreenPhoto.screen_id, "screens"))
    .order_by(ScreenPhoto.screen_id, ScreenPhoto.place)
)


def lock_candidates(session: Session, candidates: Collection[int]) -> None:
    """Wait until no other transaction leases these candidates or takes a label on them."""
    if is_postgresql(session):
        ask(session, _CANDIDATES_IN_ORDER, {"candidates": list(candidates)})


def lock_screens(session: Session, screens: Iterable[str]) -> None:
    """The same of all candidates on these screens, so that several are locked in one order."""
    if is_postgresql(session):
        on = ask(session, _ON_SCREENS, {"screens": list(screens)})
        lock_candidates(session, [candidate for _, candidate in on if candidate is not None])


def open_screens(
    session: Session, worker: str, panel: str, visit_id: int | None
) -> list[LeasedScreen]:
    """The screens of a labeler's visit, or (None) of no visit, that are neither submitted nor lost.

    The oldest first. A worker may be here for two assignments at once: each has its own.
    """
    values = {"worker": worker, "panel": panel, "visit": visit_id or 0}
    return [LeasedScreen(*row) for row in ask(session, _OPEN, values)]


def free_of_others(
    session: Session, board: Board, worker: str, candidates: Collection[int]
) -> set[int]:
    """Those of these (locked) candidates whose votes and leases leave room for this labeler.

    Never one that they labeled, in whatever panel.
    """
    counts = board.count_again(session, candidates)
    values = {"candidates": candidates, "worker": worker, "panel": board.rules.panel, "now": now()}
    leased = {number: leases for _, number, leases in ask(session, _LEASED_BY_OTHERS, values)}
    return {
        number
        for number, count in counts.items()
        if count.missing > leased.get(number, 0) and worker not in count.workers
    }


def renew(
    session: Session, boards: Boards, worker: str, screens: Sequence[LeasedScreen]
) -> list[LeasedScreen]:
    """Extend the leases of a labeler's open screens; return those that they still have.

    One that expired is theirs again, unless a photo on it went to somebody else meanwhile.
    """
    expired = [screen for screen in screens if screen.expires_at <= now()]
    on: dict[str, list[int]] = {screen.id: [] for screen in expired}
    if on:
        for screen_id, candidate_id in ask(session, _ON_SCREENS, {"screens": list(on)}):
            if candidate_id is not None:  # of a gold question
                on[screen_id].append(candidate_id)
    by_board: dict[Board, set[int]] = {}
    for screen in expired:
        by_board.setdefault(boards.of(screen.photo_id), set()).update(on[screen.id])
    lock_candidates(session, sorted(set().union(*by_board.values())))
    free = {
        number
        for board, some in by_board.items()
        for number in free_of_others(session, board, worker, some)
    }
    good = [screen for screen in screens if set(on.get(screen.id, ())) <= free]
    end = end_of_lease(boards.rules)
    change(session, good, expires_at=end)
    change(session, set(screens) - set(good), lost_at=now())
    return [screen._replace(expires_at=end) for screen in good]


def give_back(session: Session, screens: Collection[LeasedScreen]) -> None:
    """End the leases of open screens now. They can be renewed as if they had run out."""
    change(session, screens, expires_at=now())


def change(session: Session, screens: Collection[LeasedScreen], **values: object) -> None:
    """Store these values of all these screens."""
    if screens:
        table = cast(Table, Screen.__table__)
        these = table.c.id.in_([screen.id for screen in screens])
        ask(session, update(table).where(these).values(**values))


def screens_of_others(session: Session, boards: Boards, worker: str) -> int:
    """How many screens of others have candidates that this labeler may get if they are left."""
    values = {"worker": worker, "panel": boards.rules.panel, "now": now()}
    on = ask(session, _ON_SCREENS_OF_OTHERS, values).all()
    return len(
        {
            screen
            for screen, candidate in on
            if any(board.may_get(worker, candidate) for board in boards)
        }
    )


def hand_out(
    session: Session, boards: Boards, labeler: LabelerNow, visit: Visit | None, count: int
) -> tuple[list[LeasedScreen], bool]:
    """Lease up to `count` new screens to a labeler, for this visit: questions, then candidates.

    Fewer come where others lease, or label, the rest at this moment: the second value says so. When
    they are done some may be free, but this transaction holds rows and must not wait for them.
    """
    values = {"worker": labeler.name, "panel": boards.rules.panel, "now": now()}
    without = set(ask(session, _ON_LIVE_SCREENS, values).scalars())
    screens: list[LeasedScreen] = []
    busy: set[int] = set()
    for board in boards:
        if len(screens) < count:
            missing = count - len(screens)
            screens += _of_board(session, board, labeler, visit, without, busy, missing)
    return screens, bool(busy) and len(screens) < count


def _of_board(
    session: Session,
    board: Board,
    labeler: LabelerNow,
    visit: Visit | None,
    without: set[int],
    busy: set[int],
    count: int,
) -> list[LeasedScreen]:
    """Lease screens of one board, of candidates not in `without`; adds to `busy` what is locked.

    All of a round are locked in one go. One by one, labelers who ask at once would pass over each
    other's.
    """
    screens: list[LeasedScreen] = []
    for _ in range(_ROUNDS):
        if len(screens) >= count:
            break
        shown = Shown.to_labeler(session, board, labeler.name)
        looks_free = _free(session, board, labeler.name, without, shown)
        plans = list(islice(looks_free, count - len(screens)))
        if not plans:
            break
        candidates_tried = {number for plan in plans for number in plan.candidates}
        free, locked = _lock_free(session, board, labeler.name, candidates_tried)
        busy |= locked
        without |= candidates_tried
        if board.pool.by_photo:
            # What is at work with somebody this moment is passed over, with the rest of its photo:
            # asked in two parts, it would have to be looked at twice.
            plans = [plan for plan in plans if locked.isdisjoint(plan.candidates)]
        plans = [plan for plan in plans if not free.isdisjoint(plan.candidates)]
        photos = [
            questions_of(session, board, labeler.name, plan, free, shown)
            if board.pool.by_photo
            else plan.photos(free)
            for plan in plans
        ]
        screens += lease(session, board, labeler, visit, list(zip(plans, photos, strict=True)))
    return screens


def _free(
    session: Session, board: Board, worker: str, without: set[int], shown: Shown
) -> Iterator[ScreenPlan]:
    """Every screen that looks free, the first class first, read as far as it is wanted."""
    values: dict[str, Any] = {"panel": board.rules.panel, "now": now()}
    leased: dict[str, int] = {}
    classes, together = board.classes_for(session, worker, leased), _CLASSES
    while wnids := list(islice(classes, together)):
        leases: dict[str, dict[int, int]] = {wnid: {} for wnid in wnids}
        for wnid, candidate, number in ask(
            session, _LEASED_IN_CLASSES, {**values, "classes": wnids}
        ):
            leases[wnid][candidate] = number
        for wnid in wnids:
            free = board.suggest(worker, wnid, without, leases[wnid])
            if board.pool.by_photo:
                yield from (ScreenPlan(wnid, some) for some in board.by_photo(free))
            elif free:
                yield from screens_of_class(session, board, worker, wnid, free, shown)
        # The first ones are all at work with others; and so may be many more.
        together *= 4
        if not leased:
            by_photo = {"by_photo": board.pool.by_photo}
            leased.update(ask(session, _LEASED_IN_EACH, values | by_photo).all())


def _lock_free(
    session: Session, board: Board, worker: str, candidates: set[int]
) -> tuple[set[int], set[int]]:
    """Lock those of these candidates that may be leased; and return which others have locked."""
    good = set(ask(session, board.pool.eligible, {"candidates": candidates}).scalars())
    for gone in candidates - good:
        board.drop(gone)
    busy: set[int] = set()
    if is_postgresql(session):
        locked = set(ask(session, _FREE_CANDIDATES, {"candidates": good}).scalars())
        good, busy = locked, good - locked
    return free_of_others(session, board, worker, good), busy


def lease(
    session: Session,
    board: Board,
    labeler: LabelerNow,
    visit: Visit | None,
    plans: Sequence[tuple[ScreenPlan, Sequence[ScreenPhoto]]],
) -> list[LeasedScreen]:
    """Store these screens with their photos: a statement for each of the two tables."""
    by_photo, at = board.pool.by_photo, now()
    screens: list[LeasedScreen] = []
    rows, on_screens = [], []
    for place, (plan, photos) in enumerate(plans):
        screen = LeasedScreen(
            id=secrets.token_hex(16),
            worker=labeler.name,
            wnid=plan.wnid,
            photo_id=board.photo_of(plan.candidates[0]) if by_photo else None,
            panel=board.rules.panel,
            guideline=board.rules.guideline,
            is_training=plan.is_training,
            created_at=at + timedelta(microseconds=place),  # by which they are in order
            expires_at=end_of_lease(board.rules),
        )
        screens.append(screen)
        rows.append(
            {
                **screen._asdict(),
                "study_id": None if visit is None else visit.study_id,
                "visit_id": None if visit is None else visit.id,
                "candidates": sum(photo.candidate_id is not None for photo in photos),
                "gold_remaining": plan.gold_remaining,
            }
        )
        on_screens += [
            {
                "id": secrets.token_hex(16),
                "screen_id": screen.id,
                "place": on_screen,
                "candidate_id": photo.candidate_id,
                "gold_id": photo.gold_id,
            }
            for on_screen, photo in enumerate(photos, 1)
        ]
    if rows:
        ask(session, _INSERT_SCREENS, rows)
        ask(session, _INSERT_PHOTOS, on_screens)
    return screens


def end_of_lease(rules: LabelRules) -> datetime:
    """Until when a screen that is leased now is its labeler's."""
    return now() + timedelta(minutes=rules.lease_minutes)
