"""The votes in force, of one panel or of all: a table, by candidate, and as a method's opinions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Select, exists, func, or_, select
from sqlalchemy.orm import Session

from genset.aggregators import METHODS
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
    digest_of_votes,
    is_backed,
    is_out,
    labels_in_force,
    requests_in_force,
    rulings_in_force,
    stored_candidates,
    undecided_photos,
)
from genset.label.aggregate import aggregate, confidences
from genset.label.aggregate.votes import Opinion, Vote
from genset.label.sheet import write_sheet


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
        Photo.in_use,
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


COLUMNS = ("task", "label", "votes", *Verdict)
FILE_COLUMNS = (*COLUMNS, "confidence", "method", "panel", "without")


@dataclass(frozen=True, slots=True)
class Opinions:
    """What the labelers of each candidate say together, and what that was made of.

    Attributes:
        method: one of `genset.aggregators.METHODS`.
        by_task: the opinions.
        confidence: of each one's label, 0 to 1, to six digits, by task.
        panel, without: whose votes: of one panel, of all but one, or (both None) of all.
        digest: the `genset.db.digest_of_votes` of these votes.
    """

    method: str
    by_task: dict[str, Opinion]
    confidence: dict[str, float]
    panel: str | None
    without: str | None
    digest: str


def opinions(
    store: Store, method: str, panel: str | None = None, without: str | None = None
) -> Opinions:
    """Bring the votes in force together: of one panel, of all but the one `without`, or of all.

    Raises:
        BadInput: there is no such method, no label of one of the panels, or both are given.
    """
    if method not in METHODS:
        raise BadInput(f"a method is {', '.join(METHODS)}, not {method!r}")
    if panel is not None and without is not None:
        raise BadInput("give --panel or --without: of one panel, no other is to be left out")
    votes = votes_table(store, panel, without)
    found = aggregate(method, votes)
    sure = confidences(method, votes, found)
    return Opinions(
        method=method,
        by_task=found,
        confidence={task: round(value, 6) for task, value in sure.items()},
        panel=panel,
        without=without,
        digest=digest_of_votes(votes),
    )


def rows(found: Mapping[str, Opinion]) -> Iterator[tuple[str, str, int, *tuple[str, ...]]]:
    """The cells of `COLUMNS`: a task's label (empty for a tie), votes, each verdict's weight."""
    for task, opinion in found.items():
        weights = [f"{opinion.weights.get(verdict, 0.0):.6f}" for verdict in Verdict]
        yield task, opinion.label or "", opinion.votes, *weights


def write_opinions(path: Path, found: Opinions) -> int:
    """Write the table as a CSV file, and return how many rows it has.

    Its last columns, `FILE_COLUMNS`, say what it was made of.

    Raises:
        BadInput: the file cannot be written.
    """
    facts = (found.method, found.panel, found.without)
    return write_sheet(
        path,
        FILE_COLUMNS,
        ((*cells, f"{found.confidence[cells[0]]:.6f}", *facts) for cells in rows(found.by_task)),
    )
