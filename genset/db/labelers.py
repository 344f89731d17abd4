"""The tables of those who label and who decide, and of the studies that pay them.

`LabelerEvent` is append-only: the database itself refuses to change or delete a row of it.
"""

import enum
import unicodedata
import uuid
from datetime import datetime
from typing import Literal

from sqlalchemy import Double, Enum, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from genset.db.models import Base, UtcDateTime, now


def word_column(kind: type[enum.StrEnum], name: str, *, checked: bool) -> Enum:
    """A column of words; `checked` where the database refuses others."""
    return Enum(
        kind,
        name=name,
        native_enum=False,
        create_constraint=checked,
        length=16,
        values_callable=lambda kind: [word.value for word in kind],
    )


Outcome = Literal["done", "failed", "declined", "nothing"]
_PROLIFIC = "https://app.prolific.com/submissions/complete?cc="


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

    def code_for(self, outcome: Outcome) -> str:
        """What the platform is told of a visit that ended so."""
        codes: dict[Outcome, str] = {
            "done": self.code,
            "failed": self.code_failed,
            "declined": self.code_declined,
            "nothing": self.code_nothing,
        }
        return codes[outcome]

    def back(self, code: str) -> str | None:
        """Where a visitor tells the platform of a code; None where a code is typed in."""
        return _PROLIFIC + code if self.platform == "prolific" else None


class Visit(Base):
    """A labeler's stay for a study: a session on Prolific, an assignment on MTurk.

    `key` is the platform's id of it. It is *verified* when the platform signed it, and *listed*
    once the platform's own export was read: whether it names this visit (None: not read yet), and
    `status` is the platform's word for it there, such as RETURNED.
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
    status: Mapped[str] = mapped_column(Text, default="")
    began_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    consented_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    outcome: Mapped[Outcome | None] = mapped_column(String(16))
    handed_in_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class LabelerAct(enum.StrEnum):
    """What is decided of a labeler's votes. Void and hold take them out, clear back in."""

    VOID = "void"
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
    what: Mapped[LabelerAct] = mapped_column(word_column(LabelerAct, "act", checked=False))
    since: Mapped[datetime | None] = mapped_column(UtcDateTime)
    by: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)

    @property
    def words(self) -> str:
        """Of one that takes votes out: "void", "held out since 2026-01-02 10:30"."""
        word = "void" if self.what is LabelerAct.VOID else "held out"
        return word if self.since is None else f"{word} since {self.since:%Y-%m-%d %H:%M}"


class Manager(Base):
    """Somebody who may see and decide all. `subject` is the sha256 of their link's token."""

    __tablename__ = "manager"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(Text, unique=True)
    subject: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


def folded(name: str) -> str:
    """What is the same of a person's name however it is written: NFKC, case and blanks aside."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


class Labeler(Base):
    """Somebody who may label. `name` is the `worker` of their labels, and of tables of labels.

    `kind` says how they sign in and `subject` how they are known then: "name" (the name itself),
    "invite" (the sha256 of the link's token), "oidc" (issuer and subject, joined by a line feed),
    "prolific" or "mturk" (the platform's id of the person). No two have one `folded` name: that
    would be one person with two votes. `study_id` is the study that they came from last.
    """

    __tablename__ = "labeler"
    __table_args__ = (UniqueConstraint("kind", "subject"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(Text, unique=True)
    folded: Mapped[str] = mapped_column(
        Text, unique=True, default=lambda row: folded(row.get_current_parameters()["name"])
    )
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
