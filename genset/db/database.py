"""Open the database, bring its tables up to date, move it to another address."""

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CursorResult,
    Engine,
    Executable,
    Text,
    TypeDecorator,
    bindparam,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.engine import Dialect, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from genset.classes import Taxonomy
from genset.core.errors import BadInput, needs_extra
from genset.db import sqlite
from genset.db.failures import explained
from genset.db.models import Base
from genset.db.taxonomies import stored_taxonomy

_NEVER_ANALYZED = text(
    "SELECT reltuples < 0 FROM pg_class WHERE oid = CAST('candidate' AS regclass)"
)

_A_RESTART = 3.0  # seconds for which a server may be away, and nobody notices
_LOOK_AGAIN = 5.0  # seconds: a server runs for days, and classes may be added meanwhile

MIGRATIONS = Path(__file__).parent / "migrations"

# The newest file in migrations/versions. Written here so that opening a database that is up to
# date, which every command does, need not load Alembic.
HEAD = "0001"


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
        self._taxonomy: Taxonomy | None = None
        self._looked_at = 0.0

    @property
    def taxonomy(self) -> Taxonomy:
        """The workspace's classes, as they were at most a few seconds ago."""
        now = time.monotonic()
        if self._taxonomy is None or now - self._looked_at > _LOOK_AGAIN:
            with self.session() as session:
                self._taxonomy = stored_taxonomy(session)
            self._looked_at = now
        return self._taxonomy

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
            GensetError: the database does not answer, or is damaged.
        """
        shown = make_url(url).set(query={}).render_as_string(hide_password=True)
        with needs_extra("a PostgreSQL store", "postgresql"):
            # A labeling server has up to 40 threads, and each may need a connection.
            # A server may have been restarted since a connection was used last.
            is_server = make_url(url).get_backend_name() != "sqlite"
            # A server set up without a locale has databases without an encoding.
            options = {"client_encoding": "utf8"} if is_server else {}
            engine = create_engine(
                url, max_overflow=45, pool_pre_ping=is_server, connect_args=options
            )
            if is_server:
                event.listen(engine, "do_connect", _connect_patiently)
        try:
            with explained(url, "cannot open the store {}"):
                if engine.dialect.name == "sqlite":
                    sqlite.prepare(engine)
                    sqlite.switch_to_wal(engine)
                revision = _revision(engine)
                if revision is None or revision < HEAD:
                    upgrade(engine)
        except BaseException:
            engine.dispose()
            raise
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

    def insert(self, table: type[Base]) -> "postgresql.Insert | sqlite_dialect.Insert":
        """An INSERT that can be told what to do where a row is there already."""
        if self.engine.dialect.name == "sqlite":
            return sqlite_dialect.insert(table)
        return postgresql.insert(table)

    def analyze(self) -> None:
        """Let PostgreSQL look at its tables, if it never did: it takes them for empty until then.

        It looks by itself, but minutes after they were filled. SQLite finds its way by the indexes
        alone.
        """
        if self.engine.dialect.name == "postgresql":
            with self.begin() as session:
                if session.scalar(_NEVER_ANALYZED):
                    session.execute(text("ANALYZE"))

    def session(self) -> Session:
        """A session to read with; `begin` is the one to write with."""
        return Session(self.engine)


def _connect_patiently(
    dialect: Dialect, _: object, words: Sequence[Any], options: Mapping[str, Any]
) -> DBAPIConnection:
    """Connect to a server, which may be on its way up again."""
    from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

    retrying = Retrying(
        retry=retry_if_exception_type(dialect.loaded_dbapi.OperationalError),
        stop=stop_after_delay(_A_RESTART),
        wait=wait_fixed(_A_RESTART / 10),
        reraise=True,
    )
    return retrying(dialect.connect, *words, **options)


def ask(
    session: Session,
    statement: Executable,
    values: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
) -> CursorResult[*tuple[Any, ...]]:
    """Ask for columns, where many wait: past the ORM, which takes longer than the question."""
    session.flush()
    return session.connection().execute(statement, values)


class _List(TypeDecorator[Any]):
    """A list as one value: an array, or JSON where there are none."""

    impl = Text
    cache_ok = True

    def __init__(self, of: type[TypeEngine[Any]]) -> None:
        super().__init__()
        self.of = of

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return Text() if dialect.name == "sqlite" else postgresql.ARRAY(self.of)

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return json.dumps(list(value)) if dialect.name == "sqlite" else list(value)


class _Among(FunctionElement[bool]):
    inherit_cache = True
    name = "among"  # without a type: SQLite would compare a truth value with 1, past the index


@compiles(_Among)
def _compiled(element: _Among, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(clause, **options) for clause in element.clauses)
    if compiler.dialect.name == "sqlite":
        return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608
    return f"{column} = ANY ({values})"  # which finds its way by an index, as a subquery may not


def among(column: Any, name: str) -> ColumnElement[bool]:
    """That a column, of numbers or words, has a value of the list that is handed over as `name`.

    Unlike ``IN (?, ?, ?)`` it is one statement for lists of any length, prepared once.
    """
    of = BigInteger if column.type.python_type is int else Text
    return _Among(column, bindparam(name, type_=_List(of)))


def is_postgresql(session: Session) -> bool:
    """Whether there are locks to take: a transaction that writes has SQLite to itself."""
    return session.get_bind().dialect.name == "postgresql"


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


_AT_ONCE = 5000  # rows


def copy_database(source: str, target: str) -> int:
    """Copy all rows of one database into an empty one, and return how many there are.

    It is one transaction: after an error nothing is there.

    Raises:
        BadInput: the target has rows already.
        GensetError: one of the two does not answer, or is damaged.
    """
    rows = 0
    with (
        closing(Store.open(source)) as old,
        closing(Store.open(target)) as new,
        explained(target, "nothing was copied to the store {}"),
        old.begin() as reading,
        new.begin_alone() as writing,
    ):
        tables = Base.metadata.sorted_tables
        if any(writing.scalar(select(func.count()).select_from(table)) for table in tables):
            raise BadInput("the database to move to is not empty: name an empty one")
        for table in tables:
            rows_of = select(table).order_by(*table.primary_key)
            found = reading.execute(rows_of.execution_options(yield_per=_AT_ONCE))
            for part in found.mappings().partitions(_AT_ONCE):
                writing.execute(insert(table), [dict(row) for row in part])
                rows += len(part)
            column = table.autoincrement_column
            if new.engine.dialect.name == "postgresql" and column is not None:
                sequence = func.pg_get_serial_sequence(table.name, column.name)
                last = func.max(column)
                writing.execute(select(func.setval(sequence, last)).having(last.is_not(None)))
    return rows
