"""How SQLite is used: write-ahead logging, and one writer after the other."""

import sqlite3
import time
from contextlib import closing
from typing import Any

from sqlalchemy import Connection, Engine, event

WAIT = 30.0  # seconds, for other commands to have done
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
