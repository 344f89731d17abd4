"""What one labeler said, photo by photo, in the order in which they said it.

It is asked for in two steps: which labels there are, as places in that order, which is cheap for
tens of thousands; then what a page of them shows.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, exists, false, func, select, union_all
from sqlalchemy.orm import Session, aliased

from genset.db import (
    Claim,
    GoldAnswer,
    GoldQuestion,
    Label,
    Store,
    Verdict,
    is_contested,
    is_out,
    is_ruled,
)
from genset.db.failures import answering
from genset.label.credits import CreditedCandidate
from genset.label.gallery.photos import Which, rulings_on, seconds_a_photo


class Place(NamedTuple):
    """A label by its number, or (`is_gold`) an answer to a gold question by its own."""

    is_gold: bool
    number: int


@dataclass(frozen=True, slots=True)
class LabelerAnswer:
    """What a labeler said of one photo, and when.

    `seconds` is how long they took for a photo of its screen, None where that is not known.
    `in_force` is false where they changed their mind later, or where it is `out`: void or held out.
    `expected` is the known answer, of a gold question alone; `others` counts what other labelers
    say of a candidate, and `ruling` is what was settled.
    """

    place: Place
    photo: CreditedCandidate
    verdict: Verdict
    decided_at: datetime
    seconds: float | None
    in_force: bool
    out: bool
    expected: Verdict | None
    others: Counter[Verdict]
    ruling: Verdict | None


def places_of(
    store: Store, worker: str, which: Which = Which.ALL, verdict: Verdict | None = None
) -> list[Place]:
    """All that a labeler said and that passes a filter, in the order in which they decided it.

    Labels that they changed later are among it. A disagreement is a label against which another
    labeler's vote in force stands.
    """
    labels = select(
        false().label("is_gold"), Label.number.label("number"), Label.decided_at.label("at")
    ).where(Label.worker == worker)
    answers = select(
        (~false()).label("is_gold"),
        GoldAnswer.number.label("number"),
        GoldAnswer.decided_at.label("at"),
    ).where(GoldAnswer.worker == worker)
    if verdict is not None:
        labels = labels.where(Label.verdict == verdict)
        answers = answers.where(GoldAnswer.verdict == verdict)
    passing: dict[Which, ColumnElement[bool]] = {
        Which.DISAGREEMENT: _is_opposed(worker),
        Which.CONTESTED: is_contested(),
        Which.RULED: is_ruled(),
    }
    if which is Which.OUT:
        labels, answers = labels.where(is_out(Label)), answers.where(is_out(GoldAnswer))
    elif which is Which.GOLD:
        labels = labels.where(false())
    elif which is not Which.ALL:
        labels = labels.join(Label.candidate).where(passing.get(which, false()))
        answers = answers.where(false())
    both = union_all(labels, answers).subquery()
    in_order = select(both.c.is_gold, both.c.number).order_by(
        both.c.at, both.c.is_gold, both.c.number
    )
    with answering(), store.session() as session:
        return [Place(bool(is_gold), number) for is_gold, number in session.execute(in_order)]


def answers_at(store: Store, worker: str, places: Sequence[Place]) -> list[LabelerAnswer]:
    """What a labeler said at these places, a page of them at most, in their order."""
    with answering(), store.session() as session:
        found = {**_labels(session, worker, places), **_answers(session, worker, places)}
    return [found[place] for place in places if place in found]


def _is_opposed(worker: str) -> ColumnElement[bool]:
    """Whether somebody else's vote in force on a `Label`'s candidate says otherwise."""
    other, newer = aliased(Label), aliased(Label)
    is_newest = ~exists(
        select(newer.number).where(
            newer.candidate_id == other.candidate_id,
            newer.worker == other.worker,
            newer.number > other.number,
            ~is_out(newer),
        )
    )
    return exists(
        select(other.number)
        .where(
            other.candidate_id == Label.candidate_id,
            other.worker != worker,
            other.verdict != Label.verdict,
            ~is_out(other),
            is_newest,
        )
        .correlate(Label)
    )


def _labels(session: Session, worker: str, places: Sequence[Place]) -> dict[Place, LabelerAnswer]:
    numbers = [place.number for place in places if not place.is_gold]
    rows = [
        (label, candidate, bool(out))
        for label, candidate, out in session.execute(
            select(Label, Claim, is_out(Label))
            .join(Label.candidate)
            .where(Label.number.in_(numbers), Label.worker == worker)
        )
    ]
    candidates = {candidate.id for _, candidate, _ in rows}
    newest, others = _votes_on(session, worker, candidates)
    rulings = rulings_on(session, candidates)
    pace = seconds_a_photo(session, (label.screen_id for label, _, _ in rows))
    return {
        Place(False, label.number): LabelerAnswer(
            place=Place(False, label.number),
            photo=CreditedCandidate.of(candidate.wnid, candidate.photo),
            verdict=label.verdict,
            decided_at=label.decided_at,
            seconds=pace.get(label.screen_id or ""),
            in_force=not out and newest.get(candidate.id) == label.number,
            out=out,
            expected=None,
            others=others[candidate.id],
            ruling=rulings.get(candidate.id),
        )
        for label, candidate, out in rows
    }


def _answers(session: Session, worker: str, places: Sequence[Place]) -> dict[Place, LabelerAnswer]:
    numbers = [place.number for place in places if place.is_gold]
    rows = [
        (answer, question, bool(out))
        for answer, question, out in session.execute(
            select(GoldAnswer, GoldQuestion, is_out(GoldAnswer))
            .join(GoldAnswer.question)
            .where(GoldAnswer.number.in_(numbers), GoldAnswer.worker == worker)
        )
    ]
    questions = {question.id for _, question, _ in rows}
    newest = set(
        session.scalars(
            select(func.max(GoldAnswer.number))
            .where(GoldAnswer.worker == worker, GoldAnswer.gold_id.in_(questions))
            .group_by(GoldAnswer.gold_id)
        )
    )
    pace = seconds_a_photo(session, (answer.screen_id for answer, _, _ in rows))
    return {
        Place(True, answer.number): LabelerAnswer(
            place=Place(True, answer.number),
            photo=CreditedCandidate.of(question.wnid, question.photo),
            verdict=answer.verdict,
            decided_at=answer.decided_at,
            seconds=pace.get(answer.screen_id or ""),
            in_force=not out and answer.number in newest,
            out=out,
            expected=question.expected,
            others=Counter(),
            ruling=None,
        )
        for answer, question, out in rows
    }


def _votes_on(
    session: Session, worker: str, candidates: Collection[int]
) -> tuple[dict[int, int], dict[int, Counter[Verdict]]]:
    """Of these candidates, the number of this labeler's vote in force, and all others' verdicts."""
    in_force: dict[int, int] = {}
    other_votes: dict[int, dict[str, Verdict]] = defaultdict(dict)
    labels: Any = (
        select(Label.candidate_id, Label.worker, Label.verdict, Label.number)
        .where(Label.candidate_id.in_(candidates), ~is_out(Label))
        .order_by(Label.number)
    )
    for candidate, who, verdict, number in session.execute(labels):
        if who == worker:
            in_force[candidate] = number
        else:
            other_votes[candidate][who] = verdict
    return in_force, defaultdict(
        Counter, {number: Counter(v.values()) for number, v in other_votes.items()}
    )
