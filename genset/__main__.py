"""Entry of the command line: run the command, and end with a line for each thing that fails."""

import gc
import io
import os
import signal
import sys
from collections.abc import Iterable
from errno import ENOSPC
from functools import partial

from genset.core.errors import GensetError, Stopped, first_line
from genset.core.safe import visible


def main() -> None:
    """Run ``genset``; exit code 0, 1 (the work failed), 2 (the words are wrong), or a signal's."""
    signal.signal(signal.SIGTERM, partial(_interrupt, os.getpid()))
    # Rows by the million are no garbage to look for, nor is what is imported.
    gc.set_threshold(50_000)
    try:
        _run()
    except KeyboardInterrupt as interrupt:
        stopped = Stopped("stopped before it began: run the same command again", interrupt)
        _end(stopped.lines, stopped.exit_code)


def _interrupt(command: int, number: int, _frame: object) -> None:
    """Take SIGTERM for Ctrl-C; the processes that a command starts end at once."""
    if os.getpid() != command:
        os._exit(128 + number)
    raise KeyboardInterrupt(number)


def _run() -> None:
    from genset.cli import cli

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal of Latin-1 has no − and no ’
            stream.reconfigure(errors="replace")
    try:
        cli(prog_name="genset")
    except GensetError as error:
        _end(error.lines, error.exit_code)
    except OSError as error:
        mend = "; free some space, then run the same command again"
        words = f"{error.strerror or error}{mend if error.errno == ENOSPC else ''}"
        _end([f"{error.filename or 'the system'}: {words}"], 1)
    except Exception as error:
        if not _is_of_the_store(error):
            raise
        _end([f"the store failed: {first_line(getattr(error, 'orig', None) or error)}"], 1)


def _is_of_the_store(error: Exception) -> bool:
    """Whether SQLAlchemy raised it, which not every command loads."""
    return isinstance(error, getattr(sys.modules.get("sqlalchemy.exc"), "SQLAlchemyError", ()))


def _end(messages: Iterable[str], code: int) -> None:
    for message in messages:
        print(f"genset: {visible(' '.join(message.split()))}", file=sys.stderr)  # noqa: T201 - its output
    if code > 128:  # CPython dies of a SIGINT that came while it ran a string, though it is handled
        sys.stdout.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
