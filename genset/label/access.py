"""The secret that signs sessions, pictures and the manager's link; and managers by name."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Fact, Manager, Store, now
from genset.db.failures import answering
from genset.db.labelers import folded
from genset.label.labelers import checked_worker, hashed
from genset.workspace import Workspace

NAME = "GENSET_LABEL_SECRET"


LEAST = 32
_KEY = "browsers"  # the name of the fact under which browsers know the workspace


def secret_of_environment() -> str | None:
    """The secret of the environment or of the workspace's .env; None where there is none.

    Raises:
        BadInput: it is shorter than 32 characters.
    """
    secret = os.environ.get(NAME)
    if secret is not None and len(secret) < LEAST:
        raise BadInput(f"{NAME} has {len(secret)} characters: take at least {LEAST}, at random")
    return secret


def label_secret(workspace: Workspace) -> str:
    """The secret that was given, or else the workspace's own, which is made when first asked for.

    It is kept in ``.label/secret``, which only this user may read and git ignores.

    Raises:
        BadInput: the one that was given is too short.
    """
    if (from_environment := secret_of_environment()) is not None:
        return from_environment
    path = private_folder(workspace) / "secret"
    if not path.exists():
        made = path.with_name(f"secret.{os.getpid()}")
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_hex(LEAST))
            file.flush()
            os.fsync(file.fileno())
        # Two servers may start at once: the first one's stays.
        try:
            path.hardlink_to(made)
        except FileExistsError:
            pass
        finally:
            made.unlink()
    return path.read_text("ascii")


def private_folder(workspace: Workspace) -> Path:
    """The folder ``.label``, which only this user may read and git ignores; made if need be."""
    folder = workspace.root / ".label"
    if not folder.exists():
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / ".gitignore").write_text("*\n", "utf-8")
    return folder


def manager_token(workspace: Workspace) -> str:
    """What the manager's link holds: whoever has it may see and decide all. 64 hex digits.

    Raises:
        BadInput: the secret that was given is too short.
    """
    return hmac.new(label_secret(workspace).encode(), b"manager", hashlib.sha256).hexdigest()


def workspace_key(store: Store) -> str:
    """What tells this workspace from others on the same address: 32 hex digits that say nothing.

    Browsers keep unsent labels under it. The database keeps it, so that it stays the same when the
    secret changes or the database moves.
    """
    with answering(), store.session() as session:
        if (fact := session.get(Fact, _KEY)) is not None:
            return fact.value
    with answering(), store.begin_alone() as session:
        if (fact := session.get(Fact, _KEY)) is None:
            session.add(fact := Fact(name=_KEY, value=secrets.token_hex(16)))
        return fact.value


class Managers:
    """The managers of a store who have a link of their own.

    Raises:
        GensetError: the store does not answer (from every method).
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def invite(self, name: str) -> str:
        """Make a link's token for a manager, who is let in again if their link was taken back.

        Only its sha256 is stored: the token cannot be read again, and a new one replaces it. Names
        that differ in case, blanks or the width of letters are one manager's.

        Raises:
            BadInput: the name is not usable.
        """
        name, token = checked_worker(name), secrets.token_urlsafe(24)
        with answering(), self.store.begin_alone() as session:
            there = _named(session, name)
            if there is None:
                session.add(Manager(name=name, subject=hashed(token)))
            else:
                there.subject, there.revoked_at = hashed(token), None
        return token

    def by_token(self, token: str) -> Manager | None:
        """The one whose link has this token; None where it does not hold (any more)."""
        with answering(), self.store.session() as session:
            known = select(Manager).where(Manager.subject == hashed(token))
            return session.scalar(known.where(Manager.revoked_at.is_(None)))

    def all(self) -> list[Manager]:
        """Every manager, by name."""
        with answering(), self.store.session() as session:
            return list(session.scalars(select(Manager).order_by("name")))

    def revoke(self, name: str) -> None:
        """Let this manager's link open nothing any more. What they decided stays.

        Raises:
            BadInput: there is no such manager.
        """
        with answering(), self.store.begin_alone() as session:
            if (there := _named(session, name)) is None:
                raise BadInput(f"there is no manager {name!r}: see genset managers list")
            there.revoked_at = there.revoked_at or now()


def _named(session: Session, name: str) -> Manager | None:
    """The one with this name, however it is written: there are few managers."""
    rows = session.scalars(select(Manager))
    return next((row for row in rows if folded(row.name) == folded(name)), None)
