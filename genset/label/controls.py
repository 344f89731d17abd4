"""Photos whose answer is known: what a manager adds, sees and retires."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from genset.errors import BadInput
from genset.label.labelers import answering
from genset.store import (
    Control,
    ScreenPhoto,
    Store,
    Verdict,
    find_candidate,
    now,
)
from genset.taxonomy import imagenet1k


@dataclass(frozen=True, slots=True)
class KnownPhoto:
    """A control as its manager sees it. `task` names photo and class: WNID/SOURCE:PHOTO_ID."""

    id: int
    task: str
    expected: Verdict
    reason: str
    created_at: datetime
    retired_at: datetime | None


def add_control(
    store: Store, task: str, expected: Verdict, reason: str, wnid: str | None = None
) -> KnownPhoto:
    """Make a candidate's photo a control of its own class, or of another one, `wnid`.

    One that is a control of that class already gets the new answer, unless labelers have seen it.

    Raises:
        BadInput: there is no such candidate or class, the answer is neither correct nor
            incorrect, no reason is given, or labelers have seen it with another answer.
    """
    if expected not in (Verdict.CORRECT, Verdict.INCORRECT):
        raise BadInput(f"a control is correct or incorrect, not {expected}")
    if not (reason := " ".join(reason.split())):
        raise BadInput("say how the answer is known: --reason TEXT")
    with answering(), store.begin() as session:
        lock_controls(session)
        candidate = find_candidate(session, task)
        wnid = imagenet1k()[wnid or candidate.wnid].wnid
        control = session.scalar(
            select(Control).where(Control.wnid == wnid, Control.photo_id == candidate.photo_id)
        )
        if control is None:
            session.add(control := Control(wnid=wnid, photo=candidate.photo))
        elif control.expected != expected and _was_shown(session, control):
            raise BadInput(f"labelers have seen {task} as {control.expected}: retire it instead")
        control.expected, control.reason, control.retired_at = expected, reason, None
        session.flush()
        return _known(control)


def list_controls(store: Store) -> list[KnownPhoto]:
    """Every control, by class; those that were retired too."""
    with answering(), store.session() as session:
        rows = session.scalars(select(Control).order_by(Control.wnid, Control.id))
        return list(map(_known, rows))


def retire_control(store: Store, control_id: int) -> None:
    """Show a control no more. What labelers said of it stays.

    Raises:
        BadInput: there is no control with this number.
    """
    with answering(), store.begin() as session:
        if (control := session.get(Control, control_id)) is None:
            raise BadInput(f"there is no control {control_id}: see genset labelers controls list")
        control.retired_at = control.retired_at or now()


def is_postgresql(session: Session) -> bool:
    """Whether there are locks to take: a transaction that writes has SQLite to itself."""
    return session.get_bind().dialect.name == "postgresql"


def lock_controls(session: Session) -> None:
    """From here to the end of the transaction, nobody else makes a control."""
    if is_postgresql(session):
        session.execute(text("SELECT pg_advisory_xact_lock(7106553)"))


def _was_shown(session: Session, control: Control) -> bool:
    shown = select(ScreenPhoto.id).where(ScreenPhoto.control_id == control.id).limit(1)
    return session.scalar(shown) is not None


def _known(control: Control) -> KnownPhoto:
    photo = control.photo
    return KnownPhoto(
        control.id,
        f"{control.wnid}/{photo.source}:{photo.source_id}",
        control.expected,
        control.reason,
        control.created_at,
        control.retired_at,
    )
