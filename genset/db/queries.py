"""The questions that more than one stage asks."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Select,
    Subquery,
    exists,
    func,
    insert,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db.database import is_postgresql
from genset.db.labelers import LabelerAct, LabelerEvent
from genset.db.labels import (
    GoldAnswer,
    GoldQuestion,
    Label,
    ProposedBy,
    Question,
    ReviewRequest,
    Ruling,
    Screen,
    ScreenPhoto,
    Verdict,
)
from genset.db.models import Candidate, Claim, ExamplePhoto, Photo, PhotoEvent, Proposal


def stored_candidates(*wnids: str) -> Select[Candidate]:
    """The candidates whose photo is in ``images/`` and not rejected since, of these classes.

    Of all where none is named. By class, then by rank.
    """
    query = (
        select(Candidate)
        .join(Candidate.photo)
        .where(Photo.in_use)
        .order_by(Candidate.wnid, Candidate.rank, Candidate.id)
    )
    return query.where(Candidate.wnid.in_(wnids)) if wnids else query


def gone_photos() -> Select[Photo]:
    """The photos that their source did not show any more when it was last asked."""
    last = (
        select(func.max(PhotoEvent.id))
        .where(PhotoEvent.what.in_(("gone", "back")))
        .group_by(PhotoEvent.photo_id)
    )
    joined = select(Photo).join(PhotoEvent, PhotoEvent.photo_id == Photo.id)
    return joined.where(PhotoEvent.id.in_(last), PhotoEvent.what == "gone").order_by(Photo.id)


def is_ruled() -> ColumnElement[bool]:
    """Whether somebody settled a `Candidate` in review."""
    return exists(select(Ruling.number).where(Ruling.candidate_id == Candidate.id))


def is_named_gold(*, of_class: bool = False) -> ColumnElement[bool]:
    """Whether a manager named the photo of a `Candidate` as a gold question, for whatever class.

    It tests labelers then, and none is asked about it as a candidate. Or, `of_class`, the photo of
    a `Claim` for its very class.
    """
    claim = Claim if of_class else Candidate
    named = select(GoldQuestion.id).where(
        GoldQuestion.photo_id == claim.photo_id,
        GoldQuestion.basis_id.is_(None),
        GoldQuestion.retired_at.is_(None),
    )
    if of_class:
        named = named.where(GoldQuestion.wnid == Claim.wnid)
    return exists(named.correlate(claim))


def is_ruled_correct() -> ColumnElement[bool]:
    """Whether the newest ruling on a `Candidate` says that it is correct."""
    newest = select(func.max(Ruling.number)).where(Ruling.candidate_id == Candidate.id)
    return exists(
        select(Ruling.number)
        .where(Ruling.number == newest.correlate(Candidate).scalar_subquery())
        .where(Ruling.verdict == Verdict.CORRECT)
    )


def is_out(table: type[Label | GoldAnswer]) -> ColumnElement[bool]:
    """Whether a label, or an answer to a gold question, is void or held out: it does not count."""
    out = _taken_out()
    wholly = select(out.c.worker).where(out.c.visit_id.is_(None), out.c.since.is_(None))
    later = (
        select(out.c.worker)
        .where(out.c.visit_id.is_(None), out.c.worker == table.worker)
        .where(out.c.since <= table.decided_at)
    )
    on_visits = select(Screen.id).join(out, out.c.visit_id == Screen.visit_id)
    return or_(
        table.worker.in_(wholly),
        exists(later.correlate(table)),
        func.coalesce(table.screen_id, "").in_(on_visits),
    )


def is_backed() -> ColumnElement[bool]:
    """Whether a `Question` has somebody behind it, so that it is asked and counts.

    That is a model, a list, a draw; or a labeler with a label on it that is not `is_out`: one who
    named the class, or who said that it is correct. What nobody stands behind but those whose votes
    are taken out comes back with these.
    """
    labels = select(Label.number).where(
        Label.candidate_id == ProposedBy.candidate_id,
        or_(Label.worker == ProposedBy.name, Label.verdict == Verdict.CORRECT),
        ~is_out(Label),
    )
    by = select(ProposedBy.id).where(ProposedBy.candidate_id == Question.candidate_id)
    behind = by.where(or_(ProposedBy.kind != "labeler", exists(labels.correlate(ProposedBy))))
    return or_(exists(behind.correlate(Question)), ~exists(by.correlate(Question)))


def questions_to_label() -> Select[int]:
    """The claims of all questions that labelers are asked, or were."""
    return (
        select(Question.candidate_id)
        .join(Claim, Claim.id == Question.candidate_id)
        .join(Photo, Photo.id == Claim.photo_id)
        .where(is_backed(), ~is_named_gold(of_class=True))
        .where(Photo.in_use)
    )


def is_discounted() -> ColumnElement[bool]:
    """Whether a label that is given now on a `Screen` would not count: its labeler's are out."""
    out = _taken_out()
    by_worker = select(out.c.worker).where(out.c.visit_id.is_(None))
    by_visit = select(out.c.visit_id).where(out.c.visit_id.is_not(None))
    return or_(
        Screen.worker.in_(by_worker),
        func.coalesce(Screen.visit_id, 0).in_(by_visit),
    )


def _taken_out() -> Subquery:
    """The newest decision on each labeler and visit, where it takes votes out."""
    newest = select(func.max(LabelerEvent.number)).group_by(
        LabelerEvent.worker, LabelerEvent.visit_id
    )
    return (
        select(LabelerEvent.worker, LabelerEvent.visit_id, LabelerEvent.since)
        .where(LabelerEvent.number.in_(newest))
        .where(LabelerEvent.what.in_((LabelerAct.VOID, LabelerAct.HOLD)))
        .subquery()
    )


def labels_in_force(
    panel: str | None = None, without: str | None = None, until: datetime | None = None
) -> Select[Label]:
    """Each labeler's newest label on each candidate, oldest first; none that `is_out`.

    Of one panel's labels, of all but those of the panel `without`, or (both None) of all; of those
    that were given `until` a time.
    """
    newest = (
        select(func.max(Label.number))
        .where(~is_out(Label))
        .group_by(Label.candidate_id, Label.worker)
    )
    if panel is not None:
        newest = newest.where(Label.panel == panel)
    if without is not None:
        newest = newest.where(Label.panel != without)
    if until is not None:
        newest = newest.where(Label.decided_at <= until)
    return select(Label).where(Label.number.in_(newest)).order_by(Label.number)


def votes(
    session: Session,
    panel: str | None = None,
    without: str | None = None,
    until: datetime | None = None,
) -> dict[int, Counter[Verdict]]:
    """How many labelers say what of each labeled candidate, by `Candidate.id`.

    Panels and time as in `labels_in_force`. A labeler counts once, with their newest label.
    """
    found: dict[int, Counter[Verdict]] = defaultdict(Counter)
    force = labels_in_force(panel, without, until).subquery()
    counted = select(force.c.candidate_id, force.c.verdict, func.count()).group_by(
        force.c.candidate_id, force.c.verdict
    )
    for candidate_id, verdict, count in session.execute(counted):
        found[candidate_id][verdict] = count
    return dict(found)


def votes_digest(session: Session, panel: str | None = None, without: str | None = None) -> str:
    """The `digest_of_votes` of the votes in force. Panels as in `labels_in_force`."""
    force = labels_in_force(panel, without).subquery()
    rows = session.execute(
        select(Claim.wnid, Photo.source, Photo.source_id, force.c.worker, force.c.verdict)
        .join(Claim, Claim.id == force.c.candidate_id)
        .join(Claim.photo)
    )
    return digest_of_votes(
        (f"{wnid}/{source}:{source_id}", worker, verdict)
        for wnid, source, source_id, worker, verdict in rows
    )


def digest_of_votes(votes: Iterable[tuple[str, str, str]]) -> str:
    """16 hexadecimal digits that change when a vote does: (task, worker, verdict), in any order."""
    digest = hashlib.sha256()
    for line in sorted(json.dumps((task, worker, str(label))) for task, worker, label in votes):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:16]


def rulings_in_force(session: Session, until: datetime | None = None) -> dict[int, Verdict]:
    """What the newest ruling (`until` a time) says of each candidate, by `Candidate.id`."""
    newest = select(func.max(Ruling.number)).group_by(Ruling.candidate_id)
    if until is not None:
        newest = newest.where(Ruling.at <= until)
    rows = session.execute(
        select(Ruling.candidate_id, Ruling.verdict).where(Ruling.number.in_(newest))
    )
    return {row.candidate_id: row.verdict for row in rows}


def waiting_requests() -> Select[ReviewRequest]:
    """The newest request for review of each candidate that no ruling answered.

    A ruling answers the requests that were made before it.
    """
    newest = select(func.max(ReviewRequest.number)).group_by(ReviewRequest.candidate_id)
    ruled_since = exists(
        select(Ruling.number)
        .where(Ruling.candidate_id == ReviewRequest.candidate_id, Ruling.at >= ReviewRequest.at)
        .correlate(ReviewRequest)
    )
    return select(ReviewRequest).where(ReviewRequest.number.in_(newest), ~ruled_since)


def requests_in_force(session: Session) -> dict[int, ReviewRequest]:
    """The requests for review that wait, by `Candidate.id`."""
    return {request.candidate_id: request for request in session.scalars(waiting_requests())}


def is_called_correct(counts: Counter[Verdict], ruling: Verdict | None) -> bool:
    """Whether a candidate counts as correct: by its ruling, or by its votes where there is none.

    By votes it does when more labelers say correct than incorrect or broken; unsure counts for
    neither side.
    """
    if ruling is not None:
        return ruling is Verdict.CORRECT
    return counts[Verdict.CORRECT] > counts[Verdict.INCORRECT] + counts[Verdict.BROKEN]


def add_candidates(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store candidates, with their columns but `id`; a proposal of a class and photo becomes one.

    None of them is a candidate already.
    """
    proposals = select(Proposal.wnid, Proposal.photo_id).where(
        Proposal.photo_id.in_({row["photo_id"] for row in rows})
    )
    proposed = set(map(tuple, session.execute(proposals)))
    new = []
    for row in rows:
        if (row["wnid"], row["photo_id"]) not in proposed:
            new.append(row)
            continue
        session.execute(
            update(Proposal)
            .where(Proposal.wnid == row["wnid"], Proposal.photo_id == row["photo_id"])
            .values(keyword=row["keyword"], rank=row["rank"])
            .execution_options(synchronize_session=False)
        )
    if new:
        session.execute(insert(Candidate), new)


def examples_among(session: Session, hashes: Iterable[str]) -> set[str]:
    """Those of these sha256 that are of photos which somebody gave as examples."""
    examples = select(Photo.sha256).join(ExamplePhoto, ExamplePhoto.photo_id == Photo.id)
    found = session.scalars(examples.where(Photo.sha256.in_(set(hashes)), Photo.rejected.is_(None)))
    return {sha256 for sha256 in found if sha256}


def find_candidate(session: Session, task: str) -> Claim:
    """The candidate or proposal named ``WNID/SOURCE:PHOTO_ID``.

    Raises:
        BadInput: the name is not of that form, or there is no such candidate.
    """
    wnid, _, photo = task.partition("/")
    source, colon, source_id = photo.partition(":")
    if not (wnid and source and colon and source_id):
        raise BadInput(f"a task is named like n02123045/flickr:6061409035, not {task!r}")
    found = session.scalar(
        select(Claim)
        .join(Claim.photo)
        .where(Claim.wnid == wnid, Photo.source == source, Photo.source_id == source_id)
    )
    if found is None:
        raise BadInput(f"there is no candidate {task} in this workspace")
    return found


def name_gold(
    session: Session, photo: Photo, wnid: str, expected: Verdict, reason: str
) -> GoldQuestion:
    """Make a photo a gold question of a class: from now on a manager knows its answer.

    Raises:
        BadInput: labelers have seen it with another answer.
    """
    lock_gold_questions(session)
    question = session.scalar(select(GoldQuestion).filter_by(wnid=wnid, photo_id=photo.id))
    if question is None:
        session.add(question := GoldQuestion(wnid=wnid, photo=photo))
    elif question.expected != expected and _was_shown(session, question):
        task = f"{wnid}/{photo.source}:{photo.source_id}"
        raise BadInput(f"labelers have seen {task} as {question.expected}: retire it instead")
    question.expected, question.reason, question.retired_at = expected, reason, None
    question.basis_id = None
    session.flush()
    return question


def lock_gold_questions(session: Session) -> None:
    """From here to the end of the transaction, nobody else makes a gold question."""
    if is_postgresql(session):
        session.execute(text("SELECT pg_advisory_xact_lock(7106553)"))


def _was_shown(session: Session, question: GoldQuestion) -> bool:
    shown = select(ScreenPhoto.id).where(ScreenPhoto.gold_id == question.id).limit(1)
    return session.scalar(shown) is not None


_Item = TypeVar("_Item")


def in_batches(items: Iterable[_Item], size: int = 500) -> Iterator[list[_Item]]:
    """The items in lists of `size`; the last may be shorter."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
