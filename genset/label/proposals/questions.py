"""The questions whether a photo shows a further class: their votes, and how many are answered."""

import enum
from collections import Counter, defaultdict
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.db import (
    Claim,
    Label,
    ProposalRound,
    Question,
    Store,
    Verdict,
    is_called_correct,
    labels_in_force,
    questions_to_label,
    requests_in_force,
    rulings_in_force,
)
from genset.db.failures import answering
from genset.db.votes_needed import question_votes_missing
from genset.settings import LabelRules


class Answer(enum.StrEnum):
    """What labelers and reviewers say of a further class, together."""

    RIGHT = "right"
    UNCLEAR = "unclear"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class QuestionVotes:
    """One question, about a photo that is stored and not rejected, and what was said of it.

    Attributes:
        candidate_id: of the claim that it is about.
        votes: of those in force, by verdict.
        ruling: what a reviewer ruled; None for nothing.
        requested: to how many labelers it goes in all, for it was sent to review; 0 where it was
            not.
    """

    candidate_id: int
    votes: Counter[Verdict]
    ruling: Verdict | None
    requested: int

    def missing(self, rules: LabelRules) -> int:
        """How many more votes it is to get."""
        is_ruled = self.ruling is not None
        return question_votes_missing(rules, self.votes, ruled=is_ruled, requested=self.requested)

    def waits(self, rules: LabelRules) -> bool:
        """Whether its answer waits for these. A ruling answers it, until it is sent to review."""
        return (self.ruling is None or self.requested > 0) and self.missing(rules) > 0

    def answer(self, least: int) -> Answer | None:
        """What was answered, by the ruling or by `least` votes and more; None for not yet.

        It is right as a candidate is called correct, wrong where more labelers say incorrect or
        broken than correct, and else unclear.
        """
        if self.ruling is None and self.votes.total() < least:
            return None
        if is_called_correct(self.votes, self.ruling):
            return Answer.RIGHT
        if self.ruling is not None:
            return Answer.UNCLEAR if self.ruling is Verdict.UNSURE else Answer.WRONG
        against = self.votes[Verdict.INCORRECT] + self.votes[Verdict.BROKEN]
        return Answer.WRONG if against > self.votes[Verdict.CORRECT] else Answer.UNCLEAR


@dataclass(frozen=True, slots=True)
class ProposalStats:
    """How far the questions about further classes are answered.

    Attributes:
        questions: how many there are; `answered` of them have all their votes, and the others lack
            `votes_missing` at least. So a release counts them, too.
        right, unclear, wrong: how those come out that are decided, be it for now: by a ruling, or
            by as many votes as all get. Votes of a decided one may still grow.
    """

    questions: int
    answered: int
    votes_missing: int
    right: int
    unclear: int
    wrong: int


def asks_further_classes(store: Store) -> bool:
    """Whether a round of questions was made.

    Raises:
        GensetError: the store does not answer.
    """
    with answering(), store.session() as session:
        return session.scalar(select(ProposalRound.id).limit(1)) is not None


def proposal_stats(
    session: Session, rules: LabelRules, panel: str | None = None
) -> ProposalStats | None:
    """Count, of one panel's votes or (None) of all; None where nothing was proposed."""
    if session.scalar(select(ProposalRound.id).limit(1)) is None:
        return None
    counted = questions(session, panel)
    waiting = sum(question.waits(rules) for question in counted)
    answers = Counter(question.answer(rules.votes) for question in counted)
    return ProposalStats(
        questions=len(counted),
        answered=len(counted) - waiting,
        votes_missing=sum(question.missing(rules) for question in counted),
        right=answers[Answer.RIGHT],
        unclear=answers[Answer.UNCLEAR],
        wrong=answers[Answer.WRONG],
    )


def questions(session: Session, panel: str | None = None) -> list[QuestionVotes]:
    """All that labelers are asked, by photo and class, with the votes of one panel or of all."""
    ids = session.scalars(questions_to_label().order_by(Claim.photo_id, Claim.wnid)).all()
    if not ids:
        return []
    counts: dict[int, Counter[Verdict]] = defaultdict(Counter)
    force = labels_in_force(panel).with_only_columns(Label.candidate_id, Label.verdict)
    of_questions = Label.candidate_id.in_(select(Question.candidate_id))
    for candidate_id, verdict in session.execute(force.where(of_questions)):
        counts[candidate_id][verdict] += 1
    rulings, requests = rulings_in_force(session), requests_in_force(session)
    return [
        QuestionVotes(
            candidate_id=candidate_id,
            votes=counts[candidate_id],
            ruling=rulings.get(candidate_id),
            requested=requests[candidate_id].labelers if candidate_id in requests else 0,
        )
        for candidate_id in ids
    ]
