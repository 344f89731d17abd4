"""Call a source's API: the bytes of an answer, within bounds of size and time.

It knows no source: what an answer means is for the source to read.
"""

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import requests

from genset.core.errors import BadInput, SourceError, SourceRefused, SourceUnavailable
from genset.net.transport import (
    A_REDIRECT,
    USER_AGENT,
    Client,
    TooLarge,
    cause,
    is_retryable,
)

MAX_BYTES = 32 * 2**20  # unpacked
MAX_SECONDS = 60.0


class Api:
    """One API, which all threads may call.

    `name` is what errors call it: "Flickr's API". `agent` says who asks.
    """

    def __init__(self, name: str, agent: str = USER_AGENT) -> None:
        self._name = name
        self._headers = {"User-Agent": agent, "Accept-Encoding": "gzip"}
        self._client = Client(MAX_SECONDS, MAX_BYTES)

    def get(self, url: str, params: Mapping[str, object]) -> bytes:
        """What `url` answers to these parameters. Raises what `post` raises."""
        return self._call("GET", url, params=params)

    def post(self, url: str, form: Mapping[str, object]) -> bytes:
        """What `url` answers to a form, which no error and no log has a word of.

        Raises:
            SourceUnavailable: the answer is a redirect, is empty, or is too large.
            requests.HTTPError: its status is an error's. The response has its headers, and the
                beginning of its body.
            requests.RequestException: there is no answer.
        """
        return self._call("POST", url, data=form)

    def _call(self, verb: str, url: str, **parts: Any) -> bytes:
        try:
            reply = self._client.call(verb, url, headers=self._headers, **parts)
        except TooLarge:
            raise SourceUnavailable(
                f"{self._name} answered with more than {MAX_BYTES / 2**20:.0f} MB", scope="query"
            ) from None
        if not reply.ok:
            raise requests.HTTPError(response=reply)
        if reply.status_code >= 300:
            raise SourceUnavailable(f"{self._name} {A_REDIRECT}")
        if not reply.content:
            raise SourceUnavailable(f"{self._name} sent an empty answer", scope="query")
        return reply.content


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


# The statuses of what is asked, and of who asks or where. Of what others mean nobody can be sure.
_OF_QUERIES = 400, 413, 414, 422, 451
_OF_HOSTS = 401, 403, 404, 410


def as_source_error(error: requests.RequestException, title: str, words: str = "") -> SourceError:
    """What a failed call of a source's API is called: worth another try, or not.

    `words` stand for those of its cause.
    """
    words = words or cause(error, title)
    status = None if error.response is None else error.response.status_code
    if status in _OF_QUERIES:
        return SourceRefused(words, status, "query")
    if status in _OF_HOSTS or (status is None and not is_retryable(error)):
        return SourceRefused(words, status, "host")
    return SourceUnavailable(words, status)
