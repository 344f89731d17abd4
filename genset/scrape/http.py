"""Talk to hosts: who we are, how fast, how long, how much, and what is worth another try."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urljoin

import requests
from requests.exceptions import ChunkedEncodingError, ConnectionError, HTTPError, Timeout

from genset import __version__
from genset.errors import PhotoRefused, SourceUnavailable

USER_AGENT = f"genset/{__version__} (builds image classification test sets)"
TIMEOUT = (10.0, 30.0)  # seconds to connect, and between two pieces of an answer
MAX_BYTES = 64 * 2**20
MAX_SECONDS = 120.0
TRIES = 4
FIRST_WAIT = 1.0  # seconds before the second try; each further wait is twice as long

T = TypeVar("T")


class _Session(requests.Session):
    """Leaves redirects alone: requests would read their whole body and parse where they lead."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


def new_session() -> requests.Session:
    """A session that says who we are, and follows no redirects."""
    session = _Session()
    session.headers["User-Agent"] = USER_AGENT
    return session


class Pace:
    """Lets one call through every `interval` seconds, whichever thread asks."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Sleep until it is this call's turn."""
        with self._lock:
            turn = max(self._next, time.monotonic())
            self._next = turn + self._interval
        time.sleep(max(0.0, turn - time.monotonic()))


def is_retryable(error: Exception) -> bool:
    """Whether the same call may go through later.

    The one place that decides: connections that broke, time-outs, HTTP 429 and 5xx, and what a
    source itself calls passing.
    """
    if isinstance(error, HTTPError):
        return error.response.status_code == 429 or error.response.status_code >= 500
    return isinstance(error, SourceUnavailable | ConnectionError | Timeout | ChunkedEncodingError)


def with_retries(call: Callable[[], T], *, sleep: Callable[[float], None] = time.sleep) -> T:
    """Make the call, up to `TRIES` times, waiting 1, 2, 4 seconds, or what Retry-After asks for.

    Raises what the last try raised.
    """
    for attempt in range(1, TRIES + 1):
        try:
            return call()
        except Exception as error:
            if attempt == TRIES or not is_retryable(error):
                raise
            sleep(max(FIRST_WAIT * 2 ** (attempt - 1), _retry_after(error)))
    raise AssertionError("the loop above returns or raises")


def download(session: requests.Session, url: str, may_fetch: Callable[[str], bool]) -> bytes:
    """The bytes that `url` serves, at most `MAX_BYTES`.

    Redirects are followed by hand so that every step is checked before it is taken.

    Raises:
        PhotoRefused: the photo is gone, lies on a host that is not allowed, or is too large.
        requests.RequestException: the host failed; `is_retryable` says whether it may pass.
    """
    for _ in range(4):
        if not may_fetch(url):
            raise PhotoRefused("address not allowed")
        with session.get(url, stream=True, timeout=TIMEOUT) as reply:
            if reply.is_redirect:
                url = _led_to(url, reply.headers["Location"])
                # Flickr answers for a removed photo with a picture that says so.
                if "photo_unavailable" in url:
                    raise PhotoRefused("gone")
                continue
            if reply.status_code in (404, 410):
                raise PhotoRefused("gone")
            reply.raise_for_status()
            return _body(reply)
    raise PhotoRefused("too many redirects")


def _led_to(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:  # no address at all, such as http://[
        raise PhotoRefused("address not allowed") from None


def _body(reply: requests.Response) -> bytes:
    started = time.monotonic()
    body = bytearray()
    for piece in reply.iter_content(2**16):
        body += piece
        if len(body) > MAX_BYTES:
            raise PhotoRefused("too large", f"over {MAX_BYTES} bytes")
        if time.monotonic() - started > MAX_SECONDS:
            raise Timeout(f"the picture took longer than {MAX_SECONDS:.0f} s")
    # requests hands over a body that ends early as if it were whole.
    declared = reply.headers.get("Content-Length", "")
    comparable = declared.isdecimal() and "Content-Encoding" not in reply.headers
    if comparable and len(body) != int(declared):
        raise ChunkedEncodingError(f"{len(body)} of {declared} bytes came")
    return bytes(body)


def _retry_after(error: Exception) -> float:
    if not isinstance(error, HTTPError):
        return 0.0
    seconds = error.response.headers.get("Retry-After", "")
    return min(float(seconds), 300.0) if seconds.isdecimal() else 0.0
