"""Screens as a labeler sees them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from sqlalchemy import and_, bindparam, exists, func, not_, select
from sqlalchemy.orm import Session

from genset.label.queue.board import Board, is_for_examples
from genset.label.queue.boards import Boards
from genset.label.queue.hiding import EXAMPLES
from genset.label.session.images import image_id
from genset.label.session.shown import (
    AlsoScreen,
    Confusable,
    Example,
    Screen,
    ShownPhoto,
    ShownQuestion,
)
from genset.store import (
    Candidate,
    Claim,
    GoldAnswer,
    GoldQuestion,
    Label,
    Photo,
    ScreenPhoto,
    SourceWords,
    Verdict,
    ask,
)
from genset.store import Screen as ScreenRow
from genset.taxonomy import imagenet1k
from genset.workspace import Workspace

_CONFUSABLE = 3
_LOOKED_AT = 2 * EXAMPLES  # some of them may be gold questions, which are shown as no example

_CREDIT = (
    Photo.source,
    Photo.owner,
    Photo.owner_name,
    Photo.license,
    Photo.license_url,
    Photo.page_url,
)

# Written once: building them takes longer than asking them.
_SCREENS = ScreenPhoto.screen_id.in_(bindparam("screens", expanding=True))
_THERE = Photo.sha256.is_not(None), Photo.refused.is_(None)
_LABELS = (
    select(ScreenPhoto.id, Label.verdict, Label.id)
    .join(Label, Label.candidate_id == ScreenPhoto.candidate_id)
    .where(_SCREENS, Label.worker == bindparam("worker"))
    .order_by(Label.number)
)
_GOLD = (
    select(ScreenPhoto.id, GoldAnswer.verdict, GoldAnswer.id)
    .join(GoldAnswer, GoldAnswer.gold_id == ScreenPhoto.gold_id)
    .where(_SCREENS, GoldAnswer.worker == bindparam("worker"))
    .order_by(GoldAnswer.number)
)
_TELLING = select(SourceWords.name).where(SourceWords.page_tells)
_LEFT = (
    select(ScreenPhoto.screen_id)
    .outerjoin(Claim, Claim.id == ScreenPhoto.candidate_id)
    .outerjoin(GoldQuestion, GoldQuestion.id == ScreenPhoto.gold_id)
    .join(Photo, Photo.id == func.coalesce(Claim.photo_id, GoldQuestion.photo_id))
    .where(_SCREENS, *_THERE)
)
_PHOTOS = _LEFT.with_only_columns(ScreenPhoto.screen_id, ScreenPhoto.id, *_CREDIT).order_by(
    ScreenPhoto.screen_id, ScreenPhoto.place
)
_QUESTIONS = _PHOTOS.add_columns(func.coalesce(Claim.wnid, GoldQuestion.wnid))
_EXAMPLES = (
    select(Candidate.id, Photo.id, *_CREDIT)
    .join(Photo, Photo.id == Candidate.photo_id)
    .where(
        Candidate.id.in_(bindparam("candidates", expanding=True)),
        *_THERE,
        # Of gold questions none but those that are asked on screens of their own photo alone.
        ~exists().where(
            GoldQuestion.photo_id == Photo.id,
            not_(and_(is_for_examples(Photo.id), GoldQuestion.settled_id.is_not(None))),
        ),
    )
)

Answers = dict[str, tuple[Verdict, UUID]]
Shown = TypeVar("Shown", bound=Example)


def with_photos(session: Session, screens: Collection[str]) -> set[str]:
    """Those of these screens, by their ids, on which photos are left."""
    return set(ask(session, _LEFT, {"screens": list(screens)}).scalars()) if screens else set()


def screens_of(
    session: Session, workspace: Workspace, boards: Boards, worker: str, rows: Sequence[ScreenRow]
) -> list[Screen | AlsoScreen]:
    """These screens, without photos that were removed; a screen without any is left out.

    The photos of those that were submitted carry the labeler's verdict in force.
    """
    shown: dict[str, Screen | AlsoScreen] = {}
    board = boards.candidates  # of which photos are known to be right, on either kind of screen
    for tell, some in (
        (_of_class, [row for row in rows if row.photo_id is None]),
        (_of_photo, [row for row in rows if row.photo_id is not None]),
    ):
        if some:
            submitted = [row for row in some if row.submitted_at is not None]
            answers = answers_in_force(session, worker, submitted)
            shown |= {
                each.id: each for each in tell(session, workspace, board, worker, some, answers)
            }
    return [shown[row.id] for row in rows if row.id in shown]


def _of_class(
    session: Session,
    workspace: Workspace,
    board: Board,
    worker: str,
    rows: Sequence[ScreenRow],
    answers: Answers,
) -> list[Screen]:
    photos = _photos(session, rows, answers)
    confusable = {
        row.wnid: imagenet1k().confusable(row.wnid)[:_CONFUSABLE] for row in rows if photos[row.id]
    }
    known: dict[str, list[int]] = {
        wnid: board.examples(session, worker, wnid, _LOOKED_AT) for wnid in confusable
    }
    for others in confusable.values():
        for other in others:
            known.setdefault(other.wnid, board.examples(session, worker, other.wnid, _LOOKED_AT))
    examples = _examples(session, workspace, [each for some in known.values() for each in some])

    def shown(wnid: str) -> tuple[Example, ...]:
        return tuple(examples[each] for each in known[wnid] if each in examples)[:EXAMPLES]

    return [
        Screen(
            id=row.id,
            cls=imagenet1k()[row.wnid],
            photos=tuple(photos[row.id]),
            examples=shown(row.wnid),
            confusable=tuple(
                Confusable(other, next(iter(shown(other.wnid)), None))
                for other in confusable[row.wnid]
            ),
            expires_at=row.expires_at,
            submitted=row.submitted_at is not None,
        )
        for row in rows
        if photos[row.id]
    ]


def _of_photo(
    session: Session,
    workspace: Workspace,
    board: Board,
    worker: str,
    rows: Sequence[ScreenRow],
    answers: Answers,
) -> list[AlsoScreen]:
    asked: dict[str, list[tuple[str, str, Example]]] = defaultdict(list)
    telling = set(ask(session, _TELLING).scalars())
    screens = {"screens": [row.id for row in rows]}
    for screen_id, question, *credit, wnid in ask(session, _QUESTIONS, screens):
        photo = _without_telling(Example(question, *_named(*credit)), telling)
        asked[screen_id].append((question, wnid, photo))
    known = {
        wnid: board.examples(session, worker, wnid, _LOOKED_AT)
        for questions in asked.values()
        for _, wnid, _ in questions
    }
    examples = _examples(session, workspace, [each for some in known.values() for each in some])

    def example(wnid: str, name: str) -> Example | None:
        """Never the photo that is asked about: that would be the answer."""
        shown = (examples[each] for each in known[wnid] if each in examples)
        return next((each for each in shown if each.id != name), None)

    found = []
    for row in rows:
        if row.photo_id is None or not (questions := asked[row.id]):
            continue
        name = image_id(workspace, row.photo_id)
        found.append(
            AlsoScreen(
                id=row.id,
                home=imagenet1k()[row.wnid],
                photo=questions[0][2],
                questions=tuple(
                    ShownQuestion(
                        question,
                        imagenet1k()[wnid],
                        example(wnid, name),
                        *answers.get(question, (None, None)),
                    )
                    for question, wnid, _ in questions
                ),
                expires_at=row.expires_at,
                submitted=row.submitted_at is not None,
            )
        )
    return found


def answers_in_force(session: Session, worker: str, rows: Iterable[ScreenRow]) -> Answers:
    """A labeler's verdict in force on each photo of these screens that they decided.

    By `ScreenPhoto.id`, with the id of the label (or the answer to a gold question) that says so.
    """
    if not (ids := [row.id for row in rows]):
        return {}
    found: Answers = {}
    for query in (_LABELS, _GOLD):
        for photo, verdict, number in ask(session, query, {"screens": ids, "worker": worker}):
            found[photo] = verdict, number  # the newest is the last
    return found


def _photos(
    session: Session, rows: Sequence[ScreenRow], answers: Answers
) -> dict[str, list[ShownPhoto]]:
    found: dict[str, list[ShownPhoto]] = defaultdict(list)
    telling = set(ask(session, _TELLING).scalars())
    asked = {"screens": [row.id for row in rows]}
    for screen_id, photo, *credit in ask(session, _PHOTOS, asked):
        verdict, label_id = answers.get(photo, (None, None))
        shown = ShownPhoto(photo, *_named(*credit), verdict, label_id)
        found[screen_id].append(_without_telling(shown, telling))
    return found


def _without_telling(photo: Shown, telling: Collection[str]) -> Shown:
    """A page that says what others take the photo for is no page for who is to say it."""
    return replace(photo, page_url="") if photo.source in telling else photo


def _examples(
    session: Session, workspace: Workspace, candidates: Sequence[int]
) -> dict[int, Example]:
    stored = ask(session, _EXAMPLES, {"candidates": candidates})
    return {
        candidate: Example(image_id(workspace, photo_id), *_named(*credit))
        for candidate, photo_id, *credit in stored
    }


def _named(
    source: str, owner: str, owner_name: str, license: str, license_url: str, page_url: str
) -> tuple[str, str, str, str, str]:
    """An owner without a name goes by their id."""
    return source, owner_name or owner, license, license_url, page_url
