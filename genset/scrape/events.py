"""What a scrape says to other programs: a line of JSON for each call, and a command at its end."""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from genset.core.errors import BadInput
from genset.core.progress import say

_PATIENCE = 60  # seconds that a command at the end may take


class EventLog:
    """A file to which events are appended. One that cannot be written to later ends no scrape.

    Some lines::

        {"time": "2026-05-01T12:00:00.123+00:00", "host": "Flickr", "class": "n01440764",
         "query": "tench (page 1)", "status": "ok", "decision": "stored 50 of 1,204 photos"}
        {"time": "2026-05-01T12:00:03.456+00:00", "host": "Flickr's image host",
         "status": "asked to wait", "decision": "paused until 2026-05-01 12:00 UTC"}

    Raises:
        BadInput: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        try:
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"--log {path}: {error.strerror}") from None

    def write(self, event: dict[str, str]) -> None:
        """Append an event, as `genset.net.hosts.Hosts` gives it."""
        time = {"time": datetime.now(UTC).isoformat(timespec="milliseconds")}
        with self._lock:
            try:
                self._file.write(json.dumps(time | event) + "\n")
                self._file.flush()
            except OSError as error:
                say(f"{self._path} lacks events from now on: {error.strerror}")
                self._file = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the scrape


@contextmanager
def notifying(command: Sequence[str]) -> Iterator[list[str]]:
    """Run a command, if there is one, when the block ends or fails.

    It finds on its standard input the lines that the block adds to the list, and why it failed; and
    the exit code in GENSET_EXIT_CODE. No shell reads it.
    """
    lines: list[str] = []
    code = 0
    try:
        yield lines
    except BaseException as error:
        code = getattr(error, "exit_code", 1)
        lines.append(f"ended with {code}: {str(error) or type(error).__name__}")
        raise
    finally:
        if command:
            try:
                subprocess.run(  # noqa: S603 - the user's own words
                    command,
                    input=("\n".join(lines) + "\n").encode(),
                    stdout=2,  # what the scrape prints may be JSON
                    env=os.environ | {"GENSET_EXIT_CODE": str(code)},
                    timeout=_PATIENCE,
                    check=True,
                )
            except subprocess.CalledProcessError as error:
                say(f"the command of --notify ended with {error.returncode}")
            except (subprocess.TimeoutExpired, OSError) as error:
                say(f"--notify: {getattr(error, 'strerror', f'stopped after {_PATIENCE} seconds')}")
