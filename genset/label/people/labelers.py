"""Who may label, and how they are known again."""

import hashlib
import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.errors import BadInput
from genset.label.answering import answering
from genset.store import Labeler as LabelerRow
from genset.store import Store, now
from genset.store import Study as StudyRow
from genset.text.safe import printable

PLATFORMS = ("prolific", "mturk")
_LONGEST_NAME = 64
_LONGEST_SUBJECT = 1024

log = logging.getLogger("genset.label")


@dataclass(frozen=True, slots=True)
class Labeler:
    """Somebody who may label, unless `blocked_at` is set. `name` is the `worker` of their labels.

    `kind` is how they sign in: "name", "invite", "oidc", "prolific" or "mturk".
    """

    id: int
    name: str
    kind: str
    study_id: int | None
    created_at: datetime
    blocked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Study:
    """Paid work on "prolific" or "mturk": `screens` for each labeler, then the completion code."""

    id: int
    platform: str
    key: str
    screens: int
    code: str


class Labelers:
    """The labelers of a store.

    Each ``by_...`` signs one in: the answer is the same labeler whenever the same person comes,
    blocked or not (`Labeler.blocked_at` says so, and the desk gives them nothing).

    Raises:
        GensetError: the store does not answer (from every method).
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def by_name(self, name: str) -> Labeler:
        """Whoever says that this is their name: for a page that only this machine can open.

        Raises:
            BadInput: the name is not usable, or its owner signs in by a link or an account.
        """
        name = checked_worker(name)
        with self._alone() as session:
            there = session.scalar(select(LabelerRow).where(LabelerRow.name == name))
            if there is not None and there.kind != "name":
                raise BadInput(f"{name} signs in another way: use the link or the account")
            return _labeler(there or _add(session, name, "name", name))

    def by_invite(self, token: str) -> Labeler:
        """The one whom the link with this token was made for.

        Raises:
            BadInput: no link has this token, or a newer one was made since.
        """
        with self._alone() as session:
            there = _known(session, "invite", _hashed(token))
            if there is None:
                log.warning("an invitation that is not known was used")
                raise BadInput("this invitation does not hold (any more): ask for a new link")
            return _labeler(there)

    def by_oidc(self, issuer: str, subject: str, name: str) -> Labeler:
        """The one whom an OpenID provider vouches for; `name` is for people to read."""
        with self._alone() as session:
            known_as = f"{issuer}\n{subject}"
            there = _known(session, "oidc", known_as)
            return _labeler(there or _add(session, _free_name(session, name), "oidc", known_as))

    def by_study(self, platform: str, study_key: str, worker_id: str, visit: str) -> Labeler:
        """The platform's worker who came for a study; `visit` is its session or assignment.

        Raises:
            BadInput: there is no such study, an id is missing, or it is a preview.
        """
        if not all(0 < len(word) <= _LONGEST_SUBJECT for word in (worker_id, visit)):
            raise BadInput("the link lacks the platform's ids: open it from the platform")
        if visit == "ASSIGNMENT_ID_NOT_AVAILABLE":
            raise BadInput("this is a preview: accept the task first")
        with self._alone() as session:
            study = session.scalar(
                select(StudyRow).where(StudyRow.platform == platform, StudyRow.key == study_key)
            )
            if study is None:
                log.warning("%s study %r is not known here", platform, study_key)
                raise BadInput("this study is not known here: tell its researchers")
            there = _known(session, platform, worker_id)
            if there is None:
                name = _free_name(session, f"{platform}:{worker_id}")
                there = _add(session, name, platform, worker_id)
            there.study_id = study.id
            return _labeler(there)

    def get(self, labeler_id: int) -> Labeler:
        """The labeler with this id.

        Raises:
            BadInput: there is none.
        """
        with answering(), self.store.session() as session:
            if (there := session.get(LabelerRow, labeler_id)) is None:
                raise BadInput(f"there is no labeler {labeler_id}")
            return _labeler(there)

    def all(self) -> list[Labeler]:
        """Every labeler, by name."""
        with answering(), self.store.session() as session:
            return list(map(_labeler, session.scalars(select(LabelerRow).order_by("name"))))

    def invite(self, name: str) -> str:
        """Make a link's token for somebody, who is let in again if they were blocked.

        Only its sha256 is stored: the token cannot be read again, and a new one replaces it. Who
        signed in by name before comes by the link from now on, and keeps their labels.

        Raises:
            BadInput: the name is not usable, or its owner signs in by an account.
        """
        name, token = checked_worker(name), secrets.token_urlsafe(24)
        with self._alone() as session:
            there = session.scalar(select(LabelerRow).where(LabelerRow.name == name))
            if there is None:
                _add(session, name, "invite", _hashed(token))
            elif there.kind in ("name", "invite"):
                there.kind, there.subject, there.blocked_at = "invite", _hashed(token), None
            else:
                raise BadInput(f"{name} signs in by {there.kind}, and needs no link")
        return token

    def block(self, name: str) -> None:
        """Give this labeler nothing more, and take nothing more from them.

        Raises:
            BadInput: there is no such labeler.
        """
        with self._alone() as session:
            there = session.scalar(select(LabelerRow).where(LabelerRow.name == name))
            if there is None:
                raise BadInput(f"there is no labeler {name!r}: see genset labelers list")
            there.blocked_at = there.blocked_at or now()

    def add_study(self, platform: str, key: str, screens: int, code: str | None = None) -> Study:
        """Let a platform's workers in; a study that is there gets the new numbers.

        Without a `code` it keeps the one that it has, or gets a random one.

        Raises:
            BadInput: the platform is not known, or the numbers make no study.
        """
        if platform not in PLATFORMS:
            raise BadInput(f"a study is on {' or '.join(PLATFORMS)}, not {platform!r}")
        if not key.strip() or screens < 1:
            raise BadInput("a study has an id and at least 1 screen")
        with self._alone() as session:
            there = session.scalar(
                select(StudyRow).where(StudyRow.platform == platform, StudyRow.key == key)
            )
            if there is None:
                there = StudyRow(platform=platform, key=key, code=secrets.token_hex(4))
                session.add(there)
            there.screens, there.code = screens, code or there.code
            session.flush()
            return _study(there)

    def studies(self) -> list[Study]:
        """Every study, the oldest first."""
        with answering(), self.store.session() as session:
            return list(map(_study, session.scalars(select(StudyRow).order_by("id"))))

    @contextmanager
    def _alone(self) -> Iterator[Session]:
        # Two tabs may sign the same person in at once: the second finds the first one's row.
        with answering(), self.store.begin_alone() as session:
            yield session


def checked_worker(name: str) -> str:
    """The labeler's name without surrounding blanks.

    Raises:
        BadInput: it is empty, longer than 64 characters, or has characters that do not print.
    """
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise BadInput(f"a labeler's name has 1 to {_LONGEST_NAME} printable characters")
    return name


def _hashed(token: str) -> str:
    # Tokens are long and random, so a plain hash is enough: there is nothing to guess.
    return hashlib.sha256(token.encode()).hexdigest()


def _known(session: Session, kind: str, subject: str) -> LabelerRow | None:
    return session.scalar(
        select(LabelerRow).where(LabelerRow.kind == kind, LabelerRow.subject == subject)
    )


def _free_name(session: Session, wanted: str) -> str:
    """`wanted` or the like: a provider's name may be any text, and somebody may have it."""
    wanted = printable(wanted)[: _LONGEST_NAME - 8].strip() or "labeler"
    name, number = wanted, 1
    while session.scalar(select(LabelerRow.id).where(LabelerRow.name == name)) is not None:
        number += 1
        name = f"{wanted} {number}"
    return name


def _add(session: Session, name: str, kind: str, subject: str) -> LabelerRow:
    session.add(row := LabelerRow(name=name, kind=kind, subject=subject))
    session.flush()
    return row


def _labeler(row: LabelerRow) -> Labeler:
    return Labeler(row.id, row.name, row.kind, row.study_id, row.created_at, row.blocked_at)


def _study(row: StudyRow) -> Study:
    return Study(row.id, row.platform, row.key, row.screens, row.code)
