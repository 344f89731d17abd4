"""Screens as a labeler sees them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import and_, bindparam, case, exists, func, not_, or_, select, union_all
from sqlalchemy.orm import Session

from genset.classes import with_distinct_names
from genset.db import (
    Candidate,
    Claim,
    DuplicatePair,
    ExamplePhoto,
    GoldAnswer,
    GoldQuestion,
    Label,
    Photo,
    ScreenPhoto,
    SourceWords,
    Verdict,
    among,
    ask,
    stored_taxonomy,
)
from genset.label.queue.board import Board
from genset.label.queue.boards import Boards
from genset.label.queue.hiding import EXAMPLES
from genset.label.queue.leases import LeasedScreen
from genset.label.queue.open_candidates import is_for_examples
from genset.label.session.pictures import image_id
from genset.label.session.shown import (
    AlsoScreen,
    Confusable,
    Example,
    Screen,
    ShownPhoto,
    ShownQuestion,
)
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
_SCREENS = among(ScreenPhoto.screen_id, "screens")
_ANSWERS = union_all(
    select(ScreenPhoto.id, Label.verdict, Label.id, Label.number.label("place"))
    .join(Label, Label.candidate_id == ScreenPhoto.candidate_id)
    .where(_SCREENS, Label.worker == bindparam("worker")),
    select(ScreenPhoto.id, GoldAnswer.verdict, GoldAnswer.id, GoldAnswer.number)
    .join(GoldAnswer, GoldAnswer.gold_id == ScreenPhoto.gold_id)
    .where(_SCREENS, GoldAnswer.worker == bindparam("worker")),
).order_by("place")
# A page that says what others take the photo for is no page for who is to say it.
_PAGE_TELLS = exists().where(SourceWords.name == Photo.source, SourceWords.page_tells)
_LEFT = (
    select(ScreenPhoto.screen_id)
    .outerjoin(Claim, Claim.id == ScreenPhoto.candidate_id)
    .outerjoin(GoldQuestion, GoldQuestion.id == ScreenPhoto.gold_id)
    .join(Photo, Photo.id == func.coalesce(Claim.photo_id, GoldQuestion.photo_id))
    .where(_SCREENS, Photo.in_use)
)
_PHOTOS = _LEFT.with_only_columns(
    *(ScreenPhoto.screen_id, ScreenPhoto.id),
    *(*_CREDIT[:-1], case((_PAGE_TELLS, ""), else_=Photo.page_url)),
).order_by(ScreenPhoto.screen_id, ScreenPhoto.place)
_QUESTIONS = _PHOTOS.add_columns(func.coalesce(Claim.wnid, GoldQuestion.wnid))
_EXAMPLES = (
    select(Candidate.id, Photo.id, *_CREDIT)
    .join(Photo, Photo.id == Candidate.photo_id)
    .where(
        among(Candidate.id, "candidates"),
        Photo.in_use,
        # Of gold questions none but those that are asked on screens of their own photo alone.
        ~exists().where(
            GoldQuestion.photo_id == Photo.id,
            not_(and_(is_for_examples(Photo.id), GoldQuestion.basis_id.is_not(None))),
        ),
    )
)

# One that looks like a candidate would tell the answer: none of these until somebody has decided.
_MAY_BE_ASKED = (
    select(DuplicatePair.photo_id, DuplicatePair.other)
    .join(Photo, Photo.id == DuplicatePair.photo_id)
    .where(DuplicatePair.verdict.is_(None), Photo.in_use)
    .subquery()
)
_TELLS = or_(
    Photo.id.in_(select(_MAY_BE_ASKED.c.photo_id)),
    (Photo.source + ":" + Photo.source_id).in_(select(_MAY_BE_ASKED.c.other)),
)
_GIVEN = (
    select(
        ExamplePhoto.wnid,
        ExamplePhoto.photo_id,
        func.row_number()
        .over(partition_by=ExamplePhoto.wnid, order_by=ExamplePhoto.id)
        .label("place"),
    )
    .join(Photo, Photo.id == ExamplePhoto.photo_id)
    .where(among(ExamplePhoto.wnid, "classes"), Photo.in_use, not_(_TELLS))
    .subquery()
)
_OWN_EXAMPLES = (
    select(_GIVEN.c.wnid, Photo.id, *_CREDIT)
    .join(Photo, Photo.id == _GIVEN.c.photo_id)
    .where(_GIVEN.c.place <= EXAMPLES)
    .order_by(_GIVEN.c.wnid, _GIVEN.c.place)
)

Answers = dict[str, tuple[Verdict, UUID]]


def with_photos(session: Session, screens: Collection[str]) -> set[str]:
    """Those of these screens, by their ids, on which photos are left."""
    return set(ask(session, _LEFT, {"screens": list(screens)}).scalars()) if screens else set()


def screens_of(
    session: Session,
    workspace: Workspace,
    boards: Boards,
    worker: str,
    rows: Sequence[LeasedScreen],
) -> list[Screen | AlsoScreen]:
    """These screens, without photos that were removed; a screen without any is left out.

    The photos of those that were submitted carry the labeler's verdict in force.
    """
    look = _Look(session, workspace, boards.candidates, worker)
    shown: dict[str, Screen | AlsoScreen] = {}
    if of_classes := [row for row in rows if row.photo_id is None]:
        shown |= {screen.id: screen for screen in look.at_classes(of_classes)}
    if of_photos := [row for row in rows if row.photo_id is not None]:
        shown |= {screen.id: screen for screen in look.at_photos(of_photos)}
    return [shown[row.id] for row in rows if row.id in shown]


@dataclass(frozen=True)
class _Look:
    """A labeler looks at screens. `board` knows which photos are right, for either kind of them."""

    session: Session
    workspace: Workspace
    board: Board
    worker: str

    def at_classes(self, rows: Sequence[LeasedScreen]) -> list[Screen]:
        answers, photos = self._answers(rows), defaultdict[str, list[ShownPhoto]](list)
        screens = {"screens": [row.id for row in rows]}
        for screen_id, photo, *credit in ask(self.session, _PHOTOS, screens):
            answer = answers.get(photo, (None, None))
            photos[screen_id].append(ShownPhoto(photo, *_named(*credit), *answer))
        taxonomy = stored_taxonomy(self.session)
        classes = {
            row.wnid: with_distinct_names(
                taxonomy[row.wnid], taxonomy.confusable(row.wnid)[:_CONFUSABLE]
            )
            for row in rows
            if photos[row.id]
        }
        others = (other.wnid for _, some in classes.values() for other in some)
        examples = self._examples([*classes, *others])
        return [
            Screen(
                id=row.id,
                cls=classes[row.wnid][0],
                photos=tuple(photos[row.id]),
                examples=tuple(examples[row.wnid][:EXAMPLES]),
                confusable=tuple(
                    Confusable(other, next(iter(examples[other.wnid]), None))
                    for other in classes[row.wnid][1]
                ),
                expires_at=row.expires_at,
                submitted=row.submitted_at is not None,
                is_training=row.is_training,
            )
            for row in rows
            if photos[row.id]
        ]

    def at_photos(self, rows: Sequence[LeasedScreen]) -> list[AlsoScreen]:
        answers, taxonomy = self._answers(rows), stored_taxonomy(self.session)
        questions_of: dict[str, list[tuple[Example, str]]] = defaultdict(list)
        screens = {"screens": [row.id for row in rows]}
        for screen_id, question, *credit, wnid in ask(self.session, _QUESTIONS, screens):
            questions_of[screen_id].append((Example(question, *_named(*credit)), wnid))
        examples = self._examples([wnid for some in questions_of.values() for _, wnid in some])

        def questions(row: LeasedScreen) -> Iterator[ShownQuestion]:
            # An example is never the photo that is asked about: that would be the answer.
            itself = image_id(self.workspace, row.photo_id or 0)
            for photo, wnid in questions_of[row.id]:
                example = next(
                    (example for example in examples[wnid] if example.id != itself), None
                )
                answer = answers.get(photo.id, (None, None))
                yield ShownQuestion(photo.id, taxonomy[wnid], example, *answer)

        return [
            AlsoScreen(
                id=row.id,
                home=taxonomy[row.wnid],
                photo=questions_of[row.id][0][0],
                questions=tuple(questions(row)),
                expires_at=row.expires_at,
                submitted=row.submitted_at is not None,
            )
            for row in rows
            if questions_of[row.id]
        ]

    def _answers(self, rows: Sequence[LeasedScreen]) -> Answers:
        """The labeler's verdict in force on each photo that they decided, by `ScreenPhoto.id`.

        With the id of the label (or the answer to a gold question) that says so.
        """
        ids = [row.id for row in rows if row.submitted_at is not None]
        values = {"screens": ids, "worker": self.worker}
        answers = ask(self.session, _ANSWERS, values) if ids else ()  # the newest is the last
        return {photo: (verdict, number) for photo, verdict, number, _ in answers}

    def _examples(self, classes: Iterable[str]) -> dict[str, list[Example]]:
        """Photos of each of these classes that are known to be right, the surest first.

        Those that somebody gave come before those that labelers or a reviewer settled.
        """
        by_class: dict[str, list[Example]] = {wnid: [] for wnid in classes}
        for wnid, photo_id, *credit in ask(
            self.session, _OWN_EXAMPLES, {"classes": list(by_class)}
        ):
            by_class[wnid].append(Example(image_id(self.workspace, photo_id), *_named(*credit)))
        known = {
            wnid: self.board.examples(self.session, self.worker, wnid, _LOOKED_AT)
            for wnid in by_class
        }
        right = {"candidates": [candidate for some in known.values() for candidate in some]}
        stored = {
            candidate: Example(image_id(self.workspace, photo_id), *_named(*credit))
            for candidate, photo_id, *credit in ask(self.session, _EXAMPLES, right)
        }
        return {
            wnid: by_class[wnid] + [stored[candidate] for candidate in some if candidate in stored]
            for wnid, some in known.items()
        }


def _named(
    source: str, owner: str, owner_name: str, license: str, license_url: str, page_url: str
) -> tuple[str, str, str, str, str]:
    """An owner without a name goes by their id."""
    return source, owner_name or owner, license, license_url, page_url
