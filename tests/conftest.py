"""Fixtures that several rooms share: the real data, and the two databases."""

import gc
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from genset.db import Store
from tests import databases
from tests.browser import chromium

ROOT = Path(__file__).parent.parent

# Tests that a shell started in the background ignore Ctrl-C, and so would all commands they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine may take its time with any example.
settings.register_profile(
    "genset", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("genset")


gc.disable()  # what is read before the first test stays to the end


def pytest_collection_finish() -> None:
    """Let no garbage collection look through all tests again."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def copied_tables() -> Iterator[None]:
    """A new SQLite database is a copy of one that the migrations made: many tests need one each.

    Not in commands that run in processes of their own, and not in tests/db.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("genset.db.database.create_engine", databases.create_engine)
        patch.setattr("genset.db.database.upgrade", databases.upgrade)
        yield


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real photos and records; its tests are skipped where there is none."""
    named = os.environ.get("GENSET_REALDATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if not (folder / "photos").is_dir():
        pytest.skip(f"no real data: {folder} is not there, and GENSET_REALDATA does not name it")
    return folder.resolve()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The URL of a PostgreSQL server: GENSET_TEST_POSTGRESQL, or a throw-away one of our own."""
    if named := os.environ.get("GENSET_TEST_POSTGRESQL"):
        yield named
        return
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("initdb")
    folder = Path(found).parent if found else programs[-1] if programs else None
    if folder is None:
        pytest.skip("no PostgreSQL: install Debian's postgresql, or set GENSET_TEST_POSTGRESQL")
    # initdb refuses to run as root, so a root user hands the server to Debian's `postgres`.
    # (It lies in /usr/sbin, which not every PATH names.)
    runuser = shutil.which("runuser", path=f"{os.environ['PATH']}:/usr/sbin") or "runuser"
    as_user = [runuser, "-u", "postgres", "--"] if os.getuid() == 0 else []
    # Not in pytest's folder, which every run of pytest closes to other users when it starts.
    base = Path(tempfile.mkdtemp(prefix="genset-postgresql-"))
    if as_user:
        shutil.chown(base, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data, log = base / "data", base / "log"

    def run(*command: str) -> None:
        subprocess.run([*as_user, *command], check=True, capture_output=True, cwd="/")

    run(f"{folder}/initdb", "-N", "-D", str(data), "-U", "genset", "-A", "trust", "-E", "UTF8")
    options = f"-h 127.0.0.1 -p {port} -k {base} -c fsync=off"
    run(f"{folder}/pg_ctl", "-D", str(data), "-l", str(log), "-w", "-o", options, "start")
    try:
        yield f"postgresql+psycopg://genset@127.0.0.1:{port}/postgres"
    finally:
        run(f"{folder}/pg_ctl", "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(base)


@pytest.fixture(scope="session")
def postgresql_template(postgresql_server: str) -> Iterator[str]:
    """The name of a database with all tables, to copy."""
    with _database(postgresql_server, "template0") as (name, url):
        Store.open(url).close()
        yield name


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a new database, on SQLite and on PostgreSQL by turns."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'genset.db'}"
        return
    server = request.getfixturevalue("postgresql_server")
    with _database(server, request.getfixturevalue("postgresql_template")) as (_, url):
        yield url


@pytest.fixture
def postgresql(postgresql_server: str, postgresql_template: str) -> Iterator[str]:
    """The URL of a new PostgreSQL database."""
    with _database(postgresql_server, postgresql_template) as (_, url):
        yield url


@pytest.fixture
def postgresql_without_encoding(postgresql_server: str) -> Iterator[str]:
    """The URL of a new database as Debian makes it on a server without a locale."""
    with _database(postgresql_server, "template0 ENCODING SQL_ASCII LOCALE 'C'") as (_, url):
        yield url


@contextmanager
def _database(server: str, template: str) -> Iterator[tuple[str, str]]:
    """The name and the URL of a new database, a copy of `template`; dropped at the end."""
    name = f"genset_{uuid.uuid4().hex}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
        yield name, make_url(server).set(database=name).render_as_string(hide_password=False)
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    finally:
        engine.dispose()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests that look at pages: Playwright starts only one in a process."""
    with chromium() as started:
        yield started
