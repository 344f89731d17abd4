"""Copy the database while others work on it, and say how the copy is put back."""

import shlex
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL, make_url

from genset.core.errors import BadInput, GensetError
from genset.core.files import written_whole
from genset.db.models import now
from genset.db.sqlite import WAIT, trouble_in

FOLDER = "backups"  # beside the database


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
    stamp = f"{now():%Y-%m-%d-%H%M%S}"
    if address.get_backend_name() != "sqlite":
        raise GensetError(_for_postgresql(address, target, stamp))
    source = Path(str(address.database))
    if not source.is_file() or not source.stat().st_size:
        raise BadInput(f"there is no database {source}, so there is nothing to back up")
    if target is None or target.is_dir():
        target = (target or source.parent / FOLDER) / f"{source.stem}-{stamp}.db"
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
    """The last copy that `back_up` laid into its own folder."""
    found = (database.parent / FOLDER).glob(f"{database.stem}-[0-9]*.db")
    newest_first = sorted(found, key=lambda path: path.name, reverse=True)
    return next((copy for copy in newest_first if _is_whole(copy)), None)


def _is_whole(copy: Path) -> bool:
    """Whether a copy holds a database, all of it: whoever laid it there."""
    try:
        with closing(sqlite3.connect(f"{copy.as_uri()}?mode=ro", WAIT, uri=True)) as reading:
            tables = reading.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            return tables > 0 and trouble_in(reading, "quick_check") is None
    except sqlite3.Error:
        return False


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


def _for_postgresql(address: URL, target: Path | None, stamp: str) -> str:
    """What to run for a database that is PostgreSQL's."""
    query = {name: value for name, value in address.query.items() if name != "password"}
    plain = URL.create(
        "postgresql", address.username, None, address.host, address.port, address.database, query
    )
    shown = shlex.quote(plain.render_as_string(hide_password=False))
    if target is None or target.is_dir():
        target = (target or Path()) / f"{address.database}-{stamp}.dump"
    file = shlex.quote(str(target))
    return (
        "this database is PostgreSQL's, whose own program copies it while others work: "
        f"pg_dump --format=custom --file={file} {shown} ; and to restore it: "
        f"pg_restore --clean --if-exists --dbname={shown} {file}"
    )
