"""Open the database, and bring its tables up to date."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session, sessionmaker

from genset.errors import BadInput, GensetError, MissingExtra

MIGRATIONS = Path(__file__).parent / "migrations"

# The newest file in migrations/versions. Written here so that opening a database that is up to
# date, which every command does, need not load Alembic.
HEAD = "0003"


class Store:
    """The database of a workspace.

    ``with store.begin() as session:`` is one transaction: committed at the end of the block,
    rolled back by an exception.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writing = sessionmaker(_writing(engine), expire_on_commit=False)
        # SQLite's way of waiting for its one writer is to look again now and then, and among many
        # threads one may look in vain for long; so those of a process take turns.
        is_sqlite = engine.dialect.name == "sqlite"
        self._turn = threading.RLock() if is_sqlite else nullcontext()

    @contextmanager
    def begin(self) -> Iterator[Session]:
        """A transaction that may write."""
        with self._turn, self._writing.begin() as session:
            yield session

    @contextmanager
    def begin_alone(self) -> Iterator[Session]:
        """A transaction that no other of its kind runs beside, in whatever process.

        For "look whether it is there, and add it if not". SQLite has one writer at a time anyway.
        """
        with self.begin() as session:
            if self.engine.dialect.name == "postgresql":
                session.execute(text("SELECT pg_advisory_xact_lock(7106552)"))
            yield session

    @classmethod
    def open(cls, url: str) -> "Store":
        """Connect to `url`, creating or upgrading the tables where that is needed.

        Raises:
            BadInput: a newer genset wrote this database.
            MissingExtra: PostgreSQL is asked for and its driver is not installed.
            GensetError: the database does not answer.
        """
        shown = make_url(url).set(query={}).render_as_string(hide_password=True)
        try:
            # A labeling server has up to 40 threads, and each may need a connection.
            engine = create_engine(url, max_overflow=45)
        except ModuleNotFoundError:
            raise MissingExtra("a PostgreSQL store", "postgresql") from None
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
        try:
            revision = _revision(engine)
            if revision is None or revision < HEAD:
                upgrade(engine)
        except DatabaseError as error:
            engine.dispose()
            reason = str(error.orig).strip().splitlines()[0]
            raise GensetError(f"cannot open the store {shown}: {reason}") from None
        if revision is not None and revision > HEAD:
            engine.dispose()
            raise BadInput(
                f"the store {shown} was written by a newer genset (its tables are at {revision}, "
                f"this genset knows {HEAD}): upgrade genset"
            )
        return cls(engine)

    def close(self) -> None:
        """Give back every connection."""
        self.engine.dispose()

    def session(self) -> Session:
        """A session to read with; `begin` is the one to write with."""
        return Session(self.engine)


def upgrade(engine: Engine) -> None:
    """Run the migrations that this database has not seen."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with _writing(engine).begin() as connection:
        # Two commands may open a new workspace at once: the second waits, then finds it done.
        # (SQLite has let in one writer only.)
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(7106551)"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        return revision


def _writing(engine: Engine) -> Engine:
    """The same connections, whose transactions are meant to write."""
    return engine.execution_options(genset_writes=True)


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later fails at once, whatever the time-out, when
    # another process wrote in between; so one that means to write takes its place at the start.
    writes = connection.get_execution_options().get("genset_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # leave BEGIN to _begin_sqlite, not to the sqlite3 module
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 30000")
    cursor.execute("PRAGMA journal_mode = WAL")
    # FULL, not WAL's usual NORMAL: what a command reported done must survive a power cut.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA recursive_triggers = ON")  # REPLACE deletes too, and must not a label
    cursor.close()
