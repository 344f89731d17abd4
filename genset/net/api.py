"""Call a source's API: the bytes of an answer, within bounds of size and time.

What no API says of itself, but networks do (a captive portal's redirect, an empty answer), is told
in a line. It knows no source: what an answer means is for the source to read.
"""

import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from urllib.parse import urlencode, urlsplit

import urllib3
from requests.exceptions import RequestException, Timeout

from genset.core.errors import BadInput, SourceUnavailable
from genset.net.transport import TIMEOUT, USER_AGENT, Connections, pieces, refusal

MAX_BYTES = 32 * 2**20  # packed, and unpacked
MAX_SECONDS = 60.0

_PIECE = 2**16
_MOST_OF_AN_ERROR = 4096

_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Api:
    """One API, which all threads may call.

    `name` is what errors call it: "Flickr's API". `agent` says who asks.
    """

    def __init__(self, name: str, agent: str = USER_AGENT) -> None:
        self._name = name
        self._headers = {"User-Agent": agent, "Accept-Encoding": "gzip"}
        self._connections = Connections(MAX_SECONDS)

    def get(self, url: str, params: Mapping[str, object]) -> bytes:
        """What `url` answers to these parameters. Raises what `post` raises."""
        return self._ask("GET", f"{url}?{urlencode(params)}")

    def post(self, url: str, form: Mapping[str, object]) -> bytes:
        """What `url` answers to a form, which no error and no log has a word of.

        Raises:
            SourceUnavailable: the answer is a redirect, empty, too large, too slow, or broken.
            requests.HTTPError: its status is an error's. The response has its headers, and the
                beginning of its body.
            requests.RequestException: there is no answer.
        """
        return self._ask("POST", url, urlencode(form).encode())

    def _ask(self, verb: str, url: str, form: bytes | None = None) -> bytes:
        headers = self._headers if form is None else self._headers | _FORM
        try:
            with self._connections.ask(verb, url, headers, form) as reply:
                return self._body(reply)
        except Timeout:
            raise self._failure(
                f"did not answer within {MAX_SECONDS:g} s, or sent nothing for {TIMEOUT[1]:.0f} s"
            ) from None

    def _body(self, reply: urllib3.BaseHTTPResponse) -> bytes:
        if reply.status >= 400:
            raise refusal(reply, _beginning(reply))
        if reply.status >= 300:
            raise self._failure("answered with a redirect to another address (a captive portal?)")
        if reply.status != 200:
            raise self._failure(f"answered HTTP {reply.status}, which has no content")
        packing = reply.headers.get("Content-Encoding", "identity").lower()
        if packing not in ("identity", "gzip"):
            raise self._failure("answered in an unexpected Content-Encoding")
        body = bytearray()
        come = self._counted(pieces(reply))
        for piece in self._counted(self._unpacked(come)) if packing == "gzip" else come:
            body += piece
        return bytes(body)

    def _counted(self, content: Iterable[bytes]) -> Iterator[bytes]:
        """The same pieces, as long as they are not too much."""
        size = 0
        for piece in content:
            size += len(piece)
            if size > MAX_BYTES:
                raise self._failure(f"answered with more than {MAX_BYTES / 2**20:.0f} MB")
            yield piece

    def _unpacked(self, packed: Iterable[bytes]) -> Iterator[bytes]:
        """The content of a gzip file, a small piece at a time whatever it expands to."""
        unpack = zlib.decompressobj(wbits=31)
        try:
            for piece in packed:
                rest = piece
                while rest and not unpack.eof:
                    yield unpack.decompress(rest, _PIECE)
                    rest = unpack.unconsumed_tail
            yield unpack.flush()
        except zlib.error:
            raise self._failure("answered with broken gzip data") from None
        if not unpack.eof:
            raise self._failure("answered with gzip data that ends early")

    def _failure(self, what: str) -> SourceUnavailable:
        return SourceUnavailable(f"{self._name} {what}")


def _beginning(reply: urllib3.BaseHTTPResponse) -> bytes:
    """What an error says, as far as it comes."""
    body = b""
    with suppress(RequestException):
        for piece in pieces(reply):
            body += piece
            if len(body) >= _MOST_OF_AN_ERROR:
                break
    return body[:_MOST_OF_AN_ERROR]


def endpoint_in(variable: str) -> str | None:
    """The address that stands in for an API's own; None where the variable is not set.

    Raises:
        BadInput: it is no web address.
    """
    endpoint = os.environ.get(variable)
    if endpoint and not re.match(r"https?://[^/]+", endpoint):
        raise BadInput(f"{variable} must start with http:// or https://: {endpoint}")
    return endpoint or None


def is_loopback(address: str) -> bool:
    """Whether a web address leads to this machine."""
    host = urlsplit(address).hostname or ""
    return host.startswith("127.") or host in ("localhost", "::1")
