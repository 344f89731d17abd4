"""The two databases that a store may live in; each test gets an empty one."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from genset.store import Store


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a new database, on SQLite and on PostgreSQL by turns."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'genset.db'}"
        return
    server = make_url(request.getfixturevalue("postgresql_server"))
    name = f"genset_{uuid.uuid4().hex}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        yield server.set(database=name).render_as_string(hide_password=False)
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    finally:
        engine.dispose()


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An open store without a row."""
    opened = Store.open(store_url)
    yield opened
    opened.close()
