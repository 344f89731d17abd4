"""The votes in force: as a table, and gathered by candidate. Of one panel, or of all."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, exists, func, or_, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import (
    Candidate,
    Claim,
    Label,
    Photo,
    Proposal,
    Question,
    ReviewRequest,
    Store,
    Verdict,
    is_backed,
    is_out,
    labels_in_force,
    requests_in_force,
    rulings_in_force,
    stored_candidates,
    undecided_photos,
)
from genset.label.aggregate.votes import Vote


@dataclass(frozen=True, slots=True)
class Ballot:
    """A candidate with a stored photo, or a proposal of a class for one, and what was said of it.

    `counts` has its votes by verdict. `sha256` is its photo's; `undecided` says that several
    classes claim the photo, and that it counts for none yet (`genset.db.undecided_photos`).
    `request` is what sent it to review, until a ruling. `home` is the photo's own class, where
    labelers are asked whether this one is in it, too; else None. `is_candidate` is False where
    nothing but that asks about it: no search returned the photo.
    """

    candidate_id: int
    task: str
    wnid: str
    sha256: str
    undecided: bool
    votes: tuple[Vote, ...]
    counts: Counter[Verdict]
    ruling: Verdict | None
    request: ReviewRequest | None
    home: str | None = None
    is_candidate: bool = True


def panels(store: Store) -> dict[str, int]:
    """How many labels each panel has, by its name; those that are void or held out not counted."""
    counted = select(Label.panel, func.count()).where(~is_out(Label))
    counted = counted.group_by(Label.panel).order_by(Label.panel)
    with store.session() as session:
        return dict(session.execute(counted).all())


def check_panel(store: Store, panel: str | None) -> None:
    """Refuse a panel that nobody voted in: a misspelt name would look like one without votes.

    Raises:
        BadInput: there is no label of it.
    """
    if panel is not None and panel not in (known := panels(store)):
        named = ", ".join(known) or "none"
        raise BadInput(f"there are no labels of panel {panel!r}; panels with labels: {named}")


def votes_table(store: Store, panel: str | None = None, without: str | None = None) -> list[Vote]:
    """Every vote in force, in the order in which they were stored.

    A labeler has one vote on a candidate: their newest label, of that panel, of all panels but the
    one `without`, or (both None) of all.

    Raises:
        BadInput: there is no label of one of these panels.
    """
    check_panel(store, panel)
    check_panel(store, without)
    named = select(Claim.id, Claim.wnid, Photo.source, Photo.source_id).join(Claim.photo)
    with store.session() as session:
        tasks = {number: _task(*words) for number, *words in session.execute(named)}
        return [
            Vote(tasks[number], worker, verdict.value)
            for number, worker, verdict in _in_force(session, panel, without)
        ]


def ballots(session: Session, panel: str | None = None) -> list[Ballot]:
    """Every candidate with a stored photo, by class and rank."""
    return _ballots(session, panel, stored_candidates(), Candidate)


def further(session: Session, panel: str | None = None) -> list[Ballot]:
    """Every proposal of a further class for a stored photo, by class.

    Without those that only labelers named whose votes do not count, unless review was asked for.
    """
    query = select(Proposal).join(Proposal.photo).order_by(Proposal.wnid, Proposal.id)
    requested = select(ReviewRequest.number).where(ReviewRequest.candidate_id == Proposal.id)
    stored = query.where(
        Photo.sha256.is_not(None),
        Photo.rejected.is_(None),
        or_(Question.candidate_id.is_(None), is_backed(), exists(requested.correlate(Proposal))),
    )
    return _ballots(session, panel, stored, Proposal)


def _ballots(
    session: Session, panel: str | None, claims: Select[Any], kind: type[Claim]
) -> list[Ballot]:
    votes: dict[int, list[tuple[str, Verdict]]] = defaultdict(list)
    for number, worker, verdict in _in_force(session, panel):
        votes[number].append((worker, verdict))
    rulings, requests = rulings_in_force(session), requests_in_force(session)
    pool = claims.outerjoin(Question, Question.candidate_id == kind.id).with_only_columns(
        kind.id,
        kind.wnid,
        kind.photo_id,
        Photo.source,
        Photo.source_id,
        Photo.sha256,
        Question.home,
    )
    undecided = set(session.scalars(undecided_photos())) if kind is Candidate else set()
    found = []
    for number, wnid, photo_id, source, source_id, sha256, home in session.execute(pool):
        task = _task(wnid, source, source_id)
        cast = votes.get(number, ())
        found.append(
            Ballot(
                candidate_id=number,
                task=task,
                wnid=wnid,
                sha256=str(sha256),  # stored, so there is one
                undecided=photo_id in undecided,
                votes=tuple(Vote(task, worker, verdict.value) for worker, verdict in cast),
                counts=Counter(verdict for _, verdict in cast),
                ruling=rulings.get(number),
                request=requests.get(number),
                home=home,
                is_candidate=kind is Candidate,
            )
        )
    return found


def _in_force(
    session: Session, panel: str | None, without: str | None = None
) -> Iterable[tuple[int, str, Verdict]]:
    """The votes: candidate, worker, verdict."""
    force = labels_in_force(panel, without)
    return session.execute(force.with_only_columns(Label.candidate_id, Label.worker, Label.verdict))


def _task(wnid: str, source: str, source_id: str) -> str:
    return f"{wnid}/{source}:{source_id}"
