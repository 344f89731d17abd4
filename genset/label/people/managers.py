"""Managers by name: links that can be taken back."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Manager as ManagerRow
from genset.db import Store, now
from genset.label.answering import answering
from genset.label.people.labelers import checked_worker, hashed


@dataclass(frozen=True, slots=True)
class Manager:
    """Somebody who may see and decide all, unless `revoked_at` is set."""

    id: int
    name: str
    created_at: datetime
    revoked_at: datetime | None


class Managers:
    """The managers of a store who have a link of their own.

    Raises:
        GensetError: the store does not answer (from every method).
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def invite(self, name: str) -> str:
        """Make a link's token for a manager, who is let in again if their link was taken back.

        Only its sha256 is stored: the token cannot be read again, and a new one replaces it.

        Raises:
            BadInput: the name is not usable.
        """
        name, token = checked_worker(name), secrets.token_urlsafe(24)
        with self._alone() as session:
            there = session.scalar(select(ManagerRow).where(ManagerRow.name == name))
            if there is None:
                session.add(ManagerRow(name=name, subject=hashed(token)))
            else:
                there.subject, there.revoked_at = hashed(token), None
        return token

    def by_token(self, token: str) -> Manager | None:
        """The one whose link has this token; None where it does not hold (any more)."""
        with answering(), self.store.session() as session:
            there = session.scalar(
                select(ManagerRow).where(
                    ManagerRow.subject == hashed(token), ManagerRow.revoked_at.is_(None)
                )
            )
            return None if there is None else _manager(there)

    def all(self) -> list[Manager]:
        """Every manager, by name."""
        with answering(), self.store.session() as session:
            return list(map(_manager, session.scalars(select(ManagerRow).order_by("name"))))

    def revoke(self, name: str) -> None:
        """Let this manager's link open nothing any more. What they decided stays.

        Raises:
            BadInput: there is no such manager.
        """
        with self._alone() as session:
            there = session.scalar(select(ManagerRow).where(ManagerRow.name == name))
            if there is None:
                raise BadInput(f"there is no manager {name!r}: see genset managers list")
            there.revoked_at = there.revoked_at or now()

    @contextmanager
    def _alone(self) -> Iterator[Session]:
        with answering(), self.store.begin_alone() as session:
            yield session


def _manager(row: ManagerRow) -> Manager:
    return Manager(row.id, row.name, row.created_at, row.revoked_at)
