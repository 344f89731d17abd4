"""Talk to hosts: who we are, how long, how much, and why a call failed.

An answer must be whole by a deadline, however slowly its host sends it: the timeout of a socket
begins again with every byte, so a host that sends a byte every three seconds is never late.
"""

import logging
import os
import re
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import BadStatusLine, HTTPException, RemoteDisconnected
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import requests
import urllib3.exceptions as urllib3_errors
from requests import exceptions as requests_errors
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies, select_proxy

from genset import __version__
from genset.core.errors import BadInput, SourceError, SourceUnavailable

USER_AGENT = f"genset/{__version__} (builds image classification test sets)"
TIMEOUT = (10.0, 30.0)  # seconds to connect, and between two pieces of an answer
MAX_BYTES = 64 * 2**20
MAX_SECONDS = 120.0

A_REDIRECT = "answered with a redirect to another address (a captive portal?)"

_PIECE = 2**16
_OPEN = 64  # connections kept open to a host
_MOST_OF_AN_ERROR = 4096  # bytes

E = TypeVar("E", bound=BaseException)

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
        self._adapter = _Bounded(
            MAX_SECONDS if seconds is None else seconds, MAX_BYTES if most is None else most
        )
        self._ways: dict[tuple[str, ...], Mapping[str, Any]] = {}

    def call(self, verb: str, url: str, **parts: Any) -> requests.Response:
        """The answer to a call, whole; of an answer that is an error, the beginning.

        A session's `send` would make the request after a redirect, and would store cookies.

        Args:
            verb: such as GET.
            url: the address.
            parts: headers and so on, as `requests.Request` takes them.

        Raises:
            requests.RequestException: there is none, or none that can be read.
            BadInput: REQUESTS_CA_BUNDLE names no file.
        """
        request = requests.Request(verb, url, **parts).prepare()
        host = urlsplit(url)[:2]
        if host not in self._ways:
            self._ways[host] = _way_to(url)
        try:
            return self._adapter.send(request, timeout=TIMEOUT, **self._ways[host])
        except urllib3_errors.LocationParseError as error:  # a name that requests lets through
            raise requests_errors.InvalidURL(error, request=request) from None


def _way_to(url: str) -> Mapping[str, Any]:
    """What environment variables say of proxies and certificates."""
    way = requests.Session().merge_environment_settings(url, {}, True, None, None)
    bundle = way["verify"]
    if isinstance(bundle, str) and not Path(bundle).exists():
        raise BadInput(f"REQUESTS_CA_BUNDLE names no file: {bundle}")
    return way


class _Bounded(HTTPAdapter):
    """Gives answers that are whole, after so many seconds at most, and of so many bytes."""

    def __init__(self, seconds: float, most: int) -> None:
        super().__init__(pool_maxsize=_OPEN)
        self._seconds = seconds
        self._most = most

    def send(self, request: requests.PreparedRequest, **way: Any) -> requests.Response:  # type: ignore[override]
        """Send a request, and read the answer."""
        end = time.monotonic() + self._seconds
        response = super().send(request, **way)
        late = Timer(max(0.0, end - time.monotonic()), _hang_up, [response])
        late.daemon = True
        late.start()
        content = b""
        try:
            content = self._content(response)
        except requests.RequestException as error:
            if response.ok and time.monotonic() < end:
                error.request = request
                raise
        finally:
            late.cancel()
            response.close()
        if response.ok and time.monotonic() >= end:  # without a length, a cut body seems whole
            raise requests_errors.ReadTimeout(request=request)
        response._content = content
        return response

    def _content(self, response: requests.Response) -> bytes:
        body = bytearray()
        for piece in response.iter_content(_PIECE):
            body += piece
            if not response.ok and len(body) >= _MOST_OF_AN_ERROR:
                break
            if len(body) > self._most:
                raise TooLarge
        return bytes(body)


def _hang_up(response: requests.Response) -> None:
    """Let a thread that waits for an answer see its end."""
    with suppress(OSError, RuntimeError, ValueError):  # it has just come to its end by itself
        response.raw.shutdown()


def is_retryable(error: Exception) -> bool:
    """Whether the same call may go through later.

    The one place that decides: connections that broke, time-outs, HTTP 408, 425, 429 and 5xx, and
    what a source itself calls passing.
    """
    if isinstance(error, requests_errors.HTTPError):
        return is_passing(error.response.status_code)
    return isinstance(error, _PASSING)


def is_passing(status: int) -> bool:
    """Whether an HTTP status may be another one the next time."""
    return status in (408, 425, 429) or status >= 500


_PASSING = (
    SourceUnavailable,
    requests_errors.ConnectionError,
    requests_errors.Timeout,
    requests_errors.ChunkedEncodingError,
    requests_errors.ContentDecodingError,
    requests_errors.InvalidHeader,
)


def is_too_many(error: Exception) -> bool:
    """Whether a host says that it is asked too much."""
    return isinstance(error, requests_errors.HTTPError) and error.response.status_code == 429


def retry_after(error: Exception) -> float:
    """The seconds for which a host asks to be left alone: a number, or a date (RFC 9110, 10.2.3).

    Of HTTP 429 and 503; 0 where it does not ask, or not in a way that can be read.
    """
    if not isinstance(error, requests_errors.HTTPError) or error.response.status_code not in (
        429,
        503,
    ):
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


def host_in(url: str) -> str:
    """The host of an address, with its port where it names one."""
    return urlsplit(url).netloc.rpartition("@")[2]


# Causes


class _Cause(NamedTuple):
    """What went wrong; `is_lasting` where it stays so until a person acts."""

    words: str
    is_lasting: bool = False


def cause(error: Exception, host: str) -> str:
    """Why a call failed, in a few words, of which none is a stranger's.

    Args:
        error: what the call raised.
        host: what to call the host where the error does not hold the address of the call.
    """
    return str(error) if isinstance(error, SourceError) else _cause(error, host).words


def needs_person(error: Exception) -> bool:
    """Whether no waiting mends this: a certificate, a key, a sign-in to a proxy, a bad address.

    What concerns one photo, query or entry never does.
    """
    if isinstance(error, SourceError):
        if error.scope in ("photo", "query", "entry"):
            return False
        original = _first(_origins(error), requests_errors.RequestException)
        return error.scope == "key" or (original is not None and needs_person(original))
    return _cause(error, "").is_lasting


def _cause(error: Exception, host: str) -> _Cause:
    request = getattr(error, "request", None)
    url = str(getattr(request, "url", None) or "")
    host = host_in(url) or host
    if isinstance(error, requests_errors.HTTPError) and error.response is not None:
        return _of_status(error.response.status_code, host, url)
    origins = _origins(error)
    if _first(origins, urllib3_errors.ProxyError):
        return _of_proxy(origins, host, url)
    return _of_tls(origins, host) or _of_connection(origins, host)


def _origins(error: BaseException) -> list[BaseException]:
    """An error, and those that it stands for: libraries wrap them in several ways."""
    found = [error]
    for origin in found:  # which grows
        # Ours are raised "from None" where the traceback of the other one would say nothing.
        cause = origin.__context__ if isinstance(origin, SourceError) else origin.__cause__
        for inner in (cause, getattr(origin, "reason", None), *origin.args):
            if isinstance(inner, BaseException) and inner not in found:
                found.append(inner)
    return found


def _first(origins: Sequence[BaseException], kind: type[E]) -> E | None:
    return next((origin for origin in origins if isinstance(origin, kind)), None)


def _of_status(status: int, host: str, url: str) -> _Cause:
    """What an HTTP status says that is an error's."""
    if status == 407:
        return _of_sign_in(url)
    remarks = {
        401: ": check the key",
        403: ": check the key, and for a proxy in between",
        429: ": too many requests",
        511: ": the network wants a sign-in first",
    }
    return _Cause(f"{host} answered HTTP {status}{remarks.get(status, '')}", status in (401, 403))


def _of_proxy(origins: Sequence[BaseException], host: str, url: str) -> _Cause:
    """What went wrong before a proxy had connected us."""
    proxy, variable = _proxy_of(url)
    refusal = next((str(o) for o in origins if str(o).startswith("Tunnel connection failed")), "")
    if " 407 " in refusal:
        return _of_sign_in(url)
    if refusal:
        status = refusal.split()[3]
        words = f"{proxy} does not connect to {host} (HTTP {status}): set NO_PROXY, or allow it"
        return _Cause(words, status in ("401", "403"))
    found = _of_tls(origins, proxy) or _of_connection(origins, proxy)
    return found._replace(words=f"{found.words.partition(';')[0]}; check {variable}")


def _of_sign_in(url: str) -> _Cause:
    proxy, variable = _proxy_of(url)
    address = proxy.removeprefix("proxy ")
    return _Cause(
        f"{proxy} wants a user name and a password (HTTP 407): set {variable} to "
        f"http://USER:PASSWORD@{address}",
        is_lasting=True,
    )


def _proxy_of(url: str) -> tuple[str, str]:
    """The proxy on the way to an address, without its password, and the variable that names it."""
    proxy = select_proxy(url, get_environ_proxies(url)) if url else None
    name = f"{urlsplit(url).scheme or 'https'}_proxy"
    is_set = os.environ.get(name) or os.environ.get(name.upper())
    variable = name if is_set or not os.environ.get("ALL_PROXY") else "all_proxy"
    address = (proxy or "").rpartition("@")[2].rpartition("//")[2].rstrip("/")
    return f"proxy {address}".rstrip(), variable.upper()


_COMPANY = "behind a company proxy set REQUESTS_CA_BUNDLE"
_UNKNOWN_ISSUER = f"its issuer is unknown; {_COMPANY}"

# By OpenSSL's numbers, X509_V_ERR_... in openssl/x509_vfy.h.
_CERTIFICATES = {
    9: "not valid yet; check this machine's clock",
    10: "expired; check this machine's clock",
    18: f"self-signed; {_COMPANY}",
    19: _UNKNOWN_ISSUER,
    20: _UNKNOWN_ISSUER,
    62: "made out to another name; check the address, and whether the network wants a sign-in",
    64: "made out to another address; check the address, and whether the network wants a sign-in",
}


def _of_tls(origins: Sequence[BaseException], host: str) -> _Cause | None:
    """What is wrong with a certificate, or with TLS."""
    if certificate := _first(origins, ssl.SSLCertVerificationError):
        reason = _CERTIFICATES.get(certificate.verify_code, certificate.verify_message)
        return _Cause(f"certificate of {host} is not trusted: {reason}", is_lasting=True)
    if (failure := _first(origins, ssl.SSLError)) is None:
        return None
    if failure.reason == "WRONG_VERSION_NUMBER":
        return _Cause(f"{host} does not speak TLS; check the address", is_lasting=True)
    if failure.reason == "NO_CERTIFICATE_OR_CRL_FOUND":
        return _Cause("REQUESTS_CA_BUNDLE names a file without certificates", is_lasting=True)
    return _Cause(f"TLS connection to {host} failed ({failure.reason or 'cut off'})")


_BAD_ADDRESS = (
    requests_errors.InvalidURL,
    requests_errors.MissingSchema,
    requests_errors.InvalidSchema,
)


def _of_connection(origins: Sequence[BaseException], host: str) -> _Cause:
    """What went wrong with a connection, or with an answer that began."""
    kinds: list[tuple[type[BaseException] | tuple[type[BaseException], ...], str]] = [
        (_BAD_ADDRESS, "{} is no web address; check its spelling"),
        (ConnectionRefusedError, "{} refuses connections; check the network and the address"),
        (urllib3_errors.NewConnectionError, "no way to {}; check the network"),
        (urllib3_errors.ConnectTimeoutError, "no connection to {} in time; check the network"),
        (requests_errors.Timeout, "{} did not answer in time"),
        (urllib3_errors.ReadTimeoutError, "{} did not answer in time"),
        (RemoteDisconnected, "{} closed the connection without an answer"),
        (requests_errors.ChunkedEncodingError, "answer of {} was cut off"),
        (BadStatusLine, "{} answered something else than HTTP"),
        (requests_errors.InvalidHeader, "{} answered with unreadable headers"),
        (HTTPException, "{} answered with unreadable headers"),
        (ConnectionError, "{} cut the connection"),
        (requests_errors.ContentDecodingError, "{} answered with broken gzip data"),
    ]
    if _first(origins, requests_errors.InvalidProxyURL):
        return _Cause("HTTPS_PROXY or HTTP_PROXY is no web address; check its spelling", True)
    if "SOCKS" in str(_first(origins, requests_errors.InvalidSchema)):
        return _Cause("a SOCKS proxy needs: pip install 'requests[socks]'", True)
    if name := _first(origins, socket.gaierror):
        is_lasting = name.errno != socket.EAI_AGAIN
        words = f"name of {host} does not resolve; check the network and the address"
        return _Cause(words, is_lasting)
    for kind, words in kinds:
        if any(isinstance(origin, kind) for origin in origins):
            return _Cause(words.format(host), kind == _BAD_ADDRESS)
    return _Cause(f"call of {host} failed ({type(origins[0]).__name__})")
