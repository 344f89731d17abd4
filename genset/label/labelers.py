"""Who may label, and how they are known again."""

import hashlib
import logging
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, exists, func, select, update
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.core.safe import printable
from genset.db import (
    KnownAs,
    Label,
    Photo,
    Screen,
    SourceWarned,
    SourceWords,
    Store,
    Visit,
    ask,
    now,
)
from genset.db import Labeler as LabelerRow
from genset.db.failures import answering
from genset.db.labelers import folded
from genset.label.crowd.mturk import PREVIEW
from genset.label.crowd.studies import begin_visit, study_row

_LONGEST_NAME = 64
_LONGEST_SUBJECT = 1024

log = logging.getLogger("genset.label")


@dataclass(frozen=True, slots=True)
class Labeler:
    """Somebody who may label, unless `blocked_at` is set. `name` is the `worker` of their labels.

    `kind` is how they sign in: "name", "invite", "oidc", "prolific" or "mturk". `visit_id` is the
    `Visit` that they are here for; None for who is in no study.
    """

    id: int
    name: str
    kind: str
    study_id: int | None
    created_at: datetime
    blocked_at: datetime | None
    visit_id: int | None = None


class Labelers:
    """The labelers of a store.

    Each ``by_...`` signs one in: the answer is the same labeler whenever the same person comes,
    blocked or not (`Labeler.blocked_at` says so, and the desk gives them nothing). Of two tabs that
    sign the same person in at once, the second finds the first one's row.

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
        with answering(), self.store.begin_alone() as session:
            there = _named(session, name)
            if there is not None and there.kind != "name":
                raise BadInput(f"{name} signs in another way: use the link or the account")
            return _labeler(there or _add(session, Names(session).of(name), "name", name))

    def by_invite(self, token: str) -> Labeler:
        """The one whom the link with this token was made for.

        Raises:
            BadInput: no link has this token, or a newer one was made since.
        """
        with answering(), self.store.begin_alone() as session:
            return _labeler(self._invited(session, token))

    def by_oidc(self, issuer: str, subject: str, name: str) -> Labeler:
        """The one whom an OpenID provider vouches for; `name` is for people to read.

        Raises:
            BadInput: what the provider says cannot be stored.
        """
        if not all(map(is_id, (issuer, subject))):
            raise BadInput("the identity provider does not say who you are in words that print")
        with answering(), self.store.begin_alone() as session:
            known_as = f"{issuer}\n{subject}"
            there = _known(session, "oidc", known_as)
            return _labeler(there or _add(session, _free_name(session, name), "oidc", known_as))

    def by_study(
        self,
        platform: str,
        study_key: str,
        worker_id: str,
        visit: str,
        *,
        verified: bool = False,
        invite: str | None = None,
    ) -> Labeler:
        """The platform's worker who came for a study; `visit` is its session or assignment.

        `verified` says that the platform signed these ids. Who comes with an invitation's token
        too is the one invited, from now on without it as well; but who came without it first stays
        the labeler that they were.

        Raises:
            BadInput: there is no such study, it wants ids that are signed, an id is missing, it is
                a preview, the visit is somebody else's, or an earlier one of theirs has ended.
        """
        if not all(map(is_id, (study_key, worker_id, visit))):
            raise BadInput("the link lacks the platform's ids: open it from the platform")
        if visit == PREVIEW:
            raise BadInput("this is a preview: accept the task first")
        with answering(), self.store.begin_alone() as session:
            if (study := study_row(session, platform, study_key)) is None:
                log.warning("%s study %r is not known here", platform, study_key)
                raise BadInput("this study is not known here: tell its researchers")
            if study.signed and not verified:
                raise BadInput("this study takes links that Prolific signed: open it from there")
            there = _known(session, platform, worker_id)
            if there is None and invite is not None:
                there = self._invited(session, invite)
                _link(session, there, platform, worker_id)
            if there is None:
                name = _free_name(session, f"{platform}:{worker_id}")
                there = _add(session, name, platform, worker_id)
            there.study_id = study.id
            return _labeler(there, begin_visit(session, study, there, visit, verified))

    def get(self, labeler_id: int, visit_id: int | None = None) -> Labeler:
        """The labeler with this id, here for this visit.

        Raises:
            BadInput: there is none, or the visit is not theirs.
        """
        with answering(), self.store.session() as session:
            if (there := session.get(LabelerRow, labeler_id)) is None:
                raise BadInput(f"there is no labeler {labeler_id}")
            visit = None if visit_id is None else session.get(Visit, visit_id)
            if visit_id is not None and (visit is None or visit.labeler_id != labeler_id):
                raise BadInput(f"there is no visit {visit_id} of labeler {labeler_id}")
            return _labeler(there, visit)

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
        with answering(), self.store.begin_alone() as session:
            there = _named(session, name)
            if there is None:
                _add(session, Names(session).of(name), "invite", hashed(token))
            elif there.kind in ("name", "invite"):
                there.kind, there.subject, there.blocked_at = "invite", hashed(token), None
            else:
                raise BadInput(f"{name} signs in by {there.kind}, and needs no link")
        return token

    def before_invite(self, name: str) -> tuple[str, str]:
        """The name as the store has it, and what a link changes for its owner ("" for a new one).

        Raises:
            BadInput: the name is not usable.
        """
        name = checked_worker(name)
        with answering(), self.store.session() as session:
            there, name = _named(session, name), Names(session).of(name)
            candidates = func.count(Label.candidate_id.distinct())
            labels = session.scalar(select(candidates).where(Label.worker == name)) or 0
        if there is None and not labels:
            return name, ""
        if there is None:
            change = "whoever comes by this link goes on with them"
        elif there.kind == "name":
            change = "from now on they sign in by this link, and no longer by name"
        else:
            change = "this link replaces their earlier one"
        return name, f"{name} exists already, with {count(labels, 'label')}: {change}"

    def block(self, name: str) -> str:
        """Give this labeler nothing more, and take nothing more from them; return their name.

        Their open screens go to others.

        Raises:
            BadInput: there is no such labeler.
        """
        with answering(), self.store.begin_alone() as session:
            if (there := _named(session, name)) is None:
                raise BadInput(f"there is no labeler {name!r}: see genset labelers list")
            there.blocked_at = there.blocked_at or now()
            session.flush()  # waits for who is handing screens to them
            end_leases(session, there.name)
            return there.name

    def _invited(self, session: Session, token: str) -> LabelerRow:
        there = _known(session, "invite", hashed(token)) if is_id(token) else None
        if there is None:
            log.warning("an invitation that is not known was used")
            raise BadInput("this invitation link is no longer valid: ask for a new one")
        return there


class Names:
    """The names of a store's labelers, and of those whom only tables of labels name."""

    def __init__(self, session: Session) -> None:
        workers = session.scalars(select(Label.worker).distinct())
        self.by_folded = {folded(name): name for name in workers}
        self.by_folded |= {folded(name): name for name in session.scalars(select(LabelerRow.name))}

    def of(self, name: str) -> str:
        """The name as the store has it, or else as this person was first named."""
        return self.by_folded.setdefault(folded(name), name)


def known_name(session: Session, name: str) -> str:
    """The name of somebody who labels or has labels here, as the store has it.

    Raises:
        BadInput: there is nobody of that name.
    """
    if (there := Names(session).by_folded.get(folded(name))) is None:
        raise BadInput(
            f"nobody called {name!r} labels or has labels here: see genset labelers list"
        )
    return there


def end_leases(session: Session, worker: str) -> int:
    """Give a labeler's open screens to others, and return how many there were."""
    at = now()
    ended = session.scalars(
        update(Screen)
        .where(Screen.worker == worker, Screen.submitted_at.is_(None), Screen.lost_at.is_(None))
        .where(Screen.expires_at > at)
        .values(expires_at=at)
        .returning(Screen.id)
    )
    return len(ended.all())


def checked_worker(name: str) -> str:
    """The labeler's name without surrounding blanks.

    Raises:
        BadInput: it is empty, longer than 64 characters, or has characters that do not print.
    """
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise BadInput(f"a labeler's name has 1 to {_LONGEST_NAME} printable characters")
    return name


def is_id(text: str) -> bool:
    """Whether this can be a stranger's id or token: databases refuse NUL, and half characters."""
    return 0 < len(text) <= _LONGEST_SUBJECT and text.isprintable()


def hashed(token: str) -> str:
    """The sha256 of a link's token, which is all that is stored of it."""
    # Tokens are long and random, so a plain hash is enough: there is nothing to guess.
    return hashlib.sha256(token.encode()).hexdigest()


def _named(session: Session, name: str) -> LabelerRow | None:
    return session.scalar(select(LabelerRow).where(LabelerRow.folded == folded(name)))


def _known(session: Session, kind: str, subject: str) -> LabelerRow | None:
    by_account = select(LabelerRow).where(LabelerRow.kind == kind, LabelerRow.subject == subject)
    by_link = (
        select(LabelerRow)
        .join(KnownAs, KnownAs.labeler_id == LabelerRow.id)
        .where(KnownAs.kind == kind, KnownAs.subject == subject)
    )
    return session.scalar(by_account) or session.scalar(by_link)


def _link(session: Session, labeler: LabelerRow, platform: str, worker_id: str) -> None:
    """Know a labeler by a platform's id too."""
    same = select(KnownAs.subject).where(KnownAs.labeler_id == labeler.id, KnownAs.kind == platform)
    if session.scalar(same) is not None:
        log.warning("the invitation of %r came with a second id of %s", labeler.name, platform)
        raise BadInput("this invitation is somebody else's: open the link that you were sent")
    session.add(KnownAs(kind=platform, subject=worker_id, labeler_id=labeler.id))


def _free_name(session: Session, preferred: str) -> str:
    """`preferred` or the like: a provider's name may be any text, and somebody may have it."""
    preferred = printable(preferred)[: _LONGEST_NAME - 8].strip() or "labeler"
    name, number, names = preferred, 1, Names(session)
    while folded(name) in names.by_folded:
        number += 1
        name = f"{preferred} {number}"
    return name


def _add(session: Session, name: str, kind: str, subject: str) -> LabelerRow:
    session.add(row := LabelerRow(name=name, kind=kind, subject=subject))
    session.flush()
    return row


def _labeler(row: LabelerRow, visit: Visit | None = None) -> Labeler:
    stored = (row.id, row.name, row.kind, row.study_id, row.created_at, row.blocked_at)
    return Labeler(*stored, visit_id=None if visit is None else visit.id)


# Written once: building them takes longer than asking them.
_WARNED = select(SourceWarned.source).where(SourceWarned.labeler_id == bindparam("labeler"))
_SHOWN = exists().where(Photo.source == SourceWords.name, Photo.in_use)
# What a labeler was not told yet of the sources of the pool's photos.
WARNINGS = (
    select(SourceWords.name, SourceWords.title, SourceWords.warning)
    .where(SourceWords.warning != "", SourceWords.name.not_in(_WARNED), _SHOWN)
    .order_by(SourceWords.name)
)
_LABELER = select(
    *(LabelerRow.id, LabelerRow.name, LabelerRow.blocked_at),
    exists(WARNINGS.order_by(None)),
).where(LabelerRow.id == bindparam("labeler"))
_LOCKED_LABELER = _LABELER.with_for_update(key_share=True)


class LabelerNow(NamedTuple):
    """A labeler as the store has them now; one who `must_be_warned` was not told of a source."""

    id: int
    name: str
    blocked_at: datetime | None
    must_be_warned: bool


def read_labeler(session: Session, labeler_id: int) -> LabelerNow:
    """The labeler with this id, whom there is."""
    return LabelerNow(*ask(session, _LABELER, {"labeler": labeler_id}).one())


def lock_labeler(session: Session, labeler_id: int) -> LabelerNow:
    """The same; no other transaction of theirs has the labeler's row until this one ends."""
    return LabelerNow(*ask(session, _LOCKED_LABELER, {"labeler": labeler_id}).one())
