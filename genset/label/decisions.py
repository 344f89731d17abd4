"""What is decided of labelers' votes: that they are void, or held out, or neither; and its effect.

Every decision is a row of its own (`genset.db.LabelerEvent`), and the newest holds. Votes are
never touched: whatever counts them leaves out those that are void or held (`genset.db.is_out`).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.db import Claim, Label, Labeler, LabelerAct, Photo, Store, is_out, now
from genset.db import LabelerEvent as LabelerEvent
from genset.db.failures import answering
from genset.db.votes_needed import missing_votes
from genset.label.gold import not_holding
from genset.label.labelers import end_leases, known_name
from genset.label.review import signed
from genset.release.reader import MANIFEST, Release
from genset.settings import LabelRules
from genset.workspace import Workspace

_Task = tuple[str, str, str]  # class, source, and the photo's name there


@dataclass(frozen=True, slots=True)
class Effect:
    """What a decision on a labeler's votes changes.

    `votes` is how many do not count now, or count again: one for each candidate. So many more
    candidates are `opened`, to go to labelers again; fewer than 0 of them are done now. `gold`
    counts the gold questions that rest on these votes and hold no more (or hold again), `screens`
    the labeler's open screens that end.

    `releases` names the frozen releases that hold a photo on which a vote that does not count now
    was cast before they were made: they stay as they are. `unread` names those whose manifest
    cannot be read.
    """

    worker: str
    votes: int
    opened: int
    gold: int
    screens: int
    releases: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def text(self, what: str) -> str:
        """What changes, in lines: so many votes `what`, as in "are void"."""
        changes = (
            (self.opened, "candidate to label again", "candidates to label again"),
            (-self.opened, "candidate done", "candidates done"),
            (self.gold, "gold question that rests on them", "gold questions that rest on them"),
            (self.screens, "open screen ended", "open screens ended"),
        )
        words = [count(number, one, many) for number, one, many in changes if number > 0]
        lines = [f"{count(self.votes, 'vote')} of {self.worker} {what}"]
        if words:
            lines[0] += f": {', '.join(words)}"
        if self.releases:
            lines.append(f"frozen with such votes, and unchanged: {', '.join(self.releases)}")
        if self.unread:
            unread = ", ".join(self.unread)
            lines.append(f"could not be read: {unread}; see genset release verify")
        return "\n".join(lines)


def void(
    store: Store,
    workspace: Workspace,
    name: str,
    *,
    by: str,
    reason: str,
    since: datetime | None = None,
) -> Effect:
    """Take a labeler's votes out of every count, and end their open leases.

    Those that they decided at `since` or later, or (None) all that they ever label. An older vote
    of theirs on the same candidate is in force again. A later void replaces an earlier one. Who
    comes again gets the same screens unless others have their photos by then: photos that came
    back without the gold questions among them would tell these.

    Raises:
        BadInput: as `decide`.
    """
    return decide(store, workspace, name, LabelerAct.VOID, by=by, reason=reason, since=since)


def clear(store: Store, workspace: Workspace, name: str, *, by: str, reason: str) -> Effect:
    """Let the votes of a labeler who is void or held out count again.

    Raises:
        BadInput: they are neither; and as `void`.
    """
    return decide(store, workspace, name, LabelerAct.CLEAR, by=by, reason=reason)


def effect_of_void(
    store: Store, workspace: Workspace, name: str, since: datetime | None = None
) -> Effect:
    """What `void` would change. It changes nothing.

    Raises:
        BadInput: as `void`.
    """
    why = "to see what it would change"
    return decide(
        store, workspace, name, LabelerAct.VOID, by=why, reason=why, since=since, keep=False
    )


def decide(
    store: Store,
    workspace: Workspace,
    name: str,
    what: LabelerAct,
    *,
    by: str,
    reason: str,
    since: datetime | None = None,
    keep: bool = True,
) -> Effect:
    """Decide `what` about a labeler's votes, and say what it changes. Without `keep` nothing does.

    Raises:
        BadInput: nobody of that name labels or has labels here; and as
            `genset.label.decisions.record`.
    """
    with answering(), store.begin_alone() as session:
        name = known_name(session, name)
        before = _state(session, workspace.label, name)
        screens = record(session, name, what, by=by, reason=reason, since=since)
        after = _state(session, workspace.label, name)
        is_out_now = what in (LabelerAct.VOID, LabelerAct.HOLD)
        first = _first_out(session, name) if is_out_now else {}
        if not keep:
            session.rollback()
    releases, unread = _releases(workspace, first) if first else ([], [])
    return Effect(
        worker=name,
        votes=len(after.out if is_out_now else before.out - after.out),
        opened=after.open - before.open,
        gold=len(before.not_holding ^ after.not_holding),
        screens=screens,
        releases=tuple(releases),
        unread=tuple(unread),
    )


class _State(NamedTuple):
    """What hangs on a labeler's votes.

    `out` are their newest labels, each by its number, that do not count; `open` is how many of the
    candidates that they labeled go to labelers; `not_holding` are gold questions.
    """

    out: set[int]
    open: int
    not_holding: set[int]


def _state(session: Session, rules: LabelRules, worker: str) -> _State:
    newest = select(func.max(Label.number)).where(Label.worker == worker)
    newest = newest.group_by(Label.candidate_id)
    labeled = select(Label.candidate_id).where(Label.worker == worker)
    return _State(
        set(session.scalars(select(Label.number).where(Label.number.in_(newest), is_out(Label)))),
        missing_votes(session, rules, among=labeled).candidates,
        not_holding(session),
    )


def _first_out(session: Session, worker: str) -> dict[_Task, datetime]:
    """When a labeler first cast a vote that does not count now, by class and photo."""
    cast = (
        select(Claim.wnid, Photo.source, Photo.source_id, func.min(Label.decided_at))
        .join(Claim, Claim.id == Label.candidate_id)
        .join(Photo, Photo.id == Claim.photo_id)
        .where(Label.worker == worker, is_out(Label))
        .group_by(Claim.id, Photo.id)
    )
    return {(wnid, source, name): at for wnid, source, name, at in session.execute(cast)}


def _releases(workspace: Workspace, first: dict[_Task, datetime]) -> tuple[list[str], list[str]]:
    """Which frozen releases hold photos with such votes, and which cannot be read."""
    holding, unread = [], []
    for path in sorted(workspace.releases.glob(f"[!.]*/{MANIFEST}")):
        try:
            release = Release(path.parent)
            made_at = datetime.fromisoformat(release.created_at)
        except (BadInput, ValueError):
            unread.append(path.parent.name)
            continue
        # A manifest's time is in whole seconds: better named once too often.
        labeled = {key for key, at in first.items() if at.replace(microsecond=0) <= made_at}
        if any(
            (wnid, photo.source, photo.source_id) in labeled
            for photo in release.photos
            for wnid in (photo.wnid, *(photo.label_votes or ()))
        ):
            holding.append(release.name)
    return holding, unread


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
    now_is = None if last is None else last.what
    if what is LabelerAct.VOID:
        same = last is not None and now_is is LabelerAct.VOID and last.since == since
        return f"the votes of {worker} are void already" if same else ""
    if what is LabelerAct.CLEAR and now_is not in _OUT:
        return f"the votes of {worker} count: they are neither void nor held out"
    if what is LabelerAct.HOLD and now_is in _OUT:
        return f"the votes of {worker} do not count already"
    return ""
