"""Talk to hosts: who we are, how long, how much, and what is worth another try.

An answer must be whole by a deadline, however slowly its host sends it. The timeout of a socket
begins anew with each byte, so a host that sends a byte every three seconds is never late. Between
two pieces of a body one can look at the clock; while the head is read, or the line before a chunk,
nobody can. So the clock is looked at where bytes come in (`_TimedReader`).
"""

import io
import logging
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.exceptions import (
    ChunkedEncodingError,
    ConnectionError,
    HTTPError,
    InvalidHeader,
    InvalidURL,
    ReadTimeout,
    Timeout,
)
from requests.utils import DEFAULT_CA_BUNDLE_PATH, select_proxy

from genset import __version__
from genset.core.errors import PhotoRejected, SourceUnavailable

USER_AGENT = f"genset/{__version__} (builds image classification test sets)"
TIMEOUT = (10.0, 30.0)  # seconds to connect, and between two pieces of an answer


def user_agent(contact: str = "") -> str:
    """Who we are, and how to reach who uses us, for hosts that want to know it."""
    return USER_AGENT.replace(")", f"; {contact})") if contact else USER_AGENT


MAX_BYTES = 64 * 2**20
MAX_SECONDS = 120.0

_PIECE = 2**16
_OPEN = 64  # connections kept open to a host

# It tells of odd headers, in the host's own words and with a traceback.
logging.getLogger("urllib3.connection").setLevel(logging.ERROR)


def is_retryable(error: Exception) -> bool:
    """Whether the same call may go through later.

    The one place that decides: connections that broke, time-outs, HTTP 408, 425, 429 and 5xx, and
    what a source itself calls passing.
    """
    if isinstance(error, HTTPError):
        status = error.response.status_code
        return status in (408, 425, 429) or status >= 500
    return isinstance(error, SourceUnavailable | ConnectionError | Timeout | ChunkedEncodingError)


def in_short(error: requests.RequestException) -> str:
    """What went wrong, in words of ours alone: a host's own may be any."""
    if error.response is not None:
        return f"HTTP {error.response.status_code}"
    return type(error).__name__


class Connections:
    """Connections to hosts, which stay open for the next request; all threads share them.

    They are urllib3's, on which requests stands: what requests does on top for each request takes
    as long as the download of a small photo. The way to a host is the one that it would take.
    Redirects are not followed, and an answer must be whole in so many `seconds`.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._ways: dict[str, urllib3.PoolManager] = {}
        self._seconds = MAX_SECONDS if seconds is None else seconds

    def ask(
        self, verb: str, url: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> urllib3.BaseHTTPResponse:
        """Ask for `url`, and return the answer, whatever it is, before its body is read.

        Raises:
            requests.RequestException: there is no answer, or none that can be read, or `url` is no
                web address.
        """
        address = urlsplit(url)
        host = f"{address.scheme}://{address.netloc}"
        if host not in self._ways:
            self._ways[host] = with_deadline(_way_to(host), self._seconds)
        try:
            return self._ways[host].urlopen(
                verb,
                url,
                body=body,
                headers=headers,
                timeout=urllib3.Timeout(*TIMEOUT),
                redirect=False,
                retries=False,
                preload_content=False,
                decode_content=False,
            )
        except urllib3.exceptions.LocationValueError as error:
            raise InvalidURL(error) from None
        except urllib3.exceptions.InvalidHeader as error:
            raise InvalidHeader(error) from None
        except urllib3.exceptions.ReadTimeoutError as error:
            raise ReadTimeout(error) from None
        except urllib3.exceptions.HTTPError as error:
            raise ConnectionError(error) from None


def _way_to(host: str) -> urllib3.PoolManager:
    """The way to a host, by what environment variables say of proxies and certificates."""
    settings = requests.Session().merge_environment_settings(host, {}, True, None, None)
    named = settings["verify"]
    trusted = named if isinstance(named, str) else DEFAULT_CA_BUNDLE_PATH
    tls: dict[str, Any] = {"ca_cert_dir" if Path(trusted).is_dir() else "ca_certs": trusted}
    if proxy := select_proxy(host, settings["proxies"]):
        proxy = proxy if "://" in proxy else f"http://{proxy}"
        way: urllib3.PoolManager = HTTPAdapter(pool_maxsize=_OPEN).proxy_manager_for(proxy, **tls)
        return way
    return urllib3.PoolManager(maxsize=_OPEN, **tls)


def photo_headers(agent: str = USER_AGENT) -> dict[str, str]:
    """What is said when a photo is asked for."""
    return {"User-Agent": agent, "Accept-Encoding": "identity"}


def download(
    connections: Connections,
    url: str,
    may_fetch: Callable[[str], bool],
    agent: str = USER_AGENT,
) -> bytes:
    """The bytes that `url` serves, at most `MAX_BYTES`; `agent` says who asks.

    Redirects are followed by hand so that every step is checked before it is taken.

    Raises:
        PhotoRejected: the photo is gone, lies on a host that is not allowed, or is too large.
        SourceUnavailable: the host keeps us off; it may let us in later.
        requests.RequestException: the host failed; `is_retryable` says whether it may pass.
    """
    for _ in range(4):
        if not may_fetch(url):
            raise PhotoRejected("address not allowed")
        with connections.ask("GET", url, photo_headers(agent)) as reply:
            if location := reply.get_redirect_location():
                url = _led_to(url, location)
                # Flickr answers for a removed photo with a picture that says so.
                if "photo_unavailable" in url:
                    raise PhotoRejected("gone")
                continue
            if reply.status in (404, 410):
                raise PhotoRejected("gone")
            if reply.status in (401, 403):
                # So a host of photos also keeps off who asks too much: no photo of it is bad.
                raise SourceUnavailable(f"did not come: HTTP {reply.status}")
            if 400 <= reply.status < 600:
                raise refusal(reply)
            if reply.status != 200:
                raise PhotoRejected("bad answer", f"HTTP {reply.status}")
            if "Content-Encoding" in reply.headers:  # which nobody asked for
                raise PhotoRejected("bad answer", "Content-Encoding")
            return _body(reply)
    raise PhotoRejected("too many redirects")


def _led_to(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:  # no address at all, such as http://[
        raise PhotoRejected("address not allowed") from None


def refusal(reply: urllib3.BaseHTTPResponse, body: bytes = b"") -> HTTPError:
    """What requests would raise for an answer that is an error."""
    response = requests.Response()
    response.status_code = reply.status
    response.headers.update(reply.headers)
    response._content = body
    return HTTPError(response=response)


def _body(reply: urllib3.BaseHTTPResponse) -> bytes:
    body = bytearray()
    for piece in pieces(reply):
        body += piece
        if len(body) > MAX_BYTES:
            raise PhotoRejected("too large", f"over {MAX_BYTES} bytes")
    return bytes(body)


def pieces(reply: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    """The body of an answer as it comes, not unpacked.

    Raises:
        requests.RequestException: it ended early, or was not whole in time.
    """
    try:
        # `reply.read` waits until a piece is full.
        while piece := reply.read1(_PIECE, decode_content=False):
            yield piece
    except urllib3.exceptions.ReadTimeoutError as error:
        raise ReadTimeout(error) from None
    except urllib3.exceptions.HTTPError as error:
        raise ChunkedEncodingError(error) from None


def is_too_many(error: Exception) -> bool:
    """Whether a host says that it is asked too much."""
    return isinstance(error, HTTPError) and error.response.status_code == 429


def retry_after(error: Exception) -> float:
    """The seconds for which a host asks to be left alone: a number, or a date (RFC 9110, 10.2.3).

    Of HTTP 429 and 503; 0 where it does not ask, or not in a way that can be read.
    """
    if not isinstance(error, HTTPError) or error.response.status_code not in (429, 503):
        return 0.0
    header = error.response.headers.get("Retry-After", "").strip()
    if re.fullmatch(r"[0-9]{1,300}", header):
        return float(header)
    until = _moment(header)
    if until is None:
        return 0.0
    # Its own clock is the one that it means.
    now = _moment(error.response.headers.get("Date", "")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _moment(text: str) -> datetime | None:
    """What a date of HTTP means; None where it is none."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def with_deadline(way: urllib3.PoolManager, seconds: float) -> urllib3.PoolManager:
    """Let every answer that comes this way raise a timeout, where it is not whole in so long."""

    class Answer(HTTPResponse):
        def __init__(self, sock: socket.socket, *others: Any, **named: Any) -> None:
            super().__init__(sock, *others, **named)
            raw = _TimedReader(sock, self.fp.detach(), time.monotonic() + seconds)
            self.fp = io.BufferedReader(raw)

    def on_time(pool: type[Any]) -> type[Any]:
        connection = type("OnTime", (pool.ConnectionCls,), {"response_class": Answer})
        return type("OnTimePool", (pool,), {"ConnectionCls": connection})

    pools = way.pool_classes_by_scheme
    way.pool_classes_by_scheme = {scheme: on_time(pool) for scheme, pool in pools.items()}
    return way


class _TimedReader(io.RawIOBase):
    """What comes from a socket, until `ends`, in monotonic seconds."""

    def __init__(self, sock: socket.socket, file: io.RawIOBase, ends: float) -> None:
        self._sock = sock
        self._file = file
        self._ends = ends
        self._usual = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def readinto(self, buffer: Any) -> int | None:
        seconds = self._ends - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("the answer took too long")
        if self._usual is None or seconds < self._usual:  # setting it takes as long as a small read
            self._sock.settimeout(seconds)
        return self._sock.recv_into(
            buffer
        )  # as the file would do, in Python too, at twice the cost

    def close(self) -> None:
        if not self.closed:
            with suppress(OSError):  # the connection is closed already
                self._sock.settimeout(self._usual)  # it may stay open for another answer
            self._file.close()
        super().close()
