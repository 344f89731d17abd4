"""The tables of labeling: who labels, what they were shown, what they said of it.

What was said and decided is append-only (`Label`, `GoldAnswer`, `Ruling`, `ReviewRequest`,
`LabelerEvent`): the database itself refuses to change or delete a row of these, and a changed mind
is a new row.
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

from genset.db.models import CLASS_ID, Base, Claim, Photo, UtcDateTime, now


class Verdict(enum.StrEnum):
    """What a labeler says of a candidate. Broken: the file is damaged, or it is not a photo."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNSURE = "unsure"
    BROKEN = "broken"


def _verdict() -> Enum:
    return _kind_of(Verdict, "verdict", checked=True)


def _kind_of(kind: type[enum.StrEnum], name: str, *, checked: bool) -> Enum:
    """A column of words; `checked` where the database refuses others."""
    return Enum(
        kind,
        name=name,
        native_enum=False,
        create_constraint=checked,
        length=16,
        values_callable=lambda kind: [word.value for word in kind],
    )


class Study(Base):
    """Paid work on a crowd's platform, "prolific" or "mturk".

    `key` is the platform's id of the study (of the HIT or its group on MTurk), `screens` how many
    a labeler does for the pay, `code` what proves to the platform that they did. The other codes
    say that gold questions were failed (fewer than the share `gold_needed` right; None: nobody
    fails), that the labeler did not consent, and that there was nothing left to label. `pay` and
    `consent` are shown to labelers, in the researchers' words. `signed` asks for Prolific's own
    token with every visit.
    """

    __tablename__ = "study"
    __table_args__ = (UniqueConstraint("platform", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    platform: Mapped[str] = mapped_column(String(16))
    key: Mapped[str] = mapped_column(Text)
    screens: Mapped[int]
    code: Mapped[str] = mapped_column(Text)
    code_failed: Mapped[str] = mapped_column(Text)
    code_declined: Mapped[str] = mapped_column(Text)
    code_nothing: Mapped[str] = mapped_column(Text)
    gold_needed: Mapped[float | None] = mapped_column(Double)
    pay: Mapped[str] = mapped_column(Text, default="")
    consent: Mapped[str] = mapped_column(Text, default="")
    signed: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class Visit(Base):
    """A labeler's stay for a study: a session on Prolific, an assignment on MTurk.

    `key` is the platform's id of it. It is *verified* when the platform signed it, and *listed*
    once the platform's own export was read: whether it names this visit (None: not read yet).
    `consented_at` and `ended_at` are None until then; `outcome` says how it ended: "done",
    "failed" (gold questions), "declined" (no consent) or "nothing" (left to label).
    `handed_in_at` is when its page first posted it to MTurk.
    """

    __tablename__ = "visit"
    __table_args__ = (UniqueConstraint("study_id", "key"), Index("visit_labeler", "labeler_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    labeler_id: Mapped[int] = mapped_column(ForeignKey("labeler.id"))
    key: Mapped[str] = mapped_column(Text)
    verified: Mapped[bool] = mapped_column(default=False)
    listed: Mapped[bool | None]
    began_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    consented_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    outcome: Mapped[str | None] = mapped_column(String(16))
    handed_in_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class LabelerAct(enum.StrEnum):
    """What is decided of a labeler's votes. Void and hold take them out, the others back in."""

    VOID = "void"
    UNVOID = "unvoid"
    HOLD = "hold"
    CLEAR = "clear"


class LabelerEvent(Base):
    """What somebody decided of a labeler's votes. Append-only.

    The newest (largest `number`) of a labeler holds, and of each of their visits: `visit_id` is
    None where it is about all that they ever label. `since` limits it to what they decided then or
    later. `by` is a manager, or "genset" where a rule held somebody out; `reason` says why.
    """

    __tablename__ = "labeler_event"
    __table_args__ = (Index("labeler_event_worker", "worker", "number"),)

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[uuid.UUID] = mapped_column(unique=True, default=uuid.uuid4)
    worker: Mapped[str] = mapped_column(Text)
    visit_id: Mapped[int | None] = mapped_column(ForeignKey("visit.id"))
    what: Mapped[LabelerAct] = mapped_column(_kind_of(LabelerAct, "act", checked=False))
    since: Mapped[datetime | None] = mapped_column(UtcDateTime)
    by: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class Manager(Base):
    """Somebody who may see and decide all. `subject` is the sha256 of their link's token."""

    __tablename__ = "manager"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(Text, unique=True)
    subject: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


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


class KnownAs(Base):
    """Another way in which a labeler is known: who came with an invitation *and* a platform's id.

    `kind` and `subject` are as a labeler's own.
    """

    __tablename__ = "known_as"

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    subject: Mapped[str] = mapped_column(Text, primary_key=True)
    labeler_id: Mapped[int] = mapped_column(ForeignKey("labeler.id"))


class SourceWarned(Base):
    """A labeler was told what they should know before they see a source's photos."""

    __tablename__ = "source_warned"

    labeler_id: Mapped[int] = mapped_column(ForeignKey("labeler.id"), primary_key=True)
    source: Mapped[str] = mapped_column(String(32), primary_key=True)
    warned_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class Screen(Base):
    """Up to five photos of one class, leased to one labeler; or one photo and further classes.

    Of the second kind is one with a `photo_id`: `wnid` is then the photo's own class, and its
    `ScreenPhoto` rows are the questions whether others are in it too.

    It is *open* while `submitted_at` and `lost_at` are None. Its photos are this labeler's alone
    until `expires_at`; from then on they may be given to others, and the screen is *lost* when one
    was. `study_id` and `visit_id` are what it was done for. `seconds` is for how long it was
    looked at, from its being shown to its submission, as the page says; None: not known.
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
    wnid: Mapped[str] = mapped_column(CLASS_ID)
    photo_id: Mapped[int | None] = mapped_column(ForeignKey("photo.id"))
    panel: Mapped[str] = mapped_column(Text)
    guideline: Mapped[str] = mapped_column(Text)
    study_id: Mapped[int | None] = mapped_column(ForeignKey("study.id"))
    visit_id: Mapped[int | None] = mapped_column(ForeignKey("visit.id"), index=True)
    seconds: Mapped[float | None] = mapped_column(Double)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
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
    are asked. Its questions are asked until `withdrawn_at`.
    """

    __tablename__ = "proposal_round"

    id: Mapped[int] = mapped_column(primary_key=True)
    release: Mapped[str] = mapped_column(Text)
    content_hash: Mapped[str] = mapped_column(Text)
    seed: Mapped[int]
    most: Mapped[int]
    made_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    withdrawn_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


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
