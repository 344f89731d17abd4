"""A labeler's first screens: photos whose answer a manager knows, which is shown afterwards.

They count no vote, are no gold for anybody's score, and are in no count of screens.
"""

import random
from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import bindparam, exists, func, or_, select
from sqlalchemy.orm import Session

from genset.db import (
    Candidate,
    GoldQuestion,
    Label,
    Photo,
    Ruling,
    Screen,
    Verdict,
    Visit,
    ask,
    is_out,
    lock_gold_questions,
    requests_in_force,
)
from genset.label.gold import holds
from genset.label.labelers import LabelerNow
from genset.label.queue.board import Board
from genset.label.queue.hiding import GOLD_ALREADY, ScreenPlan, is_new_to_labeler
from genset.label.queue.leases import LeasedScreen, lease
from genset.label.queue.open_candidates import is_for_examples
from genset.settings import LabelRules

_random = random.SystemRandom()

_HAD = select(
    func.count().filter(Screen.is_training, Screen.lost_at.is_(None)),
    func.count().filter(~Screen.is_training, Screen.submitted_at.is_not(None)),
).where(Screen.worker == bindparam("worker"))
# Those that a manager named, and those that were made of a ruling before.
_THERE_ARE = (
    select(GoldQuestion)
    .join(Photo, Photo.id == GoldQuestion.photo_id)
    .where(
        or_(
            GoldQuestion.basis_id.is_(None),
            GoldQuestion.basis_id.in_(select(Ruling.candidate_id)),
        ),
        GoldQuestion.retired_at.is_(None),
        Photo.in_use,
        *is_new_to_labeler(GoldQuestion),
    )
)
# Who is told of a candidate must not be asked about it later.
_VOTES = (
    select(func.count(Label.worker.distinct()))
    .where(Label.candidate_id == Candidate.id, Label.panel == bindparam("panel"), ~is_out(Label))
    .correlate(Candidate)
    .scalar_subquery()
)
_NEWEST = select(func.max(Ruling.number)).where(Ruling.candidate_id == Candidate.id)
_RULED = (
    select(
        *(Candidate.id, Candidate.wnid, Candidate.photo_id, Ruling.verdict, Ruling.reason),
        exists(GOLD_ALREADY.correlate(Candidate)).label("is_gold"),
    )
    .join(Ruling, Ruling.candidate_id == Candidate.id)
    .join(Photo, Photo.id == Candidate.photo_id)
    .where(
        Ruling.number == _NEWEST.correlate(Candidate).scalar_subquery(),
        Ruling.verdict.in_((Verdict.CORRECT, Verdict.INCORRECT)),
        bindparam("votes") <= _VOTES,
        ~is_for_examples(Photo.id),
        Photo.in_use,
        *is_new_to_labeler(Candidate),
    )
)


def training_screens(
    session: Session, board: Board, labeler: LabelerNow, visit: Visit | None
) -> list[LeasedScreen]:
    """Lease what this labeler's training lacks, a class a screen; none once they label.

    Fewer than the rules say where too few photos are known.
    """
    rules = board.rules
    if not rules.training or (visit is not None and visit.ended_at):
        return []
    had, labeled = ask(session, _HAD, {"worker": labeler.name}).one()
    if labeled or had >= rules.training:
        return []
    lock_gold_questions(session)
    by_class: dict[str, list[GoldQuestion]] = defaultdict(list)
    for question in _known(session, rules, labeler.name):
        by_class[question.wnid].append(question)
    # Classes of which both kinds are known teach most.
    kinds = {wnid: len({one.expected for one in some}) for wnid, some in by_class.items()}
    wnids = sorted(by_class, key=lambda wnid: (-kinds[wnid], _random.random()))
    plans = [
        ScreenPlan(wnid, (), _chosen(session, by_class[wnid], rules.photos), is_training=True)
        for wnid in wnids[: rules.training - had]
    ]
    return lease(session, board, labeler, visit, [(plan, plan.photos(set())) for plan in plans])


def _known(session: Session, rules: LabelRules, worker: str) -> list[GoldQuestion]:
    """What a manager named, and what a reviewer ruled on: new to this labeler."""
    there_are = session.scalars(_THERE_ARE, {"worker": worker}).all()
    values = {"worker": worker, "panel": rules.panel, "votes": rules.votes}
    waiting = requests_in_force(session)
    ruled = {row.id: row for row in ask(session, _RULED, values) if row.id not in waiting}
    now_known = {number: row.verdict for number, row in ruled.items()}
    return [
        *(one for one in there_are if holds(one.basis_id, one.expected, now_known)),
        *(
            GoldQuestion(
                wnid=row.wnid,
                photo_id=row.photo_id,
                expected=row.verdict,
                reason=row.reason,
                basis_id=row.id,
            )
            for row in ruled.values()
            if not row.is_gold
        ),
    ]


def _chosen(session: Session, known: Sequence[GoldQuestion], most: int) -> list[int]:
    """The ids of up to so many of these photos, of both kinds where there are both."""
    drawn = _random.sample(known, len(known))
    one_of_each = list({question.expected: question for question in drawn}.values())
    others = [question for question in drawn if question not in one_of_each]
    photos = [*one_of_each, *others][:most]
    session.add_all(photos)
    session.flush()
    return [question.id for question in photos]
