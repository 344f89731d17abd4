"""Talk to hosts: who we are, how fast, how long, how much, and what is worth another try."""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests.exceptions import ChunkedEncodingError, ConnectionError, HTTPError, Timeout

from genset import __version__
from genset.errors import PhotoRefused, SourceUnavailable
from genset.scrape.pace import Pace

USER_AGENT = f"genset/{__version__} (builds image classification test sets)"
TIMEOUT = (10.0, 30.0)  # seconds to connect, and between two pieces of an answer
MAX_BYTES = 64 * 2**20
MAX_SECONDS = 120.0
TRIES = 4
FIRST_WAIT = 1.0  # seconds before the second try; each further wait is twice as long

_PHOTO_HEADERS = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity"}
_PIECE = 2**16

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


def is_retryable(error: Exception) -> bool:
    """Whether the same call may go through later.

    The one place that decides: connections that broke, time-outs, HTTP 429 and 5xx, and what a
    source itself calls passing.
    """
    if isinstance(error, HTTPError):
        return error.response.status_code == 429 or error.response.status_code >= 500
    return isinstance(error, SourceUnavailable | ConnectionError | Timeout | ChunkedEncodingError)


def in_short(error: requests.RequestException) -> str:
    """What went wrong, in words of ours alone: a host's own may be any."""
    if error.response is not None:
        return f"HTTP {error.response.status_code}"
    return type(error).__name__


def with_retries(
    call: Callable[[], T], pace: Pace | None = None, *, sleep: Callable[[float], None] = time.sleep
) -> T:
    """Make the call, up to `TRIES` times, waiting 1, 2, 4 seconds, or what Retry-After asks for.

    Every try waits for its turn at the host's `pace`, and a host that says "too many" (HTTP 429)
    is left alone for that long by everybody who shares the pace.

    Raises what the last try raised.
    """
    for attempt in range(1, TRIES + 1):
        if pace is not None:
            pace.wait()
        try:
            return call()
        except Exception as error:
            if not is_retryable(error):
                raise
            seconds = max(FIRST_WAIT * 2 ** (attempt - 1), _retry_after(error))
            if pace is not None and _is_too_many(error):
                pace.slow_down(seconds)
            if attempt == TRIES:
                raise
            sleep(seconds)
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
        with _asked(session, url) as reply:
            if reply.is_redirect:
                url = _led_to(url, reply.headers["Location"])
                # Flickr answers for a removed photo with a picture that says so.
                if "photo_unavailable" in url:
                    raise PhotoRefused("gone")
                continue
            if reply.status_code in (404, 410):
                raise PhotoRefused("gone")
            reply.raise_for_status()
            if reply.status_code != 200:
                raise PhotoRefused("bad answer", f"HTTP {reply.status_code}")
            if "Content-Encoding" in reply.headers:  # which nobody asked for
                raise PhotoRefused("bad answer", "Content-Encoding")
            return _body(reply)
    raise PhotoRefused("too many redirects")


def _asked(session: requests.Session, url: str) -> requests.Response:
    """Like `session.get`, whose own preparations take as long as the download of a small photo."""
    request = requests.Request("GET", url, headers=_PHOTO_HEADERS).prepare()
    address = urlsplit(url)
    settings = _environment(f"{address.scheme}://{address.netloc}")
    return session.send(request, timeout=TIMEOUT, **settings)


@lru_cache(maxsize=64)
def _environment(host: str) -> dict[str, Any]:
    """What environment variables say of proxies and certificates on the way to a host."""
    return dict(requests.Session().merge_environment_settings(host, {}, True, None, None))


def _led_to(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:  # no address at all, such as http://[
        raise PhotoRefused("address not allowed") from None


def _body(reply: requests.Response) -> bytes:
    ends = time.monotonic() + MAX_SECONDS
    body = bytearray()
    try:
        # `reply.iter_content` waits until a piece is full: for ever, where a byte drips at a time.
        while piece := reply.raw.read1(_PIECE):
            body += piece
            if len(body) > MAX_BYTES:
                raise PhotoRefused("too large", f"over {MAX_BYTES} bytes")
            if time.monotonic() > ends:
                raise Timeout(f"the picture took longer than {MAX_SECONDS:.0f} s")
    except urllib3.exceptions.HTTPError as error:  # it ended early, among others
        raise ChunkedEncodingError(error) from None
    return bytes(body)


def _is_too_many(error: Exception) -> bool:
    return isinstance(error, HTTPError) and error.response.status_code == 429


def _retry_after(error: Exception) -> float:
    if not isinstance(error, HTTPError):
        return 0.0
    seconds = error.response.headers.get("Retry-After", "")
    return min(float(seconds), 300.0) if seconds.isdecimal() else 0.0
