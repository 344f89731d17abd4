"""Flickr's API, through flickrapi: unsigned calls, answers that are errors, what ids tell of dates.

Nothing else imports flickrapi.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
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


# A photo's owner can change its posted date (flickr.photos.setDates), and nobody its id. Ids rise
# with time until mid-2014, in ranges by their last digit that are some weeks apart; later the
# ranges are up to two years apart, and tell nothing.
#
# Source: the search logs of ImageNetV2 (Recht et al., "Do ImageNet Classifiers Generalize to
# ImageNet?", 2019), in which 6,254 photos have an id and a posted date. An entry is the highest id
# of the slowest range that they have from before the day; 17 of the 6,254 posted dates contradict
# it. Ids below 100,000 are not checked: whatever stands in for Flickr numbers its photos so.
#
# By the first day of these months, all ids below so many millions were given out.
_MILLIONS = """
    2006-01 29     2006-07 168    2007-01 324    2007-07 444    2008-01 2127   2008-07 2590
    2009-01 3096   2009-07 3632   2010-01 4217   2010-07 4675   2011-01 5300   2011-07 5822
    2012-01 6350   2012-04 6839   2012-07 7183   2012-10 8036   2012-11 8139   2012-12 8227
    2013-01 8327   2013-02 8432   2013-03 8503   2013-04 8591   2013-05 8692   2013-06 8865
    2013-07 9173   2013-08 9362   2013-09 9608   2013-10 9935   2013-11 10501  2013-12 10986
    2014-01 11571  2014-02 12239  2014-03 12846  2014-04 13549  2014-05 13889  2014-06 14125
    2014-07 14357  2014-08 14612
"""
_LOWEST = 100_000
_WORDS = _MILLIONS.split()
DAYS = [datetime.fromisoformat(month + "-01").replace(tzinfo=UTC) for month in _WORDS[::2]]
IDS = [int(millions) * 10**6 for millions in _WORDS[1::2]]


def uploaded(photo_id: str, posted: datetime) -> datetime:
    """When a photo was uploaded: at its posted date, but no later than its id allows.

    >>> print(uploaded("11058469813", datetime(2016, 6, 2, tzinfo=UTC)))
    2013-12-31 23:59:59+00:00
    """
    number = int(photo_id[:20]) if photo_id.isascii() and photo_id.isdecimal() else 0
    if not _LOWEST <= number < IDS[-1]:
        return posted
    return min(posted, DAYS[bisect_right(IDS, number)] - timedelta(seconds=1))
