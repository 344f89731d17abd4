"""What a client sends to the sandbox and what it gets, and the log of both.

The log's file has a JSON line for each request, in the order of their answers:

    {"time": "2026-01-31T12:00:00.250000+00:00", "verb": "POST", "what": "flickr.photos.search",
     "params": {"text": "tench", "page": "1"}, "status": 429, "fault": "too_many"}
"""

import json
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from genset.core.errors import BadInput

Params = Mapping[str, str]

# The sources' APIs stand at different paths, and nothing else of theirs does.
_CALLS = re.compile(r"/services/rest/?|/w/api\.php|/v1(?:/.*)?")

_SECRETS = {"api_key", "api_sig", "auth_token"}

_PAGE = "<!DOCTYPE html>\n<html><head><title>{0}</title></head><body><h1>{0}</h1></body></html>\n"


@dataclass(frozen=True)
class Request:
    """What a client sent: the form's fields, if it was one, stand among `params`.

    `at` is when it came, in monotonic seconds; `agent` is the client's User-Agent; `at_once`, how
    many of its requests are being answered, this one included.
    """

    verb: str
    path: str
    params: dict[str, str] = field(repr=False)
    at: float = field(default_factory=time.monotonic, compare=False)
    agent: str = field(default="", compare=False)
    at_once: int = field(default=1, compare=False)

    @property
    def is_call(self) -> bool:
        """Whether it is for the API, and not for an image."""
        return _CALLS.fullmatch(self.path) is not None


@dataclass(frozen=True)
class Reply:
    """What the client gets; a HEAD gets all of it but the body.

    A reply that went wrong on purpose names its `fault` (see `faults.py`). With `cut`, the
    connection breaks after so many bytes of the body; with `hang`, it breaks after so many
    seconds, and nothing is answered at all: the status then is 0.
    """

    status: int
    content_type: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    fault: str | None = None
    cut: int | None = None
    hang: float | None = None


def web_page(status: int, text: str) -> Reply:
    """A page for people, where a client wants data or an image."""
    return Reply(status, "text/html; charset=utf-8", _PAGE.format(text).encode())


def without_secrets(params: Params) -> dict[str, str]:
    """A call's parameters as they may be logged: no key, no token, no signature."""
    return {
        key: value
        for key, value in params.items()
        if key not in _SECRETS and not key.startswith("oauth_")
    }


_KEPT = 100_000


@dataclass(frozen=True)
class LogEntry:
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
        self._asked: deque[LogEntry] = deque(maxlen=_KEPT)
        try:
            self._file = file.open("a", buffering=1, encoding="utf-8") if file else None
        except OSError as error:
            raise BadInput(f"cannot log to {file}: {error.strerror}; name another file") from None

    def add(self, request: Request, reply: Reply) -> None:
        """Note a request and what it gets."""
        params = without_secrets(request.params) if request.is_call else {}
        entry = LogEntry(
            request.at, request.verb, self._what(request), params, reply.status, reply.fault
        )
        with self._lock:
            self._asked.append(entry)
            if self._file:
                self._file.write(_line(entry))

    def of(self, what: str) -> list[LogEntry]:
        """The requests for one method of the API, as the source's dialect calls it, or one path."""
        return [entry for entry in self if entry.what == what]

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

    def __iter__(self) -> Iterator[LogEntry]:
        with self._lock:
            return iter(list(self._asked))

    def __len__(self) -> int:
        with self._lock:
            return len(self._asked)


def _line(entry: LogEntry) -> str:
    fields = asdict(entry)
    ago = timedelta(seconds=time.monotonic() - fields.pop("at"))
    moment = (datetime.now(UTC) - ago).isoformat(timespec="microseconds")
    return json.dumps({"time": moment, **fields}) + "\n"


class Crowd:
    """Counts the requests that came and have no answer yet, by client; `most` is the most ever."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now: Counter[str] = Counter()
        self.most = 0

    @contextmanager
    def enter(self, client: str) -> Iterator[int]:
        """Count a request of this client as long as it is being answered: how many there are."""
        with self._lock:
            self._now[client] += 1
            at_once = self._now[client]
            self.most = max(self.most, at_once)
        try:
            yield at_once
        finally:
            with self._lock:
                self._now[client] -= 1
