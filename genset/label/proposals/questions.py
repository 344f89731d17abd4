"""How far the questions whether a photo shows a further class are answered."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.db import (
    Label,
    ProposalRound,
    Question,
    Store,
    Verdict,
    labels_in_force,
    questions_to_label,
    requests_in_force,
    rulings_in_force,
)
from genset.db.failures import answering
from genset.db.votes_needed import question_votes_missing
from genset.settings import LabelRules


@dataclass(frozen=True, slots=True)
class ProposalStats:
    """How far the questions about further classes are answered.

    `answered` of them have all their votes, or were ruled on and not sent to review since; so a
    release counts them, too. All together lack `votes_missing` at least: one that was ruled on
    still gets the votes that all get.
    """

    questions: int
    answered: int
    votes_missing: int


def asks_further_classes(store: Store) -> bool:
    """Whether a round of questions was made.

    Raises:
        GensetError: the store does not answer.
    """
    with answering(), store.session() as session:
        return session.scalar(select(ProposalRound.id).limit(1)) is not None


def proposal_stats(session: Session, rules: LabelRules, panel: str | None = None) -> ProposalStats:
    """Count all that labelers are asked, with the votes of one panel or (None) of all."""
    questions = session.scalars(questions_to_label()).all()
    if not questions:
        return ProposalStats(0, 0, 0)
    votes: dict[int, Counter[Verdict]] = defaultdict(Counter)
    force = labels_in_force(panel).with_only_columns(Label.candidate_id, Label.verdict)
    of_questions = Label.candidate_id.in_(select(Question.candidate_id))
    for question, verdict in session.execute(force.where(of_questions)):
        votes[question][verdict] += 1
    rulings, requests = rulings_in_force(session), requests_in_force(session)
    answered = votes_missing = 0
    for question in questions:
        requested = requests[question].labelers if question in requests else 0
        is_ruled = question in rulings
        missing = question_votes_missing(
            rules, votes[question], ruled=is_ruled, requested=requested
        )
        votes_missing += missing
        answered += not missing or (is_ruled and not requested)
    return ProposalStats(len(questions), answered, votes_missing)
