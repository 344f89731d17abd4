"""Take a screen's verdicts: each is stored once, or refused with a reason."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    CompoundSelect,
    Table,
    and_,
    bindparam,
    delete,
    false,
    func,
    insert,
    null,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.orm import Session

from genset.core.safe import clean
from genset.db import (
    Claim,
    Comment,
    GoldAnswer,
    GoldQuestion,
    Label,
    Photo,
    Screen,
    ScreenPhoto,
    Verdict,
    among,
    ask,
    now,
)
from genset.label.labelers import LabelerNow
from genset.label.queue.boards import Boards
from genset.label.queue.leases import SCREENS, LeasedScreen, change, free_of_others
from genset.label.session.adding import add_classes, between
from genset.label.session.pictures import is_random_name
from genset.label.session.shown import (
    BLOCKED,
    CHANGED,
    LONGEST_COMMENT,
    LOST,
    NOT_WHOLE,
    QUESTION,
    TAKEN,
    TWICE,
    UNKNOWN,
    AddedClass,
    NewLabel,
    Receipt,
    Submission,
)
from genset.label.session.view import Answers

log = logging.getLogger("genset.label")

# Written once: building them takes longer than asking them.
_SCREEN = (
    SCREENS.add_columns(
        ScreenPhoto.id.label("name"),
        ScreenPhoto.candidate_id,
        ScreenPhoto.gold_id,
        Photo.in_use,
    )
    .join(ScreenPhoto, ScreenPhoto.screen_id == Screen.id)
    .outerjoin(Claim, Claim.id == ScreenPhoto.candidate_id)
    .outerjoin(GoldQuestion, GoldQuestion.id == ScreenPhoto.gold_id)
    .join(Photo, Photo.id == func.coalesce(Claim.photo_id, GoldQuestion.photo_id))
    .where(Screen.id == bindparam("screen"), Screen.worker == bindparam("worker"))
)
_WORKER: BindParameter[str] = bindparam("worker")
_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
# What has these ids, and what this labeler said of these photos.
_STORED: CompoundSelect[*tuple[Any, ...]] = union_all(
    select(
        *(Label.id, Label.worker, Label.candidate_id, null().label("gold"), Label.verdict),
        Label.number.label("place"),
    ).where(
        or_(
            Label.id.in_(_IDS),
            and_(Label.worker == _WORKER, among(Label.candidate_id, "candidates")),
        )
    ),
    select(
        *(GoldAnswer.id, GoldAnswer.worker, null(), GoldAnswer.gold_id, GoldAnswer.verdict),
        GoldAnswer.number,
    ).where(
        or_(
            GoldAnswer.id.in_(_IDS),
            and_(GoldAnswer.worker == _WORKER, among(GoldAnswer.gold_id, "gold")),
        )
    ),
).order_by("place")
_SUBMITTED = (
    update(cast(Table, Screen.__table__))
    .where(Screen.id == bindparam("screen"))
    .values(submitted_at=bindparam("at"), seconds=bindparam("looked"))
)
# By the tables: the ORM's own way takes twice as long.
_INSERT = {table: insert(cast(Table, table.__table__)) for table in (Label, GoldAnswer)}
_NOTHING = {table: select(table.number).where(false()) for table in (Label, GoldAnswer)}


@dataclass(frozen=True, slots=True)
class _Photo:
    """A photo on the screen. One that is not `there` was removed since, and may go undecided."""

    candidate_id: int | None
    gold_id: int | None
    there: bool


def submit(
    session: Session, boards: Boards, labeler: LabelerNow, submission: Submission
) -> list[Receipt]:
    """Store what can be stored of a submission; a receipt for each of its labels, in order.

    Then one for each class that was added. `labeler` is their row, which is locked, as are the
    screen's candidates. What is stored already is answered as stored: a page that heard no answer
    sends its labels again.
    """
    if labeler.blocked_at is not None:
        return _refused(labeler, submission, BLOCKED)
    screen, photos = _screen(session, labeler.name, submission.screen)
    if screen is None:
        return _refused(labeler, submission, UNKNOWN)
    decided = {label.photo for label in submission.labels}
    whole = decided >= {name for name, photo in photos.items() if photo.there}
    if screen.submitted_at is None and not whole:
        return _refused(labeler, submission, NOT_WHOLE)
    for comment in submission.comments:  # the labeler's last word on each photo
        if comment.photo not in photos:
            continue
        if comment.text is None:
            session.execute(delete(Comment).where(Comment.screen_photo_id == comment.photo))
        else:
            text = clean(comment.text, LONGEST_COMMENT)
            session.merge(Comment(screen_photo_id=comment.photo, text=text, at=now()))
    if screen.is_training:
        return _taught(session, screen, photos, submission.labels)
    candidates = [photo.candidate_id for photo in photos.values() if photo.candidate_id is not None]
    is_leased = screen.lost_at is None and screen.expires_at > now()
    free: set[int | None] = set(candidates)
    if not is_leased:
        free &= free_of_others(session, boards.of(screen.photo_id), screen.worker, candidates)
    if free.issuperset(candidates):
        free.add(None)  # gold questions; that they alone are taken must not tell them apart
    receipts = _store(session, screen, photos, submission.labels, free)
    was_submitted, any_stored = screen.submitted_at is not None, any(one.ok for one in receipts)
    if submission.added:
        if was_submitted or is_leased or any_stored:
            receipts += add_classes(session, screen, submission.added)
        else:
            receipts += [Receipt(added.id, False, LOST) for added in submission.added]
    if not was_submitted:
        if any(receipt.ok for receipt in receipts):
            _submitted(session, screen, _looked(screen, submission))
        elif screen.lost_at is None:
            change(session, [screen], lost_at=now())
    for reason in {receipt.reason for receipt in receipts} & {UNKNOWN, TAKEN}:
        _log(labeler, submission, reason)
    return receipts


def _store(
    session: Session,
    screen: LeasedScreen,
    photos: dict[str, _Photo],
    labels: Iterable[NewLabel],
    free: set[int | None],
) -> list[Receipt]:
    """Store those of the labels that can be; `free` has the candidates that they may be of."""
    stored, in_force = _stored(session, screen.worker, photos, labels)
    receipts = []
    rows: dict[type[Label | GoldAnswer], list[dict[str, Any]]] = {Label: [], GoldAnswer: []}
    for label in labels:
        photo = photos.get(label.photo)
        of = None if photo is None else (screen.worker, photo.candidate_id, photo.gold_id)
        if label.id in stored:
            is_same = stored[label.id] == of
            receipts.append(Receipt(label.id, is_same, "" if is_same else TAKEN))
            continue
        reason = _why_not(screen, photo, label, in_force, free)
        if photo is not None and of is not None and not reason:
            rows[Label if photo.gold_id is None else GoldAnswer].append(_row(label, photo, screen))
            in_force[label.photo] = label.verdict, label.id
            stored[label.id] = of
        receipts.append(Receipt(label.id, not reason, reason))
    for table, of_table in rows.items():
        # As many statements whichever table has rows: how long it takes must not tell.
        if of_table:
            ask(session, _INSERT[table], of_table)
        else:
            ask(session, _NOTHING[table])
    return receipts


def _taught(
    session: Session, screen: LeasedScreen, photos: dict[str, _Photo], labels: Iterable[NewLabel]
) -> list[Receipt]:
    """Tell what the answers are; what the labeler said is not stored."""
    if screen.submitted_at is None:
        _submitted(session, screen, None)
    answers = select(GoldQuestion.id, GoldQuestion.expected, GoldQuestion.reason).where(
        GoldQuestion.id.in_([photo.gold_id for photo in photos.values()])
    )
    known = {number: (reason, expected) for number, expected, reason in session.execute(answers)}
    return [
        Receipt(label.id, True, *known[photo.gold_id])
        if (photo := photos.get(label.photo)) and photo.gold_id
        else Receipt(label.id, False, UNKNOWN)
        for label in labels
    ]


def _why_not(
    screen: LeasedScreen,
    photo: _Photo | None,
    label: NewLabel,
    in_force: Answers,
    free: set[int | None],
) -> str:
    """Why a label cannot be stored; "" when it can."""
    if photo is None:
        return UNKNOWN
    if screen.photo_id is not None and label.verdict is Verdict.BROKEN:
        return QUESTION
    if label.photo in in_force:
        if label.supersedes is None:
            return TWICE
        return "" if label.supersedes == in_force[label.photo][1] else CHANGED
    if label.supersedes is not None:
        return CHANGED
    if photo.candidate_id not in free:
        return LOST
    return ""


def _screen(
    session: Session, worker: str, name: str
) -> tuple[LeasedScreen | None, dict[str, _Photo]]:
    """This screen, if it is the labeler's, and what is on it, by the names that the page knows."""
    if not is_random_name(name):
        return None, {}
    rows = ask(session, _SCREEN, {"screen": name, "worker": worker}).all()
    photos = {
        photo: _Photo(candidate, question, bool(there))
        for *_, photo, candidate, question, there in rows
    }
    return LeasedScreen(*rows[0][:-4]) if rows else None, photos


def _stored(
    session: Session, worker: str, photos: dict[str, _Photo], labels: Iterable[NewLabel]
) -> tuple[dict[UUID, tuple[str, int | None, int | None]], Answers]:
    """Whose what is stored is, by its id, and of which candidate or question; and what is in force.

    That is the labeler's last word on each photo.
    """
    values = {
        "worker": worker,
        "ids": [label.id for label in labels],
        "candidates": [photo.candidate_id for photo in photos.values()],
        "gold": [photo.gold_id for photo in photos.values()],
    }
    names = {(worker, photo.candidate_id, photo.gold_id): name for name, photo in photos.items()}
    stored: dict[UUID, tuple[str, int | None, int | None]] = {}
    in_force: Answers = {}
    for label_id, labeler, candidate, gold, verdict, _ in ask(session, _STORED, values):
        stored[label_id] = labeler, candidate, gold
        if (name := names.get(stored[label_id])) is not None:
            in_force[name] = verdict, label_id  # the newest is the last
    return stored, in_force


def _submitted(session: Session, screen: LeasedScreen, seconds: float | None) -> None:
    ask(session, _SUBMITTED, {"screen": screen.id, "at": now(), "looked": seconds})


def _row(label: NewLabel, photo: _Photo, screen: LeasedScreen) -> dict[str, Any]:
    """The row to store. A browser's clock may be wrong, or lie: times stay within the lease."""
    row = {
        "id": label.id,
        "worker": screen.worker,
        "screen_id": screen.id,
        "verdict": label.verdict,
        "shown_at": between(screen.created_at, label.shown_at),
        "decided_at": between(screen.created_at, label.decided_at),
        "decided_order": label.order,
    }
    if photo.candidate_id is None:
        return {"gold_id": photo.gold_id, **row}
    return {
        "candidate_id": photo.candidate_id,
        "panel": screen.panel,
        "guideline": screen.guideline,
        "supersedes": label.supersedes,
        "via": "page",
        **row,
    }


def _looked(screen: LeasedScreen, submission: Submission) -> float:
    """For how many seconds a screen was looked at: as the page says, within what was possible."""
    claimed = (submission.submitted_at - submission.shown_at) / 1000
    return min(max(0.0, claimed), max(0.0, (now() - screen.created_at).total_seconds()))


def _refused(labeler: LabelerNow, submission: Submission, reason: str) -> list[Receipt]:
    if reason != NOT_WHOLE:
        _log(labeler, submission, reason)
    entries: Iterable[NewLabel | AddedClass] = (*submission.labels, *submission.added)
    return [Receipt(entry.id, False, reason) for entry in entries]


def _log(labeler: LabelerNow, submission: Submission, reason: str) -> None:
    log.warning(
        "labels of %r for screen %r refused: %s", labeler.name, submission.screen[:64], reason
    )
