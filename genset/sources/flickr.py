"""Flickr, as a source of photos: what is asked of it, and what its answers say of photos.

An answer to flickr.photos.search, asked with our extras::

    {"photos": {"page": 1, "pages": 1, "perpage": 100, "total": "2", "photo": [
      {"id": "10115956703", "owner": "78733179@N04", "title": "Jon Snow", "license": "0",
       "dateupload": "1381061206", "datetaken": "2013-10-06 14:06:41", "media": "photo",
       "url_l": "https://farm3.staticflickr.com/2822/10115956703_b14e1be9d0_b.jpg", ...},
      ...]}, "stat": "ok"}

to flickr.photos.getInfo::

    {"photo": {"id": "8130464513", "license": "0", "owner": {...}, ...}, "stat": "ok"}

Numbers come as strings or as numbers, and any extra may be missing.
"""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial, reduce
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Self
from urllib.parse import urlsplit

import requests
from msgspec import Meta

from genset.core.errors import (
    BadInput,
    PhotoRejected,
    SourceError,
    SourceRefused,
    SourceUnavailable,
)
from genset.core.photo import PhotoOrigin
from genset.licenses import FLICKR, FLICKR_NOTICE, flickr_license, license_ids
from genset.net.api import endpoint_in, is_loopback
from genset.net.hosts import Host, Hosts
from genset.net.pace import RateLimit
from genset.net.transport import is_retryable
from genset.sources.flickr_api import REST_URL, connected, parse_reply, uploaded
from genset.sources.replies import Reply, read, stored, usable_entry
from genset.sources.source import (
    About,
    Licenses,
    Question,
    Rates,
    SearchPage,
    Settings,
    Source,
    at,
    photos_of,
)

NAME = "flickr"

# The picture we ask for, the most wanted first. 1,024 pixels are four times what classifiers look
# at, in a tenth of an original's bytes; a photo without that size is smaller, so take its largest.
_SIZES = ("l", "o", "h", "k", "c", "z", "m", "n")
_EXTRAS = ",".join(
    ["license", "date_upload", "date_taken", "owner_name", "media", *(f"url_{s}" for s in _SIZES)]
)

_MOST_RESULTS = 4000  # past which Flickr repeats its last page

CALLS_AN_HOUR = 3600  # that Flickr allows a key
IMAGES_PER_SECOND = 10

_PICTURES = re.compile(
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
        posted="when it was uploaded to Flickr, which its owner can change: a later date than its "
        "id allows is not believed, and ids tell until August 2014",
        taken="what the camera or its owner says",
        notice=FLICKR_NOTICE,
    )
    narrows_licenses = tuple(FLICKR.values())
    ids: ClassVar = {
        "owner": ("[0-9]+@N[0-9]{2}", "an id such as 78733179@N04"),
        "photo": ("[1-9][0-9]*", "a number such as 6061409035"),
    }

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
            calls_an_hour, images_per_second: 0 means no limit. The usual is what Flickr allows
                each key, and what is polite; on loopback there is no limit.
        """
        self.picture_addresses = at(endpoint, _PICTURES)
        address = endpoint or REST_URL
        place, near = urlsplit(address).netloc, is_loopback(address)
        calls = _interval(calls_an_hour, 0 if near else CALLS_AN_HOUR, per=3600)
        images = _interval(images_per_second, 0 if near else IMAGES_PER_SECOND, per=1)
        keys = keys_in(key) or [""]
        aliases = [sha256(key.encode()).hexdigest()[:12] for key in keys]  # which give none away
        self._apis = connected(keys, address)
        self.api = Host(
            hosts,
            place,
            "Flickr",
            [RateLimit(hosts.store, f"{place}-{alias}", calls) for alias in aliases],
            # test.echo may answer while no search does.
            ping=lambda quota: self._call("photos.search", {"text": "sky", "per_page": 1}, quota),
        )
        self._keys = keys
        pictures = f"{place}-images" if endpoint else "flickr-images"
        limit = RateLimit(hosts.store, pictures, images)
        self.images = Host(hosts, pictures, "Flickr's image host", [limit])

    @classmethod
    def connect(cls, hosts: Hosts, settings: Settings) -> Self:
        """With FLICKR_API_KEY and, where set, GENSET_FLICKR_ENDPOINT.

        Raises:
            BadInput: the key is not set, or the endpoint is no web address.
        """
        key, endpoint = os.environ.get("FLICKR_API_KEY", ""), endpoint_in("GENSET_FLICKR_ENDPOINT")
        if not keys_in(key):
            raise BadInput(
                "Flickr requires an API key: set FLICKR_API_KEY (from "
                "https://www.flickr.com/services/apps/create) in the environment or in .env, or "
                "use a source without one, such as --source commons (docs/sources.md)"
            )
        calls, images = settings.calls_an_hour, settings.images_per_second
        return cls(hosts, key, endpoint, calls_an_hour=calls, images_per_second=images)

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

    def search(self, question: Question, quota: int) -> SearchPage:
        """One page of photos, most relevant first; at most 500 a page."""
        parameters: dict[str, object] = {
            "text": question.text,
            "sort": "relevance",  # the default is newest first
            "min_upload_date": int(question.posted_after.timestamp()),
            "media": "photos",
            "content_types": ",".join(map(str, question.content_types)),
            "extras": _EXTRAS,
            "page": question.page,
            "per_page": question.per_page,
        }
        if question.posted_before is not None:  # Flickr's end of the window is in it, ours is not
            parameters["max_upload_date"] = int(question.posted_before.timestamp()) - 1
        if question.licenses:
            parameters["license"] = ",".join(map(str, license_ids(question.licenses)))
        reply, since = self._call("photos.search", parameters, quota), question.posted_after
        return parse_search(reply, page=question.page, per_page=question.per_page, since=since)

    def ask_licenses(self, source_ids: Sequence[str], quota: int) -> Licenses:
        """The licence of one photo; None where it was taken down or made private."""
        [source_id] = source_ids
        try:
            info = self._call("photos.getInfo", {"photo_id": source_id}, quota)
        except SourceRefused as refused:
            if refused.code in (1, 2):  # there is none, or none that the public may see
                return {source_id: None}
            raise
        return {source_id: flickr_license(parse_info(info))}

    def _call(self, method: str, parameters: dict[str, object], quota: int) -> dict[str, Any]:
        """Call a method once, with the key of this number, which no error shows."""
        try:
            call = reduce(getattr, method.split("."), self._apis[quota])
            try:
                return parse_reply(call(**parameters))
            except requests.HTTPError as error:
                if not is_retryable(error):
                    with suppress(SourceUnavailable):  # what Flickr says of it, if it says anything
                        parse_reply(error.response.content)
                raise
        except SourceError as error:
            words, count = str(error), len(self._keys)
            if key := self._keys[quota]:
                words = words.replace(key, "***")
            if error.scope == "key":
                which = f"key {quota + 1} of {count} in " if count > 1 else ""
                words += f"; check {which}FLICKR_API_KEY"
            raise type(error)(words, error.code, error.scope) from None


def keys_in(text: str) -> list[str]:
    """The keys that FLICKR_API_KEY names, each once."""
    return list(dict.fromkeys(key for part in text.split(",") if (key := part.strip())))


def _interval(rate: float | None, usual: float, per: float) -> float:
    """Seconds between two calls at so many calls `per` seconds; 0 means no limit."""
    rate = usual if rate is None else rate
    return per / rate if rate else 0.0


Number = (
    Annotated[int, Meta(gt=-(10**10), lt=10**10)] | Annotated[str, Meta(pattern="^-?[0-9]{1,10}$")]
)


class Photos(Reply, frozen=True):
    """A page of an answer to flickr.photos.search."""

    total: int | Annotated[str, Meta(pattern="^[0-9]{0,10}$")] | None
    photo: list[Any]


class Entry(Reply, frozen=True):
    """A photo of a page. The addresses of its sizes are beside these: ``url_l`` and so on."""

    id: Annotated[int, Meta(ge=0)] | Annotated[str, Meta(pattern="^[0-9]{1,32}$")]
    owner: Annotated[str, Meta(pattern="^[0-9A-Z@]{1,64}$")]
    license: Number
    dateupload: Number
    media: str = "photo"
    title: str = ""
    ownername: str = ""
    datetaken: str = ""
    datetakenunknown: Number = 0


def parse_search(reply: dict[str, Any], *, page: int, per_page: int, since: datetime) -> SearchPage:
    """The photos of an answer to flickr.photos.search that were uploaded `since` then.

    Raises:
        SourceUnavailable: it is in an unknown form, or empty where it says that there are results.
    """
    name = "Flickr's search"
    listed = read(reply.get("photos"), Photos, name)
    total = int(listed.total or 0)
    if total and not listed.photo and page == 1:
        raise SourceUnavailable(f"{name} answered with none of {total:,} results", scope="query")
    photos, rejected = photos_of(listed.photo, partial(_photo, since=since))
    last = not listed.photo or page * per_page >= min(total, _MOST_RESULTS)
    return SearchPage(photos, total, last, capped=last and total > _MOST_RESULTS, rejected=rejected)


def _photo(document: Any, since: datetime) -> PhotoOrigin:
    """A photo of a page; PhotoRejected where it is none, or one from before the window."""
    entry = usable_entry(document, Entry)
    if entry.media != "photo":
        raise PhotoRejected("no photo")
    granted = flickr_license(int(entry.license))
    posted = datetime.fromtimestamp(int(entry.dateupload), UTC)
    if posted > datetime.now(UTC) + timedelta(days=1):
        raise PhotoRejected("posted in the future")
    posted_at = uploaded(str(entry.id), posted)
    if posted_at < since <= posted:
        raise PhotoRejected(f"uploaded before {since.date()} by its id")
    unknown = int(entry.datetakenunknown) == 1
    urls = [document.get(f"url_{size}") for size in _SIZES]
    return PhotoOrigin(
        source=NAME,
        source_id=str(entry.id),
        owner=entry.owner,
        owner_name=stored(entry.ownername),
        title=stored(entry.title),
        license=granted.name,
        license_url=granted.url,
        page_url=f"https://www.flickr.com/photos/{entry.owner}/{entry.id}",
        image_url=stored(next((url for url in urls if url and isinstance(url, str)), "")),
        posted_at=posted_at,
        taken_at=None if unknown else stored(entry.datetaken, 32) or None,
    )


class Licensed(Reply, frozen=True):
    """What flickr.photos.getInfo says of a photo: its licence, by its id."""

    license: Number


def parse_info(reply: dict[str, Any]) -> int:
    """The licence's id in an answer to flickr.photos.getInfo."""
    return int(read(reply.get("photo"), Licensed, "Flickr's getInfo").license)
