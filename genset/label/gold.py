"""Photos whose answer is known: what a manager adds, sees and retires."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.db import (
    GoldAnswer,
    GoldQuestion,
    Label,
    ReviewRequest,
    Ruling,
    Screen,
    ScreenPhoto,
    Store,
    Verdict,
    among,
    ask,
    find_candidate,
    is_discounted,
    is_out,
    name_gold,
    now,
    rulings_in_force,
    stored_taxonomy,
    waiting_requests,
)
from genset.db.failures import answering
from genset.settings import LabelRules
from genset.statistics.intervals import wilson

# Sure enough to test somebody by: a ruling, or this many labelers of one mind.
AGREEING = 2
CORRECT, INCORRECT = Verdict.CORRECT, Verdict.INCORRECT

By = TypeVar("By", bound=Hashable)  # a labeler's name, or the number of a visit

# Written once: building them takes longer than asking them.
_LABELS = (
    select(Label.candidate_id, Label.worker, Label.verdict)
    .where(among(Label.candidate_id, "candidates"), ~is_out(Label))
    .order_by(Label.number)
)
_RULED = (
    select(Ruling.candidate_id, Ruling.verdict)
    .where(among(Ruling.candidate_id, "candidates"))
    .order_by(Ruling.number)
)
_IN_REVIEW = waiting_requests().with_only_columns(ReviewRequest.candidate_id)


@dataclass(frozen=True, slots=True)
class KnownPhoto:
    """A gold question as its manager sees it.

    `task` names photo and class: WNID/SOURCE:PHOTO_ID. It `holds` unless it was made of votes or
    a ruling that say so no more: then it is neither shown nor counted.
    """

    id: int
    task: str
    expected: Verdict
    reason: str
    created_at: datetime
    retired_at: datetime | None
    holds: bool = True


@dataclass(frozen=True, slots=True)
class GoldShare:
    """How many of the photos that labelers `answered` were gold questions.

    `setting` is the share that is set, `training` how many screens; `correct` and `incorrect` count
    the photos that a manager named, and that are not retired; `ruled` those that one ruled on.
    """

    setting: float
    training: int
    answered: int
    gold: int
    correct: int
    incorrect: int
    ruled: int

    def lines(self) -> list[str]:
        """In words, with what is missing; none where nothing is set or named."""
        known = self.correct + self.incorrect
        lines = []
        if self.training and not known + self.ruled:
            lines.append(
                f"no photo is known, so there is no training (training = {self.training}): name "
                "some with genset add --gold DIR, or rule on candidates"
            )
        if not self.setting:
            line = f"no gold question is shown ({known:,} named): set gold in genset.toml"
            return [*lines, line] if known else lines
        attained = "none answered yet"
        if self.answered:
            photos = count(self.answered, "photo")
            attained = f"{self.gold:,} of {photos} answered, {self.gold / self.answered:.0%}"
        named = f"{self.correct:,} correct and {self.incorrect:,} incorrect named"
        lines.append(f"gold questions: {attained} (gold = {self.setting:g}); {named}")
        is_short = self.answered and wilson(self.gold, self.answered).high < self.setting
        if is_short or not (self.answered or known):
            lines.append("fewer photos are known than that: name more with genset add --gold DIR")
        if not self.incorrect:
            lines.append(
                "none is named incorrect: until labelers agree on some, who says correct to all is "
                "not found out"
            )
        return lines


def gold_share(store: Store, rules: LabelRules, study_id: int | None = None) -> GoldShare:
    """The share of gold questions so far, of all labelers or in one study.

    Raises:
        GensetError: the store does not answer.
    """
    answered = select(func.count(), func.count(ScreenPhoto.gold_id)).join_from(ScreenPhoto, Screen)
    answered = answered.where(Screen.submitted_at.is_not(None))
    # Not those whose votes are out, nor questions about further classes, which photos of --gold
    # are not asked for.
    answered = answered.where(~is_discounted(), ~Screen.is_training, Screen.photo_id.is_(None))
    if study_id is not None:
        answered = answered.where(Screen.study_id == study_id)
    named = (
        select(GoldQuestion.expected, func.count())
        .where(GoldQuestion.basis_id.is_(None), GoldQuestion.retired_at.is_(None))
        .group_by(GoldQuestion.expected)
    )
    with answering(), store.session() as session:
        photos, gold = session.execute(answered).one()
        by_verdict = dict(session.execute(named).all())
        ruled = sum(
            verdict in (CORRECT, INCORRECT) for verdict in rulings_in_force(session).values()
        )
    return GoldShare(
        setting=rules.gold,
        training=rules.training,
        answered=photos,
        gold=gold,
        correct=by_verdict.get(CORRECT, 0),
        incorrect=by_verdict.get(INCORRECT, 0),
        ruled=ruled,
    )


def add_gold_question(
    store: Store, task: str, expected: Verdict, reason: str, wnid: str | None = None
) -> KnownPhoto:
    """Make a candidate's photo a gold question of its own class, or of another one, `wnid`.

    One that is a gold question of that class already gets the new answer, unless labelers have
    seen it.

    Raises:
        BadInput: there is no such candidate or class, the answer is neither correct nor
            incorrect, no reason is given, or labelers have seen it with another answer.
    """
    if expected not in (Verdict.CORRECT, Verdict.INCORRECT):
        raise BadInput(f"a gold question is correct or incorrect, not {expected}")
    if not (reason := " ".join(reason.split())):
        raise BadInput("say how the answer is known: --reason TEXT")
    with answering(), store.begin() as session:
        candidate = find_candidate(session, task)
        wnid = stored_taxonomy(session)[wnid or candidate.wnid].wnid
        return _known(name_gold(session, candidate.photo, wnid, expected, reason))


def list_gold_questions(store: Store) -> list[KnownPhoto]:
    """Every gold question, by class; those that were retired too."""
    with answering(), store.session() as session:
        rows = session.scalars(select(GoldQuestion).order_by(GoldQuestion.wnid, GoldQuestion.id))
        lost = not_holding(session)
        return [_known(row, known=row.id not in lost) for row in rows]


def retire_gold_question(store: Store, gold_id: int) -> None:
    """Show a gold question no more. What labelers said of it stays.

    Raises:
        BadInput: there is no gold question with this number.
    """
    with answering(), store.begin() as session:
        if (question := session.get(GoldQuestion, gold_id)) is None:
            raise BadInput(f"there is no gold question {gold_id}: see genset labelers gold list")
        question.retired_at = question.retired_at or now()


def decided(session: Session, candidates: Iterable[int]) -> dict[int, Verdict]:
    """Those of these candidates that are known to be right or wrong, surely enough for a test.

    The newest ruling says so; or, where nobody ruled, at least two labelers do, and nobody who
    looked says otherwise, in whatever panel. None that somebody sent to review since.
    """
    some = {"candidates": set(candidates)}
    if not some["candidates"]:
        return {}
    verdicts_of: dict[int, dict[str, Verdict]] = {}
    for number, worker, verdict in ask(session, _LABELS, some):
        verdicts_of.setdefault(number, {})[worker] = verdict
    found = {
        number: next(iter(verdicts.values()))
        for number, verdicts in verdicts_of.items()
        if len(verdicts) >= AGREEING and len(set(verdicts.values())) == 1
    }
    found |= dict(ask(session, _RULED, some).all())
    in_review = set(ask(session, _IN_REVIEW).scalars())
    return {
        number: verdict
        for number, verdict in found.items()
        if verdict in (CORRECT, INCORRECT) and number not in in_review
    }


def holds(basis_id: int | None, expected: Verdict, known: Mapping[int, Verdict]) -> bool:
    """Whether a gold question's answer is known still, by what is `decided` now."""
    return basis_id is None or known.get(basis_id) is expected


def not_holding(session: Session) -> set[int]:
    """The gold questions, by id, whose answer is not known any more.

    They were made of candidates that labelers or a reviewer had settled (`basis_id`), and those
    do not say so now: votes were taken out, somebody disagreed since, or another ruling was made.
    """
    made = select(GoldQuestion.id, GoldQuestion.basis_id, GoldQuestion.expected)
    rows = session.execute(made.where(GoldQuestion.basis_id.is_not(None))).all()
    known = decided(session, (row.basis_id for row in rows))
    return {row.id for row in rows if not holds(row.basis_id, row.expected, known)}


def gold_scores(
    session: Session, by: InstrumentedAttribute[By], *conditions: ColumnElement[bool]
) -> dict[By, tuple[int, int]]:
    """How many gold questions each labeler or visit has right, of how many: see `gold_results`."""
    found: dict[By, tuple[int, int]] = {}
    for key, _, is_right in gold_results(session, by, *conditions):
        right, of = found.get(key, (0, 0))
        found[key] = (right + is_right, of + 1)
    return found


def gold_results(
    session: Session, by: InstrumentedAttribute[By], *conditions: ColumnElement[bool]
) -> list[tuple[By, datetime, bool]]:
    """Each labeler's newest answer on each gold question: who, when, and whether it is right.

    Broken is right where incorrect is: the photo does not show the class. Answers to questions that
    hold no more do not count, nor do those that do not meet the `conditions`, which may be about
    their screens. `by` is what says who: a column of the answers or of their screens.
    """
    newest = (
        select(func.max(GoldAnswer.number))
        .outerjoin(Screen, Screen.id == GoldAnswer.screen_id)
        .where(*conditions)
        .group_by(GoldAnswer.worker, GoldAnswer.gold_id)
    )
    answers = (
        select(
            *(by, GoldAnswer.decided_at, GoldAnswer.verdict),
            *(GoldQuestion.expected, GoldQuestion.basis_id),
        )
        .select_from(GoldAnswer)
        .join(GoldAnswer.question)
        .outerjoin(Screen, Screen.id == GoldAnswer.screen_id)
        .where(GoldAnswer.number.in_(newest))
    )
    rows = session.execute(answers).all()
    known = decided(session, (row.basis_id for row in rows if row.basis_id is not None))
    found = []
    for key, decided_at, verdict, expected, basis_id in rows:
        if holds(basis_id, expected, known):
            answer = Verdict.INCORRECT if verdict is Verdict.BROKEN else verdict
            found.append((key, decided_at, answer is expected))
    return found


def _known(question: GoldQuestion, *, known: bool = True) -> KnownPhoto:
    photo = question.photo
    return KnownPhoto(
        question.id,
        f"{question.wnid}/{photo.source}:{photo.source_id}",
        question.expected,
        question.reason,
        question.created_at,
        question.retired_at,
        known,
    )
