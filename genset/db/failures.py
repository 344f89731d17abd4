"""What went wrong with the database, in one line that names it and the mend."""

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnection

from genset.core.errors import GensetError, first_line
from genset.db.sqlite import FOLDER, WAIT, code_of, newest_backup, restoring, trouble_in

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_MENDS = {
    sqlite3.SQLITE_BUSY: f"another command has held it for {WAIT:.0f} s: run this one again",
    sqlite3.SQLITE_FULL: "free some room on its disk, then run the same command again",
    sqlite3.SQLITE_IOERR: "see that its disk has room and no fault, then run the command again",
    sqlite3.SQLITE_READONLY: "let this user write to the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "its folder must be there, and this user must be let into it",
}


@contextmanager
def explained(url: str, what: str = "the store {} failed") -> Iterator[None]:
    """Have what the database makes fail in the block end in one line, without secrets.

    A damaged file also makes other code fail: it finds a word that is no verdict, a date of
    letters. So the file is looked at where anything unexpected happens.

    Args:
        url: where the database is, as `Store.open` takes it.
        what: how the line begins; ``{}`` stands for the address.

    Raises:
        GensetError: in the place of what SQLAlchemy or SQLite raised.
    """
    try:
        yield
    except (GensetError, OSError):
        raise
    except (SQLAlchemyError, sqlite3.Error) as error:
        cause = getattr(error, "orig", None) or error
        code = code_of(cause)
        if code not in (*_DAMAGED, *_MENDS) and _damage(url) is not None:
            code = sqlite3.SQLITE_CORRUPT
        raise GensetError(_line(url, what, first_line(cause), code)) from None
    except Exception:
        if (found := _damage(url)) is not None:
            raise GensetError(_line(url, what, found, sqlite3.SQLITE_CORRUPT)) from None
        raise


@contextmanager
def answering() -> Iterator[None]:
    """Say in one line that the database failed: a page of SQL helps no labeler."""
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        raise GensetError(f"the store does not answer: {reason}") from error
    except NoConnection as error:
        raise GensetError("the store does not answer: too many ask at once") from error


def is_away(error: BaseException) -> bool:
    """Whether a database server did not answer, which may pass: it is restarted, or unreachable."""
    return (
        isinstance(error, DBAPIError)
        and not isinstance(error.orig, sqlite3.Error)
        and (error.connection_invalidated or isinstance(error, OperationalError | InterfaceError))
    )


def refuse_emptied(url: str, images: Path) -> None:
    """Take a database that is not there, or empty, for a lost one where there was one.

    There was where photos lie in `images`, or copies in the folder of backups.

    Raises:
        GensetError: the database is lost, or what lies in its place is none of genset's.
    """
    if (file := sqlite_file(url)) is None:
        return
    if file.is_dir():
        raise GensetError(_lost(url, "a folder is in its place"))
    if not file.is_file() or not file.stat().st_size:
        reason = "it is empty" if file.is_file() else "it is not there"
        if any(images.glob("*/*")):
            mend = f"to begin anew, move {images} away"
            raise GensetError(f"{_lost(url, f'{reason}, and there are photos')}; {mend}")
        if newest_backup(file) is not None:
            mend = f"to begin anew, move {file.parent / FOLDER} away"
            raise GensetError(f"{_lost(url, f'{reason}, and there are backups')}; {mend}")
    elif _is_of_another_program(file):
        raise GensetError(_lost(url, "it is another program's database"))


def refuse_damaged(url: str) -> None:
    """Look through all of an SQLite database.

    Raises:
        GensetError: it is damaged.
    """
    if (found := _damage(url)) is not None:
        raise GensetError(_line(url, "the store {} is damaged", found, sqlite3.SQLITE_CORRUPT))


def _lost(url: str, reason: str) -> str:
    return _line(url, "cannot open the store {}", reason, sqlite3.SQLITE_CORRUPT)


def _is_of_another_program(file: Path) -> bool:
    """Whether an SQLite file has tables, but none that every version of genset has."""
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", WAIT, uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error:  # which opening it says in better words
        return False
    return bool(tables) and "alembic_version" not in tables


def _line(url: str, what: str, reason: str, code: int | None) -> str:
    shown = make_url(url).set(query={}).render_as_string(hide_password=True)
    file = sqlite_file(url)
    if file is None:
        mend = "run the same command again when it answers"
    elif code in _DAMAGED:
        mend = _restoring(file)
    else:
        mend = _MENDS.get(code or 0, "")
    return f"{what.format(shown)}: {reason}" + (f"; {mend}" if mend else "")


def _restoring(file: Path) -> str:
    backup = newest_backup(file)
    if backup is not None:
        return f"put the newest backup in its place: {' && '.join(restoring(backup, file))}"
    return (
        f"put a copy of {file} in its place (genset backup makes them, and none is in "
        f"{file.parent / FOLDER}), or save what SQLite's own program can: "
        f"sqlite3 {shlex.quote(str(file))} .recover"
    )


def _damage(url: str) -> str | None:
    """What is wrong with an SQLite database's file; None where it is whole."""
    if (file := sqlite_file(url)) is None or not file.is_file():
        return None
    try:
        with closing(sqlite3.connect(file, WAIT)) as connection:
            return trouble_in(connection, "quick_check")
    except sqlite3.Error as error:
        return first_line(error) if code_of(error) in _DAMAGED else None


def sqlite_file(url: str) -> Path | None:
    """The file of an SQLite database; None for another kind."""
    address = make_url(url)
    return Path(str(address.database)) if address.get_backend_name() == "sqlite" else None
