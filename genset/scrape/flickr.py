"""Flickr, through flickrapi. Nothing else imports flickrapi."""

import json
import os
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import flickrapi
import requests

from genset.errors import BadInput, SourceError, SourceRefused, SourceUnavailable
from genset.scrape.http import TIMEOUT, Pace, is_retryable, new_session, with_retries
from genset.scrape.licenses import flickr_license
from genset.scrape.source import FoundPhoto, SearchPage

# The picture we ask for, the most wanted first. 1,024 pixels are four times what classifiers look
# at, in a tenth of an original's bytes; a photo without that size is smaller, so take its largest.
_SIZES = ("l", "o", "c", "z", "m", "n")
_EXTRAS = ",".join(
    ["license", "date_upload", "date_taken", "owner_name", "media", *(f"url_{s}" for s in _SIZES)]
)

# Past this many results Flickr repeats its last page.
_MOST_RESULTS = 4000

# "Sorry, the ... is not currently available", in the numbers that Flickr gives it.
_PASSING_CODES = {0, 10, 105, 106, 201}

_CALLS_AN_HOUR = 3600

# Flickr's image hosts. The whole address must match, for a parser of one library may see another
# host in "https://evil.example\.staticflickr.com/" than the library that then connects.
_IMAGE_ADDRESS = re.compile(
    r"https?://[a-z0-9.-]+\.(staticflickr\.com|static\.flickr\.com)(:80|:443)?/\S*", re.I
)


class Flickr:
    """Flickr's search, as a `genset.scrape.source.Source`.

    `endpoint` is the REST address: Flickr's own, or a sandbox's on loopback, which then is also
    the one host that pictures may come from.
    """

    name = "flickr"

    def __init__(self, key: str, secret: str, endpoint: str | None = None) -> None:
        self._api = flickrapi.FlickrAPI(
            key, secret, format="json", store_token=False, timeout=TIMEOUT
        )
        session = new_session()
        # flickrapi loses the status code of a failed call; this hook raises before it can.
        session.hooks["response"].append(lambda reply, **_: reply.raise_for_status())
        self._api.flickr_oauth.session = session
        self._image_address = _IMAGE_ADDRESS
        self._pace = Pace(3600 / _CALLS_AN_HOUR)
        if endpoint:
            self._api.REST_URL = endpoint
            parts = urlsplit(endpoint)
            host = re.escape(f"{parts.scheme}://{parts.netloc}")
            self._image_address = re.compile(rf"{host}/\S*")
            if (parts.hostname or "").startswith("127."):
                self._pace = Pace(0)

    @classmethod
    def from_environment(cls) -> "Flickr":
        """With FLICKR_API_KEY, FLICKR_API_SECRET and, where set, GENSET_FLICKR_ENDPOINT.

        Raises:
            BadInput: the key or the secret is not set, or the endpoint is no web address.
        """
        key, secret = os.environ.get("FLICKR_API_KEY"), os.environ.get("FLICKR_API_SECRET")
        endpoint = os.environ.get("GENSET_FLICKR_ENDPOINT")
        if endpoint and not re.match(r"https?://[^/]+", endpoint):
            raise BadInput(
                f"GENSET_FLICKR_ENDPOINT must start with http:// or https://: {endpoint}"
            )
        if not key or not secret:
            raise BadInput(
                "set FLICKR_API_KEY and FLICKR_API_SECRET (from "
                "https://www.flickr.com/services/apps/create), in the environment or in .env"
            )
        return cls(key, secret, endpoint)

    def search(self, text: str, *, posted_after: datetime, page: int, per_page: int) -> SearchPage:
        """One page of photos found by `text`, most relevant first; `per_page` up to 500."""

        def call() -> dict[str, Any]:
            self._pace.wait()
            return parse_reply(
                self._api.photos.search(
                    text=text,
                    sort="relevance",  # the default is newest first
                    min_upload_date=int(posted_after.timestamp()),
                    media="photos",
                    content_type=1,
                    safe_search=1,
                    extras=_EXTRAS,
                    page=page,
                    per_page=per_page,
                )
            )

        try:
            return parse_search(with_retries(call), page=page, per_page=per_page)
        except requests.RequestException as error:
            kind = SourceUnavailable if is_retryable(error) else SourceRefused
            raise kind(f"Flickr did not answer: {_in_short(error)}") from None

    def may_fetch(self, url: str) -> bool:
        """Only Flickr's image hosts; in a sandbox, only the sandbox."""
        return self._image_address.fullmatch(url) is not None


def parse_reply(body: bytes) -> dict[str, Any]:
    """The JSON document of an answer.

    An error comes as HTTP 200, now and then as XML though JSON was asked for:
    ``{"stat": "fail", "code": 100, "message": "Invalid API Key (Key has invalid format)"}`` or
    ``<rsp stat="fail"><err code="100" msg="Invalid API Key (Key has invalid format)"/></rsp>``.

    Raises:
        SourceRefused, SourceUnavailable: Flickr's error, by whether it may pass.
    """
    if body.lstrip().startswith(b"<"):
        raise _error_in_xml(body)
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        raise SourceUnavailable("Flickr's answer is not the JSON that was asked for") from None
    if not isinstance(reply, dict) or reply.get("stat") not in ("ok", "fail"):
        raise SourceUnavailable("Flickr's answer has no status")
    if reply["stat"] == "fail":
        raise _error(reply.get("code"), str(reply.get("message", "")))
    return reply


def parse_search(reply: dict[str, Any], *, page: int, per_page: int) -> SearchPage:
    """The photos of an answer to flickr.photos.search, asked with our extras.

    ::

        {"photos": {"page": 1, "pages": 1, "perpage": 100, "total": "2", "photo": [
          {"id": "10115956703", "owner": "78733179@N04", "title": "Jon Snow", "license": "0",
           "dateupload": "1381061206", "datetaken": "2013-10-06 14:06:41", "media": "photo",
           "url_l": "https://farm3.staticflickr.com/2822/10115956703_b14e1be9d0_b.jpg", ...},
          ...]}, "stat": "ok"}

    Numbers come as strings, any extra may be missing. Entries that are no photo are left out.
    """
    try:
        photos = reply["photos"]
        total = int(photos["total"] or 0)
        entries = photos["photo"]
        found = tuple(_photo(entry) for entry in entries if entry.get("media", "photo") == "photo")
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, OSError) as error:
        raise SourceUnavailable(f"Flickr's search answered in an unknown form: {error!r}") from None
    last = not entries or page * per_page >= min(total, _MOST_RESULTS)
    return SearchPage(found, total, last)


def _photo(entry: dict[str, Any]) -> FoundPhoto:
    granted = flickr_license(int(entry["license"]))
    unknown = str(entry.get("datetakenunknown", "0")) == "1"
    return FoundPhoto(
        source_id=str(entry["id"]),
        owner=str(entry["owner"]),
        owner_name=str(entry.get("ownername") or ""),
        title=str(entry.get("title") or ""),
        license=granted.name,
        license_url=granted.url,
        page_url=f"https://www.flickr.com/photos/{entry['owner']}/{entry['id']}",
        image_url=next((url for size in _SIZES if (url := entry.get(f"url_{size}"))), ""),
        posted_at=datetime.fromtimestamp(int(entry["dateupload"]), UTC),
        taken_at=None if unknown else entry.get("datetaken"),
    )


def _error_in_xml(body: bytes) -> SourceError:
    try:
        found = ElementTree.fromstring(body).find("err")  # noqa: S314 - expat expands no bombs
    except (ElementTree.ParseError, LookupError, ValueError):  # the last two: odd encodings
        found = None
    if found is None:
        return SourceUnavailable("Flickr answered with a page instead of JSON")
    return _error(found.get("code"), found.get("msg", ""))


def _error(code: str | int | None, message: str) -> SourceError:
    number = int(code) if code is not None and re.fullmatch("[0-9]{1,9}", str(code)) else None
    if number in _PASSING_CODES or "not currently available" in message.lower():
        return SourceUnavailable(f"Flickr: {message} (code {code})", number)
    if number == 100:
        message += "; check FLICKR_API_KEY"
    return SourceRefused(f"Flickr: {message} (code {code})", number)


def _in_short(error: requests.RequestException) -> str:
    if error.response is not None:
        return f"HTTP {error.response.status_code}"
    return type(error).__name__
