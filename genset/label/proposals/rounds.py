"""A round of proposals is stored, or withdrawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Claim, Label, ProposalRound, ProposedBy, Question, Store, in_batches, now
from genset.label.proposals.choose import ModelAnswers
from genset.label.proposals.plan import MOST, NewQuestion, Plan, make_plan
from genset.release.reader import Manifest
from genset.settings import LabelRules


@dataclass(frozen=True, slots=True)
class Proposed:
    """What ``genset labels propose`` did, or would do.

    Attributes:
        release: its name.
        round: the number of the round; None where nothing was added, or nothing was to be.
        photos: those that are asked about.
        questions: those that are new; `again` of them were asked in a round that was withdrawn
            (those that labelers named come back, whatever is proposed), and of `claimed` another
            class's search had found the photo: the labels that they have count.
        votes: what the new questions take at least, beside the votes that they have.
        known: questions that were there already.
        further: how many proposers were noted of questions that were there already.
        by: how many of the new questions each model proposes, and the others.
        left_out: photos of the release that nobody can be asked about, by reason.
    """

    release: str
    round: int | None
    photos: int
    questions: int
    again: int
    claimed: int
    votes: int
    known: int
    further: int
    by: dict[str, int]
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """`rounds` that are asked no more, and how many questions they had, `labeled` of them."""

    release: str
    rounds: int
    questions: int
    labeled: int


def preview(
    store: Store,
    release: Manifest,
    models: Sequence[ModelAnswers],
    rules: LabelRules,
    most: int = MOST,
) -> Proposed:
    """What `propose` would do. Nothing is stored."""
    with store.session() as session:
        plan = make_plan(session, release.photos, models, rules, most)
    return _proposed(release.name, None, plan)


def propose(
    store: Store,
    release: Manifest,
    models: Sequence[ModelAnswers],
    rules: LabelRules,
    most: int = MOST,
    seed: int = 0,
) -> Proposed:
    """Ask about further classes in a release's photos, as `make_plan` says.

    All of it is stored, or nothing. The same again adds nothing; further models add their classes
    in a round of their own, and their names to the questions that they propose, too.

    Args:
        store: of the workspace that the release was made in.
        release: whose photos are asked about.
        models: whose answers are proposed.
        rules: how many labelers each question goes to.
        most: the most classes that are proposed for a photo, 1 to 8.
        seed: of the order in which a photo's classes are asked, from 0.

    Raises:
        BadInput: `most` or `seed` is out of its range.
    """
    if not 0 <= seed < 2**31:
        raise BadInput(f"a seed is from 0 to {2**31 - 1}, not {seed}")
    with store.begin_alone() as session:
        plan = make_plan(session, release.photos, models, rules, most)
        number = None
        if plan.questions:
            made = ProposalRound(
                release=release.name,
                content_hash=release.content_hash,
                seed=seed,
                most=most,
            )
            session.add(made)
            session.flush()
            number = made.id
            _add_claims(store, session, plan.questions)
        ids = _ids_of(session, {photo for photo, _ in plan.proposers})
        ids |= _ids_of(session, {question.photo_id for question in plan.questions})
        if number is not None:
            _add_questions(session, plan.questions, number, ids)
        rows = [
            {
                "candidate_id": ids[key],
                "kind": proposer.kind,
                "name": proposer.name,
                "place": proposer.place,
                "run": proposer.run,
            }
            for key, by in plan.proposers.items()
            for proposer in by
        ]
        if rows:
            session.execute(insert(ProposedBy), rows)
    return _proposed(release.name, number, plan)


def withdraw(store: Store, release: str) -> Withdrawn:
    """Ask none of the questions about a release's photos any more. What was answered stays.

    Raises:
        BadInput: there are none.
    """
    with store.begin_alone() as session:
        open_rounds = session.scalars(
            select(ProposalRound).where(
                ProposalRound.release == release, ProposalRound.withdrawn_at.is_(None)
            )
        ).all()
        if not open_rounds:
            raise BadInput(f"nothing is asked of {release}: genset labels propose {release}")
        at = now()
        for round_ in open_rounds:
            round_.withdrawn_at = at
        of_rounds = Question.round_id.in_([round_.id for round_ in open_rounds])
        labeled = select(Label.candidate_id).where(Label.candidate_id == Question.candidate_id)
        counted = select(func.count()).select_from(Question).where(of_rounds)
        questions = session.scalar(counted) or 0
        answered = session.scalar(counted.where(labeled.exists())) or 0
    return Withdrawn(release, len(open_rounds), questions, answered)


def _proposed(release: str, number: int | None, plan: Plan) -> Proposed:
    new = {(question.photo_id, question.wnid) for question in plan.questions}
    return Proposed(
        release=release,
        round=number,
        photos=plan.photos,
        questions=len(plan.questions),
        again=sum(question.again for question in plan.questions),
        claimed=plan.claimed,
        votes=plan.votes,
        known=plan.known,
        further=sum(len(by) for key, by in plan.proposers.items() if key not in new),
        by=dict(plan.by.most_common()),
        left_out=dict(sorted(plan.left_out.items())),
    )


def _add_claims(store: Store, session: Session, questions: Iterable[NewQuestion]) -> None:
    rows = [
        {"wnid": question.wnid, "photo_id": question.photo_id, "keyword": "", "rank": 0}
        for question in questions
        if question.candidate_id is None
    ]
    if rows:
        # A scrape on another machine may just have found the photo for the class.
        session.connection().execute(store.insert(Claim).on_conflict_do_nothing(), rows)


def _ids_of(session: Session, photos: Iterable[int]) -> dict[tuple[int, str], int]:
    """The ids of all claims on these photos, by photo and class."""
    found: dict[tuple[int, str], int] = {}
    for some in in_batches(sorted(photos)):
        claims = select(Claim.photo_id, Claim.wnid, Claim.id).where(Claim.photo_id.in_(some))
        found |= {(photo, wnid): number for photo, wnid, number in session.execute(claims)}
    return found


def _add_questions(
    session: Session,
    questions: Iterable[NewQuestion],
    number: int,
    ids: dict[tuple[int, str], int],
) -> None:
    new: list[dict[str, object]] = []
    again: list[dict[str, object]] = []
    for question in questions:
        row: dict[str, object] = {
            "candidate_id": ids[question.photo_id, question.wnid],
            "round_id": number,
            "home": question.home,
        }
        (again if question.again else new).append(row)
    if new:
        session.execute(insert(Question), new)
    if again:
        session.execute(update(Question), again)  # by their primary key
