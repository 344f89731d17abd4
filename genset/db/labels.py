"""The tables of labeling: what labelers were shown, what they answered, what was decided.

Answers and decisions are append-only (`Label`, `GoldAnswer`, `Ruling`, `ReviewRequest`): the
database itself refuses to change or delete a row of these, and a changed mind is a new row. Those
who label are in `genset.db.labelers`.
"""

import enum
import uuid
from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
    Double,
    Enum,
    ForeignKey,
    Index,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from genset.db.labelers import word_column
from genset.db.models import CLASS_ID, Base, Claim, Photo, UtcDateTime, now


class Verdict(enum.StrEnum):
    """What a labeler says of a candidate. Broken: the file is damaged, or it is not a photo."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNSURE = "unsure"
    BROKEN = "broken"


def _verdict() -> Enum:
    return word_column(Verdict, "verdict", checked=True)


class Screen(Base):
    """Photos of one class, leased to one labeler; or one photo and further classes.

    Of the second kind is one with a `photo_id`: `wnid` is then the photo's own class, and its
    `ScreenPhoto` rows are the questions whether others are in it too.

    It is *open* while `submitted_at` and `lost_at` are None. Its photos are this labeler's alone
    until `expires_at`; from then on they may be given to others, and the screen is *lost* when one
    was. One that `is_training` has photos with known answers, which its labeler is told afterwards:
    nothing of it counts. `study_id` and `visit_id` are what it was done for. `seconds` is for how
    long it was looked at, from its being shown to its submission, as the page says; None: not
    known.

    So many of its photos are `candidates`; the rest are gold questions. `gold_remaining` is how
    many of these come on the other screens of its class, None on the last.
    """

    __tablename__ = "screen"
    __table_args__ = (
        Index("screen_submitted", "worker", "submitted_at"),
        Index("screen_of_class", "worker", "wnid", "created_at"),
        # The open ones: a few for each labeler, among all that ever were.
        Index(
            "screen_open",
            "worker",
            sqlite_where=text("submitted_at IS NULL AND lost_at IS NULL"),
            postgresql_where=text("submitted_at IS NULL AND lost_at IS NULL"),
        ),
        Index(
            "screen_leased",
            *("wnid", "expires_at", "panel", "worker", "visit_id", "photo_id", "candidates"),
            sqlite_where=text("submitted_at IS NULL AND lost_at IS NULL"),
            postgresql_where=text("submitted_at IS NULL AND lost_at IS NULL"),
        ),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    worker: Mapped[str] = mapped_column(Text)
    wnid: Mapped[str] = mapped_column(CLASS_ID)
    photo_id: Mapped[int | None] = mapped_column(ForeignKey("photo.id"))
    panel: Mapped[str] = mapped_column(Text)
    guideline: Mapped[str] = mapped_column(Text)
    study_id: Mapped[int | None] = mapped_column(ForeignKey("study.id"))
    visit_id: Mapped[int | None] = mapped_column(ForeignKey("visit.id"), index=True)
    is_training: Mapped[bool] = mapped_column(default=False)
    seconds: Mapped[float | None] = mapped_column(Double)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    candidates: Mapped[int]
    gold_remaining: Mapped[int | None]
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    submitted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    lost_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class GoldQuestion(Base):
    """A photo whose answer is known, to be hidden among a class's candidates.

    `expected` is correct or incorrect; `reason` says how that is known. Shown until `retired_at`.
    `basis_id` is the candidate from whose votes or ruling that is known: when those no longer say
    so, the question is none. None: a manager knows it.
    """

    __tablename__ = "gold_question"
    __table_args__ = (
        UniqueConstraint("wnid", "photo_id"),
        Index("gold_question_photo", "photo_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    wnid: Mapped[str] = mapped_column(CLASS_ID)
    photo_id: Mapped[int] = mapped_column(ForeignKey("photo.id"))
    expected: Mapped[Verdict] = mapped_column(_verdict())
    reason: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    retired_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    basis_id: Mapped[int | None] = mapped_column(ForeignKey("candidate.id"))

    photo: Mapped[Photo] = relationship(lazy="joined", innerjoin=True)


class ScreenPhoto(Base):
    """A photo on a screen, at `place` 1 to 5: a candidate or a gold question.

    Where the screen is of one photo, a class that may be in it, at whatever place.

    A labeler's browser knows it by its random `id` alone, so it cannot tell one from the other.
    """

    __tablename__ = "screen_photo"
    __table_args__ = (
        UniqueConstraint("screen_id", "place"),
        CheckConstraint("(candidate_id IS NULL) <> (gold_id IS NULL)", name="one_photo"),
        Index("screen_photo_candidate", "candidate_id"),
        Index("screen_photo_gold", "gold_id"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    screen_id: Mapped[str] = mapped_column(ForeignKey("screen.id"))
    place: Mapped[int]
    candidate_id: Mapped[int | None] = mapped_column(ForeignKey("candidate.id"))
    gold_id: Mapped[int | None] = mapped_column(ForeignKey("gold_question.id"))


class Comment(Base):
    """What a labeler remarked on a photo of a screen, last; "" where they only flagged it."""

    __tablename__ = "comment"

    screen_photo_id: Mapped[str] = mapped_column(ForeignKey("screen_photo.id"), primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class Label(Base):
    """One labeler's verdict on one candidate. Append-only: a changed mind is a new row.

    The label in force is the labeler's newest (largest `number`) on that candidate. `panel` names
    the group of votes that it belongs to; `guideline` the version of the instructions; `via` is
    "page", "import" or "review". `shown_at` is when the photo came into sight, `decided_order`
    (from 1) when among its screen's photos it was decided, `supersedes` the `id` of the label that
    it replaces. None: not known, as for labels that came in a table.
    """

    __tablename__ = "label"
    __table_args__ = (
        Index("label_by_candidate", "candidate_id", "worker", "number"),
        Index("label_by_worker", "worker", "candidate_id"),
    )

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[uuid.UUID] = mapped_column(unique=True, default=uuid.uuid4)
    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id"))
    worker: Mapped[str] = mapped_column(Text)
    verdict: Mapped[Verdict] = mapped_column(_verdict())
    decided_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    screen_id: Mapped[str | None] = mapped_column(ForeignKey("screen.id"))
    panel: Mapped[str] = mapped_column(Text, default="main")
    shown_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    decided_order: Mapped[int | None]
    guideline: Mapped[str | None] = mapped_column(Text)
    supersedes: Mapped[uuid.UUID | None]
    via: Mapped[str] = mapped_column(String(16), default="import")

    candidate: Mapped[Claim] = relationship()


class GoldAnswer(Base):
    """What a labeler said of a gold question. Append-only; the newest (largest `number`) counts."""

    __tablename__ = "gold_answer"
    __table_args__ = (Index("gold_answer_by_worker", "worker", "gold_id"),)

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[uuid.UUID] = mapped_column(unique=True, default=uuid.uuid4)
    gold_id: Mapped[int] = mapped_column(ForeignKey("gold_question.id"))
    worker: Mapped[str] = mapped_column(Text)
    screen_id: Mapped[str | None] = mapped_column(ForeignKey("screen.id"))
    verdict: Mapped[Verdict] = mapped_column(_verdict())
    shown_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    decided_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    decided_order: Mapped[int | None]

    question: Mapped[GoldQuestion] = relationship()


class Ruling(Base):
    """What a reviewer settled about a candidate. Append-only.

    The newest ruling (largest `number`) wins over all votes; it changes no vote, and no selection
    frequency.
    """

    __tablename__ = "ruling"
    __table_args__ = (Index("ruling_by_candidate", "candidate_id", "number"),)

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[uuid.UUID] = mapped_column(unique=True, default=uuid.uuid4)
    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id"))
    verdict: Mapped[Verdict] = mapped_column(_verdict())
    by: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)

    candidate: Mapped[Claim] = relationship()


class ReviewRequest(Base):
    """Somebody doubts what is said of a candidate: it goes to review. Append-only.

    It waits for a ruling that is made later, whatever votes and earlier rulings say; until then it
    goes to as many as `labelers` in all.
    """

    __tablename__ = "review_request"
    __table_args__ = (Index("review_request_by_candidate", "candidate_id", "number"),)

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[uuid.UUID] = mapped_column(unique=True, default=uuid.uuid4)
    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id"))
    labelers: Mapped[int]
    by: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)

    candidate: Mapped[Claim] = relationship()


class ProposalRound(Base):
    """One asking about further classes in a release's photos: what ``genset labels propose`` did.

    `most` is how many classes it proposes for a photo at most, `seed` of the order in which they
    are asked.
    """

    __tablename__ = "proposal_round"

    id: Mapped[int] = mapped_column(primary_key=True)
    release: Mapped[str] = mapped_column(Text)
    content_hash: Mapped[str] = mapped_column(Text)
    seed: Mapped[int]
    most: Mapped[int]
    made_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class Question(Base):
    """Whether a photo of the class `home` shows another class, too: that of a claim."""

    __tablename__ = "question"
    __table_args__ = (Index("question_home", "home", "candidate_id"),)

    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id"), primary_key=True)
    round_id: Mapped[int] = mapped_column(ForeignKey("proposal_round.id"), index=True)
    home: Mapped[str] = mapped_column(CLASS_ID)

    claim: Mapped[Claim] = relationship(lazy="joined", innerjoin=True)


class ProposedBy(Base):
    """Who proposed a class for a photo. Several may.

    `kind` is "model" (`name` is the model's, `place` the rank of its answer, from 1, `run` the key
    of its run), "confusable" (`name` is the class that it is confused with), or "labeler" (`name`
    is the labeler's, who said that it is there).
    """

    __tablename__ = "proposed_by"
    __table_args__ = (UniqueConstraint("candidate_id", "kind", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    candidate_id: Mapped[int] = mapped_column(ForeignKey("question.candidate_id"))
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(Text, default="")
    place: Mapped[int | None]
    run: Mapped[str | None] = mapped_column(Text)
