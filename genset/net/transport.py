"""Talk to hosts: who we are, how long, how much, and why a call failed.

An answer must be whole by a deadline, however slowly its host sends it: the timeout of a socket
begins again with every byte, so a host that sends a byte every three seconds is never late.
"""

import logging
import re
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPException, RemoteDisconnected
from pathlib import Path
from threading import Timer
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3.exceptions as urllib3_errors
from requests import exceptions as requests_errors
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies, select_proxy

from genset import __version__
from genset.core.errors import BadInput, SourceError, SourceRefused, SourceUnavailable

USER_AGENT = f"genset/{__version__} (builds image classification test sets)"
TIMEOUT = (10.0, 30.0)  # seconds to connect, and between two pieces of an answer
MAX_BYTES = 64 * 2**20
MAX_SECONDS = 120.0

_SIGN_IN = "sign in to the network, or set HTTPS_PROXY"
A_PAGE = f"answered with a web page instead of data: {_SIGN_IN}"
A_REDIRECT = f"answered with a redirect to another address: {_SIGN_IN}"

_PIECE = 2**16
_OPEN = 64  # connections kept open to a host
_MOST_OF_AN_ERROR = 4096  # bytes


# It tells of odd headers, in the host's own words and with a traceback.
logging.getLogger("urllib3.connection").setLevel(logging.ERROR)


def user_agent(contact: str = "") -> str:
    """Who we are, and how to reach who uses us, for hosts that want to know it."""
    return USER_AGENT.replace(")", f"; {contact})") if contact else USER_AGENT


class TooLarge(requests.RequestException):
    """An answer has more bytes than anything that is asked for."""


class Client:
    """Calls hosts, on the way that environment variables name: proxies and certificates.

    Connections stay open for the next call, and all threads share them. No redirect is followed.

    Args:
        seconds: how long an answer may take; `MAX_SECONDS` where None.
        most: how many bytes it may have, unpacked; `MAX_BYTES` where None.
    """

    def __init__(self, seconds: float | None = None, most: int | None = None) -> None:
        self._seconds = MAX_SECONDS if seconds is None else seconds
        self._most = MAX_BYTES if most is None else most
        # A session would make the request after a redirect, and store cookies.
        self._adapter = HTTPAdapter(pool_maxsize=_OPEN)
        self._ways: dict[tuple[str, ...], Mapping[str, Any]] = {}

    def call(self, verb: str, url: str, **parts: Any) -> requests.Response:
        """The answer to a call, whole; of an answer that is an error, the beginning.

        Args:
            verb: such as GET.
            url: the address.
            parts: headers and so on, as `requests.Request` takes them.

        Raises:
            requests.RequestException: there is none, or none that can be read.
            BadInput: REQUESTS_CA_BUNDLE names no file.
        """
        request = requests.Request(verb, url, **parts).prepare()
        host, end = urlsplit(url)[:2], time.monotonic() + self._seconds
        if host not in self._ways:
            way = requests.Session().merge_environment_settings(url, {}, True, None, None)
            bundle = way["verify"]
            if isinstance(bundle, str) and not Path(bundle).exists():
                raise BadInput(f"REQUESTS_CA_BUNDLE names no file: {bundle}")
            self._ways[host] = way
        try:
            response = self._adapter.send(request, timeout=TIMEOUT, **self._ways[host])
        except urllib3_errors.LocationParseError as error:  # a name that requests lets through
            raise requests_errors.InvalidURL(error, request=request) from None
        late = Timer(max(0.0, end - time.monotonic()), _hang_up, [response])
        late.daemon = True
        late.start()
        try:
            response._content = self._content(response)
        except requests.RequestException as error:
            response._content = b""
            if response.ok and time.monotonic() < end:
                error.request = request
                raise
        finally:
            late.cancel()
            response.close()
        if response.ok and time.monotonic() >= end:  # without a length, a cut body seems whole
            raise requests_errors.ReadTimeout(request=request)
        return response

    def _content(self, response: requests.Response) -> bytes:
        body = bytearray()
        for piece in response.iter_content(_PIECE):
            body += piece
            if not response.ok and len(body) >= _MOST_OF_AN_ERROR:
                break
            if len(body) > self._most:
                body.clear()  # which the error's traceback holds
                raise TooLarge
        return bytes(body)


def _hang_up(response: requests.Response) -> None:
    """Let a thread that waits for an answer see its end."""
    with suppress(OSError, RuntimeError, ValueError):  # it has just come to its end by itself
        response.raw.shutdown()


def is_retryable(error: Exception) -> bool:
    """Whether the same call may go through later.

    The one place that decides: HTTP 407 (a proxy's), 408, 425, 429 and 5xx, what a source itself
    calls passing, and whatever befell a call but an address or a header that cannot be read, which
    are ValueErrors.
    """
    if isinstance(error, requests.HTTPError):
        return is_passing(error.response.status_code)
    is_of_call = isinstance(error, SourceUnavailable | requests.RequestException)
    return is_of_call and not isinstance(error, ValueError)


def is_passing(status: int) -> bool:
    """Whether an HTTP status may be another one the next time."""
    return status in (407, 408, 425, 429) or status >= 500


def is_too_many(error: Exception) -> bool:
    """Whether a host says that it is asked too much."""
    return isinstance(error, requests.HTTPError) and error.response.status_code == 429


def retry_after(error: Exception) -> float:
    """The seconds for which a host asks to be left alone: a number, or a date (RFC 9110, 10.2.3).

    Of HTTP 429 and 503; 0 where it does not ask, or not in a way that can be read.
    """
    if not isinstance(error, requests.HTTPError) or error.response.status_code not in (429, 503):
        return 0.0
    header = error.response.headers.get("Retry-After", "").strip()
    try:
        if header.isascii() and header.isdigit():
            return float(header)
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


# Causes


def cause(error: Exception, host: str) -> str:
    """Why a call failed, in a few words, of which none is a stranger's.

    Args:
        error: what the call raised.
        host: what to call the host where the error does not hold the address of the call.
    """
    return str(error) if isinstance(error, SourceError) else _cause(error, host)[0]


def needs_person(error: Exception) -> bool:
    """Whether no waiting mends this: a certificate, a key, a sign-in to a proxy, a bad address.

    What concerns one photo, query or entry never does.
    """
    if isinstance(error, SourceError):
        if error.scope in ("photo", "query", "entry"):
            return False
        return isinstance(error, SourceRefused) or any(
            _cause(origin, "")[1]
            for origin in _origins(error)
            if isinstance(origin, requests.RequestException)
        )
    return _cause(error, "")[1]


def host_in(url: str) -> str:
    """The host of an address, with its port where it names one."""
    return urlsplit(url).netloc.rpartition("@")[2]


def _cause(error: Exception, host: str) -> tuple[str, bool]:
    """What went wrong, and whether it stays so until a person acts."""
    url = str(getattr(getattr(error, "request", None), "url", None) or "")
    host, proxy = host_in(url) or host, f"{urlsplit(url).scheme.upper()}_PROXY"
    through = host_in(select_proxy(url, get_environ_proxies(url)) or "") if url else ""
    tunnel = re.search(r"Tunnel connection failed: (\d+)", str(error))
    status = error.response.status_code if isinstance(error, requests.HTTPError) else 0
    if through and (status == 407 or (tunnel and tunnel[1] == "407")):
        where = f"set {proxy} to http://USER:PASSWORD@{through}"
        return f"proxy {through} wants a user name and a password (HTTP 407): {where}", True
    if tunnel:
        words = f"proxy {through} does not connect to {host} (HTTP {tunnel[1]}); ask who runs it"
        return words, tunnel[1] in ("401", "403")
    if status:
        words = f"{host} answered HTTP {status}{_STATUSES.get(status, '')}"
        return words, status in (401, 403, 404, 407, 410)
    origins = _origins(error)
    is_of_proxy = any(isinstance(origin, urllib3_errors.ProxyError) for origin in origins)
    origin, form, lasts = next(
        (origin, form, lasts)
        for kind, form, lasts in _FAILURES
        for origin in origins
        if isinstance(origin, kind)
    )
    reason = getattr(origin, "verify_message", getattr(origin, "reason", type(origin).__name__))
    reason = _CERTIFICATES.get(getattr(origin, "verify_code", 0), reason)
    words = form.format(f"proxy {through}" if is_of_proxy else host, reason)
    if is_of_proxy:
        words = f"{words.partition(';')[0]}; check {proxy}"
        lasts = lasts or isinstance(origin, ConnectionRefusedError)  # a wrong port, most often
    return words, lasts and getattr(origin, "errno", None) != socket.EAI_AGAIN


def _origins(error: BaseException) -> list[BaseException]:
    """An error, and those that it stands for: libraries wrap them in several ways."""
    found = [error]
    for origin in found:  # which grows
        # Ours are raised "from None" where the traceback of the other one would say nothing.
        before = origin.__context__ if isinstance(origin, SourceError) else origin.__cause__
        for inner in (before, getattr(origin, "reason", None), *origin.args):
            if isinstance(inner, BaseException) and inner not in found:
                found.append(inner)
    return found


_STATUSES = {
    401: ": check the key",
    403: ": check the key, and for a proxy in between",
    404: ": check the address",
    429: ": too many requests",
    511: ": the network wants a sign-in first",
}

_COMPANY = "behind a company proxy set REQUESTS_CA_BUNDLE"
_OTHER = "check the address, and whether the network wants a sign-in"

# By OpenSSL's numbers, X509_V_ERR_... in openssl/x509_vfy.h.
_CERTIFICATES = {
    9: "not valid yet; check this machine's clock",
    10: "expired; check this machine's clock",
    18: f"self-signed; {_COMPANY}",
    19: f"its issuer is unknown; {_COMPANY}",
    20: f"its issuer is unknown; {_COMPANY}",
    62: f"made out to another name; {_OTHER}",
    64: f"made out to another address; {_OTHER}",
}

_NO_HTTP = requests_errors.InvalidHeader, HTTPException

# What went wrong, the first that fits, with its words and whether it lasts.
_FAILURES: tuple[tuple[Any, str, bool], ...] = (
    (requests_errors.InvalidProxyURL, "HTTPS_PROXY or HTTP_PROXY is no web address", True),
    (requests_errors.InvalidSchema, "a SOCKS proxy needs: pip install 'requests[socks]'", True),
    (RemoteDisconnected, "{0} closed the connection without an answer", False),
    (requests_errors.ChunkedEncodingError, "answer of {0} was cut off", False),
    (_NO_HTTP, "{0} answered something else than HTTP", False),
    (ssl.SSLCertVerificationError, "certificate of {0} is not trusted: {1}", True),
    (ssl.SSLEOFError, "{0} cut the connection", False),
    (ssl.SSLError, "no TLS with {0} ({1}); check the address and REQUESTS_CA_BUNDLE", True),
    (ValueError, "{0} is no web address; check its spelling", True),
    (socket.gaierror, "name of {0} does not resolve; check the network and the address", True),
    (ConnectionRefusedError, "{0} refuses connections; check the network and the address", False),
    (urllib3_errors.NewConnectionError, "no way to {0}; check the network", False),
    ((requests_errors.Timeout, urllib3_errors.TimeoutError), "{0} did not answer in time", False),
    (ConnectionError, "{0} cut the connection", False),
    (requests_errors.ContentDecodingError, "{0} answered with broken gzip data", False),
    (Exception, "call of {0} failed ({1})", False),
)
