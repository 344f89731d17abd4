"""New databases in no time: copies of one that the migrations made once in this process.

And SQLAlchemy writes a statement as SQL once in a process, not once for each database.
"""

import sqlite3
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import Engine, event, inspect

from genset.db import database

MIGRATE = database.upgrade

_DIALECTS: dict[str, sqlalchemy.Dialect] = {}
_WRITTEN: dict[Any, Any] = {}


def create_engine(url: str, **options: Any) -> Engine:
    """What SQLAlchemy's does; all engines of a kind of database know the SQL of each other's."""
    engine = sqlalchemy.create_engine(url, **options)

    @event.listens_for(engine, "connect")
    def share(*_: object) -> None:  # only one that has asked the database what it can do
        engine.dialect = _DIALECTS.setdefault(engine.name, engine.dialect)

    engine.update_execution_options(compiled_cache=_WRITTEN)
    return engine


def upgrade(engine: Engine) -> None:
    """What `genset.db.database.upgrade` does; a new SQLite file gets its tables as text."""
    if engine.dialect.name == "sqlite":
        with engine.execution_options(genset_writes=True).begin() as connection:
            if not inspect(connection).get_table_names():
                for statement in _tables():
                    connection.exec_driver_sql(statement)
                return
    MIGRATE(engine)


@cache
def _tables() -> tuple[str, ...]:
    with tempfile.TemporaryDirectory(prefix="genset-") as name:
        path = Path(name) / "genset.db"
        engine = database.create_engine(f"sqlite:///{path}")
        database.sqlite.prepare(engine)
        MIGRATE(engine)
        engine.dispose()
        made = sqlite3.connect(path)
        told = [line for line in made.iterdump() if line not in ("BEGIN TRANSACTION;", "COMMIT;")]
        made.close()
    return tuple(told)
