"""The questions of a screen of one photo: in an order of chance, some with known answers."""

import random
from typing import NamedTuple

from sqlalchemy import and_, bindparam, exists, select
from sqlalchemy.orm import Session

from genset.db import (
    Claim,
    GoldQuestion,
    Label,
    ProposalRound,
    Question,
    Screen,
    ScreenPhoto,
    Verdict,
    among,
    ask,
    lock_gold_questions,
)
from genset.label.gold import decided, holds
from genset.label.queue.board import QUESTIONS_ON_A_SCREEN, Board, shuffled
from genset.label.queue.hiding import ScreenPlan, Shown

_random = random.SystemRandom()

# Written once: building them takes longer than asking them.
_ASKED = (
    select(Question.candidate_id, Claim.wnid, ProposalRound.seed)
    .join(Claim, Claim.id == Question.candidate_id)
    .join(ProposalRound, ProposalRound.id == Question.round_id)
    .where(among(Question.candidate_id, "candidates"))
    .order_by(Question.candidate_id)
)
_CLAIMS = select(
    Claim.wnid,
    Claim.id,
    exists(
        select(Label.number)
        .where(Label.candidate_id == Claim.id, Label.worker == bindparam("worker"))
        .correlate(Claim)
    ).label("labeled"),
).where(Claim.photo_id == bindparam("photo"))
_GOLD = (
    select(
        GoldQuestion.id,
        GoldQuestion.wnid,
        GoldQuestion.expected,
        GoldQuestion.basis_id,
        and_(
            GoldQuestion.retired_at.is_(None),
            ~exists(
                select(ScreenPhoto.id)
                .join(Screen, Screen.id == ScreenPhoto.screen_id)
                .where(ScreenPhoto.gold_id == GoldQuestion.id, Screen.worker == bindparam("worker"))
                .correlate(GoldQuestion)
            ),
        ).label("is_new"),
    )
    .where(GoldQuestion.photo_id == bindparam("photo"))
    .order_by(GoldQuestion.id)
)


class _KnownClass(NamedTuple):
    """A class of which it is known whether the photo shows it.

    `gold_id` is the gold question's where there is one already; else `basis_id` would make one.
    """

    wnid: str
    expected: Verdict
    gold_id: int | None
    basis_id: int | None


def questions_of(
    session: Session, board: Board, worker: str, plan: ScreenPlan, free: set[int], shown: Shown
) -> list[ScreenPhoto]:
    """What a new screen asks of a photo: `free` candidates, and gold questions at the rules' share.

    At most eight. A photo's own class is never asked. The order is drawn by the seed of
    the round, the labeler and the photo, for gold questions too. The store is asked the same for a
    screen that gets none: how long it takes must not tell.
    """
    candidates = [number for number in plan.candidates if number in free]
    photo, home = board.photo_of(candidates[0]), plan.wnid
    rows = ask(session, _ASKED, {"candidates": candidates}).all()
    questions = {row.wnid: ScreenPhoto(candidate_id=row.candidate_id) for row in rows}
    seed = rows[0].seed
    share, gold = board.rules.gold, dict[str, int]()
    if share:
        count = shown.gold_among(len(questions), share, QUESTIONS_ON_A_SCREEN)
        count = min(count, QUESTIONS_ON_A_SCREEN - len(questions))
        # Right and wrong by chance; those that there are come first: one tests several labelers.
        lock_gold_questions(session)
        known = _known(session, board, worker, home, photo)
        chosen: list[_KnownClass] = []
        for _ in range(count):
            for kind in _random.sample(list(known), 2):
                if known[kind]:
                    chosen.append(known[kind].pop(0))
                    break
        gold_ids = {option.wnid: option.gold_id for option in chosen if option.gold_id is not None}
        made = [
            GoldQuestion(
                wnid=option.wnid,
                photo_id=photo,
                expected=option.expected,
                reason=f"labelers or a reviewer decided what this photo of {home} shows",
                basis_id=option.basis_id,
            )
            for option in chosen
            if option.gold_id is None
        ]
        session.add_all(made)
        session.flush()
        gold = gold_ids | {option.wnid: option.id for option in made}
        questions |= {wnid: ScreenPhoto(gold_id=gold_id) for wnid, gold_id in gold.items()}
    shown.add(len(questions), len(gold))
    return [questions[wnid] for wnid in shuffled(questions, seed, worker, photo)]


def _known(
    session: Session, board: Board, worker: str, home: str, photo: int
) -> dict[Verdict, list[_KnownClass]]:
    """What may test this labeler: gold questions that there are, then what would make some.

    Claims that are settled, and about which this labeler was not asked and will not be.
    """
    about = {"worker": worker, "photo": photo}
    claims = {row.wnid: row for row in ask(session, _CLAIMS, about)}
    gold = ask(session, _GOLD, about).all()
    basis_ids = {row.basis_id for row in gold if row.basis_id is not None}
    now_known = decided(session, basis_ids | {row.id for row in claims.values()})

    def may_test(wnid: str) -> bool:
        claim = claims.get(wnid)
        is_free = claim is None or not (claim.labeled or board.is_open(claim.id))
        return wnid != home and is_free

    found: dict[Verdict, list[_KnownClass]] = {Verdict.CORRECT: [], Verdict.INCORRECT: []}
    for row in gold:
        is_known = holds(row.basis_id, row.expected, now_known)
        if row.is_new and is_known and may_test(row.wnid):
            found[row.expected].append(_KnownClass(row.wnid, row.expected, row.id, None))
    taken = {row.wnid for row in gold}
    for wnid, claim in claims.items():
        if wnid not in taken and may_test(wnid) and (verdict := now_known.get(claim.id)):
            found[verdict].append(_KnownClass(wnid, verdict, None, claim.id))
    return found
