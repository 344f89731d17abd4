"""Flickr, through flickrapi. Nothing else imports flickrapi."""

import hashlib
import json
import os
import re
import tempfile
from datetime import UTC, datetime
from functools import cached_property, reduce
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import flickrapi
import requests

from genset.errors import BadInput, SourceError, SourceRefused, SourceUnavailable
from genset.licenses import License, flickr_license, license_ids, merged
from genset.scrape.fetch.http import TIMEOUT, in_short, is_retryable, new_session, with_retries
from genset.scrape.fetch.rate_limit import RateLimit
from genset.scrape.sources.source import FoundPhoto, Question, SearchPage
from genset.workspace import Workspace

# The picture we ask for, the most wanted first. 1,024 pixels are four times what classifiers look
# at, in a tenth of an original's bytes; a photo without that size is smaller, so take its largest.
_SIZES = ("l", "o", "h", "k", "c", "z", "m", "n")
_EXTRAS = ",".join(
    ["license", "date_upload", "date_taken", "owner_name", "media", *(f"url_{s}" for s in _SIZES)]
)

# What photos.getInfo answers where there is no such photo, or none that the public may see.
_NOT_FOUND, _PRIVATE = 1, 2

# Elements whose children are a list in the JSON form, even where there is one child or none.
_LISTS = {"photos": "photo", "licenses": "license"}

# The parameter that said what is wanted before `content_types` did, for each of its combinations.
_CONTENT_TYPE = {(0,): 1, (1,): 2, (2,): 3, (0, 1): 4, (1, 2): 5, (0, 2): 6, (0, 1, 2): 7}

# Past this many results Flickr repeats its last page.
_MOST_RESULTS = 4000

# "Sorry, the ... is not currently available", in the numbers that Flickr gives it.
_PASSING_CODES = {0, 10, 105, 106, 201}

CALLS_AN_HOUR = 3600  # that Flickr allows a key
IMAGES_PER_SECOND = 10

# Flickr's image hosts. The whole address must match, for a parser of one library may see another
# host in "https://evil.example\.staticflickr.com/" than the library that then connects.
_IMAGE_ADDRESS = re.compile(
    r"https?://[a-z0-9.-]+\.(staticflickr\.com|static\.flickr\.com)(:80|:443)?/\S*", re.I
)


class Flickr:
    """Flickr's search, as a `genset.scrape.sources.source.Source`.

    `endpoint` is the REST address: Flickr's own, or a sandbox's on loopback, which then is also
    the one host that pictures may come from.
    """

    name = "flickr"

    def __init__(
        self,
        key: str,
        secret: str,
        endpoint: str | None = None,
        *,
        paces: Path | None = None,
        calls_an_hour: float | None = None,
        images_per_second: float | None = None,
    ) -> None:
        """Several keys stand in `key` and `secret` in the same order, separated by commas.

        `calls_an_hour` holds for each key, `images_per_second` for the image hosts; where they are
        not given, Flickr gets what it allows and what is polite, and loopback no limit (0 means
        none). The folder `paces` is what all scrapers share that call with these keys.
        """
        self._image_address = _IMAGE_ADDRESS
        address = endpoint or flickrapi.FlickrAPI.REST_URL
        parts = urlsplit(address)
        if endpoint:
            host = re.escape(f"{parts.scheme}://{parts.netloc}")
            self._image_address = re.compile(rf"{host}/\S*")
        near = is_loopback(address)
        interval = _interval(calls_an_hour, 0 if near else CALLS_AN_HOUR, per=3600)
        self.image_interval = _interval(images_per_second, 0 if near else IMAGES_PER_SECOND, per=1)
        folder = paces or own_paces()
        self._lines = [
            (
                _api(each, its, address),
                RateLimit(folder, f"{parts.netloc}-{_alias(each)}", interval),
            )
            for each, its in zip(key.split(","), secret.split(","), strict=True)
        ]

    @classmethod
    def from_environment(cls, workspace: Workspace) -> "Flickr":
        """With FLICKR_API_KEY, FLICKR_API_SECRET and, where set, GENSET_FLICKR_ENDPOINT.

        Raises:
            BadInput: the key or the secret is not set, there are not as many keys as secrets, or
                the endpoint is no web address.
        """
        key, secret = os.environ.get("FLICKR_API_KEY"), os.environ.get("FLICKR_API_SECRET")
        endpoint = _endpoint()
        if not key or not secret:
            raise BadInput(
                "set FLICKR_API_KEY and FLICKR_API_SECRET (from "
                "https://www.flickr.com/services/apps/create), in the environment or in .env"
            )
        if key.count(",") != secret.count(","):
            raise BadInput("FLICKR_API_KEY and FLICKR_API_SECRET name different numbers of keys")
        return cls(
            key,
            secret,
            endpoint,
            paces=workspace.paces,
            calls_an_hour=workspace.calls_an_hour,
            images_per_second=workspace.images_per_second,
        )

    @classmethod
    def for_pictures(cls, images_per_second: float | None = None) -> "Flickr":
        """To download from only, for which no key is needed."""
        return cls("", "", _endpoint(), images_per_second=images_per_second)

    def search(self, question: Question) -> SearchPage:
        """One page of photos, most relevant first; at most 500 a page."""
        asked: dict[str, object] = {
            "text": question.text,
            "sort": "relevance",  # the default is newest first
            "min_upload_date": int(question.posted_after.timestamp()),
            "media": "photos",
            # Whoever does not know the newer one reads the older one.
            "content_type": _CONTENT_TYPE[question.content_types],
            "content_types": ",".join(map(str, question.content_types)),
            "safe_search": question.safe_search,
            "extras": _EXTRAS,
            "page": question.page,
            "per_page": question.per_page,
        }
        if question.posted_before is not None:  # Flickr's end of the window is in it, ours is not
            asked["max_upload_date"] = int(question.posted_before.timestamp()) - 1
        if question.licenses:
            asked["license"] = ",".join(str(number) for number in license_ids(question.licenses))
        reply = self._call("photos.search", asked)
        return parse_search(reply, page=question.page, per_page=question.per_page)

    def license_of(self, source_id: str) -> License | None:
        """The licence that a photo has today; None where it was taken down or made private."""
        try:
            number = parse_info(self._call("photos.getInfo", {"photo_id": source_id}))
        except SourceRefused as refused:
            if refused.code in (_NOT_FOUND, _PRIVATE):
                return None
            raise
        return self._licenses.get(number) or flickr_license(number)

    @cached_property
    def _licenses(self) -> dict[int, License]:
        """All licences by id, in the words that Flickr has for them today."""
        return merged(parse_licenses(self._call("photos.licenses.getInfo", {})))

    def _call(self, method: str, asked: dict[str, object]) -> dict[str, Any]:
        """Call a method with the key whose turn comes first, again while that may help."""
        api, pace = min(self._lines, key=lambda line: line[1].waiting())
        function = reduce(getattr, method.split("."), api)
        try:
            return with_retries(lambda: parse_reply(function(**asked)), pace)
        except requests.RequestException as error:
            kind = SourceUnavailable if is_retryable(error) else SourceRefused
            raise kind(f"Flickr did not answer: {in_short(error)}") from None

    def may_fetch(self, url: str) -> bool:
        """Only Flickr's image hosts; in a sandbox, only the sandbox."""
        return self._image_address.fullmatch(url) is not None


def own_paces() -> Path:
    """Where whoever works outside of any workspace shares a pace."""
    return Path(tempfile.gettempdir()) / f"genset-paces-{os.getuid()}"


def _endpoint() -> str | None:
    """The address that stands in for Flickr's own."""
    endpoint = os.environ.get("GENSET_FLICKR_ENDPOINT")
    if endpoint and not re.match(r"https?://[^/]+", endpoint):
        raise BadInput(f"GENSET_FLICKR_ENDPOINT must start with http:// or https://: {endpoint}")
    return endpoint


def is_loopback(address: str) -> bool:
    """Whether a web address leads to this machine."""
    host = urlsplit(address).hostname or ""
    return host.startswith("127.") or host in ("localhost", "::1")


def _interval(rate: float | None, usual: float, per: float) -> float:
    """Seconds between two calls at so many calls `per` seconds; 0 means no limit."""
    rate = usual if rate is None else rate
    return per / rate if rate else 0.0


def _api(key: str, secret: str, address: str) -> flickrapi.FlickrAPI:
    api = flickrapi.FlickrAPI(key, secret, format="json", store_token=False, timeout=TIMEOUT)
    api.REST_URL = address
    api.flickr_oauth.session = new_session()
    # flickrapi loses the status code of a failed call; this hook raises before it can.
    api.flickr_oauth.session.hooks["response"].append(lambda reply, **_: reply.raise_for_status())
    return api


def _alias(key: str) -> str:
    """A name for a key that does not give it away."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def parse_reply(body: bytes) -> dict[str, Any]:
    """The JSON document of an answer.

    An error comes as HTTP 200, and an answer now and then as XML though JSON was asked for:
    ``{"stat": "fail", "code": 100, "message": "Invalid API Key (Key has invalid format)"}`` or
    ``<rsp stat="fail"><err code="100" msg="Invalid API Key (Key has invalid format)"/></rsp>``.

    Raises:
        SourceRefused, SourceUnavailable: Flickr's error, by whether it may pass.
    """
    if body.lstrip().startswith(b"<"):
        return _parse_xml(body)
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
    return SearchPage(found, total, last, capped=last and total > _MOST_RESULTS)


def _photo(entry: dict[str, Any]) -> FoundPhoto:
    granted = flickr_license(int(entry["license"]))
    source_id, owner = _text(entry["id"]), _text(entry["owner"])
    if not source_id or not owner:
        raise ValueError("a photo without id or owner")
    unknown = str(entry.get("datetakenunknown", "0")) == "1"
    return FoundPhoto(
        source_id=source_id,
        owner=owner,
        owner_name=_text(entry.get("ownername")),
        title=_text(entry.get("title")),
        license=granted.name,
        license_url=granted.url,
        page_url=f"https://www.flickr.com/photos/{owner}/{source_id}",
        image_url=_text(next((url for size in _SIZES if (url := entry.get(f"url_{size}"))), "")),
        posted_at=datetime.fromtimestamp(int(entry["dateupload"]), UTC),
        taken_at=None if unknown else _text(entry.get("datetaken"))[:32] or None,
    )


def _text(value: object) -> str:
    """A field that holds text, without what a database does not take: NUL, halves of characters."""
    return str(value or "").replace("\0", "").encode(errors="replace").decode()


def parse_info(reply: dict[str, Any]) -> int:
    """The licence's id in an answer to flickr.photos.getInfo.

    ``{"photo": {"id": "8130464513", "license": "0", "owner": {...}, ...}, "stat": "ok"}``
    """
    try:
        return int(reply["photo"]["license"])
    except (LookupError, TypeError, ValueError) as error:
        raise SourceUnavailable(
            f"Flickr's getInfo answered in an unknown form: {error!r}"
        ) from None


def parse_licenses(reply: dict[str, Any]) -> dict[int, License]:
    """The licences by id in an answer to flickr.photos.licenses.getInfo.

    ``{"licenses": {"license": [{"id": "0", "name": "All Rights Reserved", "url": ""}, ...]}}``
    """
    try:
        return {
            int(entry["id"]): License(str(entry["name"]), str(entry.get("url") or ""))
            for entry in reply["licenses"]["license"]
        }
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise SourceUnavailable(f"Flickr's licences came in an unknown form: {error!r}") from None


def _parse_xml(body: bytes) -> dict[str, Any]:
    try:
        root = ElementTree.fromstring(body)  # noqa: S314 - expat expands no bombs
    except (ElementTree.ParseError, LookupError, ValueError):  # the last two: odd encodings
        root = ElementTree.Element("html")
    if (found := root.find("err")) is not None:
        raise _error(found.get("code"), found.get("msg", ""))
    if root.tag != "rsp" or root.get("stat") != "ok":
        raise SourceUnavailable("Flickr answered with a page instead of JSON")
    try:
        return _as_json(root)
    except RecursionError:
        raise SourceUnavailable("Flickr's answer is nested too deeply") from None


def _as_json(element: ElementTree.Element) -> dict[str, Any]:
    """What an element of Flickr's XML is in its JSON: attributes and children by name."""
    fields: dict[str, Any] = dict(element.attrib)
    if text := (element.text or "").strip():
        fields["_content"] = text
    fields |= {child.tag: _as_json(child) for child in element}
    if plural := _LISTS.get(element.tag):
        fields[plural] = [_as_json(child) for child in element]
    return fields


def _error(code: str | int | None, message: str) -> SourceError:
    number = int(code) if code is not None and re.fullmatch("[0-9]{1,9}", str(code)) else None
    if number in _PASSING_CODES or "not currently available" in message.lower():
        return SourceUnavailable(f"Flickr: {message} (code {code})", number)
    if number == 100:
        message += "; check FLICKR_API_KEY"
    return SourceRefused(f"Flickr: {message} (code {code})", number)
