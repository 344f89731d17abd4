"""The tables of labeling: who labels, what they were shown, what they said of it.

What was said is append-only (`Label`, `ControlAnswer`, `Ruling`): the database itself refuses to
change or delete a row of these, and a changed mind is a new row.
"""

import enum
import uuid
from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
    Enum,
    ForeignKey,
    Index,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from genset.store.models import Base, Candidate, Photo, UtcDateTime, now


class Verdict(enum.StrEnum):
    """What a labeler says of a candidate. Broken: the file is damaged, or it is not a photo."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNSURE = "unsure"
    BROKEN = "broken"


def _verdict() -> Enum:
    return Enum(
        Verdict,
        name="verdict",
        native_enum=False,
        create_constraint=True,
        length=16,
        values_callable=lambda kind: [verdict.value for verdict in kind],
    )


class Study(Base):
    """Paid work on a crowd's platform, "prolific" or "mturk".

    `key` is the platform's id of the study (of the HIT or its group on MTurk), `screens` how many
    a labeler does for the pay, `code` what proves to the platform that they did.
    """

    __tablename__ = "study"
    __table_args__ = (UniqueConstraint("platform", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    platform: Mapped[str] = mapped_column(String(16))
    key: Mapped[str] = mapped_column(Text)
    screens: Mapped[int]
    code: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class Labeler(Base):
    """Somebody who may label. `name` is the `worker` of their labels, and of tables of labels.

    `kind` says how they sign in and `subject` how they are known then: "name" (the name itself),
    "invite" (the sha256 of the link's token), "oidc" (issuer and subject, joined by a line feed),
    "prolific" or "mturk" (the platform's id of the person). `study_id` is the study that they
    came from last.
    """

    __tablename__ = "labeler"
    __table_args__ = (UniqueConstraint("kind", "subject"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(Text, unique=True)
    kind: Mapped[str] = mapped_column(String(16))
    subject: Mapped[str] = mapped_column(Text)
    study_id: Mapped[int | None] = mapped_column(ForeignKey("study.id"))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    blocked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class SourceWarned(Base):
    """A labeler was told what they should know before they see a source's photos."""

    __tablename__ = "source_warned"

    labeler_id: Mapped[int] = mapped_column(ForeignKey("labeler.id"), primary_key=True)
    source: Mapped[str] = mapped_column(String(32), primary_key=True)
    told_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class Screen(Base):
    """Up to five photos of one class, leased to one labeler.

    It is *open* while `submitted_at` and `lost_at` are None. Its photos are this labeler's alone
    until `expires_at`; from then on they may be given to others, and the screen is *lost* when one
    was. `study_id` is the study that it was done for.
    """

    __tablename__ = "screen"
    __table_args__ = (
        Index("screen_submitted", "worker", "submitted_at"),
        # The open ones: a few for each labeler, among all that ever were.
        Index(
            "screen_open",
            "worker",
            sqlite_where=text("submitted_at IS NULL AND lost_at IS NULL"),
            postgresql_where=text("submitted_at IS NULL AND lost_at IS NULL"),
        ),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    worker: Mapped[str] = mapped_column(Text)
    wnid: Mapped[str] = mapped_column(String(16))
    panel: Mapped[str] = mapped_column(Text)
    guideline: Mapped[str] = mapped_column(Text)
    study_id: Mapped[int | None] = mapped_column(ForeignKey("study.id"))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    submitted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    lost_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class Control(Base):
    """A photo whose answer is known, to be hidden among a class's candidates.

    `expected` is correct or incorrect; `reason` says how that is known. Shown until `retired_at`.
    """

    __tablename__ = "control"
    __table_args__ = (UniqueConstraint("wnid", "photo_id"), Index("control_photo", "photo_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    wnid: Mapped[str] = mapped_column(String(16))
    photo_id: Mapped[int] = mapped_column(ForeignKey("photo.id"))
    expected: Mapped[Verdict] = mapped_column(_verdict())
    reason: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    retired_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    photo: Mapped[Photo] = relationship(lazy="joined", innerjoin=True)


class ScreenPhoto(Base):
    """A photo on a screen, at `place` 1 to 5: a candidate or a control.

    A labeler's browser knows it by its random `id` alone, so it cannot tell one from the other.
    """

    __tablename__ = "screen_photo"
    __table_args__ = (
        UniqueConstraint("screen_id", "place"),
        CheckConstraint("(candidate_id IS NULL) <> (control_id IS NULL)", name="one_photo"),
        Index("screen_photo_candidate", "candidate_id"),
        Index("screen_photo_control", "control_id"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    screen_id: Mapped[str] = mapped_column(ForeignKey("screen.id"))
    place: Mapped[int]
    candidate_id: Mapped[int | None] = mapped_column(ForeignKey("candidate.id"))
    control_id: Mapped[int | None] = mapped_column(ForeignKey("control.id"))


class Label(Base):
    """One labeler's verdict on one candidate. Append-only: a changed mind is a new row.

    The label in force is the labeler's newest (largest `number`) on that candidate. `panel` names
    the group of votes that it belongs to; `guideline` the version of the instructions; `via` is
    "page", "import" or "review". `shown_at` is when the photo was painted, `decided_order` (from
    1) when among its screen's photos it was decided, `supersedes` the `id` of the label that it
    replaces. None: not known, as for labels that came in a table.
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

    candidate: Mapped[Candidate] = relationship()


class ControlAnswer(Base):
    """What a labeler said of a control. Append-only; the newest (largest `number`) counts."""

    __tablename__ = "control_answer"
    __table_args__ = (Index("control_answer_by_worker", "worker", "control_id"),)

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[uuid.UUID] = mapped_column(unique=True, default=uuid.uuid4)
    control_id: Mapped[int] = mapped_column(ForeignKey("control.id"))
    worker: Mapped[str] = mapped_column(Text)
    screen_id: Mapped[str | None] = mapped_column(ForeignKey("screen.id"))
    verdict: Mapped[Verdict] = mapped_column(_verdict())
    shown_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    decided_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    decided_order: Mapped[int | None]

    control: Mapped[Control] = relationship()


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

    candidate: Mapped[Candidate] = relationship()
