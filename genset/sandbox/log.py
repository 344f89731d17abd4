"""The log of what the sandbox was asked, in memory and in a file.

A file has a JSON line for each request, in the order of their answers:

    {"time": "2026-01-31T12:00:00.250000+00:00", "verb": "POST", "what": "flickr.photos.search",
     "params": {"text": "tench", "page": "1"}, "status": 429, "fault": "too_many"}
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from genset.core.errors import BadInput
from genset.sandbox.messages import Reply, Request, without_secrets

_KEPT = 100_000


@dataclass(frozen=True)
class Asked:
    """One request: `what` is what a call asks for or an image's path, `at` monotonic seconds.

    `status` is 0 where the sandbox hung up without an answer; `fault` says what went wrong on
    purpose, or is None.
    """

    at: float
    verb: str
    what: str
    params: dict[str, str]
    status: int
    fault: str | None


class RequestLog:
    """The last 100,000 requests, without their keys and signatures, in the order of their answers.

    All of them go to the end of `file`, each as soon as it is decided what to answer.
    """

    def __init__(self, what: Callable[[Request], str], file: Path | None = None) -> None:
        """`what` says in a word what a request asks for."""
        self._what = what
        self._lock = threading.Lock()
        self._asked: deque[Asked] = deque(maxlen=_KEPT)
        try:
            self._file = file.open("a", buffering=1, encoding="utf-8") if file else None
        except OSError as error:
            raise BadInput(f"cannot log to {file}: {error.strerror}; name another file") from None

    def add(self, request: Request, reply: Reply) -> None:
        """Note a request and what it gets."""
        params = without_secrets(request.params) if request.is_call else {}
        asked = Asked(
            request.at, request.verb, self._what(request), params, reply.status, reply.fault
        )
        with self._lock:
            self._asked.append(asked)
            if self._file:
                self._file.write(_line(asked))

    def of(self, what: str) -> list[Asked]:
        """The requests for one method of the API, as the source's dialect calls it, or one path."""
        return [asked for asked in self if asked.what == what]

    def clear(self) -> None:
        """Forget what was asked so far; the file keeps it."""
        with self._lock:
            self._asked.clear()

    def close(self) -> None:
        """Close the file; whoever is still being answered is noted in memory alone."""
        with self._lock:
            if self._file:
                self._file.close()
            self._file = None

    def __iter__(self) -> Iterator[Asked]:
        with self._lock:
            return iter(list(self._asked))

    def __len__(self) -> int:
        with self._lock:
            return len(self._asked)


def _line(asked: Asked) -> str:
    fields = asdict(asked)
    ago = timedelta(seconds=time.monotonic() - fields.pop("at"))
    came = (datetime.now(UTC) - ago).isoformat(timespec="microseconds")
    return json.dumps({"time": came, **fields}) + "\n"
