"""Take a labeler's votes out of all that counts, and back in; and say what that changes."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.db import (
    Candidate,
    Claim,
    GoldAnswer,
    Label,
    LabelerAct,
    LabelerEvent,
    Photo,
    Ruling,
    Screen,
    Store,
    Verdict,
    is_out,
    is_to_label,
    requests_in_force,
    stored_candidates,
)
from genset.db.failures import answering
from genset.db.votes_needed import votes_missing
from genset.label.gold import not_holding
from genset.label.trust.decisions import record
from genset.release.reader import MANIFEST, Release
from genset.settings import LabelRules
from genset.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Effect:
    """What a decision on a labeler's votes changes.

    `votes` on `candidates` go out of force, or come back. Of the candidates, `opened` were done
    and go to labelers again, and `closed` are done now and were not. `gold_questions` counts those
    that rest on these votes and hold no more (or hold again), `gold_answers` the labeler's own
    answers that go or come. `screens` is how many of their open screens end.

    `already` counts the candidates on which the labeler's newest vote did not count before either,
    as of somebody who was held out and is void now; `votes` leaves those out.

    `releases` names the frozen releases that hold a photo on which a vote that is out now was in
    force when they were made: they stay as they are. `unread` names those whose manifest cannot be
    read.
    """

    worker: str
    votes: int
    candidates: int
    opened: int
    closed: int
    gold_questions: int
    gold_answers: int
    screens: int
    already: int = 0
    releases: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def changes(self) -> list[str]:
        """What changes besides the votes, in words; what does not is left out."""
        changes = (
            (self.opened, "candidate to label again", "candidates to label again"),
            (self.closed, "candidate done", "candidates done"),
            (self.gold_answers, "answer to gold questions", "answers to gold questions"),
            (
                self.gold_questions,
                "gold question that rests on them",
                "gold questions that rest on them",
            ),
            (self.screens, "open screen ended", "open screens ended"),
        )
        return [count(number, one, many) for number, one, many in changes if number]


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
    of theirs on the same candidate is in force again. A later void replaces an earlier one.

    Raises:
        BadInput: as `genset.label.trust.decisions.record`.
    """
    return decide(store, workspace, name, LabelerAct.VOID, by=by, reason=reason, since=since)


def unvoid(store: Store, workspace: Workspace, name: str, *, by: str, reason: str) -> Effect:
    """Let the votes of a labeler who is void count again. Leases that ended stay ended.

    Raises:
        BadInput: they are not void; and as `void`.
    """
    return decide(store, workspace, name, LabelerAct.UNVOID, by=by, reason=reason)


def clear(store: Store, workspace: Workspace, name: str, *, by: str, reason: str) -> Effect:
    """Let the votes of a labeler who is held out count again.

    Raises:
        BadInput: they are not held out; and as `void`.
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
        BadInput: as `genset.label.trust.decisions.record`.
    """
    name = name.strip()
    with answering(), store.begin_alone() as session:
        before = _look(session, workspace.label, name)
        screens = record(session, name, what, by=by, reason=reason, since=since)
        after = _look(session, workspace.label, name)
        if not keep:
            session.rollback()
    gone = before.votes.keys() - after.votes.keys()
    # Those that were held out and are void now stand in releases too, from before.
    taken = gone | after.out if what in (LabelerAct.VOID, LabelerAct.HOLD) else gone
    with answering(), store.session() as session:
        frozen = _releases(session, workspace, name, taken) if taken else _Frozen()
    changed = before.votes.keys() ^ after.votes.keys()
    votes = before.votes | after.votes
    return Effect(
        worker=name,
        votes=len(gone) or len(changed),
        candidates=len({votes[number] for number in changed}),
        opened=len(after.open - before.open),
        closed=len(before.open - after.open),
        gold_questions=len(before.not_holding ^ after.not_holding),
        gold_answers=len(before.answers ^ after.answers),
        screens=screens,
        already=len(before.out & after.out & after.newest),
        releases=tuple(frozen.holding),
        unread=tuple(frozen.unread),
    )


@dataclass(frozen=True, slots=True)
class _Look:
    """What counts just now, as far as one labeler bears on it.

    `votes` has the candidates of their votes in force, by `Label.number`; `newest` and `out` have
    the numbers of their newest label on each candidate, and of all that do not count; `open` the
    candidates that they labeled and that go to labelers; `not_holding` gold questions; `answers`
    theirs.
    """

    votes: dict[int, int]
    open: set[int]
    not_holding: set[int]
    answers: set[int]
    newest: set[int]
    out: set[int]


def _look(session: Session, rules: LabelRules, worker: str) -> _Look:
    labeled = select(Label.candidate_id).where(Label.worker == worker)
    newest: dict[int, int] = {}
    in_force: dict[int, dict[str, Verdict]] = defaultdict(dict)
    for number, candidate_id, who, verdict, of in session.execute(
        select(Label.number, Label.candidate_id, Label.worker, Label.verdict, Label.panel)
        .where(Label.candidate_id.in_(labeled), ~is_out(Label))
        .order_by(Label.number)
    ):
        if who == worker:
            newest[candidate_id] = number
        if of == rules.panel:
            in_force[candidate_id][who] = verdict
    pool = stored_candidates().where(Candidate.id.in_(labeled), is_to_label(of_pool=False))
    ruled = set(
        session.scalars(select(Ruling.candidate_id).where(Ruling.candidate_id.in_(labeled)))
    )
    requests = requests_in_force(session)
    open_candidates = set()
    for candidate_id in session.scalars(pool.with_only_columns(Candidate.id)):
        verdicts = list(in_force[candidate_id].values())
        correct = verdicts.count(Verdict.CORRECT)
        requested = requests[candidate_id].labelers if candidate_id in requests else 0
        if votes_missing(
            rules, len(verdicts), correct, ruled=candidate_id in ruled, requested=requested
        ):
            open_candidates.add(candidate_id)
    out = not_holding(session)
    answers = select(GoldAnswer.number).where(GoldAnswer.worker == worker, ~is_out(GoldAnswer))
    last = select(func.max(Label.number)).where(Label.worker == worker).group_by(Label.candidate_id)
    gone = select(Label.number).where(Label.worker == worker, is_out(Label))
    return _Look(
        {number: candidate_id for candidate_id, number in newest.items()},
        open_candidates,
        out,
        set(session.scalars(answers)),
        set(session.scalars(last)),
        set(session.scalars(gone)),
    )


@dataclass(frozen=True, slots=True)
class _Frozen:
    holding: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Cast:
    """A labeler's vote: its number, of which task, when it was stored, on which visit."""

    number: int
    task: str
    decided_at: datetime
    stored_at: datetime
    visit_id: int | None


def _releases(session: Session, workspace: Workspace, worker: str, gone: set[int]) -> _Frozen:
    """Which frozen releases hold photos with those votes of this labeler."""
    casts = list(_casts(session, worker))
    events = session.scalars(
        select(LabelerEvent).where(LabelerEvent.worker == worker).order_by(LabelerEvent.number)
    ).all()
    found = _Frozen()
    for path in sorted(workspace.releases.glob(f"[!.]*/{MANIFEST}")):
        try:
            release = Release(path.parent)
            at = datetime.fromisoformat(release.created_at)
        except (BadInput, ValueError):
            found.unread.append(path.parent.name)
            continue
        tasks = {
            f"{wnid}/{photo.source}:{photo.source_id}"
            for photo in release.photos
            for wnid in (photo.wnid, *(photo.label_votes or ()))
        }
        # In the same second as the release: better named once too often.
        then = {event.visit_id: event for event in events if _second(event.at) < at}
        in_force = {
            cast.task: cast.number
            for cast in casts
            if _second(cast.stored_at) <= at and not _was_out(cast, then)
        }
        if any(task in tasks and number in gone for task, number in in_force.items()):
            found.holding.append(release.name)
    return found


def _casts(session: Session, worker: str) -> Iterator[_Cast]:
    """Oldest first. A label that came in a table was stored when it was decided, or later."""
    rows = session.execute(
        select(
            Label.number,
            Claim.wnid,
            Photo.source,
            Photo.source_id,
            Label.decided_at,
            Screen.submitted_at,
            Screen.visit_id,
        )
        .join(Claim, Claim.id == Label.candidate_id)
        .join(Photo, Photo.id == Claim.photo_id)
        .outerjoin(Screen, Screen.id == Label.screen_id)
        .where(Label.worker == worker)
        .order_by(Label.number)
    )
    for number, wnid, source, source_id, decided_at, submitted_at, visit_id in rows:
        task = f"{wnid}/{source}:{source_id}"
        stored_at = max(decided_at, submitted_at or decided_at)
        yield _Cast(number, task, decided_at, stored_at, visit_id)


def _was_out(cast: _Cast, then: dict[int | None, LabelerEvent]) -> bool:
    """Whether a vote did not count; `then` has what was decided last, of all and by visit."""
    for event in {None: then.get(None), cast.visit_id: then.get(cast.visit_id)}.values():
        if (
            event is not None
            and event.what in (LabelerAct.VOID, LabelerAct.HOLD)
            and (event.since is None or event.since <= cast.decided_at or event.visit_id)
        ):
            return True
    return False


def _second(time: datetime) -> datetime:
    """As exact as a manifest's time is."""
    return time.replace(microsecond=0)
