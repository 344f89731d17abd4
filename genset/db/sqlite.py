"""How SQLite is used: write-ahead logging, one writer after the other, and copies of a database."""

import shlex
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import make_url

from genset.core.errors import BadInput, GensetError
from genset.core.files import written_whole
from genset.db.models import now

WAIT = 30.0  # seconds, for other commands to have done
FOLDER = "backups"  # beside the database
_LOOK_AGAIN = 0.02  # seconds


def prepare(engine: Engine) -> None:
    """Set up what every connection of an engine is to do; nothing is opened yet."""
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)


def switch_to_wal(engine: Engine) -> None:
    """Have the database keep a write-ahead log, once: its file remembers.

    Unlike other statements, the switch does not wait while another command is busy with the file,
    as several are that open a new workspace at once.

    Raises:
        sqlite3.Error: the file cannot be opened, or stays busy for `WAIT` seconds.
    """
    ends = time.monotonic() + WAIT
    with closing(engine.raw_connection()) as connection:
        cursor = connection.cursor()
        while cursor.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            try:
                cursor.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if code_of(error) != sqlite3.SQLITE_BUSY or time.monotonic() > ends:
                    raise
                time.sleep(_LOOK_AGAIN)
            else:
                return  # some file systems cannot; SQLite works there all the same


def code_of(error: BaseException | None) -> int | None:
    """SQLite's primary result code, such as ``sqlite3.SQLITE_BUSY``; None where there is none."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def trouble_in(connection: sqlite3.Connection, check: str = "integrity_check") -> str | None:
    """What SQLite's own check of a database finds first, in one line; None where it is whole."""
    connection.text_factory = lambda text: text.decode(errors="replace")
    try:
        (found,) = connection.execute(f"PRAGMA {check}(1)").fetchone()
    except UnicodeDecodeError:  # the sqlite3 module fails at a message that names what is there
        return "malformed names"
    return None if found == "ok" else " ".join(found.split())


def _prepare(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # leave BEGIN to _begin, not to the sqlite3 module
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {WAIT * 1000:.0f}")
    # FULL, not WAL's usual NORMAL: what a command reported done must survive a power cut.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA recursive_triggers = ON")  # REPLACE deletes too, and must not a label
    cursor.close()


def _begin(connection: Connection) -> None:
    # A transaction that reads first and writes later fails at once, whatever the time-out, when
    # another process wrote in between; so one that means to write takes its place at the start.
    writes = connection.get_execution_options().get("genset_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of a database: its file, its size in bytes, and the commands that put it back."""

    file: str
    bytes: int
    restore: list[str]


def back_up(url: str, target: Path | None = None) -> Backup:
    """Copy an SQLite database as it is at one moment, and check the copy.

    Others may read and write meanwhile. The database is copied as it is: a newer genset does not
    bring its tables up to date first.

    Args:
        url: where the database is, as `Store.open` takes it.
        target: the copy's file or its folder; a file with the time in its name, in a folder
            `FOLDER` beside the database, where not given.

    Raises:
        BadInput: there is no database yet, or the target is there already.
        GensetError: the database is PostgreSQL's, which has a program of its own for this.
        sqlite3.Error: it is damaged or cannot be read, or the copy cannot be written.
    """
    address = make_url(url)
    if address.get_backend_name() != "sqlite":
        raise GensetError(
            "this database is PostgreSQL's: pg_dump copies it while others work, and pg_restore "
            "puts the copy back"
        )
    source = Path(str(address.database))
    if not source.is_file() or not source.stat().st_size:
        raise BadInput(f"there is no database {source}, so there is nothing to back up")
    if target is None or target.is_dir():
        target = (target or source.parent / FOLDER) / f"{source.stem}-{now():%Y-%m-%d-%H%M%S}.db"
    target = target.resolve()
    if target.exists():
        raise BadInput(f"{target} is there already: name another file")
    with written_whole(target) as file:
        _copy(source, Path(file.name))
    return Backup(str(target), target.stat().st_size, restoring(target, source))


def restoring(backup: Path, database: Path) -> list[str]:
    """The shell's commands that put a backup in the database's place, when nobody uses it.

    The log beside the database belongs to its old content: it must not be read into the new one.
    """
    here, copy = shlex.quote(str(database)), shlex.quote(str(backup))
    log, index = (shlex.quote(f"{database}-{part}") for part in ("wal", "shm"))
    aside = shlex.quote(f"{database}.aside")
    return [f"mv {here} {aside}", f"rm -f {log} {index}", f"cp {copy} {here}"]


def newest_backup(database: Path) -> Path | None:
    """The last copy that `back_up` laid into its own folder, and checked then."""
    found = (database.parent / FOLDER).glob(f"{database.stem}-[0-9]*.db")
    return max(found, key=lambda path: path.name, default=None)


def _copy(source: Path, copy: Path) -> None:
    with (
        closing(sqlite3.connect(f"{source.as_uri()}?mode=rw", WAIT, uri=True)) as reading,
        closing(sqlite3.connect(copy, isolation_level=None)) as writing,
    ):
        reading.backup(writing)  # in one step: all of it is of one moment
        writing.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        if (trouble := trouble_in(writing)) is not None:
            error = sqlite3.DatabaseError(trouble)
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error
