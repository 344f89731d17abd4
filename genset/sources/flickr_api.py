"""Flickr's API, through flickrapi: calls without a signature, and answers that are errors.

Nothing else imports flickrapi.
"""

import re
from collections.abc import Iterable, Mapping
from html import unescape
from typing import Annotated, Any, Literal

import flickrapi
from msgspec import Meta

from genset.core.errors import SourceError, SourceRefused, SourceUnavailable
from genset.core.safe import clean
from genset.net.api import Api
from genset.sources.replies import Reply, parse_json, read

NAME = "Flickr"

REST_URL: str = flickrapi.FlickrAPI.REST_URL

_XML_ERROR = re.compile(rb'<err\s+code="([0-9]{1,9})"\s+msg="([^"]*)"')

# What an error's number says. Others are of the one call: an argument that a search does not take
# (1 to 18), a photo that is not there. "Not currently available" comes under several numbers.
_PASSING = {0, 10, 105, 106, 201}
_OF_KEY = {96, 97, 98, 99, 100}  # its signature, what it may do, the key
_OF_RUN = {95, 111, 112, 114, 115}  # TLS, format, method: no call from here will do

_LONGEST_MESSAGE = 200


def connected(keys: Iterable[str], address: str) -> list[flickrapi.FlickrAPI]:
    """Flickr's API at `address`, once for each key; they share their connections."""
    client, apis = Api("Flickr's API"), []
    for key in keys:
        api = flickrapi.FlickrAPI(key, "", format="json", store_token=False)
        api.REST_URL = address
        api.flickr_oauth = _UnsignedCalls(key, client)
        apis.append(api)
    return apis


class _UnsignedCalls:
    """Stands where flickrapi signs and sends a call. What anybody may see needs no signature."""

    def __init__(self, key: str, client: Api) -> None:
        self.key = key
        self._client = client

    def do_request(
        self, url: str, params: Mapping[str, object], timeout: float | None = None
    ) -> bytes:
        """Send a call with its key, and return the body of the answer. Raises as `Api.post`."""
        return self._client.post(url, {**params, "api_key": self.key})


class Status(Reply, frozen=True):
    """What every answer has, and errors' further keys; see `parse_reply`."""

    stat: Literal["ok", "fail"]
    code: int | Annotated[str, Meta(pattern="^[0-9]{1,9}$")] | None = None
    message: str = ""


def parse_reply(body: bytes) -> dict[str, Any]:
    """The JSON document of an answer.

    An error comes as HTTP 200, now and then as XML though JSON was asked for:
    ``{"stat": "fail", "code": 100, "message": "Invalid API Key (Key has invalid format)"}`` or
    ``<rsp stat="fail"><err code="100" msg="Invalid API Key (Key has invalid format)"/></rsp>``.

    Raises:
        SourceRefused, SourceUnavailable: Flickr's error, by whether it may pass.
    """
    if error := _XML_ERROR.search(body):
        raise _error(int(error[1]), unescape(error[2].decode(errors="replace")))
    reply: dict[str, Any] = parse_json(body, NAME)
    status = read(reply, Status, NAME)
    if status.stat == "fail":
        raise _error(status.code, status.message)
    return reply


def _error(code: int | str | None, message: str) -> SourceError:
    """What Flickr says is wrong, in its own words, whether it may pass, and what it concerns."""
    number = None if code is None else int(code)
    words = f"Flickr: {clean(message, _LONGEST_MESSAGE)}"
    if number is not None:
        words += f" (code {number})"
    if number in _PASSING or "not currently available" in message.lower():
        return SourceUnavailable(words, number)
    if number in _OF_KEY:
        return SourceRefused(words, number, "key")
    return SourceRefused(words, number, "run" if number in _OF_RUN else "query")
