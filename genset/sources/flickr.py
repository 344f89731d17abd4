"""Flickr, as a source of photos: what is asked of it, and what its answers say of photos."""

import hashlib
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import reduce
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from msgspec import Meta

from genset.core.errors import BadInput, SourceError, SourceRefused, SourceUnavailable
from genset.core.photo import PhotoOrigin
from genset.core.safe import clean
from genset.licenses import (
    FLICKR_NOTICE,
    License,
    LicenseChoice,
    flickr_license,
    license_ids,
    merged,
)
from genset.net.api import endpoint_in, is_loopback
from genset.net.hosts import Host, Hosts
from genset.net.pace import RateLimit
from genset.sources.flickr_api import REST_URL, connected, parse_reply
from genset.sources.replies import Reply, read, stored
from genset.sources.source import (
    About,
    Licenses,
    Question,
    Rates,
    SearchPage,
    Settings,
    Source,
)

NAME = "flickr"

# The picture we ask for, the most wanted first. 1,024 pixels are four times what classifiers look
# at, in a tenth of an original's bytes; a photo without that size is smaller, so take its largest.
_SIZES = ("l", "o", "h", "k", "c", "z", "m", "n")
_EXTRAS = ",".join(
    ["license", "date_upload", "date_taken", "owner_name", "media", *(f"url_{s}" for s in _SIZES)]
)

# What photos.getInfo answers where there is no such photo, or none that the public may see.
_NOT_FOUND, _PRIVATE = 1, 2

# The parameter that said what is wanted before `content_types` did, for each of its combinations.
_CONTENT_TYPE = {(0,): 1, (1,): 2, (2,): 3, (0, 1): 4, (1, 2): 5, (0, 2): 6, (0, 1, 2): 7}

# Past this many results Flickr repeats its last page.
_MOST_RESULTS = 4000

_LONGEST_TEXT = 2000

CALLS_AN_HOUR = 3600  # that Flickr allows a key
IMAGES_PER_SECOND = 10

# Flickr's image hosts. The whole address must match, for a parser of one library may see another
# host in "https://evil.example\.staticflickr.com/" than the library that then connects.
_IMAGE_ADDRESS = re.compile(
    r"https?://[a-z0-9.-]+\.(staticflickr\.com|static\.flickr\.com)(:80|:443)?/\S*", re.I
)


class Flickr(Source):
    """Flickr's search.

    `endpoint` is the REST address: Flickr's own, or a sandbox's on loopback, which then is also
    the one host that pictures may come from.
    """

    about = About(
        name=NAME,
        title="Flickr",
        home="https://www.flickr.com/",
        needs="an API key in FLICKR_API_KEY, which Flickr gives to Pro members only since 2025",
        found="by each class's queries (WordNet's words, or its maker's own), in Flickr's own "
        "order of relevance, which nobody outside can explain or repeat exactly",
        limits="3,600 calls of the API an hour for each key, and 10 images a second",
        terms="Show at most 30 photos on a page, each with its credit and a link to its page, and "
        "take a photo out within 24 hours of its owner's request.",
        posted="when it was uploaded to Flickr",
        taken="what the camera or its owner says",
        notice=FLICKR_NOTICE,
    )

    def __init__(
        self,
        hosts: Hosts,
        key: str,
        endpoint: str | None = None,
        *,
        calls_an_hour: float | None = None,
        images_per_second: float | None = None,
    ) -> None:
        """Make the source; nothing is asked yet.

        Args:
            hosts: what all scrapers share that call with these keys.
            key: Flickr's, of the API; several are separated by commas.
            endpoint: the REST address, where it is not Flickr's own.
            calls_an_hour: for each key; 0 means no limit. Where it is not given, Flickr gets what
                it allows, and loopback no limit.
            images_per_second: of the image hosts; where it is not given, what is polite.
        """
        self._image_address = _IMAGE_ADDRESS
        address = endpoint or REST_URL
        parts = urlsplit(address)
        if endpoint:
            host = re.escape(f"{parts.scheme}://{parts.netloc}")
            self._image_address = re.compile(rf"{host}/\S*")
        near = is_loopback(address)
        calls = _interval(calls_an_hour, 0 if near else CALLS_AN_HOUR, per=3600)
        images = _interval(images_per_second, 0 if near else IMAGES_PER_SECOND, per=1)
        keys = keys_in(key) or [""]
        self._apis = connected(keys, address)
        self.api = Host(
            hosts,
            parts.netloc,
            "Flickr",
            [RateLimit(hosts.store, f"{parts.netloc}-{_alias(key)}", calls) for key in keys],
            ping=lambda quota: self._call("test.echo", {}, quota),
        )
        self._keys = keys
        self._named: dict[int, License] | None = None
        pictures = f"{parts.netloc}-images" if endpoint else "flickr-images"
        limit = RateLimit(hosts.store, pictures, images)
        self.images = Host(hosts, pictures, "Flickr's image host", [limit])

    @classmethod
    def connect(cls, hosts: Hosts, settings: Settings) -> Self:
        """With FLICKR_API_KEY and, where set, GENSET_FLICKR_ENDPOINT.

        Raises:
            BadInput: the key is not set, or the endpoint is no web address.
        """
        key, endpoint = os.environ.get("FLICKR_API_KEY"), endpoint_in("GENSET_FLICKR_ENDPOINT")
        if not key:
            raise BadInput(
                "Flickr requires an API key: set FLICKR_API_KEY (from "
                "https://www.flickr.com/services/apps/create) in the environment or in .env, or "
                "use a source without one, such as --source commons (docs/sources.md)"
            )
        return cls(
            hosts,
            key,
            endpoint,
            calls_an_hour=settings.calls_an_hour,
            images_per_second=settings.images_per_second,
        )

    @classmethod
    def for_pictures(cls, hosts: Hosts, settings: Settings) -> Self:
        """To download from only, for which no key is needed."""
        endpoint = endpoint_in("GENSET_FLICKR_ENDPOINT")
        return cls(hosts, "", endpoint, images_per_second=settings.images_per_second)

    @classmethod
    def rates(cls, settings: Settings) -> Rates:
        """What Flickr allows each key, and what is polite, where the workspace says nothing."""
        calls, images = settings.calls_an_hour, settings.images_per_second
        keys = max(1, len(keys_in(os.environ.get("FLICKR_API_KEY", ""))))
        return Rates(
            calls_an_hour=keys * (CALLS_AN_HOUR if calls is None else calls),
            images_per_second=IMAGES_PER_SECOND if images is None else images,
        )

    @classmethod
    def licenses(cls, choice: LicenseChoice) -> tuple[str, ...]:
        """The names of those that Flickr has.

        Raises:
            BadInput: it has none of them.
        """
        names = choice.flickr_names()
        if not names:
            raise BadInput(f"Flickr has no licence {', '.join(choice.words)}")
        return names

    def search(self, question: Question, quota: int) -> SearchPage:
        """One page of photos, most relevant first; at most 500 a page."""
        parameters: dict[str, object] = {
            "text": question.text,
            "sort": "relevance",  # the default is newest first
            "min_upload_date": int(question.posted_after.timestamp()),
            "media": "photos",
            # Whoever does not know the newer one reads the older one.
            "content_type": _CONTENT_TYPE[question.content_types],
            "content_types": ",".join(map(str, question.content_types)),
            "extras": _EXTRAS,
            "page": question.page,
            "per_page": question.per_page,
        }
        if question.posted_before is not None:  # Flickr's end of the window is in it, ours is not
            parameters["max_upload_date"] = int(question.posted_before.timestamp()) - 1
        if question.licenses:
            parameters["license"] = ",".join(
                str(number) for number in license_ids(question.licenses)
            )
        reply = self._call("photos.search", parameters, quota)
        return parse_search(reply, page=question.page, per_page=question.per_page)

    def ask_licenses(self, source_ids: Sequence[str], quota: int) -> Licenses:
        """The licence of one photo; None where it was taken down or made private."""
        [source_id] = source_ids
        try:
            info = self._call("photos.getInfo", {"photo_id": source_id}, quota)
        except SourceRefused as refused:
            if refused.code in (_NOT_FOUND, _PRIVATE):
                return {source_id: None}
            raise
        number = parse_info(info)
        return {source_id: self._licenses(quota).get(number) or flickr_license(number)}

    def _licenses(self, quota: int) -> dict[int, License]:
        """All licences by id, in the words that Flickr has for them today, or last had for us."""
        if self._named is None:
            self.api.wait_for_turn(quota)
            try:
                listed = parse_licenses(self._call("photos.licenses.getInfo", {}, quota))
            except SourceRefused:
                listed = {}
            self._named = merged(listed)
        return self._named

    def _call(self, method: str, parameters: dict[str, object], quota: int) -> dict[str, Any]:
        """Call a method once, with the key of this number, which no error shows."""
        try:
            return parse_reply(reduce(getattr, method.split("."), self._apis[quota])(**parameters))
        except SourceError as error:
            key = self._keys[quota]
            if key and key in str(error):
                raise type(error)(str(error).replace(key, "***"), error.code, error.scope) from None
            raise

    def may_fetch(self, url: str) -> bool:
        """Only Flickr's image hosts; in a sandbox, only the sandbox."""
        return self._image_address.fullmatch(url) is not None


def keys_in(text: str) -> list[str]:
    """The keys that FLICKR_API_KEY names, each once."""
    return list(dict.fromkeys(key for part in text.split(",") if (key := part.strip())))


def _interval(rate: float | None, usual: float, per: float) -> float:
    """Seconds between two calls at so many calls `per` seconds; 0 means no limit."""
    rate = usual if rate is None else rate
    return per / rate if rate else 0.0


def _alias(key: str) -> str:
    """A name for a key that does not give it away."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


# What its answers say. Numbers come as strings or as numbers, and any extra may be missing.

Number = (
    Annotated[int, Meta(gt=-(10**10), lt=10**10)] | Annotated[str, Meta(pattern="^-?[0-9]{1,10}$")]
)


class Search(Reply, frozen=True):
    """An answer to flickr.photos.search, asked with our extras; its entries are `Entry`.

    ::

        {"photos": {"page": 1, "pages": 1, "perpage": 100, "total": "2", "photo": [
          {"id": "10115956703", "owner": "78733179@N04", "title": "Jon Snow", "license": "0",
           "dateupload": "1381061206", "datetaken": "2013-10-06 14:06:41", "media": "photo",
           "url_l": "https://farm3.staticflickr.com/2822/10115956703_b14e1be9d0_b.jpg", ...},
          ...]}, "stat": "ok"}
    """

    photos: "Photos"


class Photos(Reply, frozen=True):
    """A page of results."""

    total: int | Annotated[str, Meta(pattern="^[0-9]{0,10}$")] | None
    photo: list[dict[str, Any]]


class Entry(Reply, frozen=True):
    """A photo of a page; those with ``url_`` are its sizes."""

    id: Annotated[str, Meta(min_length=1, max_length=_LONGEST_TEXT)] | int
    owner: Annotated[str, Meta(min_length=1, max_length=_LONGEST_TEXT)] | int
    license: Number
    dateupload: Number
    title: str = ""
    ownername: str = ""
    datetaken: str = ""
    datetakenunknown: Number = 0
    url_l: str = ""
    url_o: str = ""
    url_h: str = ""
    url_k: str = ""
    url_c: str = ""
    url_z: str = ""
    url_m: str = ""
    url_n: str = ""


class Info(Reply, frozen=True):
    """An answer to flickr.photos.getInfo.

    ``{"photo": {"id": "8130464513", "license": "0", "owner": {...}, ...}, "stat": "ok"}``
    """

    photo: "Licensed"


class Licensed(Reply, frozen=True):
    """A photo's licence, by its id."""

    license: Number


class LicensesReply(Reply, frozen=True):
    """An answer to flickr.photos.licenses.getInfo.

    ``{"licenses": {"license": [{"id": "0", "name": "All Rights Reserved", "url": ""}, ...]}}``
    """

    licenses: "LicenseList"


class LicenseList(Reply, frozen=True):
    """All licences, each of them a `NamedLicense`."""

    license: list[Any]


class NamedLicense(Reply, frozen=True):
    """A licence in Flickr's words."""

    id: Number
    name: str
    url: str = ""


def parse_search(reply: dict[str, Any], *, page: int, per_page: int) -> SearchPage:
    """The photos of an answer to flickr.photos.search. Entries that are no photo are left out."""
    name = "Flickr's search"
    photos = read(reply, Search, name).photos
    total, entries = int(photos.total or 0), photos.photo
    found = tuple(
        _photo(read(entry, Entry, name))
        for entry in entries
        if entry.get("media", "photo") == "photo"
    )
    last = not entries or page * per_page >= min(total, _MOST_RESULTS)
    return SearchPage(found, total, last, capped=last and total > _MOST_RESULTS)


def _photo(entry: Entry) -> PhotoOrigin:
    granted = flickr_license(int(entry.license))
    source_id, owner = stored(str(entry.id)), stored(str(entry.owner))
    if not (source_id + owner).isprintable():
        raise SourceUnavailable("Flickr's search answered with a photo without id or owner")
    unknown = int(entry.datetakenunknown) == 1
    return PhotoOrigin(
        source=NAME,
        source_id=source_id,
        owner=owner,
        owner_name=stored(entry.ownername),
        title=stored(entry.title),
        license=granted.name,
        license_url=granted.url,
        page_url=f"https://www.flickr.com/photos/{owner}/{source_id}",
        image_url=stored(next(filter(None, (getattr(entry, f"url_{s}") for s in _SIZES)), "")),
        posted_at=datetime.fromtimestamp(int(entry.dateupload), UTC),
        taken_at=None if unknown else stored(entry.datetaken, 32) or None,
    )


def parse_info(reply: dict[str, Any]) -> int:
    """The licence's id in an answer to flickr.photos.getInfo."""
    return int(read(reply, Info, "Flickr's getInfo").photo.license)


def parse_licenses(reply: dict[str, Any]) -> dict[int, License]:
    """The licences by id in an answer to flickr.photos.licenses.getInfo."""
    name = "Flickr's list of licences"
    listed = read(reply, LicensesReply, name).licenses.license
    return {
        int(entry.id): License(clean(stored(entry.name)), clean(stored(entry.url)))
        for entry in (read(named, NamedLicense, name) for named in listed)
    }
