"""Hide photos whose answer is known among a class's candidates.

For a labeler a gold question is one more candidate of its class: how many there are is decided
before the class is cut into screens. So the sizes of screens, the classes that come again and what
a class has in all are those of a class with so many more candidates.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil, floor
from typing import NamedTuple

from sqlalchemy import ColumnElement, bindparam, exists, func, select
from sqlalchemy.orm import Session, aliased

from genset.db import (
    Candidate,
    Claim,
    GoldQuestion,
    Label,
    Photo,
    Screen,
    ScreenPhoto,
    Verdict,
    among,
    ask,
    lock_gold_questions,
)
from genset.label.gold import decided, holds
from genset.label.queue.board import Board, evenly
from genset.label.queue.open_candidates import is_for_examples

EXAMPLES = 3  # known to be right too, but shown as such
_LOOKED_AT = 20  # candidates, to make some of them gold questions

_random = random.SystemRandom()


def is_new_to_labeler(table: type[GoldQuestion | Candidate]) -> tuple[ColumnElement[bool], ...]:
    """That a row's photo was on no screen of a labeler yet, nor labeled by them, for any class.

    Who sees a photo again, and for another class, knows that one of the two is a test.
    """
    question, candidate, labeled = aliased(GoldQuestion), aliased(Claim), aliased(Claim)
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
    by_labeler = select(Label.number).join(labeled, labeled.id == Label.candidate_id)
    by_labeler = by_labeler.where(
        labeled.photo_id == table.photo_id, Label.worker == bindparam("worker")
    )
    return tuple(~exists(row.correlate(table)) for row in (as_gold, as_candidate, by_labeler))


# Written once: building them takes longer than asking them.
_SHOWN = (
    select(func.count(Screen.id.distinct()), func.count(), func.count(ScreenPhoto.gold_id))
    .join(Screen, Screen.id == ScreenPhoto.screen_id)
    .where(
        Screen.worker == bindparam("worker"),
        ~Screen.is_training,
        Screen.photo_id.is_not(None) == bindparam("by_photo"),
    )
)
_PLANNED = (
    select(Screen.gold_remaining)
    .where(Screen.worker == bindparam("worker"), Screen.wnid == bindparam("wnid"))
    .where(Screen.photo_id.is_(None), ~Screen.is_training)
    .order_by(Screen.created_at.desc())
    .limit(1)
)
# A class's gold questions: id, answer, and what it rests on.
_NOT_SHOWN = (
    select(GoldQuestion.id, GoldQuestion.expected, GoldQuestion.basis_id)
    .join(Photo, Photo.id == GoldQuestion.photo_id)
    .where(
        GoldQuestion.wnid == bindparam("wnid"),
        GoldQuestion.retired_at.is_(None),
        Photo.in_use,
        *is_new_to_labeler(GoldQuestion),
        # Others may have been shown as examples.
        ~(is_for_examples(GoldQuestion.photo_id) & GoldQuestion.basis_id.is_not(None)),
    )
    .order_by(GoldQuestion.basis_id.is_not(None), GoldQuestion.id)
)
GOLD_ALREADY = select(GoldQuestion.id).where(
    GoldQuestion.wnid == Candidate.wnid, GoldQuestion.photo_id == Candidate.photo_id
)
_CAN_BE = (
    select(Candidate.id, Candidate.photo_id)
    .join(Photo, Photo.id == Candidate.photo_id)
    .where(
        among(Candidate.id, "candidates"),
        Photo.in_use,
        ~exists(GOLD_ALREADY.correlate(Candidate)),
        *is_new_to_labeler(Candidate),
    )
)


@dataclass
class Shown:
    """On how many screens a labeler was shown how many photos (or questions), gold among them."""

    screens: int
    photos: int
    gold: int

    @classmethod
    def to_labeler(cls, session: Session, board: Board, worker: str) -> "Shown":
        """What they were shown of this board's pool so far."""
        values = {"worker": worker, "by_photo": board.pool.by_photo}
        return cls(*ask(session, _SHOWN, values).one())

    def gold_among(self, candidates: int, share: float, most: int) -> int:
        """How many gold questions go among so many candidates, of which a screen has at `most`.

        As many on a small screen as on a large one, or its size would tell: the share of a screen
        that is as large as this labeler's are in the mean. And those that are missing of the share
        of all that they were shown; not more than candidates, though. A remainder counts by chance.
        """
        screens = ceil(candidates / (most * (1 - share)))
        size = (self.photos + min(most, candidates / (1 - share))) / (self.screens + 1)
        photos = self.photos + screens * size
        # Twice the share at most: who labeled before there were any is not asked all at once.
        missing = min(share * photos - self.gold, 2 * share * screens * size)
        return max(0, min(floor(missing + _random.random()), candidates))

    def add(self, photos: int, gold: int) -> None:
        """Count a screen of so many photos, of which so many are gold."""
        self.screens, self.photos = self.screens + 1, self.photos + photos
        self.gold += gold


class ScreenPlan(NamedTuple):
    """A screen to lease: candidates of a class, and (by their ids) gold questions among them.

    `gold_remaining` is how many come on the class's other screens; None on its last, and where it
    `is_training`.
    """

    wnid: str
    candidates: Sequence[int]
    gold: Sequence[int] = ()
    gold_remaining: int | None = None
    is_training: bool = False

    def photos(self, free: set[int]) -> list[ScreenPhoto]:
        """What is on the screen, of candidates those that are free; gold questions anywhere."""
        photos = [ScreenPhoto(candidate_id=number) for number in self.candidates if number in free]
        for gold_id in self.gold:
            photos.insert(_random.randint(0, len(photos)), ScreenPhoto(gold_id=gold_id))
        return photos


def screens_of_class(
    session: Session, board: Board, worker: str, wnid: str, candidates: Sequence[int], shown: Shown
) -> Iterator[ScreenPlan]:
    """A class's candidates in screens of at most the rules' photos, with gold questions among them.

    `shown` counts the screens as they are taken. Every screen is as likely to have gold questions
    as any other, and has a candidate. The store is asked the same whether or not there are any: how
    long it takes must not tell.
    """
    share, most, gold = board.rules.gold, board.rules.photos, list[int]()
    if share:
        # Planned once for a class, of which screens may be leased one by one.
        count = ask(session, _PLANNED, {"worker": worker, "wnid": wnid}).scalar()
        if count is None:
            count = shown.gold_among(len(candidates), share, most)
        gold = _choose(session, board, worker, wnid, count)
    sizes = [len(part) for part in evenly([*candidates, *gold], most)]
    every, more = divmod(len(gold), len(sizes))
    with_more = set(_random.sample(range(len(sizes)), more))
    rest = iter(candidates)
    for place, size in enumerate(sizes):
        number = every + (place in with_more)
        here, gold = gold[:number], gold[number:]
        remaining = len(gold) if place + 1 < len(sizes) else None
        plan = ScreenPlan(wnid, list(islice(rest, size - number)), here, remaining)
        shown.add(size, number)
        yield plan


def _choose(session: Session, board: Board, worker: str, wnid: str, count: int) -> list[int]:
    """Up to `count` gold questions of a class, new to this labeler, right and wrong by chance.

    Those that a manager named come first, then what was a gold question before: one photo then
    tells several labelers apart. The rest is made of candidates that labelers agreed on.
    """
    about = {"worker": worker, "wnid": wnid}
    questions = ask(session, _NOT_SHOWN, about).all()
    agreed = board.agreed(session, wnid)
    some = _random.sample(agreed, min(_LOOKED_AT, len(agreed)))
    can_be = ask(session, _CAN_BE, {"candidates": some, "worker": worker}).all()
    basis_ids = {row.basis_id for row in questions if row.basis_id}
    known_now = decided(session, basis_ids | {row.id for row in can_be})
    unseen: dict[Verdict, list[GoldQuestion | int]] = {Verdict.CORRECT: [], Verdict.INCORRECT: []}
    for gold_id, expected, basis_id in questions:
        is_waiting = basis_id is not None and board.is_open(basis_id)
        if holds(basis_id, expected, known_now) and not is_waiting:
            unseen[expected].append(gold_id)
    for candidate_id, photo_id in can_be:
        if expected := known_now.get(candidate_id):
            row = {"wnid": wnid, "photo_id": photo_id, "basis_id": candidate_id}
            reason = f"labelers or a reviewer called it {expected}"
            unseen[expected].append(GoldQuestion(**row, expected=expected, reason=reason))
    chosen: list[GoldQuestion | int] = []
    for _ in range(count):
        for kind in _random.sample(list(unseen), 2):
            if unseen[kind]:
                chosen.append(unseen[kind].pop(0))
                break
    return _stored(session, wnid, chosen)


def _stored(session: Session, wnid: str, chosen: Sequence[GoldQuestion | int]) -> list[int]:
    """The ids of gold questions; those that are new are stored, unless somebody else just did."""
    ids = [row for row in chosen if isinstance(row, int)]
    if new := {row.photo_id: row for row in chosen if isinstance(row, GoldQuestion)}:
        lock_gold_questions(session)
        there = select(GoldQuestion).filter_by(wnid=wnid).where(GoldQuestion.photo_id.in_(new))
        new |= {row.photo_id: row for row in session.scalars(there)}
        session.add_all(new.values())
        session.flush()
        ids += [row.id for row in new.values()]
    return ids
