"""Entry of the command line: run the command, and end with a line for each thing that fails."""

import atexit
import gc
import io
import os
import signal
import sys
from collections.abc import Iterable
from errno import ENOSPC
from functools import partial
from typing import Any, NoReturn

from genset.core.errors import GensetError, Stopped, first_line
from genset.core.safe import visible

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def main() -> None:
    """Run ``genset``; exit code 0, 1 (the work failed), 2 (the words are wrong), or a signal's."""
    if sys.platform == "win32":
        _end(_print(["genset runs on Linux and macOS: on Windows, use it within WSL"], 1))
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and a shell's & have it
            signal.signal(number, partial(_interrupt, os.getpid()))
    atexit.register(_on_signal, signal.SIG_IGN)  # it runs last: Python's own end would die of one
    # Rows by the million are no garbage to look for, nor is what is imported.
    gc.set_threshold(50_000)
    try:
        _end(_run())
    except KeyboardInterrupt as interrupt:
        stopped = Stopped("stopped: run the same command again", interrupt)
        _end(_print(stopped.lines, stopped.exit_code))


def _interrupt(command: int, number: int, _frame: object) -> None:
    """Take a signal for Ctrl-C, and a second one for its user's impatience.

    The processes that a command starts end at once.
    """
    if os.getpid() != command:
        os._exit(128 + number)
    _on_signal(_end_at_once)
    # The store's library would log the line at which the interrupt came.
    getattr(sys.modules.get("logging"), "disable", int)()
    raise KeyboardInterrupt(number)


def _end_at_once(number: int, _frame: object) -> None:
    os.write(2, b"genset: stopped at once: run the same command again\n")
    os._exit(128 + number)


def _on_signal(action: Any) -> None:
    for number in _SIGNALS:
        signal.signal(number, action)


def _run() -> int:
    from genset.cli import cli

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal of Latin-1 has no − and no ’
            stream.reconfigure(errors="replace")
    try:
        return int(cli(prog_name="genset") or 0)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except GensetError as error:
        return _print(error.lines, error.exit_code)
    except OSError as error:
        mend = "; free some space, then run the same command again"
        words = f"{error.strerror or error}{mend if error.errno == ENOSPC else ''}"
        return _print([f"{error.filename or 'the system'}: {words}"], 1)
    except Exception as error:
        # Whether SQLAlchemy raised it, which not every command loads.
        kind = getattr(sys.modules.get("sqlalchemy.exc"), "SQLAlchemyError", ())
        if not isinstance(error, kind):
            raise
        return _print([f"the store failed: {first_line(getattr(error, 'orig', None) or error)}"], 1)


def _print(messages: Iterable[str], code: int) -> int:
    for message in messages:
        print(f"genset: {visible(' '.join(message.split()))}", file=sys.stderr)  # noqa: T201 - its output
    return code


def _end(code: int) -> NoReturn:
    """End with this code, also where a signal came before or comes now."""
    # CPython dies of a SIGINT that came while it ran a string, though it is handled.
    if code > 128 or signal.getsignal(signal.SIGINT) is _end_at_once:
        sys.stdout.flush()
        os._exit(code)
    _on_signal(lambda *_: os._exit(code))
    sys.exit(code)


if __name__ == "__main__":
    main()
