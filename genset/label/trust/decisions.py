"""What was decided of labelers' votes: that they are void, or held out, or neither.

Every decision is a row of its own (`genset.db.LabelerEvent`), and the newest holds. Votes are
never touched: whatever counts them leaves out those that are void or held (`genset.db.is_out`).
"""

import shlex
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Labeler, LabelerAct, Store, now
from genset.db import LabelerEvent as LabelerEvent
from genset.db.failures import answering
from genset.label.people.labelers import end_leases
from genset.label.review import signed

GENSET = "genset"  # who holds votes out where a rule says so

_OUT = (LabelerAct.VOID, LabelerAct.HOLD)


def suspensions(store: Store) -> dict[str, LabelerEvent]:
    """The decisions by which votes do not count, by the name that the labels carry."""
    with answering(), store.session() as session:
        return suspensions_in(session)


def suspensions_in(session: Session) -> dict[str, LabelerEvent]:
    """The same, in a session."""
    newest = (
        select(func.max(LabelerEvent.number))
        .where(LabelerEvent.visit_id.is_(None))
        .group_by(LabelerEvent.worker)
    )
    rows = session.scalars(
        select(LabelerEvent)
        .where(LabelerEvent.number.in_(newest), LabelerEvent.what.in_(_OUT))
        .order_by(LabelerEvent.worker)
    )
    return {row.worker: row for row in rows}


def newest_event(session: Session, worker: str) -> LabelerEvent | None:
    """What was decided last of all that a labeler labels; None where nothing was."""
    return session.scalar(
        select(LabelerEvent)
        .where(LabelerEvent.worker == worker, LabelerEvent.visit_id.is_(None))
        .order_by(LabelerEvent.number.desc())
        .limit(1)
    )


def record(
    session: Session,
    worker: str,
    what: LabelerAct,
    *,
    by: str,
    reason: str,
    since: datetime | None = None,
) -> int:
    """Add what is decided of a labeler's votes, and return how many open screens of theirs it ends.

    All but to hold ends the leases on what they have before them: while their votes do not count,
    others are given the same. The session is one of
    `Store.begin_alone`: two managers decide one after the other.

    Raises:
        BadInput: it is decided so already, who says it or why is missing or too long, or `since`
            has no time zone or is yet to come.
    """
    by, reason = signed("a decision on a labeler's votes", by, reason)
    if since is not None and (since.tzinfo is None or since > now()):
        raise BadInput(f"votes are taken out since a time that has passed, in a zone: not {since}")
    # Who is handed a screen, or submits one, has this row: they come before, or after.
    session.scalar(select(Labeler.id).filter_by(name=worker).with_for_update(key_share=True))
    last = newest_event(session, worker)
    if why_not := _why_not(worker, what, since, last):
        raise BadInput(why_not)
    session.add(LabelerEvent(worker=worker, what=what, since=since, by=by, reason=reason))
    session.flush()
    return 0 if what is LabelerAct.HOLD else end_leases(session, worker)


def _why_not(
    worker: str, what: LabelerAct, since: datetime | None, last: LabelerEvent | None
) -> str:
    """Why this cannot follow what was decided last; "" where it can."""
    now_is, quoted = None if last is None else last.what, shlex.quote(worker)
    if what is LabelerAct.VOID:
        same = last is not None and now_is is LabelerAct.VOID and last.since == since
        return f"the votes of {worker} are void already" if same else ""
    if what is LabelerAct.UNVOID and now_is is not LabelerAct.VOID:
        is_held_out = now_is is LabelerAct.HOLD
        mend = f", they are held out: genset labelers clear {quoted}" if is_held_out else ""
        return f"the votes of {worker} are not void{mend}"
    if what is LabelerAct.CLEAR and now_is is not LabelerAct.HOLD:
        void = now_is is LabelerAct.VOID
        mend = f", they are void: genset labelers unvoid {quoted}" if void else ""
        return f"the votes of {worker} are not held out{mend}"
    if what is LabelerAct.HOLD and now_is in _OUT:
        return f"the votes of {worker} do not count already"
    return ""
