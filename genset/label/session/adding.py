"""Take in the classes that a labeler saw in a photo and nobody asked about."""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import Table, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from genset.db import (
    Base,
    Claim,
    GoldAnswer,
    GoldQuestion,
    Label,
    ProposedBy,
    Question,
    ScreenPhoto,
    Verdict,
    ask,
    is_postgresql,
    now,
    stored_taxonomy,
)
from genset.label.proposals import LABELER
from genset.label.queue.board import QUESTIONS_ON_A_SCREEN
from genset.label.queue.leases import LeasedScreen
from genset.label.session.shown import (
    ASKED,
    DECIDED,
    HOME,
    MOST_ADDED,
    NO_CLASS,
    NOT_HERE,
    TAKEN,
    TOO_MANY,
    AddedClass,
    Receipt,
)

_ON_SCREEN = (
    select(ScreenPhoto.place, Claim.wnid, GoldQuestion.wnid)
    .outerjoin(Claim, Claim.id == ScreenPhoto.candidate_id)
    .outerjoin(GoldQuestion, GoldQuestion.id == ScreenPhoto.gold_id)
    .where(ScreenPhoto.screen_id == bindparam("screen"))
)
_ROUND = (
    select(func.min(Question.round_id))
    .join(Claim, Claim.id == Question.candidate_id)
    .where(Claim.photo_id == bindparam("photo"))
)


def between(start: datetime, milliseconds: float) -> datetime:
    """A time that a browser tells, whose clock may be wrong or lie: from `start` until now."""
    return min(max(start, datetime.fromtimestamp(milliseconds / 1000, UTC)), now())


def add_classes(
    session: Session, screen: LeasedScreen, added: Sequence[AddedClass]
) -> list[Receipt]:
    """Store these classes as claims about a screen's photo; a receipt for each, in order.

    Each becomes a question as the photo's others are, of their round, with this labeler's label,
    correct, and goes to as many others as any question does. One that is a claim already
    gets the label. It stands on the screen from now on, so that its labeler can think again.
    """
    if screen.photo_id is None:
        return [Receipt(added_class.id, False, NOT_HERE) for added_class in added]
    places, here = _on_screen(session, screen)
    taxonomy = stored_taxonomy(session)
    receipts: dict[int, Receipt] = {}
    # Several who add the same classes take them in one order, and so none waits for one that waits.
    for number, added_class in sorted(enumerate(added), key=lambda one: one[1].wnid):
        known = _known(session, screen, added_class)
        if known is not None:
            receipts[number] = Receipt(added_class.id, known, "" if known else TAKEN)
            continue
        reason = ""
        if added_class.wnid not in taxonomy:
            reason = NO_CLASS
        elif added_class.wnid == screen.wnid:
            reason = HOME
        elif added_class.wnid in here:
            reason = ASKED
        elif places >= QUESTIONS_ON_A_SCREEN + MOST_ADDED:
            reason = TOO_MANY
        elif not _add(session, screen, added_class, places + 1):
            reason = DECIDED
        if not reason:
            places += 1
            here.add(added_class.wnid)
        receipts[number] = Receipt(added_class.id, not reason, reason)
    return [receipts[number] for number in range(len(added))]


def _on_screen(session: Session, screen: LeasedScreen) -> tuple[int, set[str]]:
    """The last place on a screen, and the classes that it asks about."""
    rows = ask(session, _ON_SCREEN, {"screen": screen.id}).all()
    return max(place for place, *_ in rows), {claimed or known for _, claimed, known in rows}


def _known(session: Session, screen: LeasedScreen, added: AddedClass) -> bool | None:
    """Whether what has this id already is this very label; None where nothing has it."""
    label = session.execute(
        select(Label.worker, Claim.wnid, Claim.photo_id)
        .join(Claim, Claim.id == Label.candidate_id)
        .where(Label.id == added.id)
    ).one_or_none()
    if label is not None:
        return tuple(label) == (screen.worker, added.wnid, screen.photo_id)
    answer = select(GoldAnswer.number).where(GoldAnswer.id == added.id)
    return None if session.scalar(answer) is None else False


def _add(session: Session, screen: LeasedScreen, added: AddedClass, place: int) -> bool:
    """Whether the class was added: not where this labeler has decided it for this photo."""
    about = {"wnid": added.wnid, "photo_id": screen.photo_id}
    _insert_new(session, Claim, {**about, "keyword": "", "rank": 0})
    claim = session.scalars(select(Claim.id).filter_by(**about)).one()
    decided = select(Label.number).where(Label.candidate_id == claim, Label.worker == screen.worker)
    if session.scalar(decided.limit(1)) is not None:
        return False
    round_id = ask(session, _ROUND, {"photo": screen.photo_id}).scalar_one()
    question = {"candidate_id": claim, "home": screen.wnid, "round_id": round_id}
    _insert_new(session, Question, question)
    by = {"candidate_id": claim, "kind": LABELER, "name": screen.worker}
    _insert_new(session, ProposedBy, by)
    session.add(
        ScreenPhoto(id=secrets.token_hex(16), screen_id=screen.id, place=place, candidate_id=claim)
    )
    session.add(
        Label(
            id=added.id,
            candidate_id=claim,
            worker=screen.worker,
            verdict=Verdict.CORRECT,
            decided_at=between(screen.created_at, added.decided_at),
            screen_id=screen.id,
            panel=screen.panel,
            shown_at=between(screen.created_at, added.shown_at),
            decided_order=added.order,
            guideline=screen.guideline,
            via="page",
        )
    )
    session.flush()
    return True


def _insert_new(session: Session, table: type[Base], row: dict[str, Any]) -> None:
    """Insert a row unless there is one like it, which another transaction may have just made."""
    insert = postgresql.insert if is_postgresql(session) else sqlite.insert
    statement = insert(cast(Table, table.__table__)).values(row).on_conflict_do_nothing()
    session.execute(statement)
