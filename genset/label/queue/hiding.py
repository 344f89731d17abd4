"""Hide photos whose answer is known among a class's candidates."""

import random
from collections.abc import Callable, Sequence
from math import floor

from sqlalchemy import ColumnElement, and_, bindparam, exists, or_, select
from sqlalchemy.orm import Session, aliased

from genset.classes import Taxonomy
from genset.db import (
    Candidate,
    Claim,
    GoldQuestion,
    Label,
    Photo,
    Ruling,
    Screen,
    ScreenPhoto,
    Verdict,
    ask,
    stored_taxonomy,
)
from genset.label.gold import (
    AGREEING,
    decided,
    decided_right,
    holds,
    is_known_wrong,
    lock_gold_questions,
)
from genset.label.queue.board import PHOTOS_ON_A_SCREEN, Board
from genset.label.queue.open_candidates import is_for_examples

EXAMPLES = 3  # known to be right too, but shown as such

# Classes are far from each other when what they are both kinds of is no nearer than "whole", three
# steps from "entity": a dog and a lamp, but not a dog and a cat.
_STEPS_IN_COMMON = 4
_TOP = "entity"
_TRIES = 8
_LOOKED_AT = 20  # candidates, to make one of them a gold question
_READY = 2  # gold questions of each kind that a labeler has not seen, of a class they label

_random = random.SystemRandom()


def _is_new_to_labeler(table: type[GoldQuestion | Candidate]) -> tuple[ColumnElement[bool], ...]:
    """That a row's photo was on no screen of a labeler yet, for whatever class.

    Who sees a photo again, and for another class, knows that one of the two is a test.
    """
    question, candidate = aliased(GoldQuestion), aliased(Claim)
    on_screens = (
        select(ScreenPhoto.id)
        .join(Screen, Screen.id == ScreenPhoto.screen_id)
        .where(Screen.worker == bindparam("worker"))
    )
    as_gold = on_screens.join(question, question.id == ScreenPhoto.gold_id).where(
        question.photo_id == table.photo_id
    )
    as_candidate = on_screens.join(candidate, candidate.id == ScreenPhoto.candidate_id).where(
        candidate.photo_id == table.photo_id
    )
    return ~exists(as_gold.correlate(table)), ~exists(as_candidate.correlate(table))


def _may_have_been_an_example() -> ColumnElement[bool]:
    """That a labeler may have been shown a gold question's photo as known to be right.

    Not what `is_for_examples` leaves; nor what a manager named before this labeler came, or of
    which nobody had said anything.
    """
    claim = aliased(Claim)
    decisions = (
        exists(
            select(table.number)
            .join(claim, claim.id == table.candidate_id)
            .where(claim.photo_id == GoldQuestion.photo_id)
            .correlate(GoldQuestion)
        )
        for table in (Label, Ruling)
    )
    was_here = select(Screen.id).where(
        Screen.worker == bindparam("worker"), Screen.created_at < GoldQuestion.created_at
    )
    named_late = or_(*decisions) & exists(was_here.correlate(GoldQuestion))
    return and_(
        is_for_examples(GoldQuestion.photo_id),
        or_(GoldQuestion.basis_id.is_not(None), named_late),
    )


def _claimed(table: type[GoldQuestion | Claim]) -> ColumnElement[bool]:
    """That a candidate's photo is a gold question, or claimed, of the class that is asked."""
    claims = select(table.id).where(
        table.wnid == bindparam("wnid"), table.photo_id == Candidate.photo_id
    )
    return exists(claims.correlate(Candidate))


# Written once: building them takes longer than asking them.
_THERE = Photo.sha256.is_not(None), Photo.rejected.is_(None)
# A class's gold questions: id, answer, what settled it and how, and the candidate of the class that
# it is. Either candidate may be None.
_NOT_SHOWN = (
    select(
        GoldQuestion.id,
        GoldQuestion.expected,
        GoldQuestion.basis_id,
        is_known_wrong(),
        Candidate.id,
    )
    .join(Photo, Photo.id == GoldQuestion.photo_id)
    .outerjoin(
        Candidate,
        and_(Candidate.photo_id == GoldQuestion.photo_id, Candidate.wnid == GoldQuestion.wnid),
    )
    .where(
        GoldQuestion.wnid == bindparam("wnid"),
        GoldQuestion.retired_at.is_(None),
        *_THERE,
        *_is_new_to_labeler(GoldQuestion),
        ~_may_have_been_an_example(),
    )
    .order_by(GoldQuestion.id)
)
_CAN_BE = (
    select(Candidate.id, Candidate.photo_id, Candidate.wnid)
    .join(Photo, Photo.id == Candidate.photo_id)
    .where(
        Candidate.id.in_(bindparam("candidates", expanding=True)),
        *_THERE,
        ~_claimed(GoldQuestion),
        *_is_new_to_labeler(Candidate),
    )
    .order_by(Candidate.id)
    .limit(_LOOKED_AT)
)
_CAN_BE_WRONG = _CAN_BE.where(~_claimed(aliased(Claim)))


def with_gold_questions(
    session: Session, board: Board, worker: str, wnid: str, candidates: Sequence[int]
) -> list[ScreenPhoto]:
    """The photos of a new screen: candidates, and gold questions by chance, at the rules' share.

    At most five: gold questions take the place of the last candidates, of which one stays. There
    are fewer where no more are known that this labeler has not seen. The store is asked the same
    for a screen that gets none: how long it takes must not tell.
    """
    share = board.rules.gold
    room = min(PHOTOS_ON_A_SCREEN, len(candidates) / (1 - share))
    count = min(floor(room * share + _random.random()), PHOTOS_ON_A_SCREEN - 1)
    hidden = _choose(session, board, worker, wnid, count) if share else []
    staying = candidates[: PHOTOS_ON_A_SCREEN - len(hidden)]
    photos = [ScreenPhoto(candidate_id=candidate) for candidate in staying]
    for gold_id in hidden:
        photos.insert(_random.randint(0, len(photos)), ScreenPhoto(gold_id=gold_id))
    return photos


def _choose(session: Session, board: Board, worker: str, wnid: str, count: int) -> list[int]:
    """Up to `count` gold questions of a class, new to this labeler, right and wrong by chance.

    Those that there are come first: one photo then tells several labelers apart.
    """

    def may_test(candidate: int) -> bool:
        """Nobody is asked about it any more, and this labeler never was."""
        return not board.is_labeled_by(worker, candidate) and not board.is_open(candidate)

    def never_shown(of_class: str) -> list[int]:
        """Those known to be right, and never shown as that."""
        right = board.known_right(session, of_class, AGREEING)
        return [candidate for candidate in right if not board.is_for_examples(candidate)]

    unseen: dict[Verdict, list[int]] = {Verdict.CORRECT: [], Verdict.INCORRECT: []}
    questions = ask(session, _NOT_SHOWN, {"worker": worker, "wnid": wnid}).all()
    known_now = decided(session, (row.basis_id for row in questions if row.basis_id))
    for gold_id, expected, basis_id, known_wrong, candidate_id in questions:
        is_known = holds(basis_id, known_wrong, known_now)
        if is_known and (candidate_id is None or may_test(candidate_id)):
            unseen[expected].append(gold_id)
    for kind, known in unseen.items():
        while len(known) < _READY:
            if kind is Verdict.CORRECT:
                made = _make(session, worker, wnid, list(filter(may_test, never_shown(wnid))), kind)
            else:
                made = _make_wrong(session, board, worker, wnid, never_shown)
            if not made:
                break
            known += made
    chosen: list[int] = []
    for _ in range(count):
        for kind in _random.sample(list(unseen), 2):
            if unseen[kind]:
                chosen.append(unseen[kind].pop(0))
                break
    return chosen


def _make_wrong(
    session: Session, board: Board, worker: str, wnid: str, known: Callable[[str], list[int]]
) -> list[int]:
    """Make a photo of some far class a gold question that is known to be wrong."""
    classes, taxonomy = board.classes, stored_taxonomy(session)
    for other in _random.sample(classes, min(_TRIES, len(classes))):
        if are_far(taxonomy, wnid, other):
            # What is still open, this labeler may be asked about: they would see it twice.
            right = [candidate for candidate in known(other) if not board.is_open(candidate)]
            if made := _make(session, worker, wnid, right, Verdict.INCORRECT):
                return made
    return []


def _make(
    session: Session, worker: str, wnid: str, candidates: Sequence[int], expected: Verdict
) -> list[int]:
    """Make the first of these candidates that can be a gold question of the class one.

    They are right as the board knows, which looks at one panel; here all panels must say so.
    """
    if not candidates:
        return []
    lock_gold_questions(session)
    can_be = _CAN_BE_WRONG if expected is Verdict.INCORRECT else _CAN_BE
    values = {"candidates": candidates, "wnid": wnid, "worker": worker}
    found = ask(session, can_be, values).all()
    right = decided_right(session, (row.id for row in found))
    for candidate_id, photo_id, right_for in found:
        if candidate_id in right:
            made = GoldQuestion(
                wnid=wnid,
                photo_id=photo_id,
                expected=expected,
                reason=f"labelers or a reviewer called it correct for {right_for}",
                basis_id=candidate_id,
            )
            session.add(made)
            session.flush()
            return [made.id]
    return []


def are_far(taxonomy: Taxonomy, one: str, other: str) -> bool:
    """Whether nobody takes one of these classes for the other.

    Of classes of one's own only what WordNet says tells: that there are none of its hypernyms, up
    to "entity", or others, is no reason to be sure.
    """
    first, second = taxonomy.get(one), taxonomy.get(other)
    if first is None or second is None:
        return False
    pairs = zip(reversed(first.hypernyms), reversed(second.hypernyms), strict=False)
    common = 0
    for one_kind, other_kind in pairs:
        if one_kind != other_kind or (not common and one_kind != _TOP):
            break
        common += 1
    return 0 < common <= _STEPS_IN_COMMON
